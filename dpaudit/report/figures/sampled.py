"""Figures of audits of samplers: how often the event was seen, and what the budget allows."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log, sqrt

from matplotlib.figure import Figure

from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import INK, house_style, series_style
from dpaudit.report.table import printable, shortened
from dpaudit.results import SampleReport

__all__ = ["plot_sample"]

_LONGEST = 60


@house_style()
def plot_sample(reports: Sequence[SampleReport]) -> Figure:
    """Return a figure of the frequencies that were counted, with what they may be off by.

    Raises ``ValueError`` if there is nothing to plot.
    """
    (report,) = reports
    event = report.event
    if event is None and not report.comparisons:
        raise ValueError("there is nothing to plot")
    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    name = str(report.mechanism["name"])
    caption = [f"{report.draws} draws of a dataset", f"error probability {report.error}"]
    if event is None:
        axes.set_ylabel("distance at most")
        for place, one in enumerate(report.comparisons):
            axes.plot([place], [float(one.distance)], "o", color=series_style(0).colour)
        axes.set_ylim(0.0, 1.1 * max(float(one.distance) for one in report.comparisons))
        sheet.name_places(axes, [_short(one.dataset) for one in report.comparisons])
        title = f"{_short(name)} against {_short(report.against)}: {report.verdict.value}"
        return sheet.finish(title, caption, [])
    frequencies = [event.count_x / event.draws, event.count_y / event.draws]
    axes.set_ylabel("frequency of the event")
    error = sqrt(log(2 / float(_number(report.error))) / (2 * event.draws))
    for place, frequency in enumerate(frequencies):
        low, high = max(frequency - error, 0.0), min(frequency + error, 1.0)
        axes.errorbar(
            [place],
            [frequency],
            yerr=[[frequency - low], [high - frequency]],
            fmt="o",
            capsize=4,
            color=series_style(place).colour,
        )
    if report.budget is not None:
        most = exp(float(report.budget.epsilon)) * frequencies[1] + float(report.budget.delta)
        axes.plot([-0.3, 0.3], [min(most, 1.0)] * 2, linestyle="--", color=INK)
        caption.append(f"dashed: what {report.budget} allows at the frequency of y")
    axes.set_xlim(-0.6, 1.6)
    axes.set_ylim(0.0, min(1.05, 1.15 * (max(frequencies) + error)))
    sheet.name_places(axes, [f"x = {_short(event.x)}", f"y = {_short(event.y)}"])
    caption.append(f"bars: Hoeffding's bound; event: {_short(event.words)}")
    return sheet.finish(f"{_short(name)}: {report.verdict.value}", caption, [])


def _short(value: object) -> str:
    return shortened(printable(str(value)), _LONGEST).replace("$", r"\$")


def _number(text: str) -> float:
    first, _, second = text.partition("/")
    return float(first) / float(second or 1)
