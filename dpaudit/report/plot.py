"""Figures for print: realised ε and δ against the data size, and privacy curves.

Only this module and its style import matplotlib, and never pyplot: figures have no global state,
and whoever wants no figure does not pay for one.
"""

from __future__ import annotations

import io
import math
import os
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.textpath import TextPath
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from dpaudit.audit.result import Verdict
from dpaudit.errors import OutputError
from dpaudit.exact.real import real
from dpaudit.report.style import INK, MUTED, SeriesStyle, Sheet, house_style, series_style

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpaudit.audit.curve import CurveAudit, PrivacyCurve
    from dpaudit.audit.result import Audit, Subject
    from dpaudit.exact.enclosure import Enclosure

__all__ = ["FORMATS", "plot_curves", "plot_realised", "save_figure"]

FORMATS: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
"""The formats by suffix, with the metadata that would make two files of one figure differ."""

_SYMBOLS = {"epsilon": "ε", "delta": "δ", "gamma": "γ", "beta": "β"}
_MARKED_WHOLE, _MARKERS_PER_SERIES = 24, 14
_LOWEST_DELTA = 1e-12  # below it, p − e^ε·q in floats is mostly cancellation
_ROW = 0.11  # inches between rows of markers at an edge
_BUDGET_DASHES = (0, (7, 3))


# -- what is shared and what tells series apart ---------------------------------------------------


def _clauses(subject: Subject) -> dict[str, str]:
    """Return everything about a subject but its name, one readable clause for each item."""
    found = {}
    for name, value in subject.parameters.items():
        if isinstance(value, list):
            found[name] = f"{name} ({', '.join(value)})"
        else:
            found[name] = f"{_SYMBOLS.get(name, name)} = {value}"
    own = (subject.parameters.get("epsilon"), subject.parameters.get("delta", "0"))
    if subject.budget != own:
        found["budget"] = f"budget {_budget_text(subject.budget)}"
    if subject.stated is None:
        found["stated"] = "no stated budget"
    elif subject.stated != subject.budget:
        found["stated"] = f"stated {_budget_text(subject.stated)}"
    found["adjacency"] = f"{subject.adjacency} neighbours"
    if subject.at is not None:
        found["at"] = f"pairs at {_place(subject.at)}"
    found["digits"] = f"certified to 10{_superscript(-subject.digits)}"
    return found


def _budget_text(budget: tuple[str, str]) -> str:
    epsilon, delta = budget
    return f"ε = {epsilon}" if delta == "0" else f"ε = {epsilon}, δ = {delta}"


def _place(at: str) -> str:
    return "uniform data" if at == "uniform" else f"({at.replace(',', ', ')})"


def _superscript(exponent: int) -> str:
    return str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _tell_apart(
    names: Sequence[str], items: Sequence[dict[str, str]]
) -> tuple[list[str], list[str]]:
    """Return a label for each series, and the clauses for the caption.

    A label holds what differs between series that have it, or that only some of one name have.
    What all series share stands in the caption as it is; what only some have, with their names.
    """
    keys = list(dict.fromkeys(key for item in items for key in item))
    differing = []
    for key in keys:
        having = [name for name, item in zip(names, items, strict=True) if key in item]
        lacking = {name for name, item in zip(names, items, strict=True) if key not in item}
        values = {item[key] for item in items if key in item}
        if len(values) > 1 or lacking.intersection(having):
            differing.append(key)
    several = len(set(names)) > 1
    labels = []
    for name, item in zip(names, items, strict=True):
        own = [item[key] for key in differing if key in item]
        labels.append(", ".join([name, *own] if several or not own else own))
    shared: list[str] = []
    partial: dict[str, list[str]] = {}
    for key in keys:
        if key in differing:
            continue
        owners = [name for name, item in zip(names, items, strict=True) if key in item]
        clause = next(item[key] for item in items if key in item)
        if len(owners) == len(items):
            shared.append(clause)
        else:
            owned_by = ", ".join(dict.fromkeys(owners))
            partial.setdefault(owned_by, []).append(clause)
    return labels, shared + [f"{', '.join(own)} ({who})" for who, own in partial.items()]


