"""The schema names of all reports, with the types that define them."""

from __future__ import annotations

from typing import Any

from dpaudit.report.claims import ClaimsDocument
from dpaudit.report.reproduction import ReproductionDocument
from dpaudit.report.trust import TrustDocument
from dpaudit.results import (
    AccuracyReport,
    Audit,
    CalibrationReport,
    Calibrations,
    ConformanceReport,
    CurveReport,
    HuntReport,
    MeasuredAudit,
    Several,
    TradeoffReport,
)

__all__ = ["schemas"]


def schemas() -> dict[str, Any]:
    """Return the document types by schema name."""
    return {
        "dpaudit.audit/1": Audit,
        "dpaudit.audits/1": Several[Audit],
        "dpaudit.curve/1": CurveReport,
        "dpaudit.curves/1": Several[CurveReport],
        "dpaudit.calibration/1": CalibrationReport,
        "dpaudit.calibrations/1": Calibrations,
        "dpaudit.accuracy/1": AccuracyReport,
        "dpaudit.conformance/1": ConformanceReport,
        "dpaudit.claims/1": ClaimsDocument,
        "dpaudit.hunt/1": HuntReport,
        "dpaudit.notion/1": MeasuredAudit,
        "dpaudit.notions/1": Several[MeasuredAudit],
        "dpaudit.tradeoff/1": TradeoffReport,
        "dpaudit.tradeoffs/1": Several[TradeoffReport],
        "dpaudit.reproduce/1": ReproductionDocument,
        "dpaudit.trust/1": TrustDocument,
    }
