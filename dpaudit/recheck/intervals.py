"""Intervals of a report: whether they are any, what they contain, and which side of a bound."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit.recheck.numbers import Form, exactly, fraction, order

if TYPE_CHECKING:
    from decimal import Decimal

    from dpaudit.results import Enclosure

__all__ = ["at_same_value", "compare", "contains", "end", "well_formed"]


def end(bound: Decimal) -> Fraction | None:
    """Return an end of an interval exactly; None for infinity."""
    return None if bound.is_infinite() else Fraction(bound)


def at_same_value(left: mpf, right: mpf) -> bool:
    """Tell whether a closed form is a computed value, to all digits but the last fifteen.

    ``right`` may be what is left of a difference that is 0; only 0 itself is the same as that.
    """
    error = mpf(10) ** (15 - mp.dps)
    if left == 0:
        return bool(abs(right) <= error)
    return bool(abs(left - right) <= error * abs(left))


def well_formed(interval: Enclosure, digits: int | None) -> bool:
    """Tell whether the ends are in order and, if ``digits`` is given, close enough.

    Above 1 the digits count from the first one: no precision is spent on the rest of 10^400.
    """
    lower, upper = end(interval.lower), end(interval.upper)
    if lower is None or upper is None:
        return upper is None and (lower is None or digits is None)
    width = max(Fraction(1), upper) / 10 ** (digits or 0)
    return 0 <= lower <= upper and (digits is None or upper - lower <= width)


def contains(interval: Enclosure, computed: mpf, slack: mpf) -> bool:
    """Tell whether a finite value lies in the interval, or no further outside than ``slack``."""
    lower, upper = end(interval.lower), end(interval.upper)
    above = lower is not None and fraction(lower) - slack <= computed
    return bool(above and (upper is None or computed <= fraction(upper) + slack))


def compare(interval: Enclosure, bound: Form) -> str:
    """Return where it lies: ``below``, ``at most``, ``equal``, ``above`` or ``unknown``.

    Rationals are compared exactly; of others, what no precision tells apart is equal as a closed
    form, and unknown as the end of an interval.
    """
    if interval.exact is not None:
        return ("equal", "above", "below")[order(interval.exact, bound)]
    upper = "unknown" if interval.upper.is_infinite() else _side(interval.upper, bound)
    if upper in ("below", "equal"):
        return "below" if upper == "below" else "at most"
    above = interval.lower.is_infinite() or _side(interval.lower, bound) == "above"
    return "above" if above else "unknown"


def _side(bound_of: Decimal, bound: Form) -> str:
    """Return where the end of an interval lies; it is a rational number, and the bound may not."""
    told = order(str(bound_of), bound)
    if told == 0 and exactly(bound) is None:
        return "unknown"
    return ("equal", "above", "below")[told]