def _title(quantity: str, subjects: Sequence[Subject], *, complete: bool) -> str:
    names = {subject.mechanism for subject in subjects}
    whose = f" of {names.pop()}" if len(names) == 1 else ""
    places = {subject.at for subject in subjects}
    if not complete:
        over = "the pairs covered"
    elif len(places) > 1:
        over = "neighbouring pairs"
    else:
        at = places.pop()
        over = "all neighbouring pairs" if at is None else f"the neighbours of {_place(at)}"
    return f"{quantity}{whose} over {over}"


def _unfinished(audits: Sequence[Audit] | Sequence[CurveAudit]) -> list[str]:
    missing = sorted({n for audit in audits for n in audit.missing})
    if not missing:
        return []
    shown = ", ".join(map(str, missing[:4])) + (", …" if len(missing) > 4 else "")
    return [f"not finished: n = {shown}"]


# -- the panels of realised values ----------------------------------------------------------------


@dataclass(frozen=True)
class _Trace:
    """The values of one series in one panel."""

    label: str
    style: SeriesStyle
    budget: str
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
    return low if math.isinf(high) else min(max(value.midpoint, low), high)


def _fill_panel(sheet: Sheet, axes: Axes, traces: Sequence[_Trace], *, logarithmic: bool) -> int:
    """Draw the traces and budgets of one panel; return how many rows of markers lie at its edge.

    ``logarithmic`` makes it a panel of δ, whose edge is the lower one (δ = 0); else it is one of
    ε, whose edge is the upper one (ε = ∞).
    """
    heights = [trace.heights(logarithmic=logarithmic) for trace in traces]
    budgets = {trace.budget for trace in traces if trace.budget != "0"}
    seen = [height for own in heights for height in own if not math.isnan(height)]
    seen += [float(real(budget)) for budget in budgets]
    ends = [value.upper for trace in traces for value in trace.values]
    highest = float(max((end for end in ends if end.is_finite()), default=Decimal(0)))
    if seen and highest > max(seen):
        seen.append(highest)
    off_axis = [any(map(math.isnan, own)) for own in heights]
    if logarithmic:
        axes.set_ylabel("realised δ")
        _logarithmic_axis(axes, *_decades(seen or [1e-4, 0.5]))
    else:
        axes.set_ylabel("realised ε")
        axes.set_ylim(*_linear_limits(seen, room=any(off_axis)))
    _draw_budgets(sheet, axes, traces, "δ" if logarithmic else "ε")
    rows = 0
    for number, (trace, own) in enumerate(zip(traces, heights, strict=True)):
        style = trace.style
        axes.plot(trace.x, own, color=style.colour, linestyle=style.dashes, label=trace.label)
        _draw_intervals(axes, trace, logarithmic=logarithmic)
        across = blended_transform_factory(axes.transData, axes.transAxes)
        away = -_ROW * rows if logarithmic else _ROW * rows
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
                **_marker(style.marker, style.colour, verdict),
            )
        rows += off_axis[number]
    if rows:
        _name_edge(axes, logarithmic=logarithmic)
    return rows


def _marker(marker: str, colour: str, verdict: Verdict) -> dict[str, Any]:
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


def _draw_intervals(axes: Axes, trace: _Trace, *, logarithmic: bool) -> None:
    """Draw the intervals that are wide enough to be seen, as far as they are on the axes."""
    bottom, top = axes.get_ylim()
    for x, value in zip(trace.x, trace.values, strict=True):
        low, high = max(float(value.lower), bottom), min(float(value.upper), top)
        if high > (1.02 * low if logarithmic else low + 2e-3 * (top - bottom)):
            axes.plot(
                [x, x], [low, high], color=trace.style.colour, linewidth=0.9, label="_interval"
            )


