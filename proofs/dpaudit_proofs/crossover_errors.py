"""How far the outputs of M_H and of the Laplace mechanism of N are from the truth, on flat priors.

For :mod:`dpaudit_proofs.crossover`: the mean of H(BI(x), output) and its quartiles, in balls; the
means again in mpmath from the definitions.  ε = 4/5 and δ = 1/2000 throughout, as in N §4.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise, product
from typing import Any, Literal

from dpaudit.laws.geometric import floor, toward_zero
from dpaudit.notes.dirichlet import AffinityTable, HellingerMetric
from dpaudit.notes.hellinger_exponential import MH
from dpaudit.numbers.ball import Ball, ball, certainly_less, maximum, working_precision
from dpaudit.numbers.real import real
from dpaudit_proofs.definitions import (
    beta_rate,
    beta_smooth,
    candidates,
    hellinger,
    number,
    posterior_distance,
)

__all__ = [
    "BITS",
    "DEFINED",
    "TABLES",
    "Counts",
    "Reading",
    "box_comparison",
    "box_gain",
    "box_gain_again",
    "exponential_mean",
    "gain",
    "gain_again",
    "laplace_mean",
    "uniform",
]

Counts = tuple[int, ...]
Law = list[tuple[Any, Any]]

EPSILON, DELTA = Fraction(4, 5), Fraction(1, 2000)
BITS = 96
"""The precision that comparisons start from."""


@dataclass(frozen=True)
class Reading:
    """One way to understand the two mechanisms that are compared."""

    divisor: int
    """What multiplies S_β in the exponent of M_H."""
    rounding: Literal["floor", "toward-zero"]
    """How Y becomes a whole number."""
    outside: Literal["clamped", "furthest", "conditioned"]
    """What becomes of negative counts."""
    count: str = "n+1"
    """The number inside β."""


DEFINED = Reading(2, "floor", "clamped")
"""N Def. 2.1 and §3.1, clamped to [0, n]."""
TABLES = Reading(1, "toward-zero", "clamped")
"""What the printed tables of N §3.4.1 compute, clamped to [0, n]."""


def _prior(k: int) -> tuple[Fraction, ...]:
    return (Fraction(1),) * k


@lru_cache(maxsize=64)
def _mechanism(k: int, divisor: int, count: str, bits: int) -> tuple[MH, Any]:
    mechanism = MH.build(
        {
            "prior": _prior(k),
            "epsilon": EPSILON,
            "delta": DELTA,
            "divisor": str(divisor),
            "count": count,
        }
    )
    return mechanism, mechanism.laws()


def _exponential(reading: Reading, x: Counts) -> tuple[list[Ball], list[Ball]]:
    """Return the distances and probabilities of M_H's outputs, in the order of Histograms."""
    mechanism, laws = _mechanism(len(x), reading.divisor, reading.count, working_precision())
    return HellingerMetric(mechanism.prior).row(x), laws.law(x).probabilities


def exponential_mean(reading: Reading, x: Counts) -> Ball:
    """Return the mean of H(BI(x), M_H(x))."""
    distances, chances = _exponential(reading, x)
    return sum((h * p for h, p in zip(distances, chances, strict=True)), ball(0))


def _coordinate(reading: Reading, count: int, n: int) -> Sequence[Ball]:
    """Return the chances of 0 … n for one noisy count; what falls outside is lost or clamped."""
    return _chances(reading.rounding, reading.outside, count, n, working_precision())


@lru_cache(maxsize=256)
def _chances(rounding: str, outside: str, count: int, n: int, bits: int) -> Sequence[Ball]:
    rate = real(EPSILON / 2)
    law = floor(count) if rounding == "floor" else toward_zero(count)
    chances = [law.mass(r).at(rate).ball() for r in range(n + 1)]
    if outside == "clamped":
        t = (-rate).exp().ball()
        chances[0] += t ** (count if rounding == "floor" else count + 1) / 2
        chances[n] += t ** (n - count + 1) / 2
    return tuple(chances)


