"""Figures of audits by canaries: which ε so many right guesses refute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpaudit.questions.canaries.design import design_of
from dpaudit.questions.canaries.one_run import Guesses, largest_refuted
from dpaudit.questions.canaries.words import coins_in_words
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import draw_budget, house_style, series_style
from dpaudit.results.values import decimal_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dpaudit.results import CanaryReport

__all__ = ["plot_guesses"]

_MOST_POINTS = 60
_MOST_SERIES = 6
_DIGITS = 4


@house_style()
def plot_guesses(reports: Sequence[CanaryReport]) -> Figure:
    """Return a figure of the bound on ε over the number of right guesses, with what was seen."""
    (report,) = reports
    if any(bound.sizes for bound in report.bounds):
        return _plot_sizes(report)
    design = design_of(report)
    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    first = min(report.guesses // 2, report.right)
    step = max(1, -(-(report.guesses - first) // _MOST_POINTS))
    rights = sorted({*range(first, report.guesses, step), report.guesses, report.right})
    for place, bound in enumerate(report.bounds[:_MOST_SERIES]):
        style = series_style(place)
        heights = [
            float(
                largest_refuted(
                    Guesses(report.canaries, report.guesses, right, design),
                    bound.delta,
                    bound.level,
                    _DIGITS,
                ).lower
            )
            for right in rights
        ]
        label = f"δ = {bound.delta}, level {bound.level}"
        axes.plot(rights, heights, color=style.colour, label=label)
        seen = float(bound.epsilon.lower)
        axes.plot([report.right], [seen], "o", color=style.colour)
    if report.budget is not None:
        draw_budget(axes, float(report.budget.epsilon))
    axes.set_xlabel(f"right guesses of {report.guesses}")
    axes.set_ylabel("ε at least")
    axes.set_ylim(bottom=0.0)
    axes.legend()
    title = f"{report.right} of {report.guesses} guesses right, {report.canaries} canaries"
    caption = [
        "lines: the largest ε refuted by so many right guesses",
        "dots: this audit",
        coins_in_words(report),
    ]
    if report.budget is not None:
        caption.append(f"dashed: the budget {report.budget}")
    return sheet.finish(title, caption, [])


def _plot_sizes(report: CanaryReport) -> Figure:
    """Return a figure of the share of right guesses over their number."""
    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    for place, bound in enumerate(report.bounds[:_MOST_SERIES]):
        numbers = [one.guesses for one in bound.sizes]
        shares = [one.right / one.guesses for one in bound.sizes]
        lower = decimal_text(bound.epsilon.lower)
        label = f"δ = {bound.delta}, level {bound.level}: ε ≥ {lower}"
        axes.plot(numbers, shares, "o-", color=series_style(place).colour, label=label)
    axes.axhline(float(design_of(report).equal_probability or 0.5), linestyle=":", color="0.5")
    axes.set_xscale("log")
    # Plain numbers: the mathematical ones of the default are not drawn as such here.
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel(f"number of guesses about {report.canaries} canaries, the surest first")
    axes.set_ylabel("share that was right")
    axes.set_ylim(0.0, 1.05)
    axes.legend(loc="lower left")
    caption = [
        "dots: share of right guesses among the surest ones",
        "dotted: expected share if the training leaks nothing",
        "each bound holds for all numbers of guesses together",
    ]
    return sheet.finish(f"Right guesses about {report.canaries} canaries", caption, [])
