"""Base of quantities measured of two laws side by side, and the directions that attain them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dpaudit.numbers import ball as balls

if TYPE_CHECKING:
    from collections.abc import Hashable
    from fractions import Fraction

    from dpaudit.audit.maximum import Maximum
    from dpaudit.laws.law import Divergence, Loss
    from dpaudit.laws.losses import Losses
    from dpaudit.numbers.ball import Ball
    from dpaudit.numbers.real import Real
    from dpaudit.screens.bounds import Bound

__all__ = ["Candidate", "Limits", "PairOfLaws", "Quantity", "Value"]


class PairOfLaws:
    """Two laws with what several directions and quantities need of them, computed once."""

    def __init__(self, divergence: Divergence, left: Any = None, right: Any = None) -> None:
        """Take the comparison of the law P at ``left`` with Q at ``right``."""
        self.divergence = divergence
        self.left, self.right = left, right
        self._losses: dict[bool, Losses] = {}
        self._max_losses: dict[bool, Loss] = {}

    def ends(self, *, forward: bool) -> tuple[Any, Any]:
        """Return the datasets of the numerator and of the denominator."""
        return (self.left, self.right) if forward else (self.right, self.left)

    def losses(self, *, forward: bool) -> Losses:
        """Return all losses in one direction."""
        if forward not in self._losses:
            from dpaudit.laws.losses import Losses

            self._losses[forward] = Losses.of(self.divergence, forward=forward)
        return self._losses[forward]

    def max_loss(self, *, forward: bool) -> Loss:
        """Return the largest loss in one direction."""
        if forward not in self._max_losses:
            self._max_losses[forward] = self.divergence.max_loss(forward=forward)
        return self._max_losses[forward]


@dataclass(frozen=True, slots=True)
class Value:
    """Value of a quantity for one direction of a pair, and the output or order that attains it."""

    ball: Ball
    """A ball of it; +∞ is the exact ball +∞."""
    exact: Real | None = None
    """Its closed form, where that came without work."""
    output: Hashable | None = None
    """An output with the largest loss, or one that only P can produce."""
    order: Fraction | None = None
    """The order α it is attained at; 1 stands for the limit α → 1."""
    type_one: Fraction | None = None
    """The type I error of the test it is attained at (rounded)."""
    type_two: Fraction | None = None
    """The type II error of that test (rounded)."""
    at_one: bool = False
    """True if the value is certainly the limit α → 1 of a supremum over orders."""
    gap: Ball | None = None
    """Least width of its interval at any precision; None if more bits narrow it."""
    open: bool = False
    """True if this is a lower bound alone, and nothing bounds the value from above."""

    @property
    def stays_wide(self) -> bool:
        """True if more bits certainly do not halve the width of its interval."""
        return self.gap is not None and balls.certainly_less(self.ball.rad(), self.gap.lower())


class Limits(NamedTuple):
    """Precision at which a value has to be enclosed."""

    tolerance: Fraction | None
    """Largest width of the enclosure of a supremum; None for a rough one."""
    floor: Ball | None
    """A value that is certainly not above this may be enclosed loosely."""


class Quantity(ABC):
    """A number for each ordered pair of laws, 0 for equal ones."""

    directed: ClassVar[bool] = True
    """True if the two directions of a pair may differ."""
    below: ClassVar[Quantity | None] = None
    """Cheap lower bound of the quantity, used to look at all pairs roughly first; None for none."""

    @abstractmethod
    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value | None:
        """Return the enclosed value of one direction, or None for one that is certainly 0."""

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        """Return the value that the laws know without a list of their outputs, or None."""
        return None

    def key(self, laws: PairOfLaws, *, forward: bool) -> Any:
        """Return what only directions of equal value share; None where nothing is known to."""
        return None

    def least(self) -> Maximum[Any] | None:
        """Return the maximum over no pairs, where there is one."""
        return None

    def bound(self) -> Bound | None:
        """Return what bounds this quantity in a screen; None for balls throughout."""
        return None


class Candidate(NamedTuple):
    """One direction of a pair that may hold a maximum."""

    place: int
    """Number of its pair, in the order in which pairs were visited."""
    ends: tuple[Any, Any]
    """The two datasets of the pair."""
    forward: bool
    """True if the first dataset gives the numerator."""
    value: Value
    key: Any
    """Key from :meth:`Quantity.key`, which only directions of equal value share."""

    @property
    def x(self) -> Any:
        """The dataset of the numerator."""
        return self.ends[not self.forward]

    @property
    def y(self) -> Any:
        """The dataset of the denominator."""
        return self.ends[self.forward]
