"""Drawing of intervals: a point where the width cannot be seen, else a bar or a band.

An end that is not there, or lies beyond the panel, is an arrow at the edge.  Axes are made from
:func:`~dpaudit.report.figures.widths.reach`, so that they cut no end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Rectangle

from dpaudit.report.figures.style import series_style
from dpaudit.report.figures.widths import HIGHEST, SEEN, Known
from dpaudit.results import Enclosure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = [
    "UNKNOWN",
    "draw_arrow",
    "draw_band",
    "draw_bars",
    "draw_level",
    "draw_series",
    "is_seen",
    "middle",
]

UNKNOWN = Enclosure(Decimal(0), Decimal("Infinity"))
"""Interval of a value without a result; the caption names such places by words of its own."""


def is_seen(axes: Axes, value: Enclosure) -> bool:
    """Tell whether an interval is wider than a pixel on these axes, whose limits are final."""
    if value.lower.is_infinite():
        return False
    return _share(axes, float(value.upper)) - _share(axes, float(value.lower)) > SEEN


def draw_bars(
    widths: Known,
    axes: Axes,
    x: Sequence[float],
    values: Sequence[Enclosure],
    *,
    what: str,
    colour: str,
    where: Sequence[str] = (),
) -> list[bool]:
    """Draw the intervals that are wide enough to be seen as bars.

    Args:
        widths: gathers the widths for the caption.
        axes: panel to draw on; its limits are final.
        x: the abscissae.
        values: the intervals.
        what: name of their quantity in the caption.
        colour: colour of the series.
        where: name of each place in the caption.

    Returns:
        For each interval whether it is drawn as a bar.
    """
    bottom, top = axes.get_ylim()
    bar: list[list[float]] = [[], []]
    cap: list[list[float]] = [[], []]
    bars = []
    for place, value, name in zip(x, values, where or [""] * len(values), strict=True):
        if value is not UNKNOWN:  # a placeholder has no width that a caption could claim
            widths.note(what, value, name)
        bars.append(is_seen(axes, value))
        if not bars[-1]:
            continue
        widths.barred = True
        low, high = float(value.lower), float(value.upper)
        bar[0] += [place, place, math.nan]
        bar[1] += [max(low, bottom), min(high, top), math.nan]
        for end, inside, arrow in ((low, low >= bottom, "v"), (high, high <= top, "^")):
            if inside:
                cap[0].append(place)
                cap[1].append(end)
            else:
                draw_arrow(axes, place, arrow, colour)
    if bar[0]:
        look: dict[str, Any] = {"color": colour, "zorder": 2.1}
        axes.plot(bar[0][:-1], bar[1][:-1], linewidth=0.9, label="_interval", **look)
        axes.plot(*cap, linestyle="none", marker="_", markersize=5.0, label="_cap", **look)
    return bars


def draw_level(
    widths: Known, axes: Axes, ends: tuple[float, float], value: Enclosure, **look: Any
) -> None:
    """Draw a value across ``ends`` as a level line, or as a filled box where it is wide.

    ``what`` and ``where`` among the keywords name it for the caption; the others are the line's.
    """
    widths.note(look.pop("what"), value, look.pop("where", ""))
    start, end = ends
    if not is_seen(axes, value):
        height = middle(value)
        axes.plot([start, end], [height, height], solid_capstyle="butt", **look)
        return
    widths.barred = True
    bottom, top = axes.get_ylim()
    low, high = max(float(value.lower), bottom), min(float(value.upper), top)
    colour = look["color"]
    box: dict[str, Any] = {"facecolor": f"{colour}59", "edgecolor": colour, "linewidth": 0.7}
    label = f"{look.get('label', '')}_interval"
    axes.add_patch(Rectangle((start, low), end - start, high - low, zorder=2.6, label=label, **box))
    if float(value.upper) > top:
        draw_arrow(axes, (start + end) / 2, "^", colour)


def draw_band(
    widths: Known,
    axes: Axes,
    x: Any,
    ends: tuple[Any, Any],
    *,
    label: str,
    look: dict[str, Any],
) -> None:
    """Draw a falling curve that lies between two: one line where nobody could see them apart.

    Args:
        widths: notes whether there is a band.
        axes: panel to draw on; its limits are final.
        x: the abscissae, increasing.
        ends: the ordinates below and above.
        label: label of the line, or of the upper edge of the band.
        look: the properties of the line; the edges of a band are thin and have no markers.
    """
    low, high = (np.asarray(end, dtype=float) for end in ends)
    left, right = axes.get_xlim()
    # A steep curve is known by its place across as well: one pixel to the left counts.
    aside = np.interp(np.asarray(x, dtype=float) - SEEN * (right - left), x, low)
    visible = [
        _share(axes, above) - _share(axes, max(below, beside)) > SEEN
        for above, below, beside in zip(high, low, aside, strict=True)
    ]
    if not any(visible):
        axes.plot(x, high, label=label, **look)
        return
    widths.barred = True
    edge = {**look, "linewidth": 0.7}
    colour = look["color"]
    axes.fill_between(x, low, high, color=colour, alpha=0.25, linewidth=0, label="_band")
    axes.plot(x, high, label=label, **edge)
    axes.plot(x, low, label="_lower", **{**edge, "marker": "none"})


def draw_series(
    widths: Known, axes: Axes, index: int, x: Any, ends: Any, *, label: str, turns: int = 5
) -> Line2D:
    """Draw the curve of one series, as :func:`draw_band` does; return its legend key.

    Its markers are where those of others do not lie, of the next ``turns`` at least.
    """
    style, place = series_style(index), (0.04 + 0.027 * (index % turns), 0.14)
    look = {**style.look, "marker": style.marker, "markevery": place}
    draw_band(widths, axes, x, ends, label=label, look=look)
    return style.key(label)


def middle(value: Enclosure) -> float:
    """Return a float inside ``value``: its middle, or its lower end where it has no upper one."""
    low, high = float(value.lower), float(value.upper)
    return min(low if math.isinf(high) else min(max(value.midpoint, low), high), HIGHEST)


def _share(axes: Axes, height: float) -> float:
    """Return how far up the panel a height lies, from 0 to 1."""
    low, high = axes.get_ylim()
    if axes.get_yscale() == "log":
        if height <= low:
            return 0.0
        low, high, height = math.log(low), math.log(high), math.log(min(height, high))
    return min(max((height - low) / (high - low), 0.0), 1.0)


def draw_arrow(axes: Axes, x: float, arrow: str, colour: str) -> None:
    """Draw an arrow at the edge that an interval goes on beyond."""
    axes.plot(
        [x],
        [float(arrow == "^")],
        transform=axes.get_xaxis_transform(),
        marker=arrow,
        markersize=4.5,
        color=colour,
        linestyle="none",
        clip_on=False,
        zorder=2.2,
        label="_open",
    )
