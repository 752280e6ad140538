"""The largest whole number that passes: a bracket, narrowed by a guided bisection.

What is searched is an integer grid of nominal ε.  A probe says of one grid point whether it is
certified within the budget, and about by how much: the amount only guides where to look next
(regula falsi with the Illinois weights, and a halving whenever that stalls), the verdicts alone
decide.  Nothing assumes that passing is monotone: the result is a point that passes and a point
next to it that does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Bracket", "Probed", "find_bracket", "narrow"]

_FARTHEST = 1 << 20  # times the start, up or down
_FIRST_STEP, _LONGEST_STEP = 1.02, 16.0
_STALLED = 3


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found at one grid point."""

    passes: bool
    """Whether the point is certified within; False for a certified failure and for doubt."""
    margin: float
    """About how far within, in any unit that is continuous; below 0 beyond; nan where unknown."""
    ratio: float
    """About what multiple of the point would just pass; nan where unknown."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """A grid point that passes, and a larger one that does not; None where none was met."""

    passing: int | None
    failing: int | None


def find_bracket(probe: Callable[[int], Probed], start: int) -> Bracket:
    """Return a bracket around a change of verdict, looking up or down from ``start`` ≥ 1."""
    first = probe(start)
    point, found, least = start, first, _FIRST_STEP
    if first.passes:
        while point <= start * _FARTHEST:
            further = max(point + 1, int(point * _step(found.ratio, least)))
            least = _longer(least)
            found_there = probe(further)
            if not found_there.passes:
                return Bracket(point, further)
            point, found = further, found_there
        return Bracket(point, None)
    while point > max(1, start // _FARTHEST):
        below = 1 / found.ratio if found.ratio else nan
        nearer = max(1, min(point - 1, int(point / _step(below, least))))
        least = _longer(least)
        found_there = probe(nearer)
        if found_there.passes:
            return Bracket(nearer, point)
        point, found = nearer, found_there
    return Bracket(None, point)


def _step(wanted: float, least: float) -> float:
    """Return the factor of a step: a little more than ``wanted``, and at least ``least``."""
    return min(max(1.02 * wanted, least), _LONGEST_STEP) if isfinite(wanted) else max(2.0, least)


def _longer(least: float) -> float:
    return min(1 + 2 * (least - 1), _LONGEST_STEP)


def narrow(probe: Callable[[int], Probed], passing: int, failing: int) -> Bracket:
    """Return the bracket of two adjacent points, from a wider one.

    >>> narrow(lambda i: Probed(i * i <= 200, 200 - i * i, float("nan")), 1, 1000)
    Bracket(passing=14, failing=15)
    """
    low, high = probe(passing).margin, probe(failing).margin
    stalled, last = 0, None
    while failing - passing > 1:
        width = failing - passing
        middle = passing + width // 2
        if stalled < _STALLED and isfinite(low) and isfinite(high) and low >= 0 > high:
            middle = passing + int(width * (low / (low - high)))
        middle = min(max(middle, passing + 1), failing - 1)
        found = probe(middle)
        if found.passes:
            passing, low = middle, found.margin
            high = high / 2 if last is True else high
        else:
            failing, high = middle, found.margin
            low = low / 2 if last is False else low
        last = found.passes
        stalled = 0 if 2 * (failing - passing) <= width else (stalled + 1) % (_STALLED + 1)
    return Bracket(passing, failing)