def _draw_budgets(sheet: Sheet, axes: Axes, traces: Sequence[_Trace], symbol: str) -> None:
    """Draw a line at each distinct budget; where there are several, its colour tells whose."""
    owners: dict[str, list[str]] = {}
    for trace in traces:
        if trace.budget != "0":
            owners.setdefault(trace.budget, []).append(trace.style.colour)
    for budget, colours in owners.items():
        axes.axhline(
            float(real(budget)),
            color=colours[0] if len(owners) > 1 and len(colours) == 1 else INK,
            linewidth=1.0,
            linestyle=_BUDGET_DASHES,
            label="_budget",
            zorder=1.8,
        )
    labels = [f"budget\n{symbol} = {budget}" for budget in owners]
    if len(labels) > 1:
        labels = [f"budget {budget}" for budget in owners]
    sheet.label_right(axes, [float(real(budget)) for budget in owners], labels)


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


def _decades(heights: Sequence[float]) -> tuple[float, float]:
    """Return whole decades that hold ``heights`` with a little room."""
    low = 10.0 ** math.floor(math.log10(min(heights) / 1.5))
    high = 10.0 ** math.ceil(math.log10(max(heights) * 1.2))
    return low, min(high, 1.6)


def _logarithmic_axis(axes: Axes, low: float, high: float) -> None:
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    axes.yaxis.set_major_locator(LogLocator(numticks=8))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _power_of_ten(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def _power_of_ten(value: float) -> str:
    exponent = round(math.log10(value))
    return str(10**exponent) if exponent in (0, 1) else f"10{_superscript(exponent)}"


def _sizes_axis(axes: Axes, sizes: Sequence[int]) -> None:
    distinct = sorted(set(sizes))
    margin = 0.025 * (distinct[-1] - distinct[0]) or 1.0
    axes.set_xlim(distinct[0] - margin, distinct[-1] + margin)
    axes.xaxis.set_major_locator(
        FixedLocator(distinct) if len(distinct) <= 10 else MaxNLocator(integer=True, nbins=10)
    )
    axes.set_xlabel("data size n")


# -- realised values against the data size --------------------------------------------------------


def plot_realised(
    audits: Sequence[Audit], *, quantity: Literal["epsilon", "delta"] = "epsilon"
) -> Figure:
    """Return a figure of the realised ε against the data size, one series for each audit.

    The audited budget is a labelled line.  A marker is empty where a size is within its budget,
    half full where that is undecided and full where it exceeds; an infinite ε lies on the upper
    edge, in a row of its own for each series.  Where a budget has δ > 0 and its realised δ is not
    0 throughout, a second panel shows the realised δ at the ε of the budget; ``quantity="delta"``
    asks for that panel alone.  Audits that share their only size stand side by side instead.

    Every parameter is on the figure: in the legend where series differ in it, else in the caption.
    Raises ``ValueError`` if no audit has a result.
    """
    if not any(audit.results for audit in audits):
        raise ValueError("there is no finished size to plot")
    with house_style():
        return _realised(audits, quantity)


def _realised(audits: Sequence[Audit], quantity: Literal["epsilon", "delta"]) -> Figure:
    subjects = [audit.subject for audit in audits]
    sizes = [result.n for audit in audits for result in audit.results]
    side_by_side = len(audits) > 1 and len(set(sizes)) == 1
    labels, caption = _tell_apart(
        [subject.mechanism for subject in subjects], [_clauses(subject) for subject in subjects]
    )
    if len(set(sizes)) == 1:
        caption.insert(0, f"n = {sizes[0]}")
    caption += [*_coinciding(audits, labels), *_unfinished(audits)]
    shown = [quantity]
    if quantity == "epsilon" and any(subject.budget[1] != "0" for subject in subjects):
        if any(a.subject.budget[1] != "0" and _has_delta(a) for a in audits):
            shown.append("delta")
        else:
            caption.append(_vanishing_delta(audits))
    sheet = Sheet([2.7] if len(shown) == 1 else [2.3, 1.3])
    above = below = 0.0
    for axes, quantity_here in zip(sheet.panels, shown, strict=True):
        traces = _traces(audits, labels, quantity_here, side_by_side=side_by_side)
        if quantity_here == "delta":
            rows = _fill_panel(sheet, axes, traces, logarithmic=True)
            below = _ROW * max(0, rows - 1)
        else:
            above = _ROW * _fill_panel(sheet, axes, traces, logarithmic=False)
    named = len(audits) == 1
    if side_by_side:
        names = [label.replace(", ", "\n") for label in labels]
        named = sheet.name_places(sheet.panels[-1], names)
    else:
        _sizes_axis(sheet.panels[-1], sizes)
    keys = [] if named else [series_style(i).key(label) for i, label in enumerate(labels)]
    complete = all(r.pairs_covered == r.pairs for audit in audits for r in audit.results)
    title = _title(f"Realised {_SYMBOLS[quantity]}", subjects, complete=complete)
    return sheet.finish(title, caption, [keys, _verdict_keys(audits)], above=above, below=below)


def _traces(
    audits: Sequence[Audit], labels: Sequence[str], quantity: str, *, side_by_side: bool
) -> list[_Trace]:
    """Return the traces of one panel; from one of δ, series that have none are left out."""
    traces = []
    some = any(audit.subject.budget[1] != "0" or _has_delta(audit) for audit in audits)
    for index, (audit, label) in enumerate(zip(audits, labels, strict=True)):
        results = audit.results
        of_delta = quantity == "delta"
        if of_delta and some and audit.subject.budget[1] == "0" and not _has_delta(audit):
            continue
        traces.append(
            _Trace(
                label=label,
                style=series_style(index),
                budget=audit.subject.budget[int(of_delta)],
                x=[index] * len(results) if side_by_side else [result.n for result in results],
                values=[r.delta.value if of_delta else r.epsilon for r in results],
                verdicts=[result.verdict for result in results],
            )
        )
    return traces


def _coinciding(audits: Sequence[Audit], labels: Sequence[str]) -> list[str]:
    """Return a clause for each group of series that lie on one another."""
    groups: dict[tuple[tuple[int, Decimal, Decimal], ...], list[str]] = {}
    for audit, label in zip(audits, labels, strict=True):
        values = tuple((r.n, r.epsilon.lower, r.epsilon.upper) for r in audit.results)
        groups.setdefault(values, []).append(label)
    return [
        f"{', '.join(group[:-1])} and {group[-1]} coincide"
        for values, group in groups.items()
        if len(group) > 1 and any(lower.is_finite() for _, lower, _ in values)
    ]


def _has_delta(audit: Audit) -> bool:
    """Tell whether some realised δ is certainly above 0."""
    return any(result.delta.value.lower for result in audit.results)


def _vanishing_delta(audits: Sequence[Audit]) -> str:
    """Return a clause about the realised δ of budgets with δ > 0, where no panel shows it."""
    owners = [audit for audit in audits if audit.subject.budget[1] != "0"]
    budgets = {audit.subject.budget[0] for audit in owners}
    where = f"δ({budgets.pop()})" if len(budgets) == 1 else "δ"
    largest = max((r.delta.value.upper for a in owners for r in a.results), default=Decimal(0))
    bound = f"≤ {Context(prec=2, rounding=ROUND_CEILING).plus(largest)}" if largest else "= 0"
    names = ", ".join(dict.fromkeys(audit.subject.mechanism for audit in owners))
    return f"realised {where} {bound}" + (f" ({names})" if len(owners) < len(audits) else "")


def _verdict_keys(audits: Sequence[Audit]) -> list[Line2D]:
    """Return the legend's keys to the fill of markers; none where all sizes are within."""
    found = {result.verdict for audit in audits for result in audit.results}
    if found == {Verdict.WITHIN}:
        return []
    texts = {
        Verdict.WITHIN: "within the budget",
        Verdict.UNDECIDED: "undecided",
        Verdict.EXCEEDS: "exceeds the budget",
    }
    keys = [
        Line2D([], [], label=text, **_marker("o", MUTED, verdict))
        for verdict, text in texts.items()
        if verdict in found
    ]
    if any(r.epsilon.lower.is_infinite() for audit in audits for r in audit.results):
        keys.append(
            Line2D(
                [],
                [],
                linestyle="none",
                marker=_infinity(),
                markersize=9,
                markeredgewidth=0.0,
                color=MUTED,
                label="infinite, at the upper edge",
            )
        )
    return keys


def _infinity() -> Path:
    """Return the sign ∞ as a marker."""
    sign = TextPath((0, 0), "∞", size=10)
    box = sign.get_extents()
    centre = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return Path([(x - centre[0], y - centre[1]) for x, y in sign.vertices], sign.codes)


# -- privacy curves -------------------------------------------------------------------------------


def plot_curves(audits: Sequence[CurveAudit]) -> Figure:
    """Return a figure of the privacy curves ε ↦ δ(ε), one for each mechanism and size.

    A curve ends at the lower edge, close to the ε where δ becomes 0; one whose δ never does goes
    on to the right.  A star is the audited budget (ε, δ); for δ = 0 an arrow points to it, below
    the edge.  Raises ``ValueError`` if there is no curve.
    """
    if not any(audit.curves for audit in audits):
        raise ValueError("there is no finished curve to plot")
    with house_style():
        return _curves(audits)


def _curves(audits: Sequence[CurveAudit]) -> Figure:
    pairs = [(audit.subject, curve) for audit in audits for curve in audit.curves]
    subjects = [subject for subject, _ in pairs]
    sizes = list(dict.fromkeys(curve.n for _, curve in pairs))
    items = [_clauses(subject) for subject in subjects]
    if len(sizes) > 1:
        items = [
            item | {"n": f"n = {curve.n}"} for item, (_, curve) in zip(items, pairs, strict=True)
        ]
    labels, caption = _tell_apart([subject.mechanism for subject in subjects], items)
    if len(sizes) == 1:
        caption.insert(0, f"n = {sizes[0]}")
    caption += _unfinished(audits)
    drawn = [_Curve.of(curve) for _, curve in pairs]
    budgets = list(dict.fromkeys(subject.budget for subject in subjects))
    points = [(float(real(epsilon)), float(real(delta))) for epsilon, delta in budgets]
    least = max(_LOWEST_DELTA, *(10.0**-subject.digits for subject in subjects))
    tails = [curve.delta(0.98 * curve.end(0.0)) for curve in drawn if curve.end(0.0) < math.inf]
    heights = [max(least, h) for h in (*tails, *(delta / 2 for _, delta in points if delta))]
    floor, top = _decades([*heights, *(float(curve.delta(0.0)) for curve in drawn)])
    ends = [end for end in (curve.end(floor) for curve in drawn) if end < math.inf]
    right = 1.08 * max(*ends, *(epsilon for epsilon, _ in points), 0.0)

    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    axes.set_xlabel("ε")
    axes.set_ylabel("δ(ε)")
    axes.set_xlim(0.0, right)
    _logarithmic_axis(axes, floor, top)
    keys, stated = [], []
    for index, (curve, label) in enumerate(zip(drawn, labels, strict=True)):
        style = series_style(index)
        x, y = curve.points(floor, right)
        axes.plot(
            x,
            y,
            color=style.colour,
            linestyle=style.dashes,
            marker=style.marker,
            markerfacecolor="white",
            markevery=(0.04 + 0.027 * (index % 5), 0.14),
            label=label,
        )
        keys.append(style.key(label))
    for budget, (x_at, y_at) in zip(budgets, points, strict=True):
        stated.append(_draw_stated(axes, (x_at, max(y_at, floor)), budget))
    across = {budget[0]: at[0] for budget, at in zip(budgets, points, strict=True)}
    above = sheet.label_above(axes, list(across.values()), [f"ε = {text}" for text in across])
    up = {budget[1]: at[1] for budget, at in zip(budgets, points, strict=True) if at[1]}
    sheet.label_right(axes, list(up.values()), [f"δ = {text}" for text in up])
    title = _title("Privacy curve" + "s" * (len(pairs) > 1), subjects, complete=True)
    return sheet.finish(title, caption, [keys, stated], above=above)


def _draw_stated(axes: Axes, at: tuple[float, float], budget: tuple[str, str]) -> Line2D:
    """Draw the point of a budget with guides to the axes; return its legend key."""
    pure = budget[1] == "0"
    guide: dict[str, Any] = {
        "color": INK,
        "linewidth": 0.9,
        "linestyle": _BUDGET_DASHES,
        "zorder": 1.8,
    }
    axes.axvline(at[0], label="_budget", **guide)
    if not pure:
        axes.axhline(at[1], label="_budget", **guide)
    point: dict[str, Any] = {"color": INK, "linestyle": "none", "marker": "v" if pure else "*"}
    size = 6.5 if pure else 9.0
    axes.plot(*at, label="_point", clip_on=False, zorder=4, markersize=size, **point)
    text = f"budget ({budget[0]}, {budget[1]})" + (", below the axis" if pure else "")
    return Line2D([], [], label=text, markersize=size, **point)


@dataclass(frozen=True)
class _Curve:
    """A privacy curve in floats, from the vertices of its upper hull."""

    p: np.ndarray[Any, np.dtype[np.float64]]
    q: np.ndarray[Any, np.dtype[np.float64]]

    @classmethod
    def of(cls, curve: PrivacyCurve) -> _Curve:
        scale = 1 << curve.bits
        events = [vertex for vertex in curve.upper if vertex.p]
        return cls(
            np.array([vertex.p / scale for vertex in events]),
            np.array([vertex.q / scale for vertex in events]),
        )

    def delta(self, epsilon: float) -> float:
        """Return δ(ε)."""
        return float(max(0.0, np.max(self.p - math.exp(epsilon) * self.q)))

    def end(self, floor: float) -> float:
        """Return the ε where the curve falls to ``floor``; infinity if it never does."""
        with np.errstate(divide="ignore"):
            above = self.p > max(floor, _LOWEST_DELTA)
            ratios = (self.p[above] - floor) / self.q[above]
        return math.log(np.max(ratios, initial=1.0))

    def points(self, floor: float, right: float) -> tuple[Any, Any]:
        """Return abscissae and ordinates from ε = 0 to the lower or the right edge."""
        end = min(self.end(floor), right)
        close = end - end * np.logspace(-2.5, -7, 60)  # δ falls steeply at its end
        x = np.concatenate([np.linspace(0.0, 0.996 * end, 500), close, [end]])
        y = np.max(self.p[:, None] - np.exp(x)[None, :] * self.q[:, None], axis=0)
        return x, np.maximum(y, floor)


# -- files ----------------------------------------------------------------------------------------


def save_figure(figure: Figure, path: pathlib.Path) -> None:
    """Write ``figure`` to ``path`` in the format of its suffix: .png (200 dpi), .svg or .pdf.

    The file is written aside, in the same folder, and then renamed: it is there whole or not at
    all.  The same figure makes the same bytes.  Raises ``OutputError`` for another suffix, or
    where the file cannot be written.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise OutputError(path, f"the name must end in {', '.join(FORMATS)}")
    content = io.BytesIO()
    with house_style():
        figure.savefig(content, format=suffix[1:], metadata=FORMATS[suffix])
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            aside.write_bytes(content.getvalue())
            os.replace(aside, path)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(path, error.strerror or str(error)) from None