@lru_cache(maxsize=64)
def _tables(k: int, bits: int) -> tuple[AffinityTable, AffinityTable]:
    return AffinityTable(Fraction(1), bits), AffinityTable(Fraction(k), bits)


def _distance(x: Counts, r: Counts) -> Ball:
    """Return H(BI(x), BI(r)) under the flat prior; r may have more records than x."""
    if x == r:
        return ball(0)
    one, total = _tables(len(x), working_precision())
    affinity = 1 / total.row(sum(x), sum(r))[sum(r)]
    for a, b in zip(x, r, strict=True):
        affinity *= one.row(a, b)[b]
    return (1 - affinity).sqrt()


def _completed(reading: Reading, noisy: Counts, n: int) -> Counts | None:
    """Return the output with its last count, None where that is negative and not clamped."""
    rest = n - sum(noisy)
    if rest < 0 and reading.outside != "clamped":
        return None
    return (*noisy, max(rest, 0))


def laplace_mean(reading: Reading, x: Counts) -> Ball:
    """Return the mean of H(BI(x), output) for the Laplace mechanism."""
    n, sum_of_chances, mean = sum(x), ball(0), ball(0)
    factors = [_coordinate(reading, count, n) for count in x[:-1]]
    for noisy in product(range(n + 1), repeat=len(x) - 1):
        output = _completed(reading, noisy, n)
        if output is not None:
            p = ball(1)
            for factor, r in zip(factors, noisy, strict=True):
                p *= factor[r]
            mean += p * _distance(x, output)
            sum_of_chances += p
    if reading.outside == "conditioned":
        return mean / sum_of_chances
    return mean if reading.outside == "clamped" else mean + 1 - sum_of_chances


def gain(reading: Reading, x: Counts) -> Ball:
    """Return how much smaller M_H's mean distance is than Laplace's."""
    return laplace_mean(reading, x) - exponential_mean(reading, x)


def gain_again(reading: Reading, x: Counts) -> Any:
    """Return the same in mpmath, from the definitions."""
    return _mean_again(_laplace_again(reading, x)) - _mean_again(_exponential_again(reading, x))


def _mean_again(law: Law) -> Any:
    return sum(p * h for h, p in law)


def _exponential_again(reading: Reading, x: Counts) -> Law:
    """Return M_H's law as (distance, chance), in mpmath."""
    from mpmath import exp

    n, prior = sum(x), _prior(len(x))
    count = {"n+1": n + 1, "candidates": len(candidates(n, len(x)))}[reading.count]
    smooth = beta_smooth(prior, x, beta_rate(number(EPSILON), number(DELTA), count))
    away = [posterior_distance(prior, x, r) for r in candidates(n, len(x))]
    weights = [exp(-number(EPSILON) * h / (reading.divisor * smooth)) for h in away]
    total = sum(weights)
    return [(h, w / total) for w, h in zip(weights, away, strict=True)]


def _laplace_again(reading: Reading, x: Counts) -> Law:
    """Return the Laplace mechanism's law as (distance, chance), in mpmath."""
    from mpmath import exp, inf, mpf

    n, rate = sum(x), number(EPSILON) / 2

    def below(y: Any) -> Any:  # P(Y < y)
        return exp(rate * y) / 2 if y < 0 else 1 - exp(-rate * y) / 2

    def low(j: int) -> Any:  # the noise is at least j iff Y ≥ low(j), up to a null set
        return mpf(j if reading.rounding == "floor" or j > 0 else j - 1)

    def one(count: int, r: int) -> Any:
        clamped = reading.outside == "clamped"
        first = -inf if clamped and r == 0 else low(r - count)
        stop = inf if clamped and r == n else low(r - count + 1)
        return below(stop) - below(first)

    law, inside = [], mpf(0)
    for noisy in product(range(n + 1), repeat=len(x) - 1):
        output = _completed(reading, noisy, n)
        if output is not None:
            p = mpf(1)
            for count, r in zip(x, noisy, strict=False):
                p *= one(count, r)
            away = hellinger([c + 1 for c in x], [c + 1 for c in output]) if output != x else mpf(0)
            law.append((away, p))
            inside += p
    if reading.outside == "conditioned":
        return [(h, p / inside) for h, p in law]
    return law if reading.outside == "clamped" else [*law, (mpf(1), 1 - inside)]


