"""Axes over searched parameters: numbers, or the values of a list side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import FixedLocator, NullLocator

from dpaudit.questions.hunt.space import Choices, Dimension, Value
from dpaudit.report.figures.captions import SYMBOLS, readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["brief", "place_of", "set_axis"]

_LONG = 24
_NAMED = (1, 2, 5)  # of each decade of a logarithmic axis


def place_of(dimension: Dimension, value: Any) -> float:
    """Return where a value lies on its axis; values of a list lie side by side."""
    if isinstance(dimension, Choices):
        return float(dimension.chosen.index(value))
    return float(value)


def set_axis(axes: Axes, dimension: Dimension, which: str) -> None:
    """Make the ``x`` or the ``y`` axis one of a parameter, with its name and its ends."""
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_label_text(readable(SYMBOLS.get(dimension.name, dimension.name), 2 * _LONG))
    limits = axes.set_xlim if which == "x" else axes.set_ylim
    if isinstance(dimension, Choices):
        axis.set_ticks(
            range(len(dimension.chosen)),
            [readable(str(value), _LONG) for value in dimension.chosen],
        )
        limits(-0.5, len(dimension.chosen) - 0.5)
        return
    low, high = (float(end) for end in (dimension.ends[0], dimension.ends[-1]))
    if dimension.logarithmic:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        limits(low, high)
        ticks = _decimal_ticks(low, high)
        axis.set_major_locator(FixedLocator(ticks))
        axis.set_minor_locator(NullLocator())
        axis.set_ticklabels([f"{tick:.6g}" for tick in ticks])
    else:
        limits(low, high) if low < high else limits(low - 0.5, high + 0.5)


def _decimal_ticks(low: float, high: float) -> list[float]:
    """Return the ends and round numbers between, as many as can be told apart."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    every = max(1, (last - first) // 6)
    named = _NAMED if last - first <= 3 else (1,)
    inner = [m * 10.0**e for e in range(first, last + 1, every) for m in named]
    room = (high / low) ** 0.04
    return [low, *(tick for tick in inner if low * room < tick < high / room), high]


def brief(value: Value) -> str:
    """Return a value as it is, or about as it is where that would be long."""
    text = str(value)
    if isinstance(value, str):
        return readable(text, 2 * _LONG)
    return text if len(text) <= _LONG else f"about {float(value):.4g}"
