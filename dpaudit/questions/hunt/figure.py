"""Figures of hunts: how far budgets are used, over one or two searched parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib import colormaps
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import TriAnalyzer, Triangulation

from dpaudit.questions.hunt.axes import brief, place_of, set_axis
from dpaudit.questions.hunt.space import Choices, Dimension
from dpaudit.report.figures.captions import SYMBOLS, budget_text, readable
from dpaudit.report.figures.intervals import draw_bars
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import (
    BUDGET_DASHES,
    INK,
    MUTED,
    draw_budget,
    house_style,
    series_style,
)
from dpaudit.report.figures.widths import Known, interval, reach
from dpaudit.results import Enclosure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpaudit.questions.hunt.result import HuntResult

__all__ = ["plot_landscape"]

_MOST_BANDS = 7
_FLAT = 1e-9
_SLIVER = 0.01  # incircle over circumcircle of triangles along the edge that are not drawn
_MOST_SERIES = 8
_FEW = 40

Heights = dict[tuple[Any, ...], Enclosure]
"""Interval of the ratio at each place."""


@house_style()
def plot_landscape(hunt: HuntResult) -> Figure:
    """Return a figure of realised over budget at the points that a hunt looked at.

    The search knows each ratio between two bounds, which are bars where they are told apart.  Over
    one searched parameter the points are joined; over two, bands of shade lie between them and a
    dashed line is where the ratio is 1.  A star is the worst point.  Of more than two parameters
    the two of the widest choice are shown, with the largest ratio over the others.  For budgets
    with δ > 0 the ratio is that of δ, or that of ε where δ is 0 throughout.  Raises ``ValueError``
    if there is no point.
    """
    if not hunt.evaluated:
        raise ValueError("there is no point to plot")
    shown = _shown(hunt)
    measure: str = hunt.measure
    if measure == "delta" and not any(found.score.delta for found in hunt.evaluated):
        measure = "epsilon"
    symbol = "δ" if measure == "delta" else "ε"
    bounded = measure == hunt.measure  # else nobody asked for an upper bound
    heights: Heights = {}
    for found in hunt.evaluated:
        place = tuple(found.point[index] for index in shown)
        score = found.score
        one = (score.ratio, score.upper) if bounded else (score.epsilon, score.epsilon)
        before = heights.get(place, interval(0.0, 0.0))
        heights[place] = interval(max(float(before.lower), one[0]), max(float(before.upper), *one))
    dimensions = [hunt.space.dimensions[index] for index in shown]
    sheet = Sheet([3.2])
    axes = sheet.panels[0]
    flat = _is_flat(dimensions)
    known = sheet.known if bounded else Known()
    keys = (_curves if flat else _map)(known, axes, dimensions, heights, symbol)
    keys += _star(axes, hunt, dimensions, heights if flat else None)
    keys += _left_out(axes, hunt, dimensions, flat=flat)
    if not bounded:
        sheet.known.say(f"the points are certified lower bounds of {symbol}", "")
    if hunt.unevaluated:
        sheet.known.say(f"{len(hunt.unevaluated)} points undecided", "")
    title = f"Realised {symbol} over its budget, as hunted in {readable(hunt.mechanism, 48)}"
    return sheet.finish(title, _caption(hunt, shown, measure), [keys])


def _is_flat(dimensions: list[Dimension]) -> bool:
    """Tell whether the ratio is drawn as a height, and not as a shade."""
    lists = [d for d in dimensions if isinstance(d, Choices)]
    return len(dimensions) == 1 or any(d.size <= _MOST_SERIES for d in lists)


def _shown(hunt: HuntResult) -> list[int]:
    """Return the one or two dimensions that are drawn, those with the most values."""
    dimensions = hunt.space.dimensions
    several = [i for i, dimension in enumerate(dimensions) if dimension.size != 1] or [0]
    sizes = {i: dimensions[i].size for i in several}
    widest = sorted(several, key=lambda i: -(math.inf if sizes[i] is None else sizes[i] or 0))
    return sorted(widest[:2])


def _caption(hunt: HuntResult, shown: list[int], measure: str) -> list[str]:
    clauses = [f"{SYMBOLS.get(name, name)} = {value}" for name, value in hunt.fixed.items()]
    clauses += [
        f"{dimension.name} = {dimension.text}"
        for index, dimension in enumerate(hunt.space.dimensions)
        if index not in shown
    ]
    if len(hunt.space.dimensions) > len(shown):
        clauses.append("the largest over the parameters not shown")
    if hunt.budget is not None:
        clauses.append(f"budget {budget_text(hunt.budget)}")
    if measure != hunt.measure:
        clauses.append("δ is 0 at the ε of the budget at every point")
    return [*clauses, f"{len(hunt.evaluated)} points", f"seed {hunt.limits.seed}"]


def _curves(
    known: Known, axes: Axes, dimensions: list[Dimension], heights: Heights, symbol: str
) -> list[Line2D]:
    """Draw the ratio over one parameter, a series for each value of the other if there are two."""
    along = min(range(len(dimensions)), key=lambda i: isinstance(dimensions[i], Choices))
    other = dimensions[1 - along] if len(dimensions) == 2 else None
    dimension = dimensions[along]
    set_axis(axes, dimension, "x")
    axes.set_ylabel(f"realised {symbol} over budget")
    endless = any(value.lower.is_infinite() for value in heights.values())
    top = max([1.0, *reach(heights.values())])
    axes.set_ylim(0.0, (1.12 if endless else 1.06) * top)
    keys = []
    for index, chosen in enumerate([None] if other is None else other.ends):
        style = series_style(index)
        points = sorted(
            (place_of(dimension, values[along]), float(height.lower), float(height.upper))
            for values, height in heights.items()
            if other is None or values[1 - along] == chosen
        )
        x = [place for place, _, _ in points]
        values = [interval(low, high) for _, low, high in points]
        bars = draw_bars(
            known,
            axes,
            x,
            values,
            what=symbol,
            colour=style.colour,
            where=[f"{dimension.name} = {place:.6g}" for place in x],
        )
        line = [
            math.nan if bar or value.lower.is_infinite() else float(value.lower)
            for bar, value in zip(bars, values, strict=True)
        ]
        name = "ratio" if other is None else f"{other.name} = {chosen}"
        few = len(points) <= _FEW
        axes.plot(
            x,
            line,
            color=style.colour,
            linestyle="none" if isinstance(dimension, Choices) else style.dashes,
            marker=style.marker if few else ".",
            markerfacecolor="white" if few else style.colour,
            markersize=4.6 if few else 2.5,
            label=name,
        )
        if other is not None:
            keys.append(style.key(name, marker=few))
        edge = [place for place, value in zip(x, values, strict=True) if value.lower.is_infinite()]
        if edge:
            keys.append(_infinite(axes, edge, [1.0] * len(edge), axes.get_xaxis_transform()))
    draw_budget(axes, 1.0)
    return [*_once(keys), Line2D([], [], color=INK, linestyle=BUDGET_DASHES, label="the budget")]


def _once(keys: list[Line2D]) -> list[Line2D]:
    """Return the keys with each text once."""
    return list({str(key.get_label()): key for key in keys}.values())


def _infinite(axes: Axes, x: Any, y: Any, transform: Any) -> Line2D:
    """Mark the points where the ratio is infinite; return their legend key."""
    look: dict[str, Any] = {"linestyle": "none", "marker": "^", "color": INK, "markersize": 6.0}
    axes.plot(x, y, transform=transform, clip_on=False, zorder=3, label="_infinite", **look)
    return Line2D([], [], label="infinite", **look)


def _left_out(
    axes: Axes, hunt: HuntResult, dimensions: list[Dimension], *, flat: bool
) -> list[Line2D]:
    """Mark where points could not be looked at, along the lower edge of curves; return the key."""
    if not hunt.unevaluated:
        return []
    named = [hunt.space.named(one.point) for one in hunt.unevaluated]
    at = [[place_of(d, values[d.name]) for d in dimensions] for values in named]
    along = min(range(len(dimensions)), key=lambda i: isinstance(dimensions[i], Choices))
    look: dict[str, Any] = {"linestyle": "none", "marker": "x", "color": MUTED, "markersize": 5.0}
    axes.plot(
        [place[along if flat else 0] for place in at],
        [0.0 if flat else place[1] for place in at],
        transform=axes.get_xaxis_transform() if flat else axes.transData,
        clip_on=False,
        label="_left_out",
        **look,
    )
    return [Line2D([], [], label="could not be evaluated", **look)]


def _map(
    known: Known, axes: Axes, dimensions: list[Dimension], heights: Heights, symbol: str
) -> list[Line2D]:
    first, second = dimensions
    set_axis(axes, first, "x")
    set_axis(axes, second, "y")
    axes.grid(visible=False)
    places = [(place_of(first, a), place_of(second, b)) for a, b in heights]
    x, y = (np.array(ordinates) for ordinates in zip(*places, strict=True))
    for values, value in heights.items():
        at = zip(dimensions, values, strict=True)
        named = ", ".join(f"{d.name} = {brief(v)}" for d, v in at)
        known.note(symbol, value, f"({named})")
    known.say("shades are lower bounds at the points, and interpolated between them", "")
    ratios = np.array([float(value.lower) for value in heights.values()])
    ceiling = float(max(ratios[np.isfinite(ratios)], default=1.0))
    z = np.minimum(ratios, ceiling)
    levels = _levels(float(z.min()), float(z.max()))
    colours = [colormaps["cividis"](share) for share in np.linspace(0.08, 1.0, len(levels) - 1)]
    triangles = None
    if not any(isinstance(dimension, Choices) for dimension in dimensions):
        triangles = _triangles(axes, x, y)
    if triangles is not None:
        axes.tricontourf(triangles, z, levels=levels, colors=colours, extend="neither")
        axes.plot(x, y, linestyle="none", marker=".", markersize=1.2, color=MUTED, label="points")
        if z.min() < 1.0 < z.max():
            axes.tricontour(triangles, z, levels=[1.0], colors=[INK], linestyles=[BUDGET_DASHES])
    else:
        bands = np.clip(np.searchsorted(levels, z, side="right") - 1, 0, len(colours) - 1)
        for band in range(len(colours)):
            chosen = bands == band
            axes.plot(
                x[chosen],
                y[chosen],
                linestyle="none",
                marker="s",
                markersize=5.0,
                color=colours[band],
                label="points",
            )
    keys = [
        Line2D(
            [],
            [],
            linestyle="none",
            marker="s",
            markersize=7.0,
            color=colour,
            markeredgecolor=MUTED,
            markeredgewidth=0.4,
            label=f"{low:.4g} to {high:.4g}",
        )
        for colour, low, high in zip(colours, levels, levels[1:], strict=False)
    ]
    if triangles is not None and z.min() < 1.0 < z.max():
        keys.append(Line2D([], [], color=INK, linestyle=BUDGET_DASHES, label=f"{symbol} = budget"))
    endless = ~np.isfinite(ratios)
    if endless.any():
        keys.append(_infinite(axes, x[endless], y[endless], axes.transData))
    return keys


def _levels(low: float, high: float) -> list[float]:
    """Return the edges of a few bands that hold everything from ``low`` to ``high``."""
    if high - low <= _FLAT * max(1.0, high):
        return [low - 0.5 * max(low, 1e-3), high + 0.5 * max(high, 1e-3)]
    edges = MaxNLocator(_MOST_BANDS, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return [float(edge) for edge in edges]


def _triangles(axes: Axes, x: Any, y: Any) -> Triangulation | None:
    """Return triangles between the points as they lie on the axes; None if they lie in a row."""
    across = axes.transData.transform(np.column_stack([x, y]))
    try:
        flat = Triangulation(across[:, 0], across[:, 1])
        slivers = TriAnalyzer(flat).get_flat_tri_mask(_SLIVER)
    except (RuntimeError, ValueError):
        return None
    return None if slivers.all() else Triangulation(x, y, flat.triangles, slivers)


def _star(
    axes: Axes,
    hunt: HuntResult,
    dimensions: list[Dimension],
    heights: Heights | None,
) -> list[Line2D]:
    """Mark the worst point, at its height if there are ``heights``; return its legend key."""
    if hunt.worst is None:
        return []
    values = tuple(hunt.worst.parameters[dimension.name] for dimension in dimensions)
    at = [place_of(d, value) for d, value in zip(dimensions, values, strict=True)]
    if heights is not None:
        along = min(range(len(dimensions)), key=lambda i: isinstance(dimensions[i], Choices))
        at = [at[along], min(float(heights[values].lower), axes.get_ylim()[1])]
    look: dict[str, Any] = {
        "linestyle": "none",
        "marker": "*",
        "markersize": 12.0,
        "color": series_style(1).colour,
        "markeredgecolor": "white",
        "markeredgewidth": 0.8,
    }
    axes.plot(*at, label="_worst", clip_on=False, zorder=4, **look)
    named = ", ".join(
        f"{SYMBOLS.get(name, name)} = {brief(value)}"
        for name, value in hunt.worst.parameters.items()
    )
    verdict = hunt.worst.audit.verdict
    told = "" if verdict is None else f" ({verdict.value})"
    return [Line2D([], [], label=f"worst found: {named}{told}", **look)]
