# ruff: noqa: D105  (the operators mean what they do of numbers)
"""Whole numbers that are not known: what a program holds instead of a countable draw.

Comparing one is a decision of the run; sums with whole numbers make another.  Whatever else a
program does with one decides which number it is, where it lies between two.
"""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.programs.lazy import Lazy, known_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.programs.run import Run
    from dpaudit.programs.wholes import Support

__all__ = ["Whole"]


def _of_value(function: Callable[..., Any]) -> tuple[Any, Any]:
    """Return a method that calculates with the value, and the one with it on the right."""

    def forwards(self: Whole, other: object, *modulo: object) -> Any:
        return function(self._value(), other, *modulo)

    def backwards(self: Whole, other: object) -> Any:
        return function(other, self._value())

    return forwards, backwards


class Whole(Lazy):
    """A whole number a·Z + c, Z a countable draw."""

    __slots__ = ("_constant", "_factor", "_kind", "_number")

    def __init__(
        self, run: Run, number: int, factor: int = 1, constant: int = 0, kind: type = int
    ) -> None:
        """Take the ``number`` of the draw, the factor, not 0, and the constant."""
        self._run, self._number, self._factor, self._constant = run, number, factor, constant
        self._kind = kind

    def _stands_for(self) -> type:
        return self._kind

    def of_kind(self, kind: type) -> Whole:
        """Return the same number, of another type than ``int``, as NumPy gives it."""
        return Whole(self._run, self._number, self._factor, self._constant, kind)

    def _fixed(self) -> Any:
        """Decide the value, which must have ends."""
        return self._factor * self._run.fix(self._number) + self._constant

    def _affine(self, factor: int, constant: int) -> Any:
        if not factor:
            return constant
        if self._kind is not int:
            self._check_size(factor, constant)
        return Whole(self._run, self._number, factor, constant, self._kind)

    def _check_size(self, factor: int, constant: int) -> None:
        """Refuse a number of NumPy's that may be beyond its type, where it goes round."""
        import numpy as np

        limits = np.iinfo(self._kind)
        support = self._run.supports[self._number]
        for end in (support[0][0], support[-1][1]):
            if end is None or not limits.min <= factor * end + constant <= limits.max:
                self._run.refuse(f"a whole number is too large for {self._kind.__name__} of NumPy")

    def __add__(self, other: object) -> Any:
        if isinstance(other, int):
            return self._affine(self._factor, self._constant + other)
        if isinstance(other, Whole):
            self._same_run(other)
        if isinstance(other, Whole) and other._number == self._number:
            return self._affine(self._factor + other._factor, self._constant + other._constant)
        return self._known(other) + other

    def __radd__(self, other: object) -> Any:
        return self + other

    def __neg__(self) -> Any:
        return self._affine(-self._factor, -self._constant)

    def __pos__(self) -> Whole:
        return self

    def __sub__(self, other: object) -> Any:
        if isinstance(other, (int, Whole)):
            return self + -other
        return self._known(other) - other

    def __rsub__(self, other: object) -> Any:
        return -self + other

    def __mul__(self, other: object) -> Any:
        if isinstance(other, int):
            return self._affine(self._factor * other, self._constant * other)
        return self._known(other) * other

    def __rmul__(self, other: object) -> Any:
        return self * other

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def _known(self, other: object) -> Any:
        """Return the value, to calculate with ``other``."""
        bounded = all(None not in interval for interval in self._run.supports[self._number])
        if not bounded and isinstance(other, Whole):
            self._run.refuse("two whole numbers without an end are added or compared")
        return self._value()

    def _value(self) -> Any:
        """Decide the value, and return it as the type that it is of."""
        return self._fixed() if self._kind is int else self._kind(self._fixed())

    def __truediv__(self, other: Any) -> Any:
        value = self._value()
        return value / other if self._run.as_run else Fraction(value) / other

    def __rtruediv__(self, above: Any) -> Any:
        value = self._value()
        return above / value if self._run.as_run else above / Fraction(value)

    def __invert__(self) -> Any:
        return -self - 1

    __floordiv__, __rfloordiv__ = _of_value(operator.floordiv)
    __mod__, __rmod__ = _of_value(operator.mod)
    __divmod__, __rdivmod__ = _of_value(divmod)
    __pow__, __rpow__ = _of_value(pow)
    __and__, __rand__ = _of_value(operator.and_)
    __or__, __ror__ = _of_value(operator.or_)
    __xor__, __rxor__ = _of_value(operator.xor)
    __lshift__, __rlshift__ = _of_value(operator.lshift)
    __rshift__, __rrshift__ = _of_value(operator.rshift)

    def _compared(self, other: object, asked: str) -> Any:
        """Decide whether self is less than, at most, equal to … ``other``."""
        if isinstance(other, float) and math.isinf(other):
            return (
                (other > 0)
                if asked in ("<", "<=")
                else (other < 0)
                if asked in (">", ">=")
                else False
            )
        if isinstance(other, Whole):
            self._same_run(other)
            if other._number == self._number:
                rest = self - other
                return rest._compared(0, asked) if isinstance(rest, Whole) else _ASKED[asked](rest)
            mine = all(None not in one for one in self._run.supports[self._number])
            if not mine:
                other = other._known(self)
            else:
                return bool(_MIRRORED[asked](other, self._fixed()))
        if isinstance(other, Lazy):
            return bool(_MIRRORED[asked](other, self._fixed()))
        number = known_number(self._run, other)
        if number is None:
            return NotImplemented
        target = (number - self._constant) / self._factor  # a·Z + c ? number
        if asked == "==":
            if target.denominator != 1:
                return False
            whole = int(target)
            part: Support = ((whole, whole),)
        else:
            downwards = (asked in ("<", "<=")) == (self._factor > 0)
            strict = asked in ("<", ">")
            if downwards:
                part = ((None, math.ceil(target) - 1 if strict else math.floor(target)),)
            else:
                part = ((math.floor(target) + 1 if strict else math.ceil(target), None),)
        return self._run.split(self._number, part, (asked, number, self._factor, self._constant))

    def __lt__(self, other: object) -> Any:
        return self._compared(other, "<")

    def __le__(self, other: object) -> Any:
        return self._compared(other, "<=")

    def __gt__(self, other: object) -> Any:
        return self._compared(other, ">")

    def __ge__(self, other: object) -> Any:
        return self._compared(other, ">=")

    def __eq__(self, other: object) -> Any:
        return self._compared(other, "==")

    def __bool__(self) -> bool:
        return not self._compared(0, "==")

    def __hash__(self) -> int:
        return hash(self._fixed())

    def __index__(self) -> int:
        return int(self._fixed())

    __int__ = __trunc__ = __floor__ = __ceil__ = __index__

    def __round__(self, digits: int = 0) -> int:
        return round(int(self._fixed()), digits)

    def __str__(self) -> str:
        return str(self._fixed())

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(self._fixed(), spec)

    def __float__(self) -> float:
        return float(self._fixed())


_ASKED: dict[str, Callable[[Any], bool]] = {
    "<": lambda rest: rest < 0,
    "<=": lambda rest: rest <= 0,
    ">": lambda rest: rest > 0,
    ">=": lambda rest: rest >= 0,
    "==": lambda rest: rest == 0,
}
_MIRRORED: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda other, mine: other > mine,
    "<=": lambda other, mine: other >= mine,
    ">": lambda other, mine: other < mine,
    ">=": lambda other, mine: other <= mine,
    "==": lambda other, mine: other == mine,
}
