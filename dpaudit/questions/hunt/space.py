"""Spaces that a hunt searches: ranges of rationals, whole numbers in even steps, lists of values.

Every kind of dimension is searched on the unit interval.  A coordinate stands for an exact value,
and every value that has one is tried as such: a rational with the smallest denominator nearby, a
whole number, a text.  Values of a list, and the steps of a range, have cells of equal length; on a
logarithmic scale the lengths are those of the cells' logarithms.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

__all__ = ["Choices", "Dimension", "Point", "Range", "Space", "Steps", "Value", "simplest_between"]

Value: TypeAlias = "Fraction | int | str"
"""Value of a parameter: an exact number, or text that the parameter reads."""

Point: TypeAlias = "tuple[Value, ...]"
"""One value for each dimension of a space."""

_RATIO_WORTH_A_LOGARITHM = 20


@dataclass(frozen=True)
class Dimension(ABC):
    """One searched parameter."""

    name: str
    """The parameter, or ``n`` or ``k``."""

    @property
    @abstractmethod
    def size(self) -> int | None:
        """Number of values; None for a continuum."""

    @property
    @abstractmethod
    def ends(self) -> tuple[Value, ...]:
        """The extreme values; all values of a list."""

    @property
    def logarithmic(self) -> bool:
        """True if the scale is logarithmic."""
        return False

    @abstractmethod
    def value(self, coordinate: float, tolerance: float) -> Value:
        """Return a value within ``tolerance`` of ``coordinate``, both in the unit interval."""

    @abstractmethod
    def coordinate(self, value: Value) -> float:
        """Return where in the unit interval ``value`` lies."""

    @abstractmethod
    def values(self) -> Iterator[Value]:
        """Iterate over all values, of which there is a finite number."""

    @abstractmethod
    def near(self, value: Value, step: float) -> list[Value]:
        """Return the values about ``step`` of the unit interval away from ``value``."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The values as they can be asked for."""


@dataclass(frozen=True)
class Range(Dimension):
    """All rationals from ``lower`` to ``upper``, which differ; both ends belong to it.

    >>> Range("prior", Fraction(1, 100), Fraction(1)).value(0.5, 1e-3)
    Fraction(1, 10)
    """

    lower: Fraction
    upper: Fraction

    @property
    def size(self) -> None:
        return None

    @property
    def ends(self) -> tuple[Value, ...]:
        return self.lower, self.upper

    @property
    def logarithmic(self) -> bool:
        return self.lower > 0 and self.upper >= _RATIO_WORTH_A_LOGARITHM * self.lower

    def value(self, coordinate: float, tolerance: float) -> Fraction:
        if coordinate <= tolerance:
            return self.lower
        if coordinate >= 1 - tolerance:
            return self.upper
        first, last = (
            # Floats may round beyond the ends.
            min(max(self._at(place), self.lower), self.upper)
            for place in (coordinate - tolerance, coordinate + tolerance)
        )
        return simplest_between(first, last)

    def _at(self, coordinate: float) -> Fraction:
        if self.logarithmic:
            low, high = _log(self.lower), _log(self.upper)
            return Fraction(math.exp(low + coordinate * (high - low)))
        return self.lower + Fraction(coordinate) * (self.upper - self.lower)

    def coordinate(self, value: Value) -> float:
        number = Fraction(value)
        if self.logarithmic:
            low, high = _log(self.lower), _log(self.upper)
            return min(max((_log(number) - low) / (high - low), 0.0), 1.0)
        return float((number - self.lower) / (self.upper - self.lower))

    def values(self) -> Iterator[Value]:
        raise TypeError(f"{self.name} has infinitely many values")

    def near(self, value: Value, step: float) -> list[Value]:
        here = self.coordinate(value)
        return [
            self.value(min(max(place, 0.0), 1.0), step / 8)
            for place in (here - step, here + step)
            # Beyond an end the end is meant, unless ``value`` is that end itself.
            if -step < place < 1 + step
        ]

    @property
    def text(self) -> str:
        return f"{self.lower}..{self.upper}"


