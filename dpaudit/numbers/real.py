"""Exact real numbers from whatever a user gives, and their order.

The numbers themselves, and how their normal form decides ties, are in
:mod:`dpaudit.numbers.closed_form`; the grammar of texts is in :mod:`dpaudit.numbers.parse`.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral

from dpaudit.errors import NumberSyntaxError, PrecisionError
from dpaudit.numbers.ball import PRECISION_CAP, Sign
from dpaudit.numbers.closed_form import ONE, PI, ZERO, Real, add_up, rational
from dpaudit.numbers.parse import parse_real
from dpaudit.numbers.terms import MAX_EXPONENT

__all__ = ["ONE", "PI", "ZERO", "Number", "Real", "add_up", "compare", "order", "rational", "real"]

Number = Real | Fraction | int | float | str | Decimal
"""Whatever :func:`real` accepts as an exact number."""


def real(value: Number) -> Real:
    """Return ``value`` as an exact real.

    A float counts as its shortest decimal (``0.8`` is 4/5), text is read by
    :func:`dpaudit.numbers.parse.parse_real`.  Raises ``NumberSyntaxError`` for anything else.

    >>> real(0.8) == real("4/5") == real(Decimal("0.8")) == real(Fraction(4, 5))
    True
    """
    if isinstance(value, Real):
        return value
    if isinstance(value, str):
        return parse_real(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        value = int(value)  # NumPy's whole numbers as well
    if isinstance(value, bool) or not isinstance(value, (int, Fraction, float, Decimal)):
        raise NumberSyntaxError(repr(value), f"a {type(value).__name__} is not taken as one")
    if isinstance(value, float):
        value = Decimal(float(value).__repr__())
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise NumberSyntaxError(str(value), "it is not finite")
        if abs(value.adjusted()) > MAX_EXPONENT:
            raise NumberSyntaxError(str(value), f"a power of ten must lie within ±{MAX_EXPONENT}")
        value = Fraction(value)
    return rational(Fraction(value))


def compare(left: Number, right: Number, *, cap: int = PRECISION_CAP) -> Sign:
    """Return the sign of left − right, exactly where normal forms show it, else by balls.

    >>> compare("ln(9)", "2*ln(3)"), compare("sqrt(2)", "1.4142135623")
    (<Sign.ZERO: 'exactly zero'>, <Sign.POSITIVE: 'certainly above zero'>)
    """
    return (real(left) - real(right)).sign(cap)


@lru_cache(maxsize=1 << 14)
def order(left: Real, right: Real) -> Sign:
    """Return the certain sign of left − right; ``PrecisionError`` where no precision tells."""
    if left == right:
        return Sign.ZERO
    found = compare(left, right)
    if found is Sign.UNDECIDED:
        raise PrecisionError(f"{left} and {right} are not told apart by {PRECISION_CAP} bits")
    return found
