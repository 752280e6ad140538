"""Figures of calibrated nominal ε, and of the accuracy gained, against the data size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from dpaudit.arithmetic import DECIMALS
from dpaudit.numbers.real import real
from dpaudit.report.figures import captions
from dpaudit.report.figures.intervals import UNKNOWN, draw_bars, is_seen, middle
from dpaudit.report.figures.panels import decades, logarithmic_axis, sizes_axis
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import MUTED, SeriesStyle, draw_budget, house_style, series_style
from dpaudit.report.figures.widths import Known, reach, rounded_up
from dpaudit.results import CalibratedSize, CalibrationReport, Enclosure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
        {**captions.clauses(one), "budget": f"budget {captions.budget_text(one.budget)}"}
        for one in calibrations
    ]
    for item in items:
        item.pop("epsilon", None)
    labels, caption = captions.tell_apart([one.mechanism for one in calibrations], items)
    caption += captions.sizes_clauses(
        calibrations,
        {
            "not finished": lambda c: c.missing,
            "no safe nominal ε": lambda c: [s.n for s in c.uncalibrated],
            "no failing nominal ε found": lambda c: [s.n for s in c.results if s.failing is None],
        },
    )
    sizes = [n for c in calibrations for n in c.sizes if n not in c.missing]
    if len(set(sizes)) == 1:
        caption.insert(0, f"n = {sizes[0]}")
    errors = any(s.error is not None for c in calibrations for s in c.results)
    sheet = Sheet([2.3, 1.7] if errors else [2.7])
    styles = [series_style(index) for index in range(len(calibrations))]
    _nominal_panel(sheet, calibrations, styles)
    if errors:
        _error_panel(sheet, calibrations, styles)
        caption.append("mean error over every output, at uniform data or the data given")
    sizes_axis(sheet.panels[-1], sizes, sheet.most_ticks)
    caption += _found(calibrations)
    sheet.known.named = True
    keys = [style.key(label) for style, label in zip(styles, labels, strict=True)]
    complete = all(s.realised.complete for c in calibrations for s in c.results)
    title = captions.title_of("Calibrated nominal ε", calibrations, complete=complete)
    blocks = [keys if len(calibrations) > 1 else [], _error_keys(styles) if errors else []]
    return sheet.finish(title, caption, blocks)


def _found(calibrations: Sequence[CalibrationReport]) -> list[str]:
    """Return what is certified of the nominal ε: safe, and failing at most so much above."""
    gaps = [
        DECIMALS.subtract(Decimal(s.failing), Decimal(s.nominal))
        for c in calibrations
        for s in c.results
        if s.failing is not None
    ]
    above = f"; one at most {rounded_up(max(gaps))} above it fails" if gaps else ""
    return [f"the nominal ε drawn is certified safe{above}"]


def _step(size: CalibratedSize) -> Enclosure:
    """Return what lies between the safe nominal ε and one that fails: it is not decided there."""
    failing = "Infinity" if size.failing is None else size.failing
    return Enclosure(Decimal(size.nominal), Decimal(failing))


def _nominal_panel(
    sheet: Sheet, calibrations: Sequence[CalibrationReport], styles: Sequence[SeriesStyle]
) -> None:
    axes = sheet.panels[0]
    axes.set_ylabel("nominal ε")
    budgets = {
        captions.number_text(c.budget.epsilon): float(real(_before(c))) for c in calibrations
    }
    steps = [[_step(size) for size in c.results] for c in calibrations]
    heights = [*budgets.values(), *reach(step for own in steps for step in own)]
    axes.set_ylim(0.0, 1.07 * max(heights))
    for calibration, own, style in zip(calibrations, steps, styles, strict=True):
        x = [size.n for size in calibration.results]
        # What the tolerance leaves open is said by a clause of its own.
        draw_bars(Known(), axes, x, own, what="nominal ε", colour=style.colour)
        sheet.known.barred |= any(is_seen(axes, step) for step in own)
        _draw(axes, x, [float(step.lower) for step in own], style, thick=True)
        nothing = [size.n for size in calibration.uncalibrated]
        draw_bars(sheet.known, axes, nothing, [UNKNOWN] * len(nothing), what="", colour=MUTED)
    for height in budgets.values():
        draw_budget(axes, height)
    sheet.label_right(axes, list(budgets.values()), [f"budget\n{budget}" for budget in budgets])


def _before(calibration: CalibrationReport) -> str:
    """Return the nominal ε of the budget, in the mechanism's own unit, as that of the axis."""
    known = calibration.parameters  # a mechanism of a user's may call it eps
    return str(known.get("epsilon", known.get("eps")))


def _error_panel(
    sheet: Sheet, calibrations: Sequence[CalibrationReport], styles: Sequence[SeriesStyle]
) -> None:
    axes = sheet.panels[1]
    axes.set_ylabel("mean H")
    found = [[(s.n, s.error) for s in c.results if s.error is not None] for c in calibrations]
    values = [mean for own in found for _, error in own for mean in (error.before, error.after)]
    positive = reach((value for value in values if value.lower), above=0.0)
    if positive and max(positive) > 30 * min(positive):
        logarithmic_axis(axes, *decades([*positive, *reach(values, above=min(positive))]))
    else:
        axes.set_ylim(0.0, 1.08 * max(reach(values)) or 1.0)
    for own, style in zip(found, styles, strict=True):
        x = [n for n, _ in own]
        where = [f"n = {n}" for n in x]
        for thick, means in enumerate(([e.before for _, e in own], [e.after for _, e in own])):
            bars = draw_bars(
                sheet.known, axes, x, means, what="mean H", colour=style.colour, where=where
            )
            line = [
                math.nan if bar or mean.lower.is_infinite() else middle(mean)
                for bar, mean in zip(bars, means, strict=True)
            ]
            _draw(axes, x, line, style, thick=bool(thick))
            wide = [index for index, bar in enumerate(bars) if bar]
            if wide:
                inside = [x[index] for index in wide], [middle(means[index]) for index in wide]
                _draw(axes, *inside, style, thick=bool(thick), joined=False)


def _draw(
    axes: Axes,
    x: Sequence[float],
    y: Sequence[float],
    style: SeriesStyle,
    *,
    thick: bool,
    joined: bool = True,
) -> None:
    every = max(1, math.ceil(len(x) / _MARKERS))
    axes.plot(
        x,
        y,
        color=style.colour,
        linestyle=style.dashes if joined else "none",
        linewidth=1.6 if thick else 0.8,
        marker=style.marker,
        markersize=4.6 if thick else 3.6,
        markerfacecolor=style.colour if thick else "white",
        markevery=1 if any(map(math.isnan, y)) else every,
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
