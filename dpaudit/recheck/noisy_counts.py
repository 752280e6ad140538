"""Counts with integer noise a second time: geometric, discrete Laplace, rounded Laplace, Gaussian.

Ghosh, Roughgarden and Sundararajan 2009; Canonne, Kamath and Steinke 2020 (Def. 1, the discrete
Gaussian, by direct summation); Dwork, McSherry, Nissim and Smith 2006.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise, product
from typing import Any, ClassVar

from mpmath import mp, mpf

from dpaudit.recheck.definition import BASES, OfBase
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.histograms import (
    ADD_REMOVE,
    SUBSTITUTION,
    WORDS_OF_HISTOGRAMS,
    Counts,
    OverCounts,
)

__all__ = [
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Geometric",
    "IntegerNoise",
    "NoisyHistogram",
    "RoundedLaplace",
    "TruncatedGeometric",
]


_NOISES = ("calibrated", "inverted")

Range = tuple[int | None, int | None]
"""The first integer and the one behind the last; None is endless."""


class IntegerNoise(OverCounts):
    """Noise Z on the first ``noisy`` counts, by its two tails.

    Each falls by one factor from integer to integer: between the places where either of two laws
    changes its formula, their ratio is constant.
    """

    noisy: int
    """Number of counts that get noise."""

    clamped: bool
    """True if count + Z is clamped to the range of the counts."""

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

    def probability(self, dataset: Counts, output: Any) -> mpf:
        if len(output) != self.noisy:
            return mpf(0)
        n = sum(dataset)
        counts = zip(dataset, output, strict=False)
        return mp.fprod(self.mass(count, n, (r, r + 1)) for count, r in counts)

    def masses(self, x: Counts, y: Counts) -> list[tuple[mpf, mpf]]:
        n, m = sum(x), sum(y)
        columns = [
            [(self.mass(a, n, part), self.mass(b, m, part)) for part in self.ranges(a, n, b, m)]
            for a, b in zip(x[: self.noisy], y, strict=False)
            # A count with one law on both sides sums to 1 on both, and drops out.
            if a != b or (self.clamped and n != m)
        ]
        return [
            (mp.fprod(p for p, _ in chosen), mp.fprod(q for _, q in chosen))
            for chosen in product(*columns)
        ]


class _Noisy(IntegerNoise):
    """Two-sided geometric noise, P(Z = z) = (1 − t)/(1 + t)·t^|z|."""

    k = 2
    noisy = 1
    clamped = False

    @property
    def rate(self) -> mpf:
        """−ln t."""
        return self.number("epsilon")

    def tail(self, start: int) -> mpf:
        t = mp.exp(-self.rate)
        return t**start / (1 + t)

    def below(self, end: int) -> mpf:
        return self.tail(1 - end)

    def output_count(self, n: int) -> int | None:
        return n + 1 if self.clamped else None


class _Powers(OfBase, _Noisy):
    """Noise t = b^(−ε), b the base."""

    @property
    def rate(self) -> mpf:
        return self.run_with


class Geometric(_Powers):
    """One count."""

    defaults: ClassVar = {"epsilon": "4/5", "base": "e"}
    readings: ClassVar = {"base": BASES}


class TruncatedGeometric(_Powers):
    """One count, kept inside 0 … n."""

    defaults: ClassVar = {"epsilon": "4/5", "truncation": "clamped", "base": "e"}
    readings: ClassVar = {"base": BASES, "truncation": ("clamped", "redrawn")}
    clamped = True

    def probability(self, dataset: Counts, output: Counts) -> mpf:
        if self.reading("truncation") == "clamped":
            return super().probability(dataset, output)
        if len(output) != 1 or not 0 <= output[0] <= sum(dataset):
            return mpf(0)
        t, count = mp.exp(-self.rate), dataset[0]
        beside = [(1 - t ** (side + 1)) / (1 - t) for side in (count, dataset[1])]
        return t ** abs(output[0] - count) / (mp.fsum(beside) - 1)

    def masses(self, x: Counts, y: Counts) -> list[tuple[mpf, mpf]]:
        if self.reading("truncation") == "clamped":
            return super().masses(x, y)
        return [self.probabilities(x, y, (r,)) for r in range(max(sum(x), sum(y)) + 1)]


class DiscreteLaplace(_Noisy):
    """One count, by the scale of its noise."""

    defaults: ClassVar = {"scale": "5/4"}
    numbers = ("scale",)

    def stated(self) -> tuple[mpf, mpf]:
        return self.rate, mpf(0)

    @property
    def rate(self) -> mpf:
        return 1 / self.number("scale")


class NoisyHistogram(_Noisy):
    """All counts."""

    defaults: ClassVar = {
        "epsilon": "4/5",
        "cells": "2",
        "neighbours": "histogram-add-remove",
        "noise": "calibrated",
    }
    wholes: ClassVar = {"cells": (2, 64)}
    readings: ClassVar = {"neighbours": (ADD_REMOVE, SUBSTITUTION), "noise": _NOISES}

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them, or showed them once."""
        relation = parameters.get("neighbours")
        now = (
            {"neighbours": WORDS_OF_HISTOGRAMS[relation]} if relation in WORDS_OF_HISTOGRAMS else {}
        )
        super().__init__({**parameters, **now})
        self.k = self.noisy = self.whole("cells")

    def default_relation(self) -> tuple[str, bool]:
        return self.reading("neighbours"), False

    @property
    def rate(self) -> mpf:
        moves = 1 if self.reading("neighbours") == ADD_REMOVE else 2
        scale = moves / self.number("epsilon")
        return 1 / scale if self.reading("noise") == "calibrated" else scale


