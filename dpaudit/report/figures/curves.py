"""Figures of privacy curves ε ↦ δ(ε), and of trade-off functions with the Gaussian ones below.

The distance of the two hulls of a result is computed in fractions: nothing cancels, and no width
is lost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpaudit.laws.tradeoff import tradeoff_points
from dpaudit.report.figures.captions import clauses, number_text, tell_apart, title_of, unfinished
from dpaudit.report.figures.intervals import draw_band, draw_series
from dpaudit.report.figures.panels import decades, logarithmic_axis
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import BUDGET_DASHES, INK, MUTED, house_style
from dpaudit.report.figures.widths import between
from dpaudit.report.view import without_sizes
from dpaudit.results import Budget, CurveReport, Enclosure, Hulls, TradeoffReport, Vertex

__all__ = ["bounds_of_tradeoff", "hockey_sticks", "plot_curves", "plot_tradeoffs", "widest"]

Points = list[tuple[Fraction, Fraction]]


def hockey_sticks(
    chain: Sequence[Vertex], scale: int, factors: Sequence[Fraction]
) -> list[Fraction]:
    """Return max(0, max over events of P − a·Q) for each a of ``factors``, which increase.

    Args:
        chain: vertices of a concave hull, as numerators.
        scale: their common denominator.
        factors: the a, in increasing order.
    """
    heights = []
    place = len(chain) - 1

    def height(index: int, factor: Fraction) -> int:
        return chain[index].p * factor.denominator - factor.numerator * chain[index].q

    for factor in factors:
        # The hull is concave: the best vertex only ever moves to the left as a increases.
        while place and height(place - 1, factor) >= height(place, factor):
            place -= 1
        best = Fraction(height(place, factor), factor.denominator * scale)
        heights.append(max(Fraction(0), best))
    return heights


def widest(curve: Hulls) -> Decimal:
    """Return the largest distance of the two bounds of δ(ε) over all ε ≥ 0, rounded up.

    Both are piecewise linear in a = e^ε, so that it is attained where one of them bends.
    """
    scale = 1 << curve.scale_bits
    bends = {Fraction(1)}
    for chain in (curve.lower, curve.upper):
        nothing = [(0, 0)] if chain[0].p else []
        corners = [*nothing, *((vertex.q, vertex.p) for vertex in chain)]
        slopes = (Fraction(p - p0, q - q0) for (q0, p0), (q, p) in pairwise(corners) if q > q0)
        bends |= {slope for slope in slopes if slope > 1}
    factors = sorted(bends)
    both = [hockey_sticks(chain, scale, factors) for chain in (curve.lower, curve.upper)]
    return max(map(between, *(_at_most_one(heights) for heights in both)))


def _at_most_one(heights: Sequence[Fraction]) -> list[Fraction]:
    return [min(height, Fraction(1)) for height in heights]


def bounds_of_tradeoff(result: Hulls) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """Return abscissae, and the bounds of f there from below and above, where one of them bends."""
    below, above = (
        tradeoff_points(hull, result.scale_bits) for hull in (result.upper, result.lower)
    )
    x = sorted({a for a, _ in (*below, *above)})
    return x, _interpolated(below, x), _interpolated(above, x)


def _interpolated(points: Points, x: Sequence[Fraction]) -> list[Fraction]:
    """Return the heights at ``x`` of the chain through ``points``, both in increasing order."""
    heights = []
    place = 0
    for a in x:
        while place + 2 < len(points) and points[place + 1][0] < a:
            place += 1
        (a0, b0), (a1, b1) = points[place], points[min(place + 1, len(points) - 1)]
        part = (a - a0) / (a1 - a0) if a1 > a0 and a > a0 else Fraction(0)
        heights.append(b0 + part * (b1 - b0))
    return heights


_RIGHTMOST = 700.0
"""Largest ε drawn at its own place: e^ε is still a float."""
_LOWEST_DELTA = 1e-12  # below it, p − e^ε·q in floats is mostly cancellation


@house_style()
def plot_curves(audits: Sequence[CurveReport]) -> Figure:
    """Return a figure of the privacy curves ε ↦ δ(ε), one for each mechanism and size.

    A curve ends at the lower edge, close to the ε where δ becomes 0; one whose δ never does goes
    on to the right.  A star is the audited budget (ε, δ), if there is one; for δ = 0 an arrow
    points to it, below the edge.  Raises ``ValueError`` if there is no curve.
    """
    if not any(audit.results for audit in audits):
        raise ValueError("there is no finished curve to plot")
    pairs = [(audit, curve) for audit in audits for curve in audit.results]
    subjects = [subject for subject, _ in pairs]
    sizes = list(dict.fromkeys(curve.n for _, curve in pairs))
    items = [clauses(subject) for subject in subjects]
    if len(sizes) > 1:
        items = [
            item | {"n": f"n = {curve.n}"} for item, (_, curve) in zip(items, pairs, strict=True)
        ]
    labels, caption = tell_apart([subject.mechanism for subject in subjects], items)
    if len(sizes) == 1 and not all(map(without_sizes, audits)):
        caption.insert(0, f"n = {sizes[0]}")
    caption += unfinished(audits)
    drawn = [(_Curve.of(curve, curve.lower), _Curve.of(curve, curve.upper)) for _, curve in pairs]
    compared = (subject.budget for subject in subjects)
    budgets = list(dict.fromkeys(budget for budget in compared if budget is not None))
    points = [(min(float(b.epsilon), _RIGHTMOST), float(b.delta)) for b in budgets]
    least = max(_LOWEST_DELTA, *(10.0**-subject.digits for subject in subjects))
    curves = [curve for both in drawn for curve in both]
    tails = [curve.delta(0.98 * curve.end(0.0)) for curve in curves if curve.end(0.0) < math.inf]
    heights = [max(least, h) for h in (*tails, *(delta / 2 for _, delta in points if delta))]
    floor, top = decades([*heights, *(max(least, curve.delta(0.0)) for curve in curves)])
    ends = [end for end in (curve.end(floor) for curve in curves) if end < math.inf]
    reached = [*ends, *(epsilon for epsilon, _ in points)]
    if not reached:  # nothing ends, and no budget says how far to go
        reached = [float(point.epsilon) for _, curve in pairs for point in curve.values]
    right = 1.08 * max([min(epsilon, _RIGHTMOST) for epsilon in reached] or [1.0]) or 1.0

    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    axes.set_xlabel("ε")
    axes.set_ylabel("δ(ε)")
    axes.set_xlim(0.0, right)
    logarithmic_axis(axes, floor, top)
    keys, stated = [], []
    for index, ((low, high), label) in enumerate(zip(drawn, labels, strict=True)):
        x = high.abscissae(floor, right)
        ends_at = tuple(np.maximum(curve.heights(x), floor) for curve in (low, high))
        sheet.known.note("δ", Enclosure(Decimal(0), widest(pairs[index][1])))
        keys.append(draw_series(sheet.known, axes, index, x, ends_at, label=label))
    for budget, (x_at, y_at) in zip(budgets, points, strict=True):
        stated.append(_draw_stated(axes, (x_at, max(y_at, floor)), budget))
    across = {
        number_text(budget.epsilon): at[0] for budget, at in zip(budgets, points, strict=True)
    }
    above = sheet.label_above(axes, list(across.values()), [f"ε = {text}" for text in across])
    up = {
        number_text(budget.delta): at[1]
        for budget, at in zip(budgets, points, strict=True)
        if at[1]
    }
    sheet.label_right(axes, list(up.values()), [f"δ = {text}" for text in up])
    title = title_of("Privacy curve" + "s" * (len(pairs) > 1), subjects, complete=True)
    return sheet.finish(title, caption, [keys, stated], above=above)


def _draw_stated(axes: Axes, at: tuple[float, float], budget: Budget) -> Line2D:
    """Draw the point of a budget with guides to the axes; return its legend key."""
    pure = budget.is_pure
    guide: dict[str, Any] = {
        "color": INK,
        "linewidth": 0.9,
        "linestyle": BUDGET_DASHES,
        "zorder": 1.8,
    }
    axes.axvline(at[0], label="_budget", **guide)
    if not pure:
        axes.axhline(at[1], label="_budget", **guide)
    point: dict[str, Any] = {"color": INK, "linestyle": "none", "marker": "v" if pure else "*"}
    size = 6.5 if pure else 9.0
    axes.plot(*at, label="_point", clip_on=False, zorder=4, markersize=size, **point)
    text = f"budget ({budget.epsilon}, {budget.delta})" + (", below the axis" if pure else "")
    return Line2D([], [], label=text, markersize=size, **point)


@dataclass(frozen=True)
class _Curve:
    """One of the two hulls that a privacy curve lies between."""

    chain: Sequence[Vertex]
    scale: int
    p: np.ndarray[Any, np.dtype[np.float64]]
    q: np.ndarray[Any, np.dtype[np.float64]]

    @classmethod
    def of(cls, curve: Hulls, chain: Sequence[Vertex]) -> _Curve:
        scale = 1 << curve.scale_bits
        events = [vertex for vertex in chain if vertex.p]
        return cls(
            chain,
            scale,
            np.array([vertex.p / scale for vertex in events]),
            np.array([vertex.q / scale for vertex in events]),
        )

    def delta(self, epsilon: float) -> float:
        """Return δ(ε), the float next to it."""
        return self.heights([epsilon])[0]

    def end(self, floor: float) -> float:
        """Return about the ε where the curve falls to ``floor``; infinity if it never does."""
        with np.errstate(divide="ignore"):
            above = self.p > max(floor, _LOWEST_DELTA)
            ratios = (self.p[above] - floor) / self.q[above]
        return math.log(np.max(ratios, initial=1.0))

    def abscissae(self, floor: float, right: float) -> list[float]:
        """Return the ε to be drawn, from 0 to the lower or the right edge."""
        end = min(self.end(floor), right)
        close = end - end * np.logspace(-2.5, -7, 60)  # δ falls steeply at its end
        every = np.concatenate([np.linspace(0.0, 0.996 * end, 500), close, [end]])
        return [float(epsilon) for epsilon in every]

    def heights(self, x: Sequence[float]) -> list[float]:
        """Return δ at each ε, at most 1: subtracted in integers, where floats would cancel."""
        factors = [Fraction(math.exp(min(epsilon, _RIGHTMOST))) for epsilon in x]
        sticks = hockey_sticks(self.chain, self.scale, factors)
        return [float(min(height, Fraction(1))) for height in sticks]


@house_style()
def plot_tradeoffs(audits: Sequence[TradeoffReport]) -> Figure:
    """Return a figure of the trade-off functions, one for each mechanism and size.

    What lies between the two hulls is a band where it can be seen.  Where there is one alone, the
    Gaussian trade-off function G_μ of its fitted μ is drawn below it.  The diagonal is what no
    information at all would give.
    """
    pairs = [(audit, result) for audit in audits for result in audit.results]
    if not pairs:
        raise ValueError("there is no finished trade-off function to plot")
    items = []
    for subject, result in pairs:
        item = clauses(subject)
        item.pop("budget", None)
        item.pop("stated", None)
        items.append(item | {"n": f"n = {result.n}"})
    labels, caption = tell_apart([subject.mechanism for subject, _ in pairs], items)
    caption += unfinished(audits)
    sheet = Sheet([4.2])
    axes = sheet.panels[0]
    axes.set_xlabel("type I error")
    axes.set_ylabel("smallest type II error")
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.0)
    axes.plot([0.0, 1.0], [1.0, 0.0], color=MUTED, linewidth=0.8)
    keys = []
    for index, ((_, result), label) in enumerate(zip(pairs, labels, strict=True)):
        x, low, high = bounds_of_tradeoff(result)
        sheet.known.note("f", Enclosure(Decimal(0), max(map(between, low, high))))
        ends = tuple([float(height) for height in bound] for bound in (low, high))
        places = [float(a) for a in x]
        keys.append(draw_series(sheet.known, axes, index, places, ends, label=label))
    guides = []
    if len(pairs) == 1:
        mu = sheet.known.note("μ", pairs[0][1].mu)
        if mu.upper.is_finite():
            guides.append(_draw_gaussian(sheet, axes, mu))
        else:
            caption.append(f"no Gaussian lies below: {_mu_text(mu)}")
    title = title_of(
        "Trade-off function" + "s" * (len(pairs) > 1),
        [subject for subject, _ in pairs],
        complete=True,
    )
    return sheet.finish(title, caption, [keys, guides])


def _draw_gaussian(sheet: Sheet, axes: Axes, mu: Enclosure) -> Line2D:
    """Draw G_μ (in floats: a picture decides nothing) and return its legend key."""
    normal = NormalDist()
    x = [float(a) for a in np.linspace(0.0, 1.0, 401)[1:-1]]
    low, high = (
        [normal.cdf(-normal.inv_cdf(a) - end) for a in x]
        for end in (float(mu.upper), float(mu.lower))
    )
    look: dict[str, Any] = {"color": INK, "linestyle": BUDGET_DASHES, "linewidth": 0.9}
    draw_band(sheet.known, axes, x, (low, high), label="_gaussian", look=look)
    return Line2D([], [], label=f"Gaussian, {_mu_text(mu)}", **look)


def _mu_text(mu: Enclosure) -> str:
    """Return μ to four digits, or the interval that it lies in."""
    if mu.lower.is_infinite():
        return "μ = ∞"
    if mu.upper.is_infinite():
        return f"μ ≥ {mu.rounded(1).lower:.6g}, without an upper end"
    texts = [f"{end:.4g}" for end in (mu.lower, mu.upper)]
    return f"μ = {texts[0]}" if texts[0] == texts[1] else f"μ in {mu.rounded(1)}"
