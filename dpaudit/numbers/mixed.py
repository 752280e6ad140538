"""Closed forms beside whole numbers and Fractions, on either side of an operator."""

from __future__ import annotations

from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import TYPE_CHECKING, Any, Self, cast

from dpaudit.numbers.terms import UNIT

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Exact", "Mixed"]

Exact = int | Fraction
"""Types that a closed form calculates with; floats are no exact numbers."""


class Mixed:
    """The operators of a closed form with other exact numbers."""

    __slots__ = ()

    def mixed(self, other: Any, operate: Callable[[Any, Any], Any], *, after: bool = False) -> Self:
        """Return ``self`` and another exact number operated on; the other comes first ``after``."""
        if type(other) is not int and not isinstance(other, Fraction):
            return cast("Self", NotImplemented)
        number = cast("Any", type(self))({UNIT: Fraction(other)} if other else {})
        return cast("Self", operate(number, self) if after else operate(self, number))

    def __radd__(self, other: Exact) -> Self:
        """Return other + self."""
        return self.mixed(other, add, after=True)

    def __rsub__(self, other: Exact) -> Self:
        """Return other − self."""
        return self.mixed(other, sub, after=True)

    def __rmul__(self, other: Exact) -> Self:
        """Return other · self."""
        return self.mixed(other, mul, after=True)

    def __rtruediv__(self, other: Exact) -> Self:
        """Return other / self."""
        return self.mixed(other, truediv, after=True)