class RoundedLaplace(_Noisy):
    """One count with continuous noise, which is floored or rounded, and clamped or not."""

    defaults: ClassVar = {
        "epsilon": "4/5",
        "rounding": "floor",
        "range": "line",
        "noise": "calibrated",
    }
    readings: ClassVar = {
        "rounding": ("floor", "nearest"),
        "range": ("line", "clamped"),
        "noise": _NOISES,
    }

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        self.clamped = self.reading("range") == "clamped"

    @property
    def rate(self) -> mpf:
        epsilon = self.number("epsilon")
        return epsilon if self.reading("noise") == "calibrated" else 1 / epsilon

    @property
    def shift(self) -> mpf:
        """Amount added before the floor is taken: 1/2 to round to the nearest integer, else 0."""
        return mpf(self.reading("rounding") == "nearest") / 2

    def tail(self, start: int) -> mpf:
        return mp.exp(-self.rate * (start - self.shift)) / 2

    def below(self, end: int) -> mpf:
        return mp.exp(self.rate * (end - self.shift)) / 2


_MOST_TERMS = 200_000
_ENDS = {"r → −∞": -1, "r → ∞": 1}
"""Texts for the ends at which the loss is unbounded, with the sign of the end."""


class DiscreteGaussian(OverCounts):
    """A count with noise P(Z = z) ∝ e^(−z²/(2σ²))."""

    defaults: ClassVar = {"sigma": "2", "delta": "1/100000"}
    numbers = ("sigma", "delta")
    k = 2

    def stated(self) -> tuple[mpf, mpf]:
        rho, delta = 1 / (2 * self.number("sigma") ** 2), self.number("delta")
        return rho + 2 * mp.sqrt(rho * -mp.log(delta)), delta

    def output_count(self, n: int) -> None:
        return None

    def output(self, reported: Any) -> Any:
        return (
            reported
            if isinstance(reported, str) and reported in _ENDS
            else super().output(reported)
        )

    def probability(self, dataset: Counts, output: Any) -> mpf:
        if len(output) != 1:
            return mpf(0)
        return self._weight(output[0] - dataset[0]) / _total(self.number("sigma"), mp.prec)

    def probabilities(self, x: Counts, y: Counts, output: Any) -> tuple[mpf, mpf]:
        """Return P_x and P_y; towards an end the larger against the other, which vanishes."""
        if not isinstance(output, str):
            return super().probabilities(x, y, output)
        return (mpf(1), mpf(0)) if (x[0] - y[0]) * _ENDS[output] > 0 else (mpf(0), mpf(1))

    def masses(self, x: Counts, y: Counts) -> list[tuple[mpf, mpf]]:
        """Return the probabilities of the integers where they are above 10^−dps."""
        reach = _reach(self.number("sigma"))
        low, high = min(x[0], y[0]) - reach, max(x[0], y[0]) + reach
        return [self.probabilities(x, y, (r,)) for r in range(low, high + 1)]

    def largest_loss(self, x: Counts, y: Counts) -> mpf:
        return mpf(0) if x[0] == y[0] else mp.inf

    def delta(self, x: Counts, y: Counts, epsilon: mpf) -> mpf:
        """Sum from the first output whose loss is above ε, which grows towards one side."""
        shift = abs(x[0] - y[0])
        if shift == 0:
            return max(mpf(0), 1 - mp.exp(epsilon))
        step, sigma, factor = (1 if x[0] > y[0] else -1), self.number("sigma"), mp.exp(epsilon)
        # One earlier than the rounded root: a term that is not positive adds nothing.
        first = int(mp.ceil(epsilon * sigma**2 / shift - mpf(shift) / 2)) - 1
        total = mpf(0)
        for z in range(first, max(first, 0) + _reach(sigma) + 1):
            p, q = self.probabilities(x, y, (x[0] + step * z,))
            total += max(p - factor * q, mpf(0))
        return total

    def power_sum(self, x: Counts, y: Counts, order: mpf) -> mpf:
        """Return Σ P_x^α·P_y^(1 − α), whose terms are largest at α·x + (1 − α)·y."""
        sigma = self.number("sigma")
        centre, reach = int(mp.nint(order * x[0] + (1 - order) * y[0])), _reach(sigma)
        terms = (
            mp.exp(-(order * (r - x[0]) ** 2 + (1 - order) * (r - y[0]) ** 2) / (2 * sigma**2))
            for r in range(centre - reach, centre + reach + 1)
        )
        return mp.fsum(terms) / _total(sigma, mp.prec)

    def _weight(self, z: int) -> mpf:
        return mp.exp(-(mpf(z) ** 2) / (2 * self.number("sigma") ** 2))


def _reach(sigma: mpf) -> int:
    """Return a distance where e^(−z²/(2σ²)) is below 10^−dps."""
    reach = int(sigma * mp.sqrt(2 * (mp.dps + 10) * mp.log(10))) + 2
    if reach > _MOST_TERMS:
        raise UnknownDefinitionError("too many outputs to add up")
    return reach


@lru_cache(maxsize=64)
def _total(sigma: mpf, prec: int) -> mpf:
    """Return Σ e^(−z²/(2σ²)) over all integers, at ``prec`` bits."""
    terms = (mp.exp(-(mpf(z) ** 2) / (2 * sigma**2)) for z in range(1, _reach(sigma) + 1))
    return 1 + 2 * mp.fsum(terms)
