"""Draws at which a path is tried: ends, values that code compares with, all values of a few."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _random import Random
    from collections.abc import Iterator, Sequence

    from dpaudit.programs.unknowns.wholes import Support

__all__ = [
    "ALL_VALUES",
    "MOST_OUTCOMES",
    "clipped",
    "ends",
    "every",
    "in_turn",
    "outcomes",
    "random_value",
    "singles",
]

ItemT = TypeVar("ItemT")

MOST_OUTCOMES = 1 << 16
"""Largest number of outcomes of a dataset's draws that are all run."""
ALL_VALUES = 256
"""Of a draw that may have at most so many values, each is tried."""
_MOST_DRAWS = 24
"""Of a path with more open draws, so many at random are tried one by one."""
_FAR = 1_009

Finite = tuple[tuple[int, int], ...]
"""A support with ends."""


def clipped(support: Support) -> Finite:
    """Return a support with an end, far out, where there is none."""
    found = []
    for low, high in support:
        first = low if low is not None else (high if high is not None else 0) - _FAR
        last = high if high is not None else (low if low is not None else 0) + _FAR
        found.append((first, last))
    return tuple(found)


def outcomes(supports: Sequence[Finite], most: int) -> int:
    """Return how many outcomes the draws of a path have, or ``most`` + 1 if they are more."""
    found = 1
    for support in supports:
        found *= sum(high - low + 1 for low, high in support)
        if found > most:
            return most + 1
    return found


def every(supports: Sequence[Finite]) -> Iterator[tuple[int, ...]]:
    """Yield every outcome."""
    return itertools.product(
        *([value for low, high in one for value in range(low, high + 1)] for one in supports)
    )


def ends(supports: Sequence[Finite]) -> list[tuple[int, ...]]:
    """Return the outcome with every draw at its lower end, and that with every one at its upper."""
    low, high = tuple(one[0][0] for one in supports), tuple(one[-1][1] for one in supports)
    return [low] if low == high else [low, high]


def random_value(support: Finite, junk: Random) -> int:
    """Return a value of a support, each alike."""
    size = sum(high - low + 1 for low, high in support)
    place = junk.getrandbits(size.bit_length() + 16) % size
    for low, high in support:
        if place <= high - low:
            return low + place
        place -= high - low + 1
    raise AssertionError(support)


def singles(
    supports: Sequence[Finite],
    constants: Sequence[int | float | Fraction],
    uniform: Sequence[bool],
    junk: Random,
) -> Iterator[tuple[int, ...]]:
    """Yield outcomes in which one draw is where code may do otherwise, and the others are random.

    Args:
        supports: where the draws lie.
        constants: numbers that the code holds.
        uniform: which of the draws are k/2⁵³, of which a constant names k.
        junk: gives the others.
    """
    wide = [place for place, one in enumerate(supports) if one[0][0] < one[-1][1]]
    while len(wide) > _MOST_DRAWS:
        wide.pop(junk.getrandbits(32) % len(wide))
    for place in wide:
        for value in _where(supports[place], constants, uniform=uniform[place]):
            yield tuple(
                value if other == place else random_value(one, junk)
                for other, one in enumerate(supports)
            )


def in_turn(sources: Sequence[Iterator[ItemT]]) -> Iterator[ItemT]:
    """Yield one item of every source, then another of each that has more.

    >>> [*in_turn([iter("ab"), iter("c")])]
    ['a', 'c', 'b']
    """
    waiting = list(sources)
    while waiting:
        left = []
        for source in waiting:
            for item in itertools.islice(source, 1):
                yield item
                left.append(source)
        waiting = left


def _where(
    support: Finite, constants: Sequence[int | float | Fraction], *, uniform: bool
) -> list[int]:
    """Return the values at which one draw is tried."""
    if sum(high - low + 1 for low, high in support) <= ALL_VALUES:
        return [value for low, high in support for value in range(low, high + 1)]
    found = {value for low, high in support for value in (low, low + 1, high - 1, high)}
    scale = 1 << 53 if uniform else 1
    for constant in constants:
        about = math.floor(Fraction(constant) * scale)
        found |= {about - 1, about, about + 1}
    return sorted(value for value in found if any(low <= value <= high for low, high in support))
