"""Panels of values against the data size: traces, budgets, verdicts, axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import ZERO, Real
from dpaudit.report.figures.captions import superscript
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import INK, SeriesStyle, draw_budget
from dpaudit.results import Verdict

__all__ = ["ROW", "Trace", "decades", "fill_panel", "logarithmic_axis", "marker", "sizes_axis"]

ROW = 0.11
"""Inches between rows of markers at an edge."""

_MARKED_WHOLE, _MARKERS_PER_SERIES = 24, 14

_HIGHEST = 1e300
"""What lies above is drawn here: axes need room in floats."""


@dataclass(frozen=True)
class Trace:
    """The values of one series in one panel."""

    label: str
    style: SeriesStyle
    budget: Real
    x: Sequence[float]
    values: Sequence[Enclosure]
    verdicts: Sequence[Verdict]

    def heights(self, *, logarithmic: bool) -> list[float]:
        """Return where to draw the values; nan where they lie off the axis.

        Off the axis are infinity, and on a logarithmic one all that is not certainly above 0.
        """
        return [
            math.nan
            if value.lower.is_infinite() or (logarithmic and not value.lower)
            else _height(value)
            for value in self.values
        ]

    def marked(self, number: int) -> list[int]:
        """Return the indices that get a marker: all of a few, else some in even steps.

        The steps begin according to the ``number`` of the series, so that series on one line show
        in turn; both sides of every change of the verdict are marked in any case.
        """
        count = len(self.verdicts)
        step = 1 if count <= _MARKED_WHOLE else math.ceil(count / _MARKERS_PER_SERIES)
        chosen = set(range(number % step, count, step))
        for index in range(1, count):
            if self.verdicts[index] is not self.verdicts[index - 1]:
                chosen |= {index - 1, index}
        return sorted(chosen)


def _height(value: Enclosure) -> float:
    """Return a float inside ``value``: its middle, or its lower end where it has no upper one."""
    low, high = float(value.lower), float(value.upper)
    return min(low if math.isinf(high) else min(max(value.midpoint, low), high), _HIGHEST)


def _line(budget: Real) -> float:
    """Return the height at which a budget is drawn."""
    return min(float(budget), _HIGHEST)


def fill_panel(
    sheet: Sheet, axes: Axes, traces: Sequence[Trace], *, logarithmic: bool, symbol: str
) -> int:
    """Draw the traces and budgets of one panel; return how many rows of markers lie at its edge.

    ``logarithmic`` makes it a panel of δ, whose edge is the lower one (δ = 0); else it is one of
    ε, or of another measure, whose edge is the upper one (ε = ∞).
    """
    heights = [trace.heights(logarithmic=logarithmic) for trace in traces]
    budgets = {trace.budget for trace in traces if trace.budget != ZERO}
    seen = [height for own in heights for height in own if not math.isnan(height)]
    seen += [_line(budget) for budget in budgets]
    ends = [value.upper for trace in traces for value in trace.values]
    highest = float(max((end for end in ends if end < _HIGHEST), default=Decimal(0)))
    if seen and highest > max(seen):
        seen.append(highest)
    off_axis = [any(map(math.isnan, own)) for own in heights]
    axes.set_ylabel(f"realised {symbol}")
    if logarithmic:
        logarithmic_axis(axes, *decades(seen or [1e-4, 0.5]))
    else:
        axes.set_ylim(*_linear_limits(seen, room=any(off_axis)))
    _draw_budgets(sheet, axes, traces, symbol)
    rows = 0
    for number, (trace, own) in enumerate(zip(traces, heights, strict=True)):
        style = trace.style
        axes.plot(trace.x, own, color=style.colour, linestyle=style.dashes, label=trace.label)
        _draw_intervals(axes, trace, logarithmic=logarithmic)
        across = blended_transform_factory(axes.transData, axes.transAxes)
        away = -ROW * rows if logarithmic else ROW * rows
        edge = across + ScaledTranslation(0, away, sheet.figure.dpi_scale_trans)
        groups: dict[tuple[Verdict, bool], list[int]] = {}
        for index in trace.marked(number):
            groups.setdefault((trace.verdicts[index], math.isnan(own[index])), []).append(index)
        for (verdict, at_edge), group in groups.items():
            axes.plot(
                [trace.x[index] for index in group],
                [float(not logarithmic) if at_edge else own[index] for index in group],
                transform=edge if at_edge else axes.transData,
                label=f"_{verdict.value}",
                clip_on=False,
                zorder=3,
                **marker(style.marker, style.colour, verdict),
            )
        rows += off_axis[number]
    if rows:
        _name_edge(axes, logarithmic=logarithmic)
    return rows


def marker(marker: str, colour: str, verdict: Verdict) -> dict[str, Any]:
    """Return the properties of a marker: empty within, half full undecided, full exceeding."""
    within = verdict is Verdict.WITHIN
    return {
        "linestyle": "none",
        "marker": marker,
        "color": colour,
        "fillstyle": "bottom" if verdict is Verdict.UNDECIDED else "full",
        "markerfacecolor": "white" if within else colour,
        "markerfacecoloralt": "white",
        "markersize": 4.6 if within else 5.6,
    }


def _draw_intervals(axes: Axes, trace: Trace, *, logarithmic: bool) -> None:
    """Draw the intervals that are wide enough to be seen, as far as they are on the axes."""
    bottom, top = axes.get_ylim()
    for x, value in zip(trace.x, trace.values, strict=True):
        low, high = max(float(value.lower), bottom), min(float(value.upper), top)
        if high > (1.02 * low if logarithmic else low + 2e-3 * (top - bottom)):
            axes.plot(
                [x, x], [low, high], color=trace.style.colour, linewidth=0.9, label="_interval"
            )


def _draw_budgets(sheet: Sheet, axes: Axes, traces: Sequence[Trace], symbol: str) -> None:
    """Draw a line at each distinct budget; where there are several, its colour tells whose."""
    owners: dict[Real, list[str]] = {}
    for trace in traces:
        if trace.budget != ZERO:
            owners.setdefault(trace.budget, []).append(trace.style.colour)
    for budget, colours in owners.items():
        own = len(owners) > 1 and len(colours) == 1
        draw_budget(axes, _line(budget), colours[0] if own else INK)
    labels = [f"budget\n{symbol} = {budget}" for budget in owners]
    if len(labels) > 1:
        labels = [f"budget {budget}" for budget in owners]
    sheet.label_right(axes, [_line(budget) for budget in owners], labels)


def _name_edge(axes: Axes, *, logarithmic: bool) -> None:
    """Write what values at the edge are, and drop the tick labels that would touch it."""
    axes.annotate(
        "0" if logarithmic else "∞",
        (0.0, float(not logarithmic)),
        xycoords="axes fraction",
        xytext=(-6, 0),
        textcoords="offset points",
        ha="right",
        va="center",
        annotation_clip=False,
    )
    low, high = axes.get_ylim()
    first, last = (1.5 * low, high) if logarithmic else (low, low + 0.92 * (high - low))
    ticks = [float(tick) for tick in axes.get_yticks() if first <= tick <= last]
    axes.yaxis.set_major_locator(FixedLocator(ticks))


def _linear_limits(heights: Sequence[float], *, room: bool) -> tuple[float, float]:
    """Return limits that hold ``heights``: from 0 unless two thirds would be empty."""
    low, high = min(heights), max(heights)
    span = high - low
    start = low - 0.12 * span if low > 0.7 * high and span > 0.02 * high else 0.0
    return start, high + (0.18 if room else 0.07) * (high - start)


def decades(heights: Sequence[float]) -> tuple[float, float]:
    """Return whole decades that hold ``heights`` with a little room."""
    low = 10.0 ** math.floor(math.log10(min(heights) / 1.5))
    high = 10.0 ** math.ceil(math.log10(max(heights) * 1.2))
    return low, min(high, 1.6)


def logarithmic_axis(axes: Axes, low: float, high: float) -> None:
    """Make the ordinate logarithmic from ``low`` to ``high``, with powers of ten as ticks."""
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(LogLocator(numticks=8))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _power_of_ten(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _power_of_ten(value: float) -> str:
    exponent = round(math.log10(value))
    return str(10**exponent) if exponent in (0, 1) else f"10{superscript(exponent)}"


def sizes_axis(axes: Axes, sizes: Sequence[int]) -> None:
    """Make the abscissa one of the data ``sizes``, all of them as ticks if they are few."""
    distinct = sorted(set(sizes))
    margin = 0.025 * (distinct[-1] - distinct[0]) or 1.0
    axes.set_xlim(distinct[0] - margin, distinct[-1] + margin)
    axes.xaxis.set_major_locator(
        FixedLocator(distinct) if len(distinct) <= 10 else MaxNLocator(integer=True, nbins=10)
    )
    axes.set_xlabel("data size n")
