# ruff: noqa: D105  (the operators mean what they do of numbers)
"""Whole numbers that continuous draws are rounded to: floor(u) ≥ k says the same as u ≥ k."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.programs.output_laws.printed_draws import OpenWhole
from dpaudit.programs.unknowns.differences import remainder_of
from dpaudit.programs.unknowns.lazy import Lazy, known_number
from dpaudit.programs.unknowns.transforms import rounded_down, united
from dpaudit.programs.unknowns.unknown_whole import Whole

if TYPE_CHECKING:
    from dpaudit.programs.exploring.run import Run

__all__ = ["Rounded"]

_MOST_DECIDED = 4096


class Rounded(Lazy):
    """a·floor(u) + c for an unknown real number u, and rational a, not 0, and c."""

    __slots__ = ("_constant", "_factor", "_is_float", "_opened", "_unknown")

    def __init__(
        self,
        run: Run,
        unknown: Any,
        factor: Fraction = Fraction(1),
        constant: Any = Fraction(0),
        is_float: bool = False,
    ) -> None:
        """Take the unknown that is rounded down."""
        if run.datasets:
            run.refuse("dpaudit cannot follow a rounded number for many datasets together")
        run.plain = False
        # Before anything is decided about the difference of two draws: after that it is no draw.
        self._run, self._unknown = run, unknown if len(unknown._terms) < 2 else united(unknown)
        self._factor, self._constant = factor, constant
        self._opened: OpenWhole | None = None
        self._is_float = is_float

    def _stands_for(self) -> type:
        return int if self.is_whole() else float if self._is_float else Fraction

    def as_float(self) -> Rounded:
        """Return the same number as a float."""
        return Rounded(self._run, self._unknown, self._factor, self._constant, is_float=True)

    def is_whole(self) -> bool:
        whole = self._factor.denominator == self._constant.denominator == 1
        return bool(whole and not self._is_float)

    def _fixed(self) -> Any:
        """Decide which number it is, where it lies between two."""
        low, high = self._run.bounds(self._unknown._terms, self._unknown._constant)
        if low is None or high is None:
            self._run.refuse(
                "the value of an unbounded rounded number is used; compare or clamp it first"
            )
        first, last = math.floor(low), math.ceil(high) - 1
        while first < last:
            middle = (first + last + 1) // 2
            first, last = (first, middle - 1) if self._unknown < middle else (middle, last)
        found = self._factor * first + self._constant
        if self._is_float:
            return float(found)
        return int(found) if found.denominator == 1 else found

    def opened(self) -> OpenWhole | None:
        """Return it as a countable draw that an output may leave open; None where it is decided.

        It is decided where it has two ends and not too many values between them.
        """
        if self._opened is None:
            low, high = self._run.bounds(self._unknown._terms, self._unknown._constant)
            if low is not None and high is not None and high - low <= _MOST_DECIDED:
                return None
            drawn = rounded_down(self._unknown)
            if drawn is not None:
                number, whole = drawn
                self._opened = OpenWhole(
                    number, self._factor, self._factor * whole + self._constant
                )
        return self._opened

    def as_int(self) -> Any:
        """Return the same number as a whole one, where it is whole."""
        if self._factor.denominator == self._constant.denominator == 1:
            return Rounded(self._run, self._unknown, self._factor, self._constant)
        return int(self._fixed())

    def _number(self, other: object) -> Fraction | None:
        return known_number(self._run, other)

    def __add__(self, other: object) -> Any:
        if isinstance(other, Lazy):
            return self._fixed() + other
        number = self._number(other)
        if number is None:
            return self._met(other, "__add__")
        is_float = self._is_float or isinstance(other, float)
        return Rounded(self._run, self._unknown, self._factor, self._constant + number, is_float)

    __radd__ = __add__

    def __mul__(self, other: object) -> Any:
        if isinstance(other, Lazy):
            return self._fixed() * other
        number = self._number(other)
        if number is None:
            return self._met(other, "__mul__")
        if not number:
            return 0
        factor, constant = self._factor * number, self._constant * number
        is_float = self._is_float or isinstance(other, float)
        return Rounded(self._run, self._unknown, factor, constant, is_float)

    __rmul__ = __mul__

    def __truediv__(self, other: object) -> Any:
        number = None if isinstance(other, Lazy) else self._number(other)
        return self._fixed() / other if number is None else self * (1 / number)

    def __neg__(self) -> Any:
        return self * -1

    def __pos__(self) -> Rounded:
        return self

    def __sub__(self, other: object) -> Any:
        return self + -other  # type: ignore[operator]

    def __rsub__(self, other: object) -> Any:
        return -self + other

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def _compared(self, other: object, slot: str) -> Any:
        """Decide whether self <, <=, > or >= ``other``."""
        if isinstance(other, float) and math.isinf(other):
            return (other > 0) == (slot in ("__lt__", "__le__"))
        if isinstance(other, Lazy):
            return getattr(operator, slot)(self._fixed(), other)
        number = self._number(other)
        if number is None:
            return self._met(other, slot)
        below = self._below(number, strict=slot in ("__lt__", "__ge__"))
        return below == (slot in ("__lt__", "__le__"))

    def _below(self, number: Fraction, *, strict: bool) -> bool:
        """Decide whether self < ``number``, or ≤ if not ``strict``."""
        target = (number - self._constant) / self._factor
        if self._factor > 0:  # floor(u) < t says u < ceil(t), floor(u) <= t says u < floor(t) + 1
            return bool(self._unknown < (math.ceil(target) if strict else math.floor(target) + 1))
        return bool(self._unknown >= (math.floor(target) + 1 if strict else math.ceil(target)))

    def __lt__(self, other: object) -> Any:
        return self._compared(other, "__lt__")

    def __le__(self, other: object) -> Any:
        return self._compared(other, "__le__")

    def __gt__(self, other: object) -> Any:
        return self._compared(other, "__gt__")

    def __ge__(self, other: object) -> Any:
        return self._compared(other, "__ge__")

    def __eq__(self, other: object) -> Any:
        if isinstance(other, float) and math.isinf(other):
            return False
        if isinstance(other, Lazy):
            return self._fixed() == other
        if self._number(other) is None:
            return self._met(other, "__eq__")
        return self <= other and self >= other

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __hash__(self) -> int:
        return hash(self._fixed())

    def __int__(self) -> int:
        return int(self._fixed())

    __index__ = __int__

    def __floor__(self) -> Any:
        if self.is_whole():
            return self
        return math.floor(self._fixed())

    def __ceil__(self) -> Any:
        return -math.floor(-self)

    def __round__(self, digits: int | None = None) -> Any:
        if digits is None and self.is_whole():
            return self
        return round(self._fixed(), digits)

    def __trunc__(self) -> Any:
        return math.trunc(self._fixed())

    def __floordiv__(self, other: Any) -> Any:
        return self._fixed() // other

    def __mod__(self, other: Any) -> Any:
        if type(other) is int and self.is_whole() and self._factor in (1, -1):
            form = self.opened()
            if form is not None:
                own = int(form.factor), int(form.constant)
                number = remainder_of(self._run, form.number, *own, other)
                if number is not None:
                    return Whole(self._run, number)
        return self._fixed() % other

    def __float__(self) -> float:
        return float(self._fixed())
