"""Settings of dpaudit's own arithmetic, whatever the process has set for decimals and arrays.

``a - b`` rounds as the context of the running thread says.  Whoever calls dpaudit may have set that
context, and so may a program under audit: three digits, another rounding, an error for each inexact
result.  Figures of a report must not depend on it, so decimals are never added, divided or rounded
by operators here, but by :data:`DECIMALS`.

NumPy has settings of the same kind: where somebody has them raise errors, an underflow ends a
computation that expects it.
"""

from decimal import (
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from typing import Any

__all__ = ["ARRAY_ERRORS", "DECIMALS", "formatted"]

DECIMALS = Context(
    prec=28,
    rounding=ROUND_HALF_EVEN,
    Emin=-999_999,
    Emax=999_999,
    capitals=1,
    clamp=0,
    flags=[],
    traps=[DivisionByZero, InvalidOperation, Overflow],
)
"""The context of dpaudit's own arithmetic: 28 digits, rounded to nearest."""

ARRAY_ERRORS: Any = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
"""NumPy's own defaults for floating-point errors, to be given to ``numpy.errstate``."""


def formatted(value: Decimal, specification: str) -> str:
    """Return a decimal as ``format`` does where nobody has set the context of the thread.

    >>> formatted(Decimal("0.12345"), ".3g")
    '0.123'
    """
    with localcontext(DECIMALS):
        return format(value, specification)
