"""The maximum of many enclosed numbers, with where it is attained, and exactly where possible.

What is known of it depends on the numbers alone that may be the maximum, in their order: not on
those that are certainly smaller, however many of them were looked at, nor on when they came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import Sign, certainly_less, maximum
from dpaudit.exact.enclosure import Enclosure, enclose, enclose_real
from dpaudit.exact.real import order

if TYPE_CHECKING:
    from dpaudit.exact.ball import Ball
    from dpaudit.exact.real import Real

__all__ = ["Largest"]

TagT = TypeVar("TagT")


class _Candidate(NamedTuple, Generic[TagT]):
    ball: Ball
    exact: Real | None
    tag: TagT


class Largest(Generic[TagT]):
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
        if certainly_less(ball, self._floor):
            return
        if exact is not None:
            if exact in self._forms:
                return  # it is one that came before
            self._forms.add(exact)
        floor = ball.lower()
        if certainly_less(self._floor, floor):
            self._floor = floor
            self._candidates = [
                one for one in self._candidates if not certainly_less(one.ball, floor)
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
                self._found = maximum(one.ball for one in self._candidates), None, best
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
        """Where that element is."""
        return self._settled()[2].tag

    def enclosure(self, digits: int) -> Enclosure:
        """Return [lower end of the best element, upper end of the bound], or the exact value."""
        if self.exact is not None:
            return enclose_real(self.exact, digits)
        return Enclosure(enclose(self.best, digits).lower, enclose(self.bound, digits).upper)


def _tells_more(ball: Ball, best: Ball) -> bool:
    """Tell whether ``ball`` is far narrower than ``best`` and has the higher lower end."""
    narrower = certainly_less(ball.rad() * 1024, best.rad())
    return narrower and certainly_less(best.lower(), ball.lower())
