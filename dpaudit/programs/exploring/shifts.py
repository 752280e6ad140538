"""Numbers of a path that are one thing at each of the datasets that are explored together."""

from __future__ import annotations

from fractions import Fraction
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "MINUS", "UNIT", "Entries", "Shift", "Shifting", "at", "comparable", "negated", "picked",
]  # fmt: skip

UNIT = Fraction(1)
"""Most coefficients are this or :data:`MINUS`, and told by that: to compare takes longer."""
MINUS = Fraction(-1)
"""−1."""


def negated(a: Fraction) -> Fraction:
    """Return −a."""
    return MINUS if a is UNIT else UNIT if a is MINUS else -a


Entries = tuple[tuple[int, int | Fraction], ...]
"""The coefficient of each entry of a dataset, none of them 0."""


class Shift(NamedTuple):
    """An affine combination that stands for itself, and can be compared."""

    entries: Entries
    constant: int | Fraction

    def at(self, dataset: Sequence[int]) -> Fraction:
        """Return the number at one dataset."""
        return Fraction(sum((a * dataset[place] for place, a in self.entries), self.constant))


class Shifting:
    """Base of the values that a program holds in place of such a number."""

    __slots__ = ()

    def at(self, dataset: Sequence[int]) -> Any:
        """Return the number at one dataset."""
        raise NotImplementedError

    def key(self) -> Shift:
        """Return what tells it from others."""
        raise NotImplementedError


def at(value: Any, dataset: Sequence[int]) -> Any:
    """Return what a number is at one dataset."""
    return value.at(dataset) if isinstance(value, (Shifting, Shift)) else value


def comparable(value: Any) -> Any:
    """Return a number, or what can be compared in its stead."""
    return value.key() if isinstance(value, Shifting) else value


def picked(places: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return what picks the numbers at some places."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda numbers: tuple([numbers[place] for place in places])
