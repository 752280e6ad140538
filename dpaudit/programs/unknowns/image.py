"""Draws that a run makes of others: what they are at given values, and where they come from."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Difference", "Image", "Remainder", "add_made", "image_values", "place_bases"]

_LEAST = math.ldexp(1, -1000)


class Image(NamedTuple):
    """A draw that a run makes of others, of x = Σ a·draw + c."""

    kind: str
    """``log`` for −ln x, ``sum`` for x, ``floor`` for ⌊x⌋, ``cos`` and ``sin`` for √(2e)·cos(2πu)
    and √(2e)·sin(2πu) of an exponential and a uniform draw."""
    terms: tuple[tuple[int, Fraction], ...]
    """The draws and their factors; of ``cos`` and ``sin``, first the exponential one."""
    c: Fraction
    number: int
    """The number of the image: of a countable draw if it is ``floor``, else of a continuous one."""

    def value(self, reals: Mapping[int, Any]) -> Any:
        """Return the image of draws with these values."""
        if self.kind in ("cos", "sin"):
            (e, _), (u, _) = self.terms
            angle = 2 * math.pi * float(reals[u])
            return math.sqrt(2 * reals[e]) * getattr(math, self.kind)(angle)
        x = sum((a * reals[base] for base, a in self.terms), self.c)
        if self.kind == "floor":
            return math.floor(x)
        return x if self.kind == "sum" else -math.log(max(x, _LEAST))  # a float may round to 0

    def place(self, point: list[Fraction]) -> None:
        """Change the draws in ``point`` so that the image is where it is there."""
        if self.kind == "floor":  # which lies where its base does
            return
        at = point[self.number]
        if self.kind == "log":
            ((base, a),) = self.terms
            point[base] = (_exp_of_minus(at) - self.c) / a
        elif self.kind == "sum":  # two exponential draws, both positive, with opposite factors
            (first, a), (second, b) = self.terms
            point[second] = 1 + abs(at / b)
            point[first] = (at - b * point[second]) / a
        else:
            (e, _), (u, _) = self.terms
            # On the ray of an angle that is neither 0 nor a right one, to either side.
            angle = (0.1 if at > 0 else 0.4) if self.kind == "cos" else (0.1 if at > 0 else 0.6)
            radius = float(at) / getattr(math, self.kind)(2 * math.pi * angle)
            point[e], point[u] = Fraction(radius * radius / 2), Fraction(angle)


def _exp_of_minus(x: Fraction) -> Fraction:
    """Return about e^(−x), also where no float is so small."""
    halvings = max(0, math.floor(float(x) / math.log(2)))
    return Fraction(math.exp(halvings * math.log(2) - float(x))) / (1 << halvings)


def image_values(images: Sequence[Image], reals: dict[int, Any], wholes: dict[int, int]) -> None:
    """Add the images of the draws in ``reals``: they were made one after the other."""
    for image in images:
        (wholes if image.kind == "floor" else reals)[image.number] = image.value(reals)


def place_bases(images: Sequence[Image], point: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return a point of all draws in which those that have an image agree with it."""
    found = list(point)
    for image in reversed(images):
        image.place(found)
    return tuple(found)


class Difference(NamedTuple):
    """A countable draw that is the difference of two others, by their numbers."""

    first: int
    second: int
    number: int

    @property
    def bases(self) -> tuple[int, ...]:
        """Return the numbers of the draws that it is made of."""
        return self.first, self.second

    def value(self, wholes: Mapping[int, int]) -> int:
        """Return it for values of those."""
        return wholes[self.first] - wholes[self.second]

    def placed(self, value: int) -> dict[int, int]:
        """Return values of those that have this difference."""
        second = max(0, -value)
        return {self.first: value + second, self.second: second}


class Remainder(NamedTuple):
    """A countable draw that is (factor·Z + constant) mod a modulus, factor ±1."""

    base: int
    factor: int
    constant: int
    modulus: int
    number: int

    @property
    def bases(self) -> tuple[int, ...]:
        """Return the number of Z."""
        return (self.base,)

    def value(self, wholes: Mapping[int, int]) -> int:
        """Return it for a value of Z."""
        return (self.factor * wholes[self.base] + self.constant) % self.modulus

    def placed(self, value: int) -> dict[int, int]:
        """Return a value of Z that leaves this remainder."""
        return {self.base: self.factor * (value - self.constant) % self.modulus}


def add_made(made: Sequence[Difference | Remainder], wholes: dict[int, int]) -> None:
    """Add what is made of the draws in ``wholes`` to them."""
    for one in made:
        if all(base in wholes for base in one.bases):
            wholes[one.number] = one.value(wholes)
