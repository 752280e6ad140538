"""The maximum of many enclosed numbers, with where it is attained, and exactly where possible.

What is known of it depends on the numbers alone that may be the maximum, in their order: not on
those that are certainly smaller, however many of them were looked at, nor on when they came.

What the numbers are decides the digits that are printed, not the balls: a ball is rounded outward
to a number of digits.  Where it is narrow enough, the two ends are the decimals next to the number
that it contains, and every other ball of that number that is narrow enough gives the same:
whichever engine computed it, in whatever order, at whatever precision.  An interval that is not so
is reported as open, and an audit asks for more bits.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Generic, NamedTuple, TypeVar

from dpaudit.audit.verdicts import equal_to, side
from dpaudit.errors import PrecisionError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, Sign
from dpaudit.numbers.enclosure import enclose, enclose_real
from dpaudit.numbers.real import Real, order
from dpaudit.results import GUARD_DIGITS, Enclosure

__all__ = ["Maximum", "Printed", "more_bits_help", "printed", "printed_best"]


TagT = TypeVar("TagT")


class _Candidate(NamedTuple, Generic[TagT]):
    ball: Ball
    exact: Real | None
    tag: TagT


class Maximum(Generic[TagT]):
    """A running maximum."""

    def __init__(self, ball: Ball, exact: Real | None, tag: TagT) -> None:
        """Take the first number: a ball of it, its closed form where known, and where it is."""
        first = _Candidate(ball, exact, tag)
        self._candidates = [first]
        self._floor = ball.lower()
        self._forms = set() if exact is None else {exact}
        self._found: tuple[Ball, Real | None, _Candidate[TagT]] | None = None

    def add(self, ball: Ball, exact: Real | None, tag: TagT) -> None:
        """Take one more number into account."""
        if balls.certainly_less(ball, self._floor):
            return
        if exact is not None:
            if exact in self._forms:
                return  # it is one that came before
            self._forms.add(exact)
        floor = ball.lower()
        if balls.certainly_less(self._floor, floor):
            self._floor = floor
            self._candidates = [
                one for one in self._candidates if not balls.certainly_less(one.ball, floor)
            ]
            self._forms = {one.exact for one in self._candidates if one.exact is not None}
            if exact is not None:
                self._forms.add(exact)
        self._candidates.append(_Candidate(ball, exact, tag))
        self._found = None

    def _settled(self) -> tuple[Ball, Real | None, _Candidate[TagT]]:
        """Return a ball of the maximum, its closed form, and where it is attained."""
        if self._found is None:
            highest = self._highest()
            if highest is not None:
                self._found = highest.ball, highest.exact, highest
            else:
                best = self._candidates[0]
                for one in self._candidates[1:]:
                    if _tells_more(one.ball, best.ball):
                        best = one
                # Which is the largest is not certain: the bound is over all that may be.
                self._found = balls.maximum(one.ball for one in self._candidates), None, best
        return self._found

    def _highest(self) -> _Candidate[TagT] | None:
        """Return the first candidate that is certainly the maximum, None where none is."""
        best = self._candidates[0]
        if len(self._candidates) == 1:
            return best
        for one in self._candidates[1:]:
            if one.exact is None or best.exact is None:
                return None
            try:
                if order(one.exact, best.exact) is Sign.POSITIVE:
                    best = one
            except PrecisionError:  # perhaps one number in two forms
                return None
        return best

    @property
    def bound(self) -> Ball:
        """A ball of the maximum of everything added."""
        return self._settled()[0]

    @property
    def exact(self) -> Real | None:
        """The maximum itself, where all that may be it is exact, and the order of it certain."""
        return self._settled()[1]

    @property
    def best(self) -> Ball:
        """The ball of an element that nothing added lies certainly above.

        So the maximum lies between its lower end and the upper end of :attr:`bound`.
        """
        return self._settled()[2].ball

    @property
    def tag(self) -> TagT:
        """Tag of that element, such as its pair."""
        return self._settled()[2].tag

    @property
    def floor(self) -> Ball:
        """Lower bound of the maximum."""
        return self._floor

    @property
    def tags(self) -> list[TagT]:
        """Tags of the elements that may be the maximum, in the order they were added."""
        return [one.tag for one in self._candidates]

    def enclosure(self, digits: int) -> Enclosure:
        """Return [lower end of the best element, upper end of the bound], or the exact value."""
        if self.exact is not None:
            return enclose_real(self.exact, digits)
        return Enclosure(enclose(self.best, digits).lower, enclose(self.bound, digits).upper)


def _tells_more(ball: Ball, best: Ball) -> bool:
    """Tell whether ``ball`` is far narrower than ``best`` and has the higher lower end."""
    narrower = balls.certainly_less(ball.rad() * 1024, best.rad())
    return narrower and balls.certainly_less(best.lower(), ball.lower())


class Printed(NamedTuple):
    """An interval, and whether it is the only one that could have been printed."""

    interval: Enclosure
    sharp: bool


def printed(largest: Maximum[Any], digits: int, bound: Real | None = None) -> Printed:
    """Return the maximum to so many digits, or to as many as tell it from ``bound``.

    The verdict then follows from what is printed.  What no digits tell from the bound is printed as
    narrowly as it is known.
    """
    interval = largest.enclosure(digits)
    sharp = largest.exact is not None or interval.is_sharp(digits)
    if bound is None or side(interval, bound) is not Sign.UNDECIDED:
        return Printed(interval if sharp else _without_noise(interval), sharp)
    most = balls.working_digits()
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


def printed_best(largest: Maximum[Any], digits: int) -> Printed:
    """Return the number of the element that is shown as the one that has the maximum."""
    if largest.exact is not None:
        return printed(largest, digits)
    interval = enclose(largest.best, digits)
    sharp = interval.is_sharp(digits)
    return Printed(interval if sharp else _without_noise(interval), sharp)


def _without_noise(interval: Enclosure) -> Enclosure:
    return interval.without_noise(3 * balls.working_digits() // 4)


def _digits_at_first(digits: int) -> int:
    """Return how many digits the precision resolves that an audit begins with."""
    # From bits to decimal digits: log10(2) is about 0.30103.
    return balls.bits_for_digits(digits + GUARD_DIGITS) * 30103 // 100_000


def more_bits_help(before: list[Decimal], widths: list[Decimal]) -> bool:
    """Tell whether an open interval was not looked at before, or has become narrower since.

    Balls that a law gives with a radius of their own are as wide at any precision.

    Args:
        before: how wide the open intervals were at half as many bits.
        widths: how wide they are.
    """
    narrower = (2 * new <= old for old, new in zip(before, widths, strict=False))
    return bool(widths) and (len(before) != len(widths) or any(narrower))
