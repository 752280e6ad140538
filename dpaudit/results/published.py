"""The names of all documents with the types that define them, and their published JSON Schemas.

The schemas lie in ``schemas/`` beside this file, one a document: what ``dpaudit schema`` prints is
what is published with the package, and a change of a document is a change of a file that anyone can
see.  A test compares each with what its type gives.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from dpaudit.results.accounts import AccountDocument
from dpaudit.results.accuracies import AccuracyReport
from dpaudit.results.audits import Audit, MeasuredAudit, Several
from dpaudit.results.calibrations import CalibrationReport, Calibrations
from dpaudit.results.claims import ClaimsReport
from dpaudit.results.conformances import ConformanceReport
from dpaudit.results.curves import CurveReport, TradeoffReport
from dpaudit.results.gates import GateDocument
from dpaudit.results.hunts import HuntReport
from dpaudit.results.reproductions import ReproductionReport
from dpaudit.results.trusts import TrustReport

__all__ = ["DOCUMENTS", "OTHERS", "published"]

DOCUMENTS: dict[str, Any] = {
    "dpaudit.audit/1": Audit,
    "dpaudit.audits/1": Several[Audit],
    "dpaudit.curve/1": CurveReport,
    "dpaudit.curves/1": Several[CurveReport],
    "dpaudit.calibration/1": CalibrationReport,
    "dpaudit.calibrations/1": Calibrations,
    "dpaudit.accuracy/1": AccuracyReport,
    "dpaudit.conformance/1": ConformanceReport,
    "dpaudit.claims/1": ClaimsReport,
    "dpaudit.hunt/1": HuntReport,
    "dpaudit.notion/1": MeasuredAudit,
    "dpaudit.notions/1": Several[MeasuredAudit],
    "dpaudit.tradeoff/1": TradeoffReport,
    "dpaudit.tradeoffs/1": Several[TradeoffReport],
    "dpaudit.reproduce/1": ReproductionReport,
    "dpaudit.trust/1": TrustReport,
    "dpaudit.account/1": AccountDocument,
    "dpaudit.gate/1": GateDocument,
}
"""The types of documents by the names of their schemas; a new document adds a row."""

OTHERS = ("dpaudit.gate-config/1", "dpaudit.verification/1")
"""Schemas that are published too: a gate's configuration, and what the rechecker says."""


def published(name: str) -> bytes:
    """Return the JSON Schema that is published under ``name``."""
    file = f"{name.removeprefix('dpaudit.').partition('/')[0]}.json"
    return (files("dpaudit.results") / "schemas" / file).read_bytes()
