"""Figures of plans of audits by canaries: the bound on ε over the number of guesses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import house_style, series_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dpaudit.results import CanaryPlan

__all__ = ["plot_plan"]

_MOST_SERIES = 6


@house_style()
def plot_plan(plans: Sequence[CanaryPlan]) -> Figure:
    """Return a figure of the bound on ε over the number of guesses, a line for each share."""
    (plan,) = plans
    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    questions = {(str(bounds.delta), str(bounds.level)) for bounds in plan.bounds}
    for place, bounds in enumerate(plan.bounds[:_MOST_SERIES]):
        guesses = [size.guesses for size in bounds.sizes]
        heights = [float(size.epsilon.lower) for size in bounds.sizes]
        label = f"share {bounds.share} right"
        if len(questions) > 1:
            label += f", δ = {bounds.delta}, level {bounds.level}"
        axes.plot(guesses, heights, "o-", color=series_style(place).colour, label=label)
    axes.set_xscale("log")
    # Plain numbers: the mathematical ones of the default are not drawn as such here.
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlabel(f"number of guesses about {plan.canaries} canaries")
    axes.set_ylabel("ε at least")
    axes.set_ylim(bottom=0.0)
    axes.legend(loc="upper left")
    caption = [
        "dots: the largest ε refuted by so many right guesses",
        "each canary is in with probability 1/2, independently of all others",
        "the number of guesses is fixed before scores are seen",
    ]
    if len(questions) == 1:
        ((delta, level),) = questions
        caption.insert(1, f"δ = {delta}, level {level}")
    if len(plan.bounds) > _MOST_SERIES:
        caption.append(f"the first {_MOST_SERIES} of {len(plan.bounds)} lines are drawn")
    return sheet.finish(f"Bounds on ε that {plan.canaries} canaries can give", caption, [])
