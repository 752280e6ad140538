"""Figure: the expected loss against the size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import house_style, series_style

if TYPE_CHECKING:
    from dpaudit.questions.expected_loss.result import ExpectedLossReport
    from matplotlib.figure import Figure

__all__ = ["plot"]


@house_style()
def plot(reports: Sequence[ExpectedLossReport]) -> Figure:
    """Return a figure with a line for each mechanism."""
    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    for place, report in enumerate(reports):
        sizes = [one.n for one in report.results]
        losses = [float(one.loss.upper) for one in report.results]
        axes.plot(sizes, losses, "o-", color=series_style(place).colour, label=report.mechanism)
    axes.set_xlabel("n")
    axes.set_ylabel(f"expected loss ({reports[0].unit})")
    axes.legend()
    return sheet.finish("Expected privacy loss", ["dots: the largest over all pairs"], [])
