"""Upper bounds of binomial probabilities in floats, each with its proof.

One probability is anchored in balls, at the mode or at the end of the window that is nearest to it,
and its neighbours follow by the ratio

    P(B = j + 1) / P(B = j) = (n − j)/(j + 1) · q/(1 − q).

Additions, multiplications and divisions are correctly rounded (IEEE 754), so that m steps of four
operations, and the rounded odds in each, have a relative error of at most (1 + u)^(8m) − 1,
u = 2⁻⁵³, and a sum of m positive terms one of m·u more.  What underflows is below 10⁻³⁰⁰ a term and
is added.  Beyond a window the ratios only fall, so the rest is at most a geometric series.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import nextafter, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.numbers.ball import ball, certainly_less, log_gamma, precision, upper_fraction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.numbers.ball import Ball

__all__ = ["Window", "at_least", "at_most", "drawn_at_least", "rounded_up", "window"]

_UNIT = 2.0**-53
_TINY = 1e-300
_BITS = 160


def rounded_up(value: Fraction) -> float:
    """Return a float that is at least ``value``."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else nextafter(nearest, float("inf"))


class Window:
    """Upper bounds of P(B = j) for ``first`` ≤ j ≤ ``last``, B ~ Bin(n, q), and of both tails."""

    def __init__(self, n: int, q: float, first: int, last: int) -> None:
        """Take the number of draws, their probability (a float, exactly) and the window."""
        self.first, self.last = max(0, first), min(n, last)
        count = self.last - self.first + 1
        if q <= 0.0 or q >= 1.0:
            at = 0 if q <= 0.0 else n
            self.terms = np.zeros(count)
            inside = self.first <= at <= self.last
            if inside:
                self.terms[at - self.first] = 1.0
            self.below = 1.0 if at < self.first else 0.0
            self.above = 1.0 if at > self.last else 0.0
            return
        mode = min(max(int((n + 1) * q), self.first), self.last)
        anchor = _probability(n, q, mode)
        odds = q / (1.0 - q)
        up = np.arange(mode, self.last, dtype=np.float64)
        down = np.arange(mode, self.first, -1, dtype=np.float64)
        rising = np.cumprod((n - up) / (up + 1.0) * odds)
        falling = np.cumprod(down / (n - down + 1.0) / odds)
        terms = np.concatenate([falling[::-1], [1.0], rising]) * anchor
        # Each quotient and product rounds: so many units at most, all together.
        slack = 1.0 + (12.0 * count + 64.0) * _UNIT
        # A term that underflows is not 0.
        self.terms = terms * slack + _TINY
        self.above = self._rest(n - self.last, self.last + 1, odds, self.terms[-1], slack)
        self.below = self._rest(self.first, n - self.first + 1, 1.0 / odds, self.terms[0], slack)

    @staticmethod
    def _rest(more: int, over: int, odds: float, term: float, slack: float) -> float:
        """Return a bound of all beyond an end, whose ratio there is more/over·odds."""
        if more <= 0:
            return 0.0
        ratio = more / over * odds * slack
        return 1.0 if ratio >= 1.0 else float(term * ratio / (1.0 - ratio) * slack)

    def tails(self) -> NDArray[np.float64]:
        """Return bounds of P(B ≥ j) for ``first`` ≤ j ≤ ``last`` + 1."""
        summed = np.concatenate([np.cumsum(self.terms[::-1])[::-1], [0.0]]) + self.above
        bounded = summed * (1.0 + (4.0 * len(self.terms) + 64.0) * _UNIT)
        return np.minimum(bounded, 1.0)

    def heads(self) -> NDArray[np.float64]:
        """Return bounds of P(B ≤ j) for ``first`` − 1 ≤ j ≤ ``last``."""
        summed = np.concatenate([[0.0], np.cumsum(self.terms)]) + self.below
        bounded = summed * (1.0 + (4.0 * len(self.terms) + 64.0) * _UNIT)
        return np.minimum(bounded, 1.0)


def _probability(n: int, q: float, count: int) -> float:
    """Return an upper bound of P(B = count)."""
    with precision(_BITS):
        chance, rest = Fraction(q), 1 - Fraction(q)
        logarithm = (
            _log_factorial(n)
            - log_gamma(Fraction(count + 1))
            - log_gamma(Fraction(n - count + 1))
            + count * ball(chance).log()
            + (n - count) * ball(rest).log()
        )
        if certainly_less(logarithm, ball(-700)):  # below 10⁻³⁰⁰: too near 0 to be written out
            return _TINY
        return rounded_up(upper_fraction(logarithm.exp()))


@lru_cache(maxsize=64)
def _log_factorial(n: int) -> Ball:
    with precision(_BITS):
        return log_gamma(Fraction(n + 1))


def window(n: int, q: float, deviations: float) -> tuple[int, int]:
    """Return a window of so many standard deviations around n·q, and some more at the ends."""
    around = n * q
    half = deviations * sqrt(max(around * (1.0 - q), 0.0)) + deviations * deviations
    return max(0, int(around - half)), min(n, int(around + half) + 1)


def at_least(n: int, q: float, count: int) -> float:
    """Return an upper bound of P(B ≥ count), B ~ Bin(n, q)."""
    if count <= 0:
        return 1.0
    first, last = window(n, q, 12.0)
    if count > last:
        last = min(n, count + 64)
    if count <= first:
        return 1.0
    bounds = Window(n, q, count, last)
    return float(bounds.tails()[0])


def at_most(n: int, q: float, count: int) -> float:
    """Return an upper bound of P(B ≤ count), B ~ Bin(n, q)."""
    return (
        at_least(n, 1.0 - q, n - count)
        if Fraction(1.0 - q) == 1 - Fraction(q)
        else _head(n, q, count)
    )


def _head(n: int, q: float, count: int) -> float:
    if count >= n:
        return 1.0
    first, last = window(n, q, 12.0)
    if count < first:
        first = max(0, count - 64)
    if count >= last:
        return 1.0
    return float(Window(n, q, first, count).heads()[-1])


def drawn_at_least(population: int, marked: int, size: int, count: int) -> float:
    """Return an upper bound of how probable ``count`` marked ones are, or more, among ``size``.

    These are drawn without replacement.  The ratio of each probability to the one before only
    falls, so that they are at most a geometric series from the first on.
    """
    if count <= max(0, size + marked - population):
        return 1.0
    if count > min(size, marked):
        return 0.0
    others = population - marked - size + count
    ratio = Fraction((marked - count) * (size - count), (count + 1) * (others + 1))
    if ratio >= 1:
        return 1.0
    with precision(_BITS):
        logarithm = (
            _log_choose(marked, count)
            + _log_choose(population - marked, size - count)
            - _log_choose(population, size)
        )
        first = (
            Fraction(_TINY)
            if certainly_less(logarithm, ball(-700))
            else upper_fraction(logarithm.exp())
        )
    return min(rounded_up(first / (1 - ratio)), 1.0)


def _log_choose(n: int, k: int) -> Any:
    return log_gamma(Fraction(n + 1)) - log_gamma(Fraction(k + 1)) - log_gamma(Fraction(n - k + 1))
