"""Figures of calibrated nominal ε, and of the accuracy gained, against the data size."""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpaudit.numbers.real import real
from dpaudit.report.figures.captions import (
    budget_text,
    clauses,
    sizes_clauses,
    tell_apart,
    title_of,
)
from dpaudit.report.figures.panels import decades, logarithmic_axis, sizes_axis
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import MUTED, SeriesStyle, draw_budget, house_style, series_style
from dpaudit.results import CalibrationReport

__all__ = ["plot_calibrated"]

_MARKERS = 14


@house_style()
def plot_calibrated(calibrations: Sequence[CalibrationReport]) -> Figure:
    """Return a figure of the calibrated nominal ε against n, with the mean error below it.

    The ε of each budget is a labelled line: the nominal ε before calibration.  In the lower panel
    the mean Hellinger error before calibration is drawn thin, with open markers, and the one
    after it thick; it is left out where no mechanism has one.  Raises ``ValueError`` if no size
    has been calibrated.
    """
    if not any(calibration.results for calibration in calibrations):
        raise ValueError("there is no calibrated size to plot")
    items = [
        {**clauses(one), "budget": f"budget {budget_text(one.budget)}"} for one in calibrations
    ]
    for item in items:
        item.pop("epsilon", None)
    labels, caption = tell_apart([one.mechanism for one in calibrations], items)
    caption += sizes_clauses(
        {
            "not finished": {n for c in calibrations for n in c.missing},
            "no safe nominal ε": {s.n for c in calibrations for s in c.uncalibrated},
        }
    )
    sizes = [size.n for calibration in calibrations for size in calibration.results]
    if len(set(sizes)) == 1:
        caption.insert(0, f"n = {sizes[0]}")
    errors = any(s.error is not None for c in calibrations for s in c.results)
    sheet = Sheet([2.3, 1.7] if errors else [2.7])
    styles = [series_style(index) for index in range(len(calibrations))]
    _nominal_panel(sheet, calibrations, styles)
    if errors:
        _error_panel(sheet.panels[1], calibrations, styles)
        caption.append("mean error over every output, exact, at uniform data or the data given")
    sizes_axis(sheet.panels[-1], sizes)
    keys = [style.key(label) for style, label in zip(styles, labels, strict=True)]
    complete = all(
        s.realised.pairs_covered == s.realised.pairs for c in calibrations for s in c.results
    )
    title = title_of("Calibrated nominal ε", calibrations, complete=complete)
    blocks = [keys if len(calibrations) > 1 else [], _error_keys(styles) if errors else []]
    return sheet.finish(title, caption, blocks)


def _nominal_panel(
    sheet: Sheet, calibrations: Sequence[CalibrationReport], styles: Sequence[SeriesStyle]
) -> None:
    axes = sheet.panels[0]
    axes.set_ylabel("nominal ε")
    heights = []
    for calibration, style in zip(calibrations, styles, strict=True):
        x = [size.n for size in calibration.results]
        y = [float(size.nominal) for size in calibration.results]
        heights += y
        _draw(axes, x, y, style, thick=True)
    budgets = {str(c.budget.epsilon): float(real(_before(c))) for c in calibrations}
    heights += budgets.values()
    axes.set_ylim(0.0, 1.07 * max(heights))
    for height in budgets.values():
        draw_budget(axes, height)
    sheet.label_right(axes, list(budgets.values()), [f"budget\nε = {budget}" for budget in budgets])


def _before(calibration: CalibrationReport) -> str:
    """Return the nominal ε of the budget, in the mechanism's own unit, as that of the axis."""
    known = calibration.parameters  # a mechanism of a user's may call it eps
    return str(known.get("epsilon", known.get("eps")))


def _error_panel(
    axes: Axes, calibrations: Sequence[CalibrationReport], styles: Sequence[SeriesStyle]
) -> None:
    axes.set_ylabel("mean H")
    seen = []
    for calibration, style in zip(calibrations, styles, strict=True):
        found = [(s.n, s.error) for s in calibration.results if s.error is not None]
        x = [n for n, _ in found]
        before = [error.before.midpoint for _, error in found]
        after = [error.after.midpoint for _, error in found]
        seen += before + after
        _draw(axes, x, before, style, thick=False)
        _draw(axes, x, after, style, thick=True)
    positive = [height for height in seen if height > 0]
    if positive and max(positive) > 30 * min(positive):
        logarithmic_axis(axes, *decades(positive))
    else:
        axes.set_ylim(0.0, 1.08 * max(seen))


def _draw(
    axes: Axes, x: Sequence[float], y: Sequence[float], style: SeriesStyle, *, thick: bool
) -> None:
    axes.plot(
        x,
        y,
        color=style.colour,
        linestyle=style.dashes,
        linewidth=1.6 if thick else 0.8,
        marker=style.marker,
        markersize=4.6 if thick else 3.6,
        markerfacecolor=style.colour if thick else "white",
        markevery=max(1, math.ceil(len(x) / _MARKERS)),
        label="_after" if thick else "_before",
    )


def _error_keys(styles: Sequence[SeriesStyle]) -> list[Line2D]:
    colour = styles[0].colour if len(styles) == 1 else MUTED
    return [
        Line2D([], [], color=colour, linewidth=0.8, marker="o", markersize=3.6,
               markerfacecolor="white", label="nominal ε = budget (before)"),
        Line2D([], [], color=colour, linewidth=1.6, marker="o", markersize=4.6,
               label="calibrated (after)"),
    ]  # fmt: skip
