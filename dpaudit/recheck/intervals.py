"""Intervals of a report: whether they are any, what they contain, and which side of a bound."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit.recheck.numbers import decimal, exactly, fraction, value

if TYPE_CHECKING:
    from dpaudit.recheck.reports import Interval

__all__ = ["at_same_value", "compare", "contains", "show", "well_formed"]


def at_same_value(left: mpf, right: mpf) -> bool:
    """Tell whether a closed form is a computed value, to all digits but the last fifteen.

    ``right`` may be what is left of a difference that is 0; only 0 itself is the same as that.
    """
    error = mpf(10) ** (15 - mp.dps)
    if left == 0:
        return bool(abs(right) <= error)
    return bool(abs(left - right) <= error * abs(left))


def well_formed(interval: Interval, digits: int | None) -> bool:
    """Tell whether the ends are in order and, if ``digits`` is given, close enough.

    Above 1 the digits count from the first one: no precision is spent on the rest of 10^400.
    """
    lower, upper = decimal(interval.lower), decimal(interval.upper)
    if lower is None or upper is None:
        return upper is None and (lower is None or digits is None)
    width = max(Fraction(1), upper) / 10 ** (digits or 0)
    return 0 <= lower <= upper and (digits is None or upper - lower <= width)


def contains(interval: Interval, computed: mpf, slack: mpf) -> bool:
    """Tell whether a finite value lies in the interval, or no further outside than ``slack``."""
    lower, upper = decimal(interval.lower), decimal(interval.upper)
    above = lower is not None and fraction(lower) - slack <= computed
    return bool(above and (upper is None or computed <= fraction(upper) + slack))


def show(interval: Interval) -> str:
    """Return an interval as text."""
    if interval.lower == interval.upper:
        return interval.lower
    return f"[{interval.lower}, {interval.upper}]"


def compare(interval: Interval, bound: str) -> str:
    """Return where an interval lies: ``below``, ``equal``, ``above`` or ``unknown``.

    Rationals are compared exactly, other closed forms to all digits but the last fifteen.
    """
    limit, exact = exactly(bound), None if interval.exact is None else exactly(interval.exact)
    if exact is not None and limit is not None:
        return "equal" if exact == limit else "below" if exact < limit else "above"
    if interval.exact is not None:
        here, there = value(interval.exact), value(bound)
        return "equal" if at_same_value(there, here) else "below" if here < there else "above"
    lower, upper = decimal(interval.lower), decimal(interval.upper)
    if limit is not None:
        if upper is not None and upper <= limit:
            return "below"
        return "above" if lower is None or lower > limit else "unknown"
    if upper is not None and fraction(upper) <= value(bound):
        return "below"
    return "above" if lower is None or fraction(lower) > value(bound) else "unknown"
