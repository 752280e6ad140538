"""Noise that ends as an integer: the probability of a range of integers, clamped or not.

Two laws are compared range by range: between the places where either changes its formula, their
ratio is constant.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import TYPE_CHECKING

from mpmath import mpf

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["IntegerNoise", "Range"]

Range = tuple[int | None, int | None]
"""The first integer and the one behind the last; None is endless."""


class IntegerNoise(ABC):
    """Noise Z on counts, by its two tails, each falling by one factor from integer to integer."""

    clamped: bool
    """Whether count + Z is clamped to what counts can be."""

    @abstractmethod
    def tail(self, start: int) -> mpf:
        """Return P(Z ≥ start) for start ≥ 1."""

    @abstractmethod
    def below(self, end: int) -> mpf:
        """Return P(Z < end) for end ≤ 0."""

    def ranges(self, a: int, n: int, b: int, m: int) -> Iterator[Range]:
        """Cut the integers where the law of count ``a`` of ``n``, or ``b`` of ``m``, changes."""
        starts = {a, a + 1, b, b + 1}
        if self.clamped:
            starts |= {0, 1, n, n + 1, m, m + 1}
        yield from pairwise([None, *sorted(starts), None])

    def mass(self, count: int, n: int, part: Range) -> mpf:
        """Return the probability that the printed count lies in ``part``."""
        low, high = part
        if self.clamped:
            if (low is not None and low > n) or (high is not None and high <= 0):
                return mpf(0)
            low = None if low is None or low <= 0 else low
            high = None if high is None or high > n else high
        low = None if low is None else low - count
        high = None if high is None else high - count
        if low is not None and low >= 1:
            return self.tail(low) - (0 if high is None else self.tail(high))
        if high is not None and high <= 0:
            return self.below(high) - (0 if low is None else self.below(low))
        left = 0 if low is None else self.below(low)
        return 1 - left - (0 if high is None else self.tail(high))
