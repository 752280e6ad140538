"""Box plots of quantiles that are known as intervals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from dpaudit.report.figures.drawn import Box
from dpaudit.report.figures.intervals import draw_bars, draw_level, middle
from dpaudit.report.figures.known import Known, reach
from dpaudit.report.figures.style import INK

__all__ = ["draw_box", "set_heights"]


def set_heights(axes: Axes, boxes: Iterable[Box], drawn: Iterable[float] = ()) -> None:
    """Make the ordinate hold every end of every box, and what was ``drawn``, from 0."""
    ends = reach(value for box in boxes for value in (*box.quantiles, box.mean))
    axes.set_ylim(0.0, 1.06 * max([*ends, *drawn], default=1.0) or 1.0)


def draw_box(
    known: Known,
    axes: Axes,
    place: tuple[float, float],
    box: Box,
    *,
    colour: str,
    filled: bool,
    where: str,
) -> None:
    """Draw a box from the first to the third quartile, whiskers to the 5% and the 95% quantile.

    A quantile that is known as a wide interval is a shaded band; the box and the whiskers are what
    certainly lies between such bands.

    Args:
        known: what gathers the widths for the caption.
        axes: where; its limits are final.
        place: the middle and the width.
        box: the quantiles and the mean.
        colour: that of the mechanism.
        filled: whether the box is.
        where: what the caption calls it.
    """
    x, width = place
    low, first, median, third, high = box.quantiles
    line: dict[str, Any] = {"color": colour, "linewidth": 1.1}
    bottom, top = float(first.upper), float(third.lower)
    if bottom <= top:
        axes.add_patch(
            Rectangle(
                (x - width / 2, bottom),
                width,
                top - bottom,
                facecolor=f"{colour}40" if filled else "white",
                edgecolor=colour,
                linewidth=1.1,
                zorder=2,
                label="_box",
            )
        )
    for below, above in ((low, first), (third, high)):
        inner = float(below.upper), float(above.lower)
        if inner[0] <= inner[1]:
            axes.plot([x, x], inner, label="_whisker", zorder=2, solid_capstyle="butt", **line)
    for part, value, share, thickness in (
        ("_cap", low, 0.25, 1.1),
        ("_quartile", first, 0.5, 1.1),
        ("_median", median, 0.5, 2.2),
        ("_quartile", third, 0.5, 1.1),
        ("_cap", high, 0.25, 1.1),
    ):
        ends = x - share * width, x + share * width
        look = {"color": colour, "label": part, "linewidth": thickness, "zorder": 3}
        draw_level(known, axes, ends, value, what="quantiles", where=where, **look)
    draw_bars(known, axes, [x], [box.mean], what="mean", colour=INK, where=[where])
    axes.plot(
        [x],
        [middle(box.mean)],
        marker="D",
        markersize=4.2,
        color=INK,
        markerfacecolor="white",
        linestyle="none",
        label="_mean",
        zorder=4,
    )
