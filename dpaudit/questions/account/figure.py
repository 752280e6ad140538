"""Figures of accounts: δ(ε) of all runs as a band, or ε over the number of runs.

δ is a convex function of e^ε that falls.  So between two ε it lies below the chord, and beyond two
it lies above the line through them: what rows say of some ε bounds all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from math import exp, inf
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dpaudit.errors import counted
from dpaudit.report.figures.captions import clauses, number_text, title_of
from dpaudit.report.figures.intervals import draw_band, draw_bars, middle
from dpaudit.report.figures.panels import decades, logarithmic_axis
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import house_style, series_style
from dpaudit.report.figures.widths import reach
from dpaudit.results import CertifiedAccount, Enclosure, EpsilonRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

__all__ = ["Known", "bounds_between", "known_places", "plot_accounts"]

_PLACES = 400
_LARGEST = 690.0
_LOWEST = 1e-300

Estimates = Mapping[str, tuple[Sequence[float], Sequence[float]]]
Known = list[tuple[float, float, float]]
"""ε with what δ is at least and at most there, in the order of ε."""


@house_style()
def plot_accounts(
    accounts: Sequence[CertifiedAccount], estimates: Estimates | None = None
) -> Figure:
    """Return a figure of one account, δ(ε) as a band, or of several, ε over the number of runs.

    Args:
        accounts: one, or several that differ in the number of runs.
        estimates: curves of other accountants by their names, as ε and δ, beside one account.

    Raises:
        ValueError: where there is nothing to plot.
    """
    sheet = Sheet([3.2])
    axes = sheet.panels[0]
    if len(accounts) > 1:
        keys, what = _draw_steps(sheet, axes, accounts), "ε over the number of runs"
    else:
        keys, what = (
            _draw_curve(sheet, axes, accounts[0], estimates or {}),
            "Privacy curve of all runs",
        )
    first: Any = accounts[0]
    items = clauses(first)
    caption = [items[name] for name in items if name not in ("stated", "budget")]
    caption.insert(0, f"n = {first.n}")
    if len(accounts) == 1:
        caption.insert(1, counted(first.compose, "run"))
    if first.sample_rate is not None:
        caption.append(f"each on a Poisson sample at rate {first.sample_rate}, {first.direction}")
    if first.then:
        caption.append(f"then {', '.join(str(one.described['name']) for one in first.then)}")
    if any(one.interrupted for one in accounts):
        caption.append("interrupted")
    return sheet.finish(
        title_of(what, [cast("Any", one) for one in accounts], complete=True), caption, [keys]
    )


def known_places(account: CertifiedAccount) -> Known:
    """Return the ε that rows tell of, with bounds of δ there."""
    found: dict[float, tuple[float, float]] = {}

    def note(place: float, low: float, high: float) -> None:
        if place < inf:
            least, most = found.get(place, (0.0, 1.0))
            found[place] = (max(least, low), min(most, high))

    for row in account.rows:
        if isinstance(row, EpsilonRow):
            delta = float(row.delta)
            if row.epsilon.lower > 0:
                note(float(row.epsilon.lower), delta, 1.0)
            note(float(row.epsilon.upper), 0.0, delta)
        else:
            note(float(row.epsilon), float(row.delta.lower), float(row.delta.upper))
    places = sorted(found)
    least, most = 0.0, 1.0
    low, high = {}, {}
    for place in places:  # δ falls
        most = high[place] = min(most, found[place][1])
    for place in reversed(places):
        least = low[place] = max(least, found[place][0])
    return [(place, low[place], high[place]) for place in places]


def bounds_between(known: Known, x: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return bounds of δ at every ε of ``x``, which lie between the first and the last place."""
    nodes = [(exp(min(place, _LARGEST)), low, high) for place, low, high in known]
    lows, highs = [], []
    for epsilon in x:
        at = exp(min(epsilon, _LARGEST))
        after = min(max(sum(a <= at for a, _, _ in nodes), 1), len(nodes) - 1)
        (a, _, high_a), (b, low_b, high_b) = nodes[after - 1], nodes[after]
        part = (at - a) / (b - a)
        low = low_b
        for first, second in (*pairwise(nodes[:after]), *pairwise(nodes[after:])):
            (p, low_p, high_p), (q, low_q, high_q) = first, second
            if q <= at:
                low = max(low, low_q + (low_q - high_p) / (q - p) * (at - q))
            elif p >= at:
                low = max(low, low_p + (high_q - low_p) / (q - p) * (at - p))
        lows.append(low)
        highs.append(high_a + part * (high_b - high_a))
    return lows, highs


