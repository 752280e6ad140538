"""Figures of audits of samplers: how often the event was seen, and what the budget allows."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import exp
from typing import TYPE_CHECKING

from dpaudit.questions.sample.frequencies import probabilities
from dpaudit.report.figures.captions import readable
from dpaudit.report.figures.intervals import draw_bars
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import INK, house_style, series_style
from dpaudit.report.figures.widths import Known, reach
from dpaudit.results import Enclosure, EventFound, SampleReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_sample"]

_LONGEST = 60
_LARGEST = 700.0
"""e to it is a float still, and far above every probability."""


@house_style()
def plot_sample(reports: Sequence[SampleReport]) -> Figure:
    """Return a figure of what was counted, with what it may be off by.

    Of an audit that is the frequencies of the event, of a comparison the distances to the law.
    Raises ``ValueError`` if there is nothing to plot.
    """
    (report,) = reports
    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    name = _short(report.mechanism["name"])
    caption = [f"{report.draws} draws of a dataset", f"error probability {report.error}"]
    if report.event is not None:
        caption += _frequencies(axes, report, report.event)
        names = [f"x = {_short(report.event.x)}", f"y = {_short(report.event.y)}"]
        title = f"{name}: {report.verdict.value}"
    elif report.comparisons:
        distances = [Enclosure(Decimal(0), Decimal(c.distance or 0)) for c in report.comparisons]
        axes.set_ylabel("total variation to the law")
        axes.set_ylim(0.0, 1.1 * max(*reach(distances), 1e-9))
        _bars(axes, distances)
        caption.append("bars contain all true distances, except with the error probability")
        names = [_short(one.dataset) for one in report.comparisons]
        title = f"{name} against {_short(report.against)}: {report.verdict.value}"
    else:
        raise ValueError("there is nothing to plot")
    sheet.name_places(axes, names)
    return sheet.finish(title, caption, [])


def _frequencies(axes: Axes, report: SampleReport, event: EventFound) -> list[str]:
    """Draw the frequencies of the event; return what the caption says of them."""
    frequencies = [event.count_x / event.draws, event.count_y / event.draws]
    values = probabilities(report, event)
    axes.set_ylabel("frequency of the event")
    axes.set_xlim(-0.6, 1.6)
    axes.set_ylim(0.0, min(1.05, 1.1 * max(reach(values))))
    _bars(axes, values)
    for place, frequency in enumerate(frequencies):
        axes.plot([place], [frequency], "o", color=series_style(place).colour, label="seen")
    said = ["bars contain both true probabilities, except with the error probability (Hoeffding)"]
    if report.budget is not None:
        epsilon, delta = min(float(report.budget.epsilon), _LARGEST), float(report.budget.delta)
        most = min(exp(epsilon) * frequencies[1] + delta, 1.0)
        axes.plot([-0.3, 0.3], [most, most], linestyle="--", color=INK)
        said.append(f"dashed: what {report.budget} allows at the frequency of y")
    return [*said, f"event: {_short(event.words)}"]


def _bars(axes: Axes, values: Sequence[Enclosure]) -> None:
    for place, value in enumerate(values):  # the caption says what holds them: it is no certainty
        draw_bars(Known(), axes, [place], [value], what="", colour=series_style(place).colour)


def _short(value: object) -> str:
    return readable(str(value), _LONGEST)