@dataclass(frozen=True)
class Steps(Dimension):
    """The numbers ``first``, ``first + step``, and so on, ``count`` of them.

    >>> sizes = Steps("n", 2, 1, 299)
    >>> sizes.text, [sizes.value(place, 0) for place in (0, 0.5, 1)]
    ('2..300', [2, 21, 300])
    """

    first: int | Fraction
    step: int | Fraction
    count: int

    @property
    def last(self) -> int | Fraction:
        """The last number."""
        return self.first + (self.count - 1) * self.step

    @property
    def size(self) -> int:
        return self.count

    @property
    def ends(self) -> tuple[Value, ...]:
        return (self.first,) if self.count == 1 else (self.first, self.last)

    @property
    def logarithmic(self) -> bool:
        return self.first > 0 and self.last >= _RATIO_WORTH_A_LOGARITHM * self.first

    def value(self, coordinate: float, tolerance: float) -> int | Fraction:
        return self.first + self._index(coordinate) * self.step

    def _index(self, coordinate: float) -> int:
        if self.logarithmic:
            low, high = self._edges()
            number = math.exp(low + coordinate * (high - low))
            place = (number - float(self.first)) / float(self.step) + 0.5
        else:
            place = coordinate * self.count
        return min(max(math.floor(place), 0), self.count - 1)

    def _edges(self) -> tuple[float, float]:
        """Return the logarithms of half a step below the first number and above the last."""
        half = Fraction(self.step) / 2
        # Half a step below the first number may not be positive, and has no logarithm.
        low = max(Fraction(self.first) - half, Fraction(self.first) / 2)
        return _log(low), _log(Fraction(self.last) + half)

    def coordinate(self, value: Value) -> float:
        if self.logarithmic:
            low, high = self._edges()
            return (_log(Fraction(value)) - low) / (high - low)
        return (float((Fraction(value) - self.first) / self.step) + 0.5) / self.count

    def values(self) -> Iterator[Value]:
        return (self.first + index * self.step for index in range(self.count))

    def near(self, value: Value, step: float) -> list[Value]:
        here = int((Fraction(value) - self.first) / self.step)
        there = [self._index(self.coordinate(value) + sign * step) for sign in (-1, 1)]
        # At least one number on, however short the step is.
        places = [min(there[0], here - 1), max(there[1], here + 1)]
        return [self.first + place * self.step for place in places if 0 <= place < self.count]

    @property
    def text(self) -> str:
        end = "" if self.step == 1 and isinstance(self.first, int) else f"..{self.step}"
        return f"{self.first}..{self.last}{end}"


@dataclass(frozen=True)
class Choices(Dimension):
    """A few values, in the order they were given."""

    chosen: tuple[Value, ...]

    @property
    def size(self) -> int:
        return len(self.chosen)

    @property
    def ends(self) -> tuple[Value, ...]:
        return self.chosen

    def value(self, coordinate: float, tolerance: float) -> Value:
        return self.chosen[min(int(coordinate * len(self.chosen)), len(self.chosen) - 1)]

    def coordinate(self, value: Value) -> float:
        return (self.chosen.index(value) + 0.5) / len(self.chosen)

    def values(self) -> Iterator[Value]:
        return iter(self.chosen)

    def near(self, value: Value, step: float) -> list[Value]:
        return [other for other in self.chosen if other != value]

    @property
    def text(self) -> str:
        return ",".join(map(str, self.chosen))


@dataclass(frozen=True)
class Space:
    """All combinations of the values of some dimensions."""

    dimensions: tuple[Dimension, ...]

    @property
    def size(self) -> int | None:
        """Number of points; None for a continuum."""
        sizes = [dimension.size for dimension in self.dimensions]
        return None if None in sizes else math.prod(size for size in sizes if size is not None)

    def point(self, coordinates: Sequence[float], tolerance: float) -> Point:
        """Return a point within ``tolerance`` of the ``coordinates``, in every dimension."""
        return tuple(
            dimension.value(float(coordinate), tolerance)
            for dimension, coordinate in zip(self.dimensions, coordinates, strict=True)
        )

    def coordinates(self, point: Point) -> list[float]:
        """Return where in the unit cube ``point`` lies."""
        return [
            dimension.coordinate(value)
            for dimension, value in zip(self.dimensions, point, strict=True)
        ]

    def named(self, point: Point) -> dict[str, Value]:
        """Return the values of ``point`` by parameter."""
        return {
            dimension.name: value for dimension, value in zip(self.dimensions, point, strict=True)
        }


def simplest_between(lower: Fraction, upper: Fraction) -> Fraction:
    """Return the fraction of the smallest denominator in [lower, upper], nearest to 0 if several.

    The Stern-Brocot tree, descended by continued fractions.

    >>> simplest_between(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    if lower <= 0 <= upper:
        return Fraction(0)
    if upper < 0:
        return -simplest_between(-upper, -lower)
    whole = math.ceil(lower)
    if whole <= upper:
        return Fraction(whole)
    below = whole - 1
    return below + 1 / simplest_between(1 / (upper - below), 1 / (lower - below))


def _log(number: Fraction) -> float:
    """Return the logarithm of a positive number that a float may not hold."""
    return math.log(number.numerator) - math.log(number.denominator)
