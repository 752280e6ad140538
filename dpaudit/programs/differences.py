"""Differences of two geometric draws, which are discrete Laplace draws.

For independent Z and Z' with P(Z ≥ k) = t^k the difference is k with probability
(1 − t)/(1 + t)·t^|k| (Inusah and Kozubowski 2006).  Both draws are *spent* where a run makes one of
them: nothing more is decided about either, and their difference takes their place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dpaudit.numbers.real import ONE
from dpaudit.programs.wholes import WholeDraw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.programs.run import Run

__all__ = ["Difference", "add_differences", "difference_of", "placed"]


class Difference(NamedTuple):
    """A countable draw that is the difference of two others, by their numbers."""

    first: int
    second: int
    number: int


def difference_of(run: Run, first: int, second: int) -> int | None:
    """Return the number of the draw that is the difference of two; None where it is none."""
    for one in run.differences:
        if (one.first, one.second) == (first, second):
            return one.number
    draw, other = run.wholes[first], run.wholes[second]
    if run.as_run or run.datasets or not isinstance(draw, WholeDraw) or draw != other:
        return None
    if draw.kind != "geometric" or draw.parameter == ONE:
        return None
    if any(run.supports[number] != draw.support() for number in (first, second)):
        return None
    if run.is_spent(first) or run.is_spent(second):
        return None
    scale = -ONE / (ONE - draw.parameter).ln()
    number = run.draw_whole(WholeDraw("discrete_laplace", scale))
    run.differences.append(Difference(first, second, number))
    return number


def add_differences(differences: Sequence[Difference], wholes: dict[int, int]) -> None:
    """Add the differences of the draws in ``wholes`` to them."""
    for one in differences:
        wholes[one.number] = wholes[one.first] - wholes[one.second]


def placed(one: Difference, value: int) -> dict[int, int]:
    """Return values of both draws that have this difference."""
    second = max(0, -value)
    return {one.first: value + second, one.second: second}
