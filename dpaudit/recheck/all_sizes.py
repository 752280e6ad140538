"""The recheck of bounds from every number of guesses at once: the same definitions, other means.

Which numbers of guesses are tried, which counts are as surprising as those that were seen, and the
probability that independent tosses reach one of them are computed from the definitions in
:mod:`dpaudit.questions.canaries.all_sizes`: with polynomials over all counts of wrong guesses in
the place of floats over windows of right ones, and with binomial sums in the place of series.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.numbers import fraction
from dpaudit.recheck.one_run import of_group

__all__ = ["MOST_CANARIES", "AllSizes", "Guessed", "expected_sizes"]

MOST_CANARIES = 20_000
"""Polynomials of more canaries take minutes here."""
_BITS = 256
_DECIMALS = 40
_PLACES = (-20_000, 60_000)
_MEETINGS = 100


class Guessed(NamedTuple):
    """Canaries and coins of an audit that tries many numbers of guesses."""

    canaries: int
    one_sided: bool
    """True if every guess was "in"."""
    chance: Fraction
    """The probability of each canary to be in."""
    group: int
    """Number of examples that one coin decided for."""

    @property
    def weight(self) -> Fraction:
        """The sum of the probabilities with which each canary can add to the bound."""
        return self.canaries * (self.chance if self.one_sided else Fraction(1))


def expected_sizes(guessed: Guessed, delta: float, level: float) -> list[int]:
    """Return the numbers of guesses that have to be tried."""
    weight = guessed.weight
    last = ceil(weight) if guessed.one_sided else guessed.canaries
    size = max(8, ceil(12 * guessed.group * weight * Fraction(delta) / Fraction(level)))
    sizes = []
    while size < last:
        sizes.append(size)
        size = -(-size * 5 // 4)
    return [*sizes, last]


class _Tails:
    """P[W ≥ count] for W binomial with ``size`` trials, at the odds e^ε."""

    def __init__(self, epsilon: mpf) -> None:
        self.odds = mp.exp(epsilon)

    def beyond(self, size: int, count: int) -> mpf:
        """Return the sum of terms from ``count`` on, over that one, which is at most its length."""
        total = term = mpf(1)
        for k in range(count, size):
            term *= self.odds * (size - k) / (k + 1)
            total += term
            if term < total * mpf(10) ** -_DECIMALS and self.odds * (size - k) < 0.99 * (k + 1):
                break
        return total

    def tail(self, size: int, count: int) -> mpf:
        """Return the probability."""
        if count <= 0:
            return mpf(1)
        if count > size:
            return mpf(0)
        log_odds = mp.log(self.odds)
        at = mp.binomial(size, count) * mp.exp(count * log_odds - size * mp.log1p(self.odds))
        return at * self.beyond(size, count)


class AllSizes:
    """Bound on the probability of right guesses, where every number of guesses was tried."""

    def __init__(
        self, guessed: Guessed, sizes: list[int], right: list[int], delta: mpf, level: mpf
    ) -> None:
        """Take counts of right guesses for each number of guesses; needs mpmath's precision set."""
        self.sizes, self.delta = sizes, delta
        self.weight = fraction(guessed.weight)
        self.prior = guessed.chance / (1 - guessed.chance)
        self.share = level * 3 / 4
        self.needed = self._needed(right)

    def _rare(self, size: int, count: int, place: int) -> bool:
        return bool(_Tails(mpf(place) / 1000).tail(size, count) <= self.share)

    def _needed(self, right: list[int]) -> list[int] | None:
        """Return the counts that are as surprising as what was seen."""
        lowest, highest = _PLACES
        places = []
        for size, count in zip(self.sizes, right, strict=True):
            low, high = lowest, highest
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if self._rare(size, count, middle) else (low, middle)
            places.append(low)
        place = max(places)
        if place == lowest:
            return None
        needed = []
        for size in self.sizes:
            low, high = 0, size + 1
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if self._rare(size, middle, place) else (middle, high)
            needed.append(high)
        return needed

    def bound(self, epsilon: Fraction, group: int) -> mpf:
        """Return the largest probability of counts that are as surprising, as is proved.

        ε and δ are those of one example, and a coin decided for a group of them.
        """
        if self.needed is None:
            return mpf(1)
        point = mpf(epsilon.numerator) / epsilon.denominator
        whole, delta = of_group(group, point, self.delta)
        prior = mp.log(fraction(self.prior))
        steepest = self._steepest(prior, whole + prior)
        return self._reached(group * epsilon) + self.weight * delta * steepest

    def _reached(self, epsilon: Fraction) -> mpf:
        """Return the probability that tosses reach a count, by the errors made so far."""
        from flint import arb, arb_poly, ctx, fmpq

        assert self.needed is not None
        # Restored below: flint's precision is global.
        before, ctx.prec = ctx.prec, _BITS
        try:
            prior = arb(fmpq(self.prior.numerator, self.prior.denominator))
            odds = arb(fmpq(epsilon.numerator, epsilon.denominator)).exp() * prior
            toss = arb_poly([odds / (1 + odds), 1 / (1 + odds)])  # the power is that of an error
            unreached, done, reached = arb_poly([1]), 0, arb(0)
            for size, count in zip(self.sizes, self.needed, strict=True):
                masses = (unreached * toss ** (size - done)).coeffs()
                reached += sum(masses[: size - count + 1] if count <= size else [], arb(0))
                cut = size - count + 1 if count <= size else 0
                unreached, done = arb_poly([arb(0)] * cut + masses[cut:]), size
            return mpf(reached.mid().str(60, radius=False))
        finally:
            ctx.prec = before

    def _sum(self, epsilon: mpf) -> mpf:
        assert self.needed is not None
        tails = _Tails(epsilon)
        return mp.fsum(
            tails.beyond(size, count) / count
            for size, count in zip(self.sizes, self.needed, strict=True)
            if count <= size
        )

    def _steepest(self, least: mpf, epsilon: mpf) -> mpf:
        """Return the supremum of min(1/(1 + E), Σ A) over all logarithms of odds from ``least``."""
        if not self.delta:
            return mpf(0)
        whole = self._sum(epsilon)
        if whole <= 1 / (1 + mp.exp(epsilon)):
            return whole
        low, high = least, epsilon
        for _ in range(_MEETINGS):
            middle = (low + high) / 2
            is_below = self._sum(middle) < 1 / (1 + mp.exp(middle))
            low, high = (middle, high) if is_below else (low, middle)
        return 1 / (1 + mp.exp(low))
