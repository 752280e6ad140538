"""Panels of values against the data size: traces, budgets, verdicts, axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from dpaudit.numbers.real import ZERO, Real
from dpaudit.report.figures.captions import number_text
from dpaudit.report.figures.intervals import UNKNOWN, draw_bars, middle
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import INK, SeriesStyle, draw_budget
from dpaudit.report.figures.widths import HIGHEST, reach, rounded_up, superscript
from dpaudit.results import Enclosure, Verdict

__all__ = [
    "ROW",
    "Trace",
    "decades",
    "fill_panel",
    "linear_limits",
    "logarithmic_axis",
    "marker",
    "sizes_axis",
]

ROW = 0.11
"""Inches between rows of markers at an edge."""

_MARKED_WHOLE, _MARKERS_PER_SERIES = 24, 14
_COMPUTED: dict[str, Any] = {"marker": ".", "markersize": 2.8, "markeredgewidth": 0.0}
"""The dot at a computed size: wider than its line."""


@dataclass(frozen=True)
class Trace:
    """The values of one series in one panel."""

    label: str
    style: SeriesStyle
    symbol: str
    """Symbol of the values, for the caption."""
    budget: Real | None
    """Largest value allowed; None or 0 draws no line."""
    x: Sequence[float]
    values: Sequence[Enclosure]
    verdicts: Sequence[Verdict | None]
    """Verdict on each value; None without a budget."""
    where: Sequence[str]
    """Name of each place, for the caption."""
    unknown: Sequence[float] = ()
    """Places without a result."""

    def is_off(self, value: Enclosure, *, logarithmic: bool) -> bool:
        """Tell whether a value lies at the edge: infinity, and 0 on a logarithmic axis."""
        return value.lower.is_infinite() or (logarithmic and not value.lower)

    def joined(self, heights: Sequence[float]) -> tuple[list[float], list[float]]:
        """Return the points of the line: it is broken where a value is unknown."""
        points = [*zip(self.x, heights, strict=True), *((x, math.nan) for x in self.unknown)]
        points.sort(key=lambda point: point[0])
        return [x for x, _ in points], [height for _, height in points]

    def marked(self, number: int, line: Sequence[float]) -> list[int]:
        """Return the indices that get a marker: all of a few, else some in even steps.

        The others have a dot, as everything that was computed has.

        The steps begin according to the ``number`` of the series, so that series on one line show
        in turn; both sides of every change of the verdict, and points that the ``line`` joins to
        nothing, are marked in any case.
        """
        count = len(self.verdicts)
        step = 1 if count <= _MARKED_WHOLE else math.ceil(count / _MARKERS_PER_SERIES)
        chosen = set(range(number % step, count, step))
        for index in range(1, count):
            if self.verdicts[index] is not self.verdicts[index - 1]:
                chosen |= {index - 1, index}
        gaps = [True, *map(math.isnan, line), True]
        chosen |= {i for i, gap in enumerate(gaps[1:-1]) if not gap and gaps[i] and gaps[i + 2]}
        return sorted(chosen)


def _line(budget: Real) -> float:
    """Return the height at which a budget is drawn."""
    return min(float(budget), HIGHEST)


def fill_panel(
    sheet: Sheet, axes: Axes, traces: Sequence[Trace], *, logarithmic: bool, symbol: str
) -> int:
    """Draw the traces and budgets of one panel; return how many rows of markers lie at its edge.

    ``logarithmic`` makes it a panel of δ, whose edge is the lower one (δ = 0); else it is one of
    ε, or of another measure, whose edge is the upper one (ε = ∞).
    """
    values = [value for trace in traces for value in trace.values]
    budgets = {trace.budget for trace in traces if trace.budget not in (None, ZERO)}
    heights = [_line(budget) for budget in budgets]
    heights += reach(value for value in values if value.lower or not logarithmic)
    if logarithmic:
        least = min(
            heights, default=0.0
        )  # what may be 0 is an arrow: it needs no decades of its own
        heights += [end for end in reach(values) if end > least]
    edge = [v for t in traces for v in t.values if t.is_off(v, logarithmic=logarithmic)]
    axes.set_ylabel(f"realised {symbol}")
    if logarithmic:
        logarithmic_axis(axes, *decades(heights or [1e-4, 0.5]))
    else:
        axes.set_ylim(*linear_limits(heights or [0.0, 1.0], room=bool(edge)))
    _draw_budgets(sheet, axes, traces, symbol)
    rows = 0
    for number, trace in enumerate(traces):
        rows += _draw_trace(sheet, axes, trace, number, row=rows, logarithmic=logarithmic)
    if rows:
        _name_edge(axes, edge, logarithmic=logarithmic)
    return rows


def _draw_trace(
    sheet: Sheet, axes: Axes, trace: Trace, number: int, *, row: int, logarithmic: bool
) -> bool:
    """Draw one trace: a line where it is known as one, else bars, and the markers.

    Return whether some of its markers lie at the edge, where they have this ``row``.
    """
    style = trace.style
    bars = draw_bars(
        sheet.known,
        axes,
        trace.x,
        trace.values,
        what=trace.symbol,
        colour=style.colour,
        where=trace.where,
    )
    nothing = [UNKNOWN] * len(trace.unknown)
    draw_bars(sheet.known, axes, trace.unknown, nothing, what="", colour=style.colour)
    off = [trace.is_off(value, logarithmic=logarithmic) for value in trace.values]
    line = [
        math.nan if bar or edge else middle(value)
        for bar, edge, value in zip(bars, off, trace.values, strict=True)
    ]
    x, line_of = trace.joined(line)
    axes.plot(
        x,
        line_of,
        color=style.colour,
        linestyle=style.dashes,
        label=trace.label,
        **_COMPUTED,
    )
    across = blended_transform_factory(axes.transData, axes.transAxes)
    away = -ROW * row if logarithmic else ROW * row
    edge_of = across + ScaledTranslation(0, away, sheet.figure.dpi_scale_trans)
    if any(off):
        axes.plot(
            [x for x, edge in zip(trace.x, off, strict=True) if edge],
            [float(not logarithmic)] * sum(off),
            transform=edge_of,
            label="_computed",
            clip_on=False,
            color=style.colour,
            linestyle="none",
            **_COMPUTED,
        )
    groups: dict[tuple[Verdict | None, bool], list[int]] = {}
    for index in trace.marked(number, line):
        groups.setdefault((trace.verdicts[index], off[index]), []).append(index)
    for (verdict, at_edge), group in groups.items():
        heights = [
            float(not logarithmic) if at_edge else middle(trace.values[index]) for index in group
        ]
        axes.plot(
            [trace.x[index] for index in group],
            heights,
            transform=edge_of if at_edge else axes.transData,
            label="_no_budget" if verdict is None else f"_{verdict.value}",
            clip_on=False,
            zorder=3,
            **marker(style.marker, style.colour, verdict),
        )
    return any(off)


def marker(marker: str, colour: str, verdict: Verdict | None) -> dict[str, Any]:
    """Return the properties of a marker: empty within, half full undecided, full exceeding.

    Without a verdict it is a cross: nothing is said of a budget.
    """
    if verdict is None:
        return {"linestyle": "none", "marker": "x", "color": colour, "markersize": 4.6}
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


def _draw_budgets(sheet: Sheet, axes: Axes, traces: Sequence[Trace], symbol: str) -> None:
    """Draw a line at each distinct budget; where there are several, its colour tells whose."""
    owners: dict[Real, list[str]] = {}
    for trace in traces:
        if trace.budget is not None and trace.budget != ZERO:
            owners.setdefault(trace.budget, []).append(trace.style.colour)
    for budget, colours in owners.items():
        own = len(owners) > 1 and len(colours) == 1
        draw_budget(axes, _line(budget), colours[0] if own else INK)
    between = "\n" if len(owners) == 1 else " "
    labels = [f"budget{between}{number_text(budget)}" for budget in owners]
    sheet.label_right(axes, [_line(budget) for budget in owners], labels)


def _name_edge(axes: Axes, values: Sequence[Enclosure], *, logarithmic: bool) -> None:
    """Write what values at the edge are, and drop the tick labels that would touch it."""
    largest = max(value.upper for value in values)
    name = f"≤ {rounded_up(largest)}" if logarithmic and largest else "0" if logarithmic else "∞"
    axes.annotate(
        name,
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


def linear_limits(heights: Sequence[float], *, room: bool = False) -> tuple[float, float]:
    """Return limits that hold ``heights``, and 0: a cut axis would exaggerate what differs.

    >>> linear_limits([0.98, 1.0])
    (0.0, 1.07)
    """
    low, high = min(0.0, *heights), max(0.0, *heights)
    span = high - low or 1.0
    return 1.07 * low, high + (0.18 if room else 0.07) * span


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


def sizes_axis(axes: Axes, sizes: Sequence[int], most: int = 10) -> None:
    """Make the abscissa one of the data ``sizes``, all of them as ticks if at ``most`` so many."""
    distinct = sorted(set(sizes))
    margin = 0.025 * (distinct[-1] - distinct[0]) or 1.0
    axes.set_xlim(distinct[0] - margin, distinct[-1] + margin)
    axes.xaxis.set_major_locator(
        FixedLocator(distinct) if len(distinct) <= most else MaxNLocator(integer=True, nbins=most)
    )
    axes.set_xlabel("data size n")
