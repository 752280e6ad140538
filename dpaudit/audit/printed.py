"""The numbers of an audit as they are printed: what they are decides the digits, not the balls.

A ball is rounded outward to a number of digits.  Where it is narrow enough, the two ends are the
decimals next to the number that it contains, and every other ball of that number that is narrow
enough gives the same: whichever engine computed it, in whatever order, at whatever precision.  An
interval that is not so is reported as open, and an audit asks for more bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.audit.standing import equal_to, side
from dpaudit.exact.ball import Sign, bits_for_digits, working_digits
from dpaudit.exact.enclosure import GUARD_DIGITS, Enclosure, enclose

if TYPE_CHECKING:
    from decimal import Decimal

    from dpaudit.audit.largest import Largest
    from dpaudit.exact.real import Real

__all__ = ["Printed", "more_bits_help", "printed", "printed_best"]


class Printed(NamedTuple):
    """An interval, and whether it is the only one that could have been printed."""

    interval: Enclosure
    sharp: bool


def printed(largest: Largest[Any], digits: int, bound: Real | None = None) -> Printed:
    """Return the maximum to so many digits, or to as many as tell it from ``bound``.

    The verdict then follows from what is printed.  What no digits tell from the bound is printed as
    narrowly as it is known.
    """
    interval = largest.enclosure(digits)
    sharp = largest.exact is not None or interval.is_sharp(digits)
    if bound is None or side(interval, bound) is not Sign.UNDECIDED:
        return Printed(interval if sharp else _without_noise(interval), sharp)
    most = working_digits()
    if largest.exact is not None:  # which balls of any precision enclose alike
        most = _digits_at_first(digits)
    longest = largest.enclosure(max(digits, most))
    for fewer in range(digits + 1, most + 1):  # what more digits there are is noise
        rounded = longest.rounded(fewer - GUARD_DIGITS)
        sharp = sharp and (largest.exact is not None or rounded.is_sharp(fewer - GUARD_DIGITS))
        if side(rounded, bound) is not Sign.UNDECIDED:
            return Printed(rounded, sharp)
    known = longest.rounded(max(digits, 3 * most // 4))  # how near a tie it is
    if largest.exact is not None:
        return Printed(equal_to(known, largest.exact, bound), sharp=True)
    return Printed(_without_noise(known), sharp=False)


def printed_best(largest: Largest[Any], digits: int) -> Printed:
    """Return the number of the element that is shown as the one that has the maximum."""
    if largest.exact is not None:
        return printed(largest, digits)
    interval = enclose(largest.best, digits)
    sharp = interval.is_sharp(digits)
    return Printed(interval if sharp else _without_noise(interval), sharp)


def _without_noise(interval: Enclosure) -> Enclosure:
    return interval.without_noise(3 * working_digits() // 4)


def _digits_at_first(digits: int) -> int:
    """Return how many digits the precision resolves that an audit begins with."""
    return bits_for_digits(digits + GUARD_DIGITS) * 30103 // 100_000


def more_bits_help(before: list[Decimal], widths: list[Decimal]) -> bool:
    """Tell whether an open interval was not looked at before, or has become narrower since.

    Balls that a law gives with a radius of their own are as wide at any precision.

    Args:
        before: how wide the open intervals were at half as many bits.
        widths: how wide they are.
    """
    narrower = (2 * new <= old for old, new in zip(before, widths, strict=False))
    return bool(widths) and (len(before) != len(widths) or any(narrower))
