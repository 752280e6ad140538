"""Floats that hang on one unknown k of k/2⁵³ and rise or fall with it, and where they cross.

Correctly rounded + − × ÷ and square roots are monotone in each operand, so what is made of one
uniform by them is a monotone function of k for as long as its parts pull the same way.  Where such
a function crosses a number is found by bisection, with the very operations that run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

__all__ = ["MOST_VALUES", "UNIT", "WORDS", "Curve", "Span", "first_where", "pieces"]

WORDS = 1 << 53
"""Number of values of a uniform: k/2⁵³ for k = 0, …, 2⁵³ − 1."""
MOST_VALUES = 4096
"""A number that has more values than this is not taken for a known one."""

_MOST_KEPT = 1 << 16

Span = tuple[int, int]
"""The whole numbers from one to another, both included."""


class Curve:
    """A function of k; equal keys mean the same function."""

    __slots__ = ("_ends", "_hash", "_made", "assumed", "at", "key")

    def __init__(
        self, at: Callable[[int], Any], key: tuple[Any, ...], assumed: frozenset[str]
    ) -> None:
        """Take the function, what it is called, and the functions it assumes to be monotone."""
        self.at, self.key, self.assumed = at, key, assumed
        self._hash = hash(key)
        self._made: dict[tuple[Any, ...], Curve] = {}
        self._ends: dict[Span, tuple[Any, Any]] = {}

    def ends(self, span: Span) -> tuple[Any, Any]:
        """Return the values at both ends of a span."""
        if span not in self._ends:
            self._ends[span] = self.at(span[0]), self.at(span[1])
        return self._ends[span]

    def __hash__(self) -> int:
        """Return the hash of the key, which was taken once."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Tell whether it is the same function."""
        return self is other or (isinstance(other, Curve) and self.key == other.key)

    def then(self, name: str, function: Callable[[Any], Any], *given: Any, **how: Any) -> Curve:
        """Return a function of this one; ``given`` tells it from others of the same name."""
        key = (name, *map(_told, given))
        if key not in self._made:
            at = self.at
            assumed = self.assumed | ({how["assumed"]} if how.get("assumed") else set())
            self._made[key] = Curve(lambda k: function(at(k)), (self, *key), assumed)
        return self._made[key]

    def forget(self) -> None:
        """Forget what was made of it and what it is worth where, once that is much."""
        if len(self._made) + len(self._ends) > _MOST_KEPT:
            self._made.clear()
            self._ends.clear()

    def with_other(self, name: str, function: Callable[[Any, Any], Any], other: Curve) -> Curve:
        """Return a function of this one and another of the same k."""
        at, also = self.at, other.at
        return Curve(
            lambda k: function(at(k), also(k)), (name, self, other), self.assumed | other.assumed
        )


def _told(value: Any) -> Any:
    """Return what tells a number from others: 1, 1.0 and -0.0 are three."""
    return (type(value).__name__, value.hex()) if isinstance(value, float) else value


UNIT = Curve(lambda k: k * 2.0**-53, ("k/2^53",), frozenset())
"""The uniform itself."""


@lru_cache(maxsize=1 << 16)
def first_where(curve: Curve, asked: str, number: Any, span: Span, *, rising: bool) -> int:
    """Return the first k of ``span`` from which on the answer is the one at its end.

    Args:
        curve: what is compared, monotone on the span.
        asked: ``<`` or ``<=``.
        number: what it is compared with.
        span: where k lies.
        rising: whether the curve rises.

    Returns:
        Where ``curve ? number`` turns false for a rising curve, and true for a falling one; one
        past the span where it never does.
    """
    at = curve.at
    low, high = span
    while low <= high:
        middle = (low + high) // 2
        holds = at(middle) < number if asked == "<" else at(middle) <= number
        if holds == rising:
            low = middle + 1
        else:
            high = middle - 1
    return low


def _same(one: Any, other: Any) -> bool:
    """Tell whether two values are one: 0.0 is not −0.0."""
    return bool(one == other) and (bool(one) or repr(one) == repr(other))


_MANY = 64
"""After so many values a look over the whole span says whether it is worth while to go on."""


def _has_more_values(curve: Curve, span: Span, most: int) -> bool:
    """Tell whether a monotone curve has more than ``most`` values, as few places of it show."""
    low, high = span
    if high - low < 4 * most:
        return False
    values = [curve.at(low + (high - low) * step // (2 * most)) for step in range(2 * most + 1)]
    return sum(not _same(*pair) for pair in pairwise(values)) >= most


@lru_cache(maxsize=1 << 14)
def pieces(curve: Curve, span: Span, most: int) -> tuple[tuple[Any, Span], ...] | None:
    """Return the values of a monotone curve, each with its span; None for more than ``most``."""
    found: list[tuple[Any, Span]] = []
    low, high = span
    last = curve.at(high)
    while low <= high:
        if len(found) == most or (len(found) == _MANY and _has_more_values(curve, span, most)):
            return None
        value = curve.at(low)
        first, end = low, high
        if not _same(value, last):
            while first < end:  # the last k with this value lies in [first, end]
                middle = (first + end + 1) // 2
                if _same(curve.at(middle), value):
                    first = middle
                else:
                    end = middle - 1
        else:
            first = high
        found.append((value, (low, first)))
        low = first + 1
    return tuple(found)
