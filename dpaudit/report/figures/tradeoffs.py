"""Figures of trade-off functions, with the Gaussian ones that lie just below them."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from dpaudit.notions.tradeoff import tradeoff_points
from dpaudit.report.figures.captions import clauses, tell_apart, title_of
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import BUDGET_DASHES, INK, MUTED, house_style, series_style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpaudit.results import TradeoffReport

__all__ = ["plot_tradeoffs"]


def plot_tradeoffs(audits: Sequence[TradeoffReport]) -> Figure:
    """Return a figure of the trade-off functions, one for each mechanism and size.

    Where there is one alone, the Gaussian trade-off function G_μ of its fitted μ is drawn below
    it.  The diagonal is what no information at all would give.
    """
    with house_style():
        return _tradeoffs(audits)


def _tradeoffs(audits: Sequence[TradeoffReport]) -> Figure:
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
        style = series_style(index)
        points = tradeoff_points(result.lower, result.scale_bits)
        axes.plot(
            [float(a) for a, _ in points],
            [float(b) for _, b in points],
            color=style.colour,
            linestyle=style.dashes,
            marker=style.marker,
            markerfacecolor="white",
            markevery=(0.04 + 0.027 * (index % 5), 0.14),
            label=label,
        )
        keys.append(style.key(label))
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
