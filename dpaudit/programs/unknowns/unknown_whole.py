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

from dpaudit.programs.unknowns.differences import difference_of, remainder_of
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED, PLAIN, kind_of_number
from dpaudit.programs.unknowns.lazy import Lazy, known_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.unknowns.wholes import Support

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
    _by_value = True

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
            return constant if self._kind is int else self._kind(constant)
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
                self._run.refuse(
                    f"a random whole number may be too large for NumPy's {self._kind.__name__}"
                )

    def __add__(self, other: Any) -> Any:
        if _is_plain(other):
            return self._affine(self._factor, self._constant + other)
        if isinstance(other, Whole):
            self._same_run(other)
        if isinstance(other, Whole) and other._number == self._number:
            return self._affine(self._factor + other._factor, self._constant + other._constant)
        if isinstance(other, Whole) and self._factor == -other._factor:
            number = difference_of(self._run, self._number, other._number)
            if number is not None:
                constant = self._constant + other._constant
                return Whole(self._run, number, self._factor, constant, self._kind)
        return self._known(other) + other

    def __radd__(self, other: object) -> Any:
        return self + other

    def __neg__(self) -> Any:
        return self._affine(-self._factor, -self._constant)

    def __pos__(self) -> Whole:
        return self

    def __sub__(self, other: Any) -> Any:
        if _is_plain(other) or isinstance(other, Whole):
            return self + -other
        return self._known(other) - other

    def __rsub__(self, other: Any) -> Any:
        if _is_plain(other) or isinstance(other, Whole):
            return -self + other
        return other - self._known(other)

    def __mul__(self, other: Any) -> Any:
        if _is_plain(other):
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
            self._run.refuse(
                "two unbounded whole numbers are added or compared; clamp one of them first"
            )
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

    def __mod__(self, other: Any) -> Any:
        if type(other) is int and self._kind is int:
            own = self._number, self._factor, self._constant
            number = remainder_of(self._run, *own, other)
            if number is not None:
                return Whole(self._run, number)
        return self._value() % other

    def __rmod__(self, other: Any) -> Any:
        return other % self._value()

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
            return bool(_MIRRORED[asked](other, self._value()))
        number = known_number(self._run, other)
        if number is None:
            return self._met(other, _SLOTS[asked])
        if FAILS_CLOSED and not self._is_exact(other):
            return self._compared_as_it_is(other, number, asked)
        return self._decided(number, asked)

    def _is_exact(self, other: object) -> bool:
        """Tell whether a comparison with a number is one of numbers: NumPy's may round."""
        kind = kind_of_number(other)
        if self._kind is int and kind in (PLAIN, ""):
            return True
        if isinstance(other, int) or "int" in kind or kind in ("bool", "bool_"):
            return True
        support = self._run.supports[self._number]
        ends = [support[0][0], support[-1][1]]
        return isinstance(other, float) and all(
            end is not None and abs(self._factor * end + self._constant) <= _EXACT for end in ends
        )

    def _compared_as_it_is(self, other: Any, number: Fraction, asked: str) -> bool:
        """Decide a comparison by asking numbers themselves: where it turns is found by halving."""
        limits: tuple[int | None, int | None] = (None, None)
        if self._kind is not int:
            import numpy as np

            info = np.iinfo(self._kind)
            limits = int(info.min), int(info.max)

        def first(reached: Callable[[Any, Any], Any]) -> int:
            return _first(lambda k: bool(reached(self._kind(k), other)), math.floor(number), limits)

        if asked in ("<", ">="):
            return self._decided(Fraction(first(operator.ge)), asked)
        if asked in (">", "<="):
            return self._decided(Fraction(first(operator.gt)), ">=" if asked == ">" else "<")
        low, high = first(operator.ge), first(operator.gt) - 1
        return low <= high and self._decided(Fraction(low), "==", Fraction(high))

    def _decided(self, number: Fraction, asked: str, last: Fraction | None = None) -> bool:
        """Decide how it is to a number, or, ``==``, whether it lies from that to the ``last``."""
        target = (number - self._constant) / self._factor  # a·Z + c ? number
        if asked == "==":
            other = target if last is None else (last - self._constant) / self._factor
            low, high = math.ceil(min(target, other)), math.floor(max(target, other))
            if low > high:
                return False
            part: Support = ((low, high),)
        else:
            downwards = (asked in ("<", "<=")) == (self._factor > 0)
            strict = asked in ("<", ">")
            if downwards:
                part = ((None, math.ceil(target) - 1 if strict else math.floor(target)),)
            else:
                part = ((math.floor(target) + 1 if strict else math.ceil(target), None),)
        told = (asked, number, self._factor, self._constant)
        return self._run.split(self._number, part, told if last is None else (*told, last))

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
        return str(self._value())

    def __repr__(self) -> str:
        return repr(self._value())

    def __format__(self, spec: str) -> str:
        return format(self._value(), spec)

    def __float__(self) -> float:
        return float(self._fixed())


def _is_plain(other: object) -> bool:
    """Tell whether something is one of Python's whole numbers, and calculates as they do."""
    return type(other) is int or (isinstance(other, int) and bool(kind_of_number(other)))


def _first(
    reached: Callable[[int], bool], about: int, limits: tuple[int | None, int | None]
) -> int:
    """Return the first whole number from which on something is so; one past a limit for none."""
    least, most = limits
    low = high = about if least is None or most is None else min(max(about, least), most)
    step = 1
    while reached(low):
        if low == least:
            return low
        low, step = low - step if least is None else max(low - step, least), 2 * step
    step = 1
    while not reached(high):
        if high == most:
            return high + 1
        high, step = high + step if most is None else min(high + step, most), 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


_EXACT = 1 << 53
"""Floats have all whole numbers up to this one."""
_SLOTS = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__"}
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
