"""Figures of privacy curves ε ↦ δ(ε), and of trade-off functions with the Gaussian ones below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpaudit.notions.tradeoff import tradeoff_points
from dpaudit.report.figures.captions import clauses, tell_apart, title_of, unfinished
from dpaudit.report.figures.panels import decades, logarithmic_axis
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import BUDGET_DASHES, INK, MUTED, house_style, series_style
from dpaudit.results import Budget, CurveReport, PrivacyCurve, TradeoffReport

__all__ = ["plot_curves", "plot_tradeoffs"]


_RIGHTMOST = 700.0
"""What lies further is drawn here: e^ε is still a float."""
_LOWEST_DELTA = 1e-12  # below it, p − e^ε·q in floats is mostly cancellation


@house_style()
def plot_curves(audits: Sequence[CurveReport]) -> Figure:
    """Return a figure of the privacy curves ε ↦ δ(ε), one for each mechanism and size.

    A curve ends at the lower edge, close to the ε where δ becomes 0; one whose δ never does goes
    on to the right.  A star is the audited budget (ε, δ); for δ = 0 an arrow points to it, below
    the edge.  Raises ``ValueError`` if there is no curve.
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
    if len(sizes) == 1:
        caption.insert(0, f"n = {sizes[0]}")
    caption += unfinished(audits)
    drawn = [_Curve.of(curve) for _, curve in pairs]
    budgets = list(dict.fromkeys(subject.budget for subject in subjects))
    points = [(min(float(b.epsilon), _RIGHTMOST), float(b.delta)) for b in budgets]
    least = max(_LOWEST_DELTA, *(10.0**-subject.digits for subject in subjects))
    tails = [curve.delta(0.98 * curve.end(0.0)) for curve in drawn if curve.end(0.0) < math.inf]
    heights = [max(least, h) for h in (*tails, *(delta / 2 for _, delta in points if delta))]
    floor, top = decades([*heights, *(float(curve.delta(0.0)) for curve in drawn)])
    ends = [end for end in (curve.end(floor) for curve in drawn) if end < math.inf]
    right = 1.08 * max(*ends, *(epsilon for epsilon, _ in points), 0.0)

    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    axes.set_xlabel("ε")
    axes.set_ylabel("δ(ε)")
    axes.set_xlim(0.0, right)
    logarithmic_axis(axes, floor, top)
    keys, stated = [], []
    for index, (curve, label) in enumerate(zip(drawn, labels, strict=True)):
        keys.append(_draw_series(axes, index, label, *curve.points(floor, right)))
    for budget, (x_at, y_at) in zip(budgets, points, strict=True):
        stated.append(_draw_stated(axes, (x_at, max(y_at, floor)), budget))
    across = {str(budget.epsilon): at[0] for budget, at in zip(budgets, points, strict=True)}
    above = sheet.label_above(axes, list(across.values()), [f"ε = {text}" for text in across])
    up = {str(budget.delta): at[1] for budget, at in zip(budgets, points, strict=True) if at[1]}
    sheet.label_right(axes, list(up.values()), [f"δ = {text}" for text in up])
    title = title_of("Privacy curve" + "s" * (len(pairs) > 1), subjects, complete=True)
    return sheet.finish(title, caption, [keys, stated], above=above)


def _draw_series(axes: Axes, index: int, label: str, x: Any, y: Any) -> Line2D:
    """Draw one curve, with markers where those of others do not lie; return its legend key."""
    style, place = series_style(index), (0.04 + 0.027 * (index % 5), 0.14)
    axes.plot(x, y, **style.look, marker=style.marker, markevery=place, label=label)
    return style.key(label)


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
    """A privacy curve in floats, from the vertices of its upper hull."""

    p: np.ndarray[Any, np.dtype[np.float64]]
    q: np.ndarray[Any, np.dtype[np.float64]]

    @classmethod
    def of(cls, curve: PrivacyCurve) -> _Curve:
        scale = 1 << curve.scale_bits
        events = [vertex for vertex in curve.upper if vertex.p]
        return cls(
            np.array([vertex.p / scale for vertex in events]),
            np.array([vertex.q / scale for vertex in events]),
        )

    def delta(self, epsilon: float) -> float:
        """Return δ(ε)."""
        return float(max(0.0, np.max(self.p - math.exp(min(epsilon, _RIGHTMOST)) * self.q)))

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
        growth = np.exp(np.minimum(x, _RIGHTMOST))
        y = np.max(self.p[:, None] - growth[None, :] * self.q[:, None], axis=0)
        return x, np.maximum(y, floor)


@house_style()
def plot_tradeoffs(audits: Sequence[TradeoffReport]) -> Figure:
    """Return a figure of the trade-off functions, one for each mechanism and size.

    Where there is one alone, the Gaussian trade-off function G_μ of its fitted μ is drawn below
    it.  The diagonal is what no information at all would give.
    """
    pairs = [(audit, result) for audit in audits for result in audit.results]
    if not pairs:
        raise ValueError("there is no finished trade-off function to plot")
    items = []
    for subject, result in pairs:
        found = clauses(subject)
        found.pop("budget", None)
        found.pop("stated", None)
        items.append(found | {"n": f"n = {result.n}"})
    labels, caption = tell_apart([subject.mechanism for subject, _ in pairs], items)
    sheet = Sheet([4.2])
    axes = sheet.panels[0]
    axes.set_xlabel("type I error")
    axes.set_ylabel("smallest type II error")
    axes.set_xlim(0.0, 1.0)
    axes.set_ylim(0.0, 1.0)
    axes.plot([0.0, 1.0], [1.0, 0.0], color=MUTED, linewidth=0.8)
    keys = []
    for index, ((_, result), label) in enumerate(zip(pairs, labels, strict=True)):
        points = tradeoff_points(result.lower, result.scale_bits)
        x, y = ([float(point[end]) for point in points] for end in (0, 1))
        keys.append(_draw_series(axes, index, label, x, y))
    guides = []
    if len(pairs) == 1 and pairs[0][1].mu.upper.is_finite():
        guides.append(_draw_gaussian(axes, pairs[0][1].mu.midpoint))
    title = title_of(
        "Trade-off function" + "s" * (len(pairs) > 1),
        [subject for subject, _ in pairs],
        complete=True,
    )
    return sheet.finish(title, caption, [keys, guides])


def _draw_gaussian(axes: Axes, mu: float) -> Line2D:
    """Draw G_μ (in floats: a picture decides nothing) and return its legend key."""
    normal = NormalDist()
    x = np.linspace(0.0, 1.0, 401)[1:-1]
    y = [normal.cdf(-normal.inv_cdf(float(a)) - mu) for a in x]
    axes.plot(x, y, color=INK, linestyle=BUDGET_DASHES, linewidth=0.9, label="_gaussian")
    text = f"Gaussian, μ = {mu:.4g}"
    return Line2D([], [], color=INK, linestyle=BUDGET_DASHES, linewidth=0.9, label=text)
