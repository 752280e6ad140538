"""The schema names of all reports, with the types that define them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.report.accuracy_documents import AccuracyDocument
from dpaudit.report.calibration import CalibrationDocument, CalibrationsDocument
from dpaudit.report.claims import ClaimsDocument
from dpaudit.report.conformance import ConformancesDocument
from dpaudit.report.documents import (
    AuditDocument,
    AuditsDocument,
    CurveDocument,
    CurvesDocument,
)
from dpaudit.report.hunts import HuntDocument
from dpaudit.report.notions import NotionDocument, NotionsDocument
from dpaudit.report.reproduction import ReproductionDocument
from dpaudit.report.tradeoffs import TradeoffDocument, TradeoffsDocument
from dpaudit.report.trust import TrustDocument

if TYPE_CHECKING:
    import msgspec

__all__ = ["schemas"]


def schemas() -> dict[str, type[msgspec.Struct]]:
    """Return the document types by schema name."""
    return {
        "dpaudit.audit/1": AuditDocument,
        "dpaudit.audits/1": AuditsDocument,
        "dpaudit.curve/1": CurveDocument,
        "dpaudit.curves/1": CurvesDocument,
        "dpaudit.calibration/1": CalibrationDocument,
        "dpaudit.calibrations/1": CalibrationsDocument,
        "dpaudit.accuracy/1": AccuracyDocument,
        "dpaudit.conformance/1": ConformancesDocument,
        "dpaudit.claims/1": ClaimsDocument,
        "dpaudit.hunt/1": HuntDocument,
        "dpaudit.notion/1": NotionDocument,
        "dpaudit.notions/1": NotionsDocument,
        "dpaudit.tradeoff/1": TradeoffDocument,
        "dpaudit.tradeoffs/1": TradeoffsDocument,
        "dpaudit.reproduce/1": ReproductionDocument,
        "dpaudit.trust/1": TrustDocument,
    }