def uniform(k: int, n: int) -> list[Counts]:
    """Return the datasets of n records that are as uniform as can be (k = 2: up to two)."""
    low, more = divmod(n, k)
    return [tuple(low + (i in chosen) for i in range(k)) for chosen in combinations(range(k), more)]


def _quartiles(distances: list[Ball], chances: list[Ball]) -> list[int]:
    """Return the index of each quartile among increasing ``distances``."""
    found, total, index = [], chances[0], 0
    for level in (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)):
        while certainly_less(total, ball(level)):
            index += 1
            total += chances[index]
        if not certainly_less(ball(level), total):
            raise ArithmeticError(f"a cumulative chance is not separated from {level}")
        found.append(index)
    return found


def _boxes(reading: Reading, x: Counts) -> list[tuple[tuple[int, Ball], tuple[int, Ball]]]:
    """Return the quartiles of M_H and of Laplace, each with its place in the order of distances.

    For two categories and clamping.
    """
    n = sum(x)
    row, exponential = _exponential(reading, x)
    laplace = _coordinate(reading, x[0], n)
    # r and 2·c₁ − r are equally far from balanced data (even n) and count as one distance.
    classes: dict[int, list[int]] = {}
    for r in range(n + 1):
        classes.setdefault(abs(r - x[0]) if x[0] == x[1] else r, []).append(r)
    ordered = sorted(classes.values(), key=lambda members: float(row[members[0]]))
    distances = [row[members[0]] for members in ordered]
    if not all(certainly_less(a, b) for a, b in pairwise(distances)):
        raise ArithmeticError("two distances are not separated")

    def grouped(chances: Sequence[Ball]) -> list[Ball]:
        return [sum((chances[r] for r in members), ball(0)) for members in ordered]

    found = [
        [(place, distances[place]) for place in _quartiles(distances, grouped(chances))]
        for chances in (exponential, laplace)
    ]
    return list(zip(*found, strict=True))


def box_comparison(reading: Reading, x: Counts) -> set[int]:
    """Return the signs of M_H's quartiles minus Laplace's, for two categories and clamping."""
    return {(a > b) - (a < b) for (a, _), (b, _) in _boxes(reading, x)}


def box_gain(reading: Reading, x: Counts) -> Ball:
    """Return by how much some quartile of M_H is smaller, where none is larger; else −1."""
    boxes = _boxes(reading, x)
    if any(a > b for (a, _), (b, _) in boxes):
        return ball(-1)
    return maximum(after - before for (_, before), (_, after) in boxes)


def box_gain_again(reading: Reading, x: Counts) -> Any:
    """Return the same in mpmath, from the definitions."""
    from mpmath import mpf

    def quartiles(law: Law) -> list[Any]:
        ordered = sorted(law, key=lambda item: item[0])
        found = []
        for level in (mpf(1) / 4, mpf(1) / 2, mpf(3) / 4):
            total = mpf(0)
            for h, p in ordered:
                total += p
                if total >= level:
                    found.append(h)
                    break
        return found

    pairs = list(
        zip(
            quartiles(_exponential_again(reading, x)),
            quartiles(_laplace_again(reading, x)),
            strict=True,
        )
    )
    if any(a > b for a, b in pairs):
        return mpf(-1)
    return max(b - a for a, b in pairs)