def _draw_curve(
    sheet: Sheet, axes: Axes, account: CertifiedAccount, estimates: Estimates
) -> list[Line2D]:
    known = known_places(account)
    heights = [end for _, low, high in known for end in (low, high) if end > _LOWEST]
    if not heights:
        raise ValueError("no ε of the account is finite, or no δ of it above 0")
    right = max(place for place, _, _ in known)
    axes.set_xlabel("ε")
    axes.set_ylabel("δ(ε)")
    floor, top = decades(heights)
    axes.set_xlim(0.0, 1.04 * right or 1.0)
    logarithmic_axis(axes, floor, top)
    style = series_style(0)
    name = "certified, all runs on the same data"
    if len(known) > 1:
        x = sorted({*np.linspace(known[0][0], right, _PLACES), *(place for place, _, _ in known)})
        low, high = bounds_between(known, x)
        widest = max(b - a for a, b in zip(low, high, strict=True))
        sheet.known.note(
            "δ between them", Enclosure(Decimal(0), Decimal.from_float(max(widest, 0.0)))
        )
        ends = ([max(height, floor) for height in low], [max(height, floor) for height in high])
        draw_band(sheet.known, axes, x, ends, label=name, look=style.look)
    deltas = [row for row in account.rows if not isinstance(row, EpsilonRow)]
    places = [float(row.epsilon) for row in deltas]
    where = [f"ε = {row.epsilon}" for row in deltas]
    draw_bars(
        sheet.known, axes, places, [row.delta for row in deltas],
        what="δ", colour=style.colour, where=where,
    )  # fmt: skip
    for row in account.rows:
        if isinstance(row, EpsilonRow):
            sheet.known.note("ε", row.epsilon, f"δ = {row.delta}")
    shown = [(x, high) for x, _, high in known if high > floor]
    marks: dict[str, Any] = {"marker": "o", "markersize": 3, "linestyle": "none"}
    axes.plot(
        [place for place, _ in shown],
        [height for _, height in shown],
        color=style.colour,
        label="_rows",
        **marks,
    )
    keys = [style.key(name)]
    for index, (other, (across, up)) in enumerate(estimates.items(), start=1):
        look = series_style(index)
        inside = [(a, b) for a, b in zip(across, up, strict=True) if floor <= b <= top]
        if inside:
            axes.plot(*zip(*inside, strict=True), label=other, linewidth=0.9, **look.look)
            keys.append(look.key(other))
    return keys


def _draw_steps(sheet: Sheet, axes: Axes, accounts: Sequence[CertifiedAccount]) -> list[Line2D]:
    series: dict[str, list[tuple[int, Enclosure]]] = {}
    for account in sorted(accounts, key=lambda one: one.compose):
        for row in account.rows:
            if isinstance(row, EpsilonRow):
                series.setdefault(number_text(row.delta), []).append((account.compose, row.epsilon))
    values = [value for one in series.values() for _, value in one]
    if not reach(values):
        raise ValueError("no account has a finite ε at a δ")
    axes.set_xlabel("runs")
    axes.set_ylabel("ε")
    axes.set_xlim(0.0, 1.04 * max(account.compose for account in accounts))
    axes.set_ylim(0.0, 1.08 * max(reach(values)) or 1.0)
    keys, endless = [], []
    for index, (delta, points) in enumerate(series.items()):
        style, label = series_style(index), f"δ = {delta}"
        x, enclosed = [runs for runs, _ in points], [value for _, value in points]
        where = [f"{label}, {runs} runs" for runs in x]
        bars = draw_bars(sheet.known, axes, x, enclosed, what="ε", colour=style.colour, where=where)
        line = [
            float("nan") if bar or value.lower.is_infinite() else middle(value)
            for bar, value in zip(bars, enclosed, strict=True)
        ]
        endless += [
            place for place, one in zip(where, enclosed, strict=True) if one.lower.is_infinite()
        ]
        axes.plot(x, line, label=label, **{**style.look, "marker": style.marker, "markersize": 4})
        keys.append(style.key(label))
    if endless:
        sheet.known.said.update({"infinite": endless})
    return keys
