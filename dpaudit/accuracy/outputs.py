"""The outputs of a mechanism at one dataset with their probabilities, ready to be measured.

Exponential mechanisms list their candidates.  Rounded Laplace noise that is clamped (A Alg. 1–3)
has finitely many outputs as well; that of N §3.1 is not clamped, its counts may be negative, and N
does not say what distance such an output has.  The readings are in :data:`OUTSIDE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import TYPE_CHECKING, Any

from dpaudit.accuracy.l1_noise import Remainder, noise_bound, remainder_beyond
from dpaudit.audit.room import check_listing
from dpaudit.data.histograms import Counts, Histograms
from dpaudit.errors import ParameterError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.product import ProductLaw
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.numbers.ball import Ball, ball, integer_power
from dpaudit.numbers.laurent import LAURENT_ONE, LAURENT_ZERO, Laurent
from dpaudit.numbers.real import ONE, ZERO, Real
from dpaudit.results import OUTSIDE

if TYPE_CHECKING:
    from dpaudit.laws.geometric import GeometricLaw
    from dpaudit.laws.law import Law

__all__ = ["OUTSIDE", "Outputs", "listed_outputs"]


@dataclass(frozen=True)
class Outputs:
    """Outputs with their probabilities at one precision, and what is not among them."""

    listed: Iterable[tuple[Counts, Ball]]
    """Outputs and their probabilities."""
    furthest: bool = False
    """True if the outputs that are not listed are at distance 1, and not few of them."""
    remainder: Remainder | None = None
    """Bounds for the outputs that are left out of an endless list."""
    exact: Callable[[Iterable[Counts]], Real] | None = None
    """The exact sum of the probabilities of some outputs, times ``exact_total``."""
    exact_total: Real = ONE
    """Divisor of the exact sums."""


def listed_outputs(
    law: Law,
    dataset: Counts,
    prior: Sequence[Fraction],
    outside: str,
    *,
    few_errors: bool = False,
) -> Outputs:
    """Return the outputs of ``law`` at ``dataset``, at the working precision.

    ``outside`` is one of :data:`OUTSIDE` but ``printed``; it matters for unclamped noise only.
    Of ``few_errors`` less memory is asked for.
    """
    if isinstance(law, WeightedLaw):
        return Outputs(zip(_counts(law.space), law.probabilities, strict=True))
    if isinstance(law, ExplicitLaw):
        return _explicit(law)
    if isinstance(law, ProductLaw):
        return _Noisy(law, dataset, tuple(prior), few_errors=few_errors).outputs(outside)
    raise ParameterError(
        "mechanism",
        "dpaudit computes the error only for finite output distributions and for rounded "
        "Laplace noise",
    )


def _counts(outputs: Iterable[object]) -> Iterator[Counts]:
    for output in outputs:
        if not isinstance(output, tuple) or not all(isinstance(r, int) for r in output):
            raise ParameterError("mechanism", f"the output {output!r} is not a tuple of counts")
        yield output


def _explicit(law: ExplicitLaw) -> Outputs:
    weights = law.masses
    masses = [law.probability(output).ball for output in weights]
    all_exact = all(isinstance(weight, Real) for weight in weights.values())

    def exact(outputs: Iterable[Counts]) -> Real:
        chosen = (weights[output] for output in outputs)
        return sum((weight for weight in chosen if isinstance(weight, Real)), ZERO)

    listed = zip(_counts(weights), masses, strict=True)
    return Outputs(listed, exact=exact if all_exact else None)


class _Noisy:
    """Independent noisy counts, and the readings of what is outside [0, n]."""

    def __init__(
        self, law: ProductLaw, dataset: Counts, prior: tuple[Fraction, ...], *, few_errors: bool
    ) -> None:
        self.law = law
        self.few_errors = few_errors
        self.dataset = dataset
        self.prior = prior
        self.n = sum(dataset)
        self.t = (-law.rate).exp().ball()
        self.tables: list[dict[int, Laurent]] = []

    def outputs(self, outside: str) -> Outputs:
        if self.law.output_count() is not None:
            return self._box([sorted(factor.support()) for factor in self.law.factors])
        if outside == "clamped":
            return self._clamped()
        lowest = [0 if outside == "redrawn" else _above(-alpha) for alpha in self.prior]
        if self.law.completion.kind == "rest":
            return self._candidates(lowest, redrawn=outside == "redrawn")
        return self._endless(lowest, redrawn=outside == "redrawn")

    def _clamped(self) -> Outputs:
        self.tables = [
            {r: _range_mass(factor, *_clamped_range(r, self.n)) for r in range(self.n + 1)}
            for factor in self.law.factors
        ]
        return self._product([list(table) for table in self.tables], clamp=True)

    def _box(self, supports: list[list[int]], **others: Any) -> Outputs:
        self.tables = [
            {r: factor.mass(r) for r in support}
            for factor, support in zip(self.law.factors, supports, strict=True)
        ]
        return self._product(supports, **others)

    def _product(
        self,
        supports: list[list[int]],
        *,
        clamp: bool = False,
        scale: Real = ONE,
        furthest: bool = False,
        remainder: Remainder | None = None,
    ) -> Outputs:
        check_listing(prod(map(len, supports)), few_errors=self.few_errors)
        balls = self._balls()
        whole = scale.ball()

        def complete(vector: Counts) -> Counts:
            output = self.law.completion(vector)
            return (*output[:-1], max(output[-1], 0)) if clamp else output

        def listed() -> Iterator[tuple[Counts, Ball]]:
            for vector in product(*supports):
                mass = 1 / whole if scale is not ONE else ball(1)
                for table, r in zip(balls, vector, strict=True):
                    mass *= table[r]
                yield complete(vector), mass

        return Outputs(listed(), furthest, remainder, self._exact, scale)

    def _candidates(self, lowest: list[int], *, redrawn: bool) -> Outputs:
        """Return the outputs with r ≥ ``lowest`` that add up to n: finitely many."""
        spare = self.n - sum(lowest)
        check_listing(comb(spare + len(lowest) - 1, len(lowest) - 1))
        candidates = [
            tuple(low + more for low, more in zip(lowest, counts, strict=True))
            for counts in Histograms(spare, len(lowest))
        ]
        self.tables = [
            {r: factor.mass(r) for r in range(low, low + spare + 1)}
            for factor, low in zip(self.law.factors, lowest, strict=False)
        ]
        scale = self._exact(candidates) if redrawn else ONE
        whole, balls = scale.ball(), self._balls()

        def listed() -> Iterator[tuple[Counts, Ball]]:
            for output in candidates:
                mass = ball(1)
                for table, r in zip(balls, output, strict=False):
                    mass *= table[r]
                yield output, mass / whole if redrawn else mass

        return Outputs(listed(), not redrawn, None, self._exact, scale)

    def _endless(self, lowest: list[int], *, redrawn: bool) -> Outputs:
        """Return the outputs with r ≥ ``lowest`` up to where next to no probability is left."""
        reach = noise_bound(self.t, len(lowest))
        supports = [
            list(range(low, max(c, low) + reach + 1))
            for low, c in zip(lowest, self.dataset, strict=True)
        ]
        scale = ONE
        if redrawn:
            for factor, low in zip(self.law.factors, lowest, strict=True):
                scale *= _range_mass(factor, low, None).at(self.law.rate)
        remainder = remainder_beyond(self.t, len(lowest), reach, 1 / scale.ball())
        return self._box(supports, scale=scale, furthest=not redrawn, remainder=remainder)

    def _balls(self) -> list[dict[int, Ball]]:
        powers: dict[int, Ball] = {}

        def value(mass: Laurent) -> Ball:
            total = ball(0)
            for power, coefficient in mass.terms:
                if power not in powers:
                    powers[power] = integer_power(self.t, power)
                total += ball(coefficient) * powers[power]
            return total

        return [{r: value(mass) for r, mass in table.items()} for table in self.tables]

    def _exact(self, outputs: Iterable[Counts]) -> Real:
        total = LAURENT_ZERO
        terms: list[tuple[int, Fraction]] = []
        for output in outputs:
            mass = LAURENT_ONE
            for table, r in zip(self.tables, self.law.completion.vector(output), strict=True):
                mass *= table[r]
            terms.extend(mass.terms)
        total = Laurent.collect(terms)
        return total.at(self.law.rate)


def _above(bound: Fraction) -> int:
    """Return the smallest integer above ``bound``."""
    return bound.numerator // bound.denominator + 1


def _clamped_range(r: int, n: int) -> tuple[int | None, int | None]:
    return (None if r == 0 else r), (None if r == n else r)


def _range_mass(law: GeometricLaw, first: int | None, last: int | None) -> Laurent:
    """Return the mass of first … last, None standing for an endless side."""
    total = LAURENT_ZERO
    for piece in law.pieces:
        low = _tighter(piece.first, first, max)
        high = _tighter(piece.last, last, min)
        if low is None or high is None or low <= high:
            total += piece.mass(low, high)
    return total


def _tighter(a: int | None, b: int | None, pick: Callable[[int, int], int]) -> int | None:
    if a is None or b is None:
        return b if a is None else a
    return pick(a, b)
