"""Views of all types of results; a new type adds a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit import results
from dpaudit.recheck.findings import VerificationDocument
from dpaudit.report.view import VIEWS, view_of
from dpaudit.report.views.accounts import ACCOUNT
from dpaudit.report.views.accuracies import ACCURACY
from dpaudit.report.views.audits import AUDIT, CURVE, MEASURED_AUDIT, TRADEOFF
from dpaudit.report.views.calibrations import CALIBRATION
from dpaudit.report.views.canaries import CANARIES, CANARY_PLAN, INCLUSION
from dpaudit.report.views.findings import CONFORMANCE, GATE, HUNT, POINTS, VERIFICATION
from dpaudit.report.views.interval_curves import INTERVAL_CURVE
from dpaudit.report.views.intervals import INTERVAL
from dpaudit.report.views.samples import SAMPLE
from dpaudit.results.accounts import CertifiedAccount

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

__all__ = ["VIEWS", "plot_of", "view_of"]

VIEWS |= {
    results.AccuracyReport: ACCURACY,
    results.Audit: AUDIT,
    results.CalibrationReport: CALIBRATION,
    results.CanaryPlan: CANARY_PLAN,
    results.CanaryReport: CANARIES,
    CertifiedAccount: ACCOUNT,
    results.CurveReport: CURVE,
    results.GateDocument: GATE,
    results.ConformanceReport: CONFORMANCE,
    results.HuntPoints: POINTS,
    results.HuntReport: HUNT,
    results.InclusionManifest: INCLUSION,
    results.IntervalAudit: INTERVAL,
    results.IntervalCurveReport: INTERVAL_CURVE,
    results.MeasuredAudit: MEASURED_AUDIT,
    results.SampleReport: SAMPLE,
    results.TradeoffReport: TRADEOFF,
    VerificationDocument: VERIFICATION,
}


def plot_of(results: Sequence[Any], *more: Any) -> Figure:
    """Return the figure of ``results``, which are all of one kind."""
    return view_of(results[0]).plot(results, *more)
