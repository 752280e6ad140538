"""Figures of the error of mechanisms: boxes of exact quantiles, as the notes draw them (N §4).

The quantiles of a box are known as intervals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import Patch, Rectangle

from dpaudit.report.figures.captions import parameter_clauses, readable, tell_apart
from dpaudit.report.figures.intervals import UNKNOWN, draw_bars, draw_level, middle
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.side_by_side import Box
from dpaudit.report.figures.style import INK, house_style, series_style
from dpaudit.report.figures.widths import Known, reach, rounded_up

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from dpaudit.report.comparison import Compared, Comparison

__all__ = ["draw_box", "plot_accuracy", "set_heights"]


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


_WIDTH = 0.34
_AXIS = {"hellinger": "Hellinger error", "l1": "ℓ1 error"}


@house_style()
def plot_accuracy(reports: Sequence[Comparison], drawn: Sequence[Sequence[float]] = ()) -> Figure:
    """Return a figure of the error of each mechanism: a box from the first to the third quartile.

    The line in a box is the median, the diamond the mean, the whiskers end at the 5% and the 95%
    quantile; what is known as a wide interval is a band.  Nothing is sampled.  Where mechanisms are
    compared both at equal nominal and at equal realised ε, each has two boxes, the second one
    filled.

    Raises ``ValueError`` if there is nothing to plot.
    """
    (report,) = reports
    if not report.results:
        raise ValueError("there is no finished mechanism to plot")
    found = [*report.results, *report.undecided]
    kinds = list(dict.fromkeys(one.equal for one in found))
    labels, caption = _texts(found)
    caption += [f"points: {size} samples each" for size in {len(errors) for errors in drawn}]
    names = list(dict.fromkeys(labels))
    sheet = Sheet([3.0])
    axes = sheet.panels[0]
    axes.set_ylabel(_AXIS[report.metric])
    set_heights(axes, map(_box, report.results), (error for one in drawn for error in one))
    for index, (one, label) in enumerate(zip(found, labels, strict=True)):
        own = [other.equal for other, whose in zip(found, labels, strict=True) if whose == label]
        place = names.index(label) + (own.index(one.equal) - (len(own) - 1) / 2) * 1.15 * _WIDTH
        colour = series_style(names.index(label)).colour
        whose = label if len(kinds) == 1 else f"{label} (equal {one.equal} ε)"
        if index >= len(report.results):
            draw_bars(sheet.known, axes, [place], [UNKNOWN], what="", colour=colour)
            sheet.known.say("undecided", whose)
            continue
        at, filled = (place, _WIDTH), one.equal == "realised"
        draw_box(sheet.known, axes, at, _box(one), colour=colour, filled=filled, where=whose)
        for quantile in one.quantiles:
            if not quantile.decided:
                sheet.known.say("undecided", f"the {quantile.level} quantile of {whose}")
        if drawn:
            _draw_sample(axes, place, drawn[index], colour)
    keys: list[list[Any]] = [
        sheet.list_places(axes, [name.replace(", ", "\n") for name in names]),
        _legend(report.results, kinds),
    ]
    counts = readable(", ".join(map(str, report.at)), 48)
    return sheet.finish(f"{_AXIS[report.metric]} at ({counts})", caption, [k for k in keys if k])


def _box(one: Compared) -> Box:
    return Box(tuple(quantile.value for quantile in one.quantiles), one.mean)


def _draw_sample(axes: Axes, x: float, errors: Sequence[float], colour: str) -> None:
    """Draw sampled errors as faint points, spread sideways so that equal ones show their number."""
    aside = np.random.default_rng(0).uniform(-0.42, 0.42, len(errors)) * _WIDTH
    axes.scatter(x + aside, errors, s=5, color=colour, alpha=0.25, linewidths=0, zorder=2.5)


def _texts(found: Sequence[Compared]) -> tuple[list[str], list[str]]:
    """Return a label for each box and the clauses of the caption."""
    items = []
    for one in found:
        own = {"name", "epsilon"} if one.equal == "realised" else {"name"}
        shown = {name: value for name, value in one.described.items() if name not in own}
        items.append(parameter_clauses(shown))
    # The nominal ε of a calibrated mechanism is its own: it would tell every box apart.
    nominals = {one.described.get("epsilon") for one in found if one.equal == "nominal"} - {None}
    if any(one.equal == "realised" for one in found):
        for one, item in zip(found, items, strict=True):
            if len(nominals) > 1 and one.equal == "realised":
                item["epsilon"] = "ε calibrated"
            elif len(nominals) <= 1:
                item.pop("epsilon", None)
    for one, item in zip(found, items, strict=True):
        if getattr(one, "outside", None) is not None:
            item["outside"] = f"counts outside [0, n]: {one.outside}"
    labels, caption = tell_apart([str(one.described["name"]) for one in found], items)
    caption += ["quantiles 5, 25, 50, 75, 95%", "◇ mean"]
    return labels, caption


def _legend(found: Sequence[Compared], kinds: Sequence[str]) -> list[Any]:
    keys: list[Any] = []
    if "nominal" in kinds and len(kinds) > 1:
        keys.append(Patch(facecolor="white", edgecolor=INK, label=f"nominal ε {_nominals(found)}"))
    if "realised" in kinds:
        largest = max(
            (
                one.realised.upper
                for one in found
                if one.equal == "realised" and one.realised is not None
            ),
            default=None,
        )
        shown = "" if largest is None else f" ≤ {rounded_up(largest, 6)}"
        keys.append(Patch(facecolor=f"{INK}40", edgecolor=INK, label=f"realised ε{shown}"))
    return keys


def _nominals(found: Sequence[Compared]) -> str:
    shown = {str(one.described.get("epsilon", "")) for one in found if one.equal == "nominal"}
    return f"= {shown.pop()}" if len(shown) == 1 else "as given"
