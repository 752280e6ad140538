"""The maximum of many enclosed numbers, with where it is attained, and exactly where possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import Sign, certainly_less
from dpaudit.exact.enclosure import Enclosure, enclose, enclose_real
from dpaudit.exact.real import order

if TYPE_CHECKING:
    from dpaudit.exact.ball import Ball
    from dpaudit.exact.real import Real

__all__ = ["Largest"]

TagT = TypeVar("TagT")


@dataclass
class Largest(Generic[TagT]):
    """A running maximum.

    ``bound`` contains the maximum of everything added.  ``best`` is an element that nothing added
    lies certainly above, so the maximum lies between the lower end of its ball and the upper end
    of ``bound``.  ``exact`` is the maximum itself, where everything that is not certainly below it
    is exact and the order of it is certain.
    """

    bound: Ball
    exact: Real | None
    best: Ball
    tag: TagT

    def add(self, ball: Ball, exact: Real | None, tag: TagT) -> None:
        """Take one more number into account."""
        if self.exact is not None and exact is not None:
            if certainly_less(ball, self.bound):
                return
            if certainly_less(self.bound, ball):
                self.bound, self.exact, self.best, self.tag = ball, exact, ball, tag
                return
            try:
                above = order(exact, self.exact) is Sign.POSITIVE
            except PrecisionError:  # perhaps one number in two forms: both are kept, as balls
                self.bound, self.exact = self.bound.max(ball), None
                return
            if above:
                self.bound, self.exact, self.best, self.tag = ball, exact, ball, tag
            return
        if certainly_less(ball, self.best):
            return
        if certainly_less(self.bound, ball):
            self.bound, self.exact, self.best, self.tag = ball, exact, ball, tag
            return
        if certainly_less(self.best, ball) or _tells_more(ball, self.best):
            self.best, self.tag = ball, tag
        self.bound = self.bound.max(ball)
        self.exact = None

    def enclosure(self, digits: int) -> Enclosure:
        """Return [lower end of the best element, upper end of the bound], or the exact value."""
        if self.exact is not None:
            return enclose_real(self.exact, digits)
        return Enclosure(enclose(self.best, digits).lower, enclose(self.bound, digits).upper)


def _tells_more(ball: Ball, best: Ball) -> bool:
    """Tell whether ``ball`` is far narrower than ``best`` and has the higher lower end."""
    narrower = certainly_less(ball.rad() * 1024, best.rad())
    return narrower and certainly_less(best.lower(), ball.lower())
