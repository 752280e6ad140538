"""The finite laws of one mechanism at one size as polynomials with whole coefficients.

A probability is a weight over its law's total.  Weights are polynomials in t = e^(−rate), constants
where every probability is rational.  Nothing is rounded; laws that are not of this form, those with
Γ, π, roots or endless supports, are refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import gcd, lcm
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ParameterError
from dpaudit.kernel.certificate_checker import plus, times
from dpaudit.numbers.ball import Ball, Sign, lower_fraction, precision, upper_fraction
from dpaudit.numbers.real import ZERO, Real, rational
from dpaudit.results import steady_repr

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.terms import Monomial

__all__ = ["ExactLaws", "Multiple", "Polynomial", "exact_laws", "outward", "refuse"]

MOST_ENTRIES = 20_000
"""More probabilities than this, of all datasets together, are not written out."""

_MOST_POWERS = 4_000
_BITS = 192

Polynomial = list[int]
"""The coefficients of a polynomial in t, lowest first."""
Powers = dict[Fraction, Fraction]
"""Rational coefficients q of a sum Σ q·e^z by its rational exponents z."""


def refuse(mechanism: Mechanism[Any], what: str) -> ParameterError:
    """Return the error of a mechanism whose laws cannot be exported."""
    return ParameterError("export", f"--export: {mechanism.name} {what}")


@dataclass(frozen=True)
class Multiple:
    """The number value·t^(−power) that stands for e^ε."""

    value: Fraction
    power: int = 0
    exact: bool = True
    """True if it is e^ε itself."""


@dataclass(frozen=True)
class ExactLaws:
    """All laws of one size, exactly, with every ordered pair of neighbours."""

    datasets: tuple[Hashable, ...]
    outputs: tuple[Hashable, ...]
    weights: tuple[tuple[Polynomial, ...], ...]
    """For every dataset the weight of every output."""
    pairs: tuple[tuple[int, int], ...]
    """Ordered pairs of datasets, by their places; both directions of each."""
    rate: Fraction | None
    """The rate of t = e^(−rate); None where all weights are constants."""
    adjacency: str

    @cached_property
    def totals(self) -> list[Polynomial]:
        """Return the sum of the weights of every law, without zeros at its end."""
        return [_trimmed(_added(row)) for row in self.weights]

    def differences(self, c: Multiple) -> Iterator[Polynomial]:
        """Iterate over :meth:`differences_of` all pairs."""
        for x, y in self.pairs:
            yield from self.differences_of(x, y, c)

    def differences_of(self, x: int, y: int, c: Multiple) -> list[Polynomial]:
        """Return for every output P(r) − c·Q(r), cleared of denominators that are positive."""
        totals = self.totals
        ours = times([0] * c.power + [c.value.denominator], totals[y])
        theirs = times([-c.value.numerator], totals[x])
        return [
            plus(times(ours, p), times(theirs, q))
            for p, q in zip(self.weights[x], self.weights[y], strict=True)
        ]

    def multiple(self, epsilon: Real, *, above: bool = False) -> Multiple:
        """Return e^ε in terms of t where it is such a number, else a rational next to it.

        The rational is at most e^ε, or at least e^ε if it is to be ``above``.
        """
        power = epsilon.exp()
        found = _powers([power])
        if found is not None and len(found[0]) == 1:
            ((exponent, value),) = found[0].items()
            steps = Fraction(0) if self.rate is None else exponent / self.rate
            if (exponent == 0 or self.rate is not None) and steps.denominator == 1 and steps >= 0:
                return Multiple(value, int(steps))
        with precision(_BITS):
            return Multiple(outward(power.ball(), up=above), exact=False)


def exact_laws(
    mechanism: Mechanism[Any], n: int, adjacency: str | None, epsilon: Real
) -> ExactLaws:
    """Return the laws of ``mechanism`` at size ``n`` as polynomials.

    Args:
        mechanism: the mechanism.
        n: the size.
        adjacency: the neighbouring relation; None for the mechanism's own.
        epsilon: the ε that they will be held to; if it can be a whole power of t, it is one.

    Raises:
        ParameterError: for laws that are not of this form, or too long to be written out.
    """
    relation = mechanism.adjacency(adjacency)
    count = mechanism.output_count(n)
    if count is None:
        raise refuse(mechanism, f"has infinitely many outputs at n = {n}")
    if relation.dataset_count(n) * count > MOST_ENTRIES:
        size = f"{relation.dataset_count(n)} datasets and {count} outputs"
        raise refuse(mechanism, f"has {size} at n = {n}; at most {MOST_ENTRIES} entries")
    datasets = list(relation.datasets(n))
    tables = _tables(mechanism, datasets)
    outputs = tuple(dict.fromkeys(chain.from_iterable(tables)))
    if len(outputs) * len(datasets) > MOST_ENTRIES:
        raise refuse(mechanism, f"has {len(outputs)} outputs; at most {MOST_ENTRIES} entries")
    powers = []
    for table in tables:
        found = _powers([table.get(output, ZERO) for output in outputs])
        if found is None:
            raise refuse(
                mechanism,
                "has probabilities with roots, π or logarithms; only rational laws and "
                "exponential sums are written out",
            )
        powers.append(found)
    rate = _rate({z for row in powers for sum_ in row for z in sum_}, epsilon)
    places = {dataset: index for index, dataset in enumerate(datasets)}
    unordered = [(places[x], places[y]) for x, y in relation.pairs(n)]
    weights = tuple(_whole(mechanism, row, rate) for row in powers)
    pairs = tuple(sorted({pair for x, y in unordered for pair in ((x, y), (y, x))}))
    return ExactLaws(tuple(datasets), outputs, weights, pairs, rate, relation.name)


def _tables(mechanism: Mechanism[Any], datasets: Sequence[Any]) -> list[dict[Hashable, Real]]:
    """Return the probabilities of every law by output."""
    found = []
    with precision(_BITS):
        laws = mechanism.laws()
        for dataset in datasets:
            law = laws.law(dataset)
            outputs = law.outputs() or ()
            table = {output: law.probability(output).exact for output in outputs}
            if not table or any(p is None for p in table.values()):
                raise refuse(
                    mechanism,
                    f"has probabilities at {steady_repr(dataset)} that dpaudit knows only as "
                    "intervals, for example because they contain Γ; only distributions of "
                    "rational numbers, or of sums of exponentials, can be written out",
                )
            found.append({output: p for output, p in table.items() if p is not None})
    return found


def _powers(values: Sequence[Real]) -> list[Powers] | None:
    """Return numbers times one common factor as sums Σ q·e^z, or None where they are not such.

    The factor is positive and clears denominators that are sums, as 1 + e^ε; one number alone is
    not scaled.
    """
    most: dict[Any, int] = {}
    for value in values:
        for monomial in value.coordinates():
            if any(atom.kind != "sum" for atom, _ in monomial.factors):
                return None
            for atom, power in monomial.factors:
                most[atom] = max(most.get(atom, 0), -power)
    if most and len(values) == 1:
        return None
    negative = [atom.argument.sign() is Sign.NEGATIVE and power % 2 for atom, power in most.items()]
    sign = rational(-1 if sum(negative) % 2 else 1)
    found = []
    for value in values:
        cleared = sign * sum(
            (
                _without_factors(value, monomial, q, most)
                for monomial, q in value.coordinates().items()
            ),
            ZERO,
        )
        powers: Powers = {}
        for monomial, q in cleared.coordinates().items():
            exponent = Fraction(0)
            if monomial.exponent is not None:
                rational_exponent = monomial.exponent.as_fraction()
                if rational_exponent is None:
                    return None
                exponent = rational_exponent
            if monomial.radicals or monomial.factors:
                return None
            powers[exponent] = q
        found.append(powers)
    return found


def _without_factors(
    value: Real, monomial: Monomial[Real], q: Fraction, most: dict[Any, int]
) -> Real:
    """Return a term of ``value`` times every sum to the highest power that it divides by."""
    bare = type(monomial)(monomial.radicals, monomial.exponent)
    term = value.of({bare: q})
    powers = dict(monomial.factors)
    for atom, power in most.items():
        term *= atom.argument ** (power + powers.get(atom, 0))
    return term


def _rate(exponents: set[Fraction], epsilon: Real) -> Fraction | None:
    """Return the rate of which all exponents, and ε if that costs little, are multiples."""
    rate = _common(exponents)
    wanted = epsilon.as_fraction()
    if rate is None or wanted is None:
        return rate
    finer = _common({rate, wanted})
    return finer if finer is not None and rate / finer <= 64 else rate


def _common(numbers: set[Fraction]) -> Fraction | None:
    """Return the largest rational of which all ``numbers`` are whole multiples; None for zeros."""
    common = Fraction(0)
    for number in numbers:
        common = Fraction(
            gcd(common.numerator * number.denominator, number.numerator * common.denominator),
            common.denominator * number.denominator,
        )
    return common or None


def _whole(
    mechanism: Mechanism[Any], row: Sequence[Powers], rate: Fraction | None
) -> tuple[Polynomial, ...]:
    """Return the weights of one law with a common factor that makes all coefficients whole."""
    unit = lcm(*(q.denominator for powers in row for q in powers.values()))
    steps = [{_step(z, rate): int(q * unit) for z, q in powers.items()} for powers in row]
    least = min(chain.from_iterable(steps))
    most = max(chain.from_iterable(steps)) - least
    if most > _MOST_POWERS:
        raise refuse(
            mechanism,
            f"has probabilities that are polynomials of degree {most}; the limit is {_MOST_POWERS}",
        )
    common = gcd(*(q for powers in steps for q in powers.values()))
    return tuple(
        [powers.get(j + least, 0) // common for j in range(max(powers, default=least) - least + 1)]
        for powers in steps
    )


def _step(exponent: Fraction, rate: Fraction | None) -> int:
    return 0 if rate is None else int(-exponent / rate)


def _added(row: Sequence[Polynomial]) -> Polynomial:
    return [sum(p[j] for p in row if j < len(p)) for j in range(max(map(len, row)))]


def _trimmed(p: Polynomial) -> Polynomial:
    while len(p) > 1 and p[-1] == 0:
        p = p[:-1]
    return p


def outward(value: Ball, *, up: bool) -> Fraction:
    """Return a number with 96 bits behind the point next to ``value``, above or below it."""
    end = upper_fraction(value) if up else lower_fraction(value)
    return Fraction((end * 2**96).__ceil__() if up else (end * 2**96).__floor__(), 2**96)
