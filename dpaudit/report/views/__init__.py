"""Views of the results that answer no question about a mechanism; the others are in the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit import results
from dpaudit.recheck.findings import VerificationDocument
from dpaudit.report.view import VIEWS, view_of
from dpaudit.report.views.differences import DIFFERENCE
from dpaudit.report.views.findings import GATE, VERIFICATION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

__all__ = ["VIEWS", "plot_of", "view_of"]

VIEWS |= {
    results.Difference: DIFFERENCE,
    results.GateDocument: GATE,
    VerificationDocument: VERIFICATION,
}


def plot_of(results: Sequence[Any], *more: Any) -> Figure:
    """Return the figure of ``results``, which are all of one kind."""
    return view_of(results[0]).plot(results, *more)
