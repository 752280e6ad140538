"""The densities that an output with numbers left open is made of: parts, and their products."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.errors import LawError
from dpaudit.laws.line_shapes import LineShape
from dpaudit.laws.suprema import Peak, excess_mass, largest_ratio
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.expsum import EXPSUM_ONE, ExpSum
from dpaudit.numbers.piecewise import Piecewise
from dpaudit.numbers.real import ONE, Real

if TYPE_CHECKING:
    from dpaudit.laws.analytic import Shape

__all__ = ["Line", "Part", "Term", "Weight"]

Weight = Real | Ball
"""A probability, in closed form or enclosed."""


class Part(ABC):
    """The density of a few of the numbers of an output, independent of the others."""

    @abstractmethod
    def mass(self) -> Ball:
        """Return its integral."""

    @abstractmethod
    def peak(self, other: Part) -> Peak:
        """Return the supremum of ln(self/other)."""

    @abstractmethod
    def excess(self, other: Part, factor: Ball) -> Ball | None:
        """Return ∫ (self − ``factor``·other)₊; None where only bounds are known."""

    def shape(self) -> Shape:
        """Return it as a function of one number.

        Raises ``LawError`` for a density of several numbers.
        """
        raise LawError(
            "dpaudit compares densities of several dependent numbers only with densities of the "
            "same form"
        )

    def squared_shift(self, other: Part) -> Real | None:
        """Return d²/σ² of two Gaussian densities of one variance; None for others."""
        return None


@dataclass(frozen=True, eq=False)
class Line(Part):
    """A density of one number, polynomial × exponential between breakpoints."""

    function: Piecewise
    rate: Real
    mark: int = field(init=False, repr=False)
    """A hash of all of it: many thousand lines are compared, few of which are equal."""

    def __post_init__(self) -> None:
        """Take the hash once."""
        pieces = (frozenset(piece.items()) for piece in self.function.pieces)
        mark = hash((self.function.breaks, *pieces, self.rate))
        object.__setattr__(self, "mark", mark)
        if len(_LINES) > 1 << 13:
            _LINES.clear()
        known = _LINES.setdefault(self, self)  # equal ones share what they are made of
        object.__setattr__(self, "function", known.function)

    def __hash__(self) -> int:
        """Return the hash that was taken."""
        return self.mark

    def __eq__(self, other: object) -> bool:
        """Compare the functions, exactly."""
        return self is other or (
            isinstance(other, Line)
            and (self.mark, self.function, self.rate)
            == (
                *(other.mark, other.function),
                other.rate,
            )
        )

    def mass(self) -> Ball:
        return self.function.integral().ball(self.rate)

    def peak(self, other: Part) -> Peak:
        return largest_ratio(self.function, self._like(other), self.rate)

    def excess(self, other: Part, factor: Ball) -> Ball:
        return excess_mass(self.function, self._like(other), self.rate, factor)

    def shape(self) -> Shape:
        return LineShape(self.function, self.rate)

    def _like(self, other: Part) -> Piecewise:
        if not isinstance(other, Line) or other.rate != self.rate:
            raise LawError("dpaudit cannot compare densities of these two forms")
        return other.function


_LINES: dict[Line, Line] = {}


@dataclass(frozen=True)
class Term:
    """One product of densities, with its weight."""

    weight: Weight
    parts: tuple[Part, ...]
    """The density of each group of coordinates."""
    groups: tuple[tuple[int, ...], ...]
    """Coordinates of each part."""
    bare: Weight = ONE
    """The weight without ``scale``."""
    scale: ExpSum = EXPSUM_ONE
    """Exponential sum that is a factor of the weight, at the rate of the parts."""
    frame: tuple[tuple[Fraction, ...], ...] = ()
    """Coordinates as linear forms of the numbers of the output; empty if they are equal."""
