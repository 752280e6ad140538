"""Figures of audits by canaries: the bound over the number of guesses, the ROC, the scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from dpaudit.questions.canaries.charts import canary_charts
from dpaudit.questions.canaries.words import kind_of
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import BUDGET_DASHES, INK, MUTED, house_style, series_style
from dpaudit.report.formats.chart import decimal_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpaudit.questions.canaries.guessing import GroupedScores
    from dpaudit.report.formats.chart import Chart, Line
    from dpaudit.results import CanaryReport

__all__ = ["plot_canaries"]

_ALONE, _SEVERAL = 3.0, 2.1
"""Heights of a panel in inches."""
_SHADE = "#DDDDDD"
_ABOVE = 0.2
"""Room for the title of a panel."""


@house_style()
def plot_canaries(reports: Sequence[CanaryReport], scores: GroupedScores | None = None) -> Figure:
    """Return the figure of an audit, a panel for each of its charts.

    Args:
        reports: the report alone.
        scores: the scores that it was made from; None where there were only counts.
    """
    (report,) = reports
    charts = canary_charts(report, scores)
    several = len(charts) > 1
    sheet = Sheet([_SEVERAL if several else _ALONE] * len(charts), shared=False)
    keys: list[list[Line2D]] = []
    caption = []
    for axes, chart, letter in zip(sheet.panels, charts, "abc", strict=False):
        name = f"({letter}) {chart.title}" if several else ""
        keys.append(_draw(axes, chart, name))
        caption += [f"({letter}) {chart.says[0]}" if several else chart.says[0], *chart.says[1:]]
    return sheet.finish(_title(report), caption, keys, above=_ABOVE if several else 0.0)


def _title(report: CanaryReport) -> str:
    if report.worlds is not None:
        return f"{report.canaries} trainings with and without a canary"
    kind = kind_of(report)
    what = ' "in"' if report.one_sided else ""
    if any(bound.sizes for bound in report.bounds):
        return f"Guesses{what} about {report.canaries} {kind}"
    return f"{report.right} of {report.guesses} guesses{what} right about {report.canaries} {kind}"


def _draw(axes: Axes, chart: Chart, name: str) -> list[Line2D]:
    """Draw a chart, and return the keys of its legend."""
    axes.set_title(name, loc="left", fontsize=9)
    axes.set_xlabel(chart.across)
    axes.set_ylabel(chart.up)
    if chart.logarithmic:
        axes.set_xscale("log")
        # Plain numbers: the mathematical ones of the default are not drawn as such here.
        axes.set_xticks(decimal_ticks(*chart.x_range), minor=False)
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(*chart.x_range)
    axes.set_ylim(*chart.y_range)
    keys = []
    for line in chart.lines:
        drawn = _draw_line(axes, line)
        if line.label:
            keys.append(drawn)
    return keys


def _draw_line(axes: Axes, line: Line) -> Line2D:
    """Draw a line, and return a key that looks like it."""
    x, y = ([point[axis] for point in line.points] for axis in range(2))
    style = series_style(line.series)
    look: dict[str, Any] = {"color": style.colour}
    if line.style == "region":
        axes.fill(x, y, color=_SHADE, label=line.label, linewidth=0, zorder=0.5)
        return Line2D([], [], color=_SHADE, linewidth=7, label=line.label)
    if line.style == "budget":
        look = {"color": INK, "linewidth": 1.0, "linestyle": BUDGET_DASHES}
    elif line.style == "chance":
        look = {"color": MUTED, "linewidth": 0.9, "linestyle": ":"}
    elif line.style == "dots":
        look |= {"linestyle": "none", "marker": style.marker, "markerfacecolor": "white"}
        look |= {"clip_on": False}  # a bound of 0 is a whole dot
    elif len(line.points) == 1:
        look |= {"linestyle": "none", "marker": style.marker, "zorder": 3, "clip_on": False}
    else:
        look |= {"linestyle": style.dashes}
    axes.plot(x, y, label=line.label or f"_{line.style}", **look)
    return Line2D([], [], label=line.label, **look)
