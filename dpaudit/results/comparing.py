"""Comparisons of intervals with numbers, which decide or raise; floats only in a named direction.

An interval contains the true value and is not the true value.  ``found.epsilon <= 1`` is about the
value: it is True or False where the interval (or the closed form) shows which, and an error where
the interval straddles the number, ``==`` included.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from typing import Any, TypeVar

from dpaudit.closed import ClosedForm
from dpaudit.errors import PrecisionError

__all__ = ["Comparable", "float_down", "float_up"]

NumberT = TypeVar("NumberT", Decimal, Fraction)


class Comparable:
    """Base of intervals of decimals: comparisons with numbers, and floats in a named direction.

    Comparisons with numbers are about the true value, and raise ``PrecisionError`` where the
    interval does not decide them; two intervals are equal if their ends are.

    >>> from dpaudit.results import Enclosure
    >>> found = Enclosure(Decimal("0.2544"), Decimal("0.2545"))
    >>> found < 1, found == 1, found >= 0.2
    (True, False, True)
    >>> try:
    ...     found <= Decimal("0.25445")
    ... except PrecisionError:
    ...     print("not decided")
    not decided
    """

    __slots__ = ()

    def __bool__(self) -> bool:
        """Refuse: a number that may be 0 or not must never fall through an ``if``."""
        raise TypeError("an interval is not a bool; compare it with a number")

    def __float__(self) -> float:
        """Refuse: which end is meant must be said."""
        raise TypeError("an interval is not a float; ask for .float_down() or .float_up()")

    def __eq__(self, other: object) -> Any:
        """Compare intervals by their ends, and the value with a number."""
        mine: Any = self
        if isinstance(other, Comparable):
            its: Any = other
            return (mine.lower, mine.upper, mine.exact) == (its.lower, its.upper, its.exact)
        sides = _sides(mine, other)
        if sides is NotImplemented:
            return NotImplemented
        if sides == (0, 0):
            return True
        if 1 in sides[:1] or -1 in sides[1:]:
            return False
        raise _straddles(mine, other)

    def __ne__(self, other: object) -> Any:
        """Tell whether the value is certainly another, or certainly not."""
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        """Hash the ends."""
        mine: Any = self
        return hash((mine.lower, mine.upper))

    def __lt__(self, other: object) -> Any:
        """Tell whether the value is certainly below ``other``, or certainly not."""
        return _decided(self, other, lambda low, high: high < 0, lambda low, high: low >= 0)

    def __le__(self, other: object) -> Any:
        """Tell whether the value is certainly at most ``other``, or certainly not."""
        return _decided(self, other, lambda low, high: high <= 0, lambda low, high: low > 0)

    def __gt__(self, other: object) -> Any:
        """Tell whether the value is certainly above ``other``, or certainly not."""
        return _decided(self, other, lambda low, high: low > 0, lambda low, high: high <= 0)

    def __ge__(self, other: object) -> Any:
        """Tell whether the value is certainly at least ``other``, or certainly not."""
        return _decided(self, other, lambda low, high: low >= 0, lambda low, high: high < 0)


def _decided(interval: Any, other: object, yes: Any, no: Any) -> Any:
    sides = _sides(interval, other)
    if sides is NotImplemented:
        return NotImplemented
    if yes(*sides):
        return True
    if no(*sides):
        return False
    raise _straddles(interval, other)


def _straddles(interval: Any, other: object) -> PrecisionError:
    return PrecisionError(
        f"{interval} straddles {other}; ask for more digits, or compare .lower or .upper"
    )


def _sides(interval: Any, other: object) -> Any:
    """Return the signs of lower − other and upper − other; of one value where it is exact."""
    if isinstance(other, Comparable):
        its: Any = other
        if interval.exact is not None and its.exact is not None:
            return (_against(interval.exact, its.exact),) * 2
        # Against the far ends: these signs hold whatever the two values are.
        return _sign(interval.lower, its.upper), _sign(interval.upper, its.lower)
    if isinstance(other, ClosedForm):
        if interval.exact is not None:
            return (_against(interval.exact, other),) * 2
        return tuple(-_against(other, end) for end in (interval.lower, interval.upper))
    number = _number(other)
    if number is None:
        return NotImplemented
    if interval.exact is not None:
        return (_against(interval.exact, number),) * 2
    return _sign(interval.lower, number), _sign(interval.upper, number)


def _against(form: Any, other: Any) -> int:
    """Return the certain sign of a closed form minus another, or a decimal."""
    if isinstance(other, Decimal) and other.is_infinite():
        return -1
    return int(form.standing(other if isinstance(other, ClosedForm) else Fraction(other)))


def _sign(left: Decimal, right: Decimal | Fraction) -> int:
    return (left > right) - (left < right)


def _number(other: object) -> Any:
    """Return a number that is told exactly as what decimals compare with, None for none.

    A float is its shortest decimal, as everywhere.
    """
    if isinstance(other, (bool, str)):
        raise TypeError(
            f"an interval does not compare with {other!r}; write a number, or dpaudit.real(…)"
        )
    if isinstance(other, float):
        if math.isnan(other):
            raise TypeError("an interval does not compare with nan")
        return Decimal(repr(float(other)))
    if isinstance(other, Integral):
        return Decimal(int(other))
    if isinstance(other, Fraction):
        return other  # decimals compare with fractions exactly
    return other if isinstance(other, Decimal) and not other.is_nan() else None


def float_down(value: NumberT) -> float:
    """Return the largest float that is not above ``value``.

    >>> tenth = Fraction(1, 10)
    >>> Fraction(float_down(tenth)) < tenth < Fraction(float_up(tenth))
    True
    """
    near = float(value)
    if math.isinf(near):
        finite = near > 0 and isinstance(value, Decimal) and value.is_finite()
        return math.nextafter(math.inf, 0) if finite else near
    # float() rounds to nearest: a step down where that is above.
    return math.nextafter(near, -math.inf) if _exactly(near, value) > value else near


def _exactly(near: float, value: NumberT) -> NumberT:
    """Return a float as a number of the other's type, as no setting of decimal forbids it."""
    return Decimal.from_float(near) if isinstance(value, Decimal) else type(value)(near)


def float_up(value: NumberT) -> float:
    """Return the smallest float that is not below ``value``."""
    return -float_down(value.copy_negate() if isinstance(value, Decimal) else -value)
