"""The notes' definitions in mpmath, for the second evaluation of every certified value.

Slow and obvious on purpose, and independent of the package's own numerics: log-gamma instead of
affinity tables, literal maxima instead of distance transforms.  Call these inside
``mpmath.workdps``; evidence does.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any

from mpmath import exp, log, loggamma, mp, mpf, sqrt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

__all__ = [
    "beta_rate",
    "beta_smooth",
    "candidates",
    "distances",
    "exponential_law",
    "exponential_loss",
    "gamma_smooth",
    "hamming",
    "hellinger",
    "histograms",
    "local_sensitivity",
    "max_loss",
    "neighbours",
    "number",
    "posterior_distance",
]

Counts = tuple[int, ...]


def number(value: Fraction | int | str) -> Any:
    """Return an exact rational as an mpmath number."""
    from fractions import Fraction

    q = Fraction(value)
    return mpf(q.numerator) / q.denominator


@lru_cache(maxsize=1 << 14)
def _log_gamma(s: Any, bits: int) -> Any:
    return loggamma(s)


def hellinger(left: Sequence[Any], right: Sequence[Any]) -> Any:
    """Return H(Dir(left), Dir(right)) from the definition (A §1), for any positive parameters."""

    def log_beta(parameters: Sequence[Any]) -> Any:
        return sum(_log_gamma(p, mp.prec) for p in parameters) - _log_gamma(
            sum(parameters), mp.prec
        )

    middle = [(a + b) / 2 for a, b in zip(left, right, strict=True)]
    affinity = exp(log_beta(middle) - (log_beta(left) + log_beta(right)) / 2)
    return sqrt(max(mpf(0), 1 - affinity))


def posterior_distance(prior: Sequence[Fraction], x: Counts, y: Counts) -> Any:
    """Return H between the posteriors of two histograms."""
    left, right = ([number(a) + c for a, c in zip(prior, counts, strict=True)] for counts in (x, y))
    return mpf(0) if x == y else hellinger(left, right)


@lru_cache(maxsize=256)
def candidates(n: int, k: int) -> tuple[Counts, ...]:
    """Return all histograms of n over k categories, by brute enumeration."""
    return tuple(counts for counts in product(range(n + 1), repeat=k) if sum(counts) == n)


def neighbours(x: Counts) -> list[Counts]:
    """Return the histograms that differ from ``x`` by one substituted record."""
    return [y for y in candidates(sum(x), len(x)) if hamming(x, y) == 1]


def hamming(x: Counts, y: Counts) -> int:
    """Return ½·‖x − y‖₁."""
    return sum(abs(a - b) for a, b in zip(x, y, strict=True)) // 2


def local_sensitivity(prior: Sequence[Fraction], x: Counts) -> Any:
    """Return LS(x) as the largest distance to a neighbour (N §4.1; proved in ``basics``)."""
    return max(posterior_distance(prior, x, y) for y in neighbours(x))


def gamma_smooth(prior: Sequence[Fraction], x: Counts, gamma: Any) -> Any:
    """Return S_γ(x) literally, as a maximum over all datasets (A §1)."""
    return max(
        1 / (1 / local_sensitivity(prior, y) + gamma * hamming(x, y))
        for y in candidates(sum(x), len(x))
    )


def beta_rate(epsilon: Any, delta: Any, count: int) -> Any:
    """Return β = ln(1 − ε/(2·ln(δ/(2·count)))) (N §2.3.1)."""
    return log(1 - epsilon / (2 * log(delta / (2 * count))))


def beta_smooth(prior: Sequence[Fraction], x: Counts, beta: Any) -> Any:
    """Return S_β(x) literally, as a maximum over all datasets (N Def. 2.1)."""
    return max(
        local_sensitivity(prior, y) * exp(-beta * hamming(x, y)) for y in candidates(sum(x), len(x))
    )


def exponential_law(prior: Sequence[Fraction], x: Counts, factor: Any) -> dict[Counts, Any]:
    """Return P(r) ∝ exp(−factor·H(x, r)) over all candidates r."""
    weights = {
        r: exp(-factor * posterior_distance(prior, x, r)) for r in candidates(sum(x), len(x))
    }
    total = sum(weights.values())
    return {r: weight / total for r, weight in weights.items()}


def max_loss(
    prior: Sequence[Fraction], n: int, factor: Callable[[Counts], Any]
) -> tuple[Any, Counts, Counts, Counts]:
    """Return the largest privacy loss over all neighbouring pairs and outputs, with its place."""
    laws = {x: exponential_law(prior, x, factor(x)) for x in candidates(n, len(prior))}
    return max(
        (log(laws[x][r] / laws[y][r]), x, y, r)
        for x in laws
        for y in neighbours(x)
        for r in laws[x]
    )


def histograms(n: int, k: int) -> list[Counts]:
    """Return the same as :func:`candidates`, without trying vectors of the wrong sum."""
    if k == 1:
        return [(n,)]
    return [(first, *rest) for first in range(n + 1) for rest in histograms(n - first, k - 1)]


@lru_cache(maxsize=16)
def distances(prior: tuple[Any, ...], x: Counts, digits: int) -> dict[Counts, Any]:
    """Return H(x, r) for every candidate r, in the working precision of ``digits``.

    Γ of the totals cancels, and every other log-gamma is evaluated once.
    """
    n = sum(x)
    log_gamma = [[loggamma(a + mpf(j) / 2) for j in range(2 * n + 1)] for a in prior]

    def affinity(r: Counts) -> Any:
        triples = zip(log_gamma, x, r, strict=True)
        return exp(sum(of[c + d] - (of[2 * c] + of[2 * d]) / 2 for of, c, d in triples))

    found = histograms(n, len(x))
    return {r: mpf(0) if r == x else sqrt(max(mpf(0), 1 - affinity(r))) for r in found}


def exponential_loss(
    prior: Sequence[Fraction],
    pair: tuple[Counts, Counts],
    output: Counts,
    factor: Callable[[Any], Any],
) -> Any:
    """Return ln(P_x(output)/P_y(output)) for P_x(r) ∝ exp(−factor(LS(x))·H(x, r)).

    ``factor`` takes LS(x), the largest H to a substitute of x.  Γ of the totals cancels in H, and
    every other log-gamma is evaluated once, so that some ten thousand candidates are no hurdle.
    """
    known: dict[tuple[int, int], Any] = {}

    def log_gamma(index: int, doubled: int) -> Any:
        """Return ln Γ(αᵢ + doubled/2)."""
        if (index, doubled) not in known:
            known[index, doubled] = loggamma(number(prior[index]) + mpf(doubled) / 2)
        return known[index, doubled]

    def distance(left: Counts, right: Counts) -> Any:
        affinity = exp(
            sum(
                log_gamma(i, c + d) - (log_gamma(i, 2 * c) + log_gamma(i, 2 * d)) / 2
                for i, (c, d) in enumerate(zip(left, right, strict=True))
            )
        )
        return mpf(0) if left == right else sqrt(1 - affinity)

    def log_probability(x: Counts) -> Any:
        substitutes = [
            tuple(c - (m == i) + (m == j) for m, c in enumerate(x))
            for i in range(len(x))
            for j in range(len(x))
            if i != j and x[i]
        ]
        scale = factor(max(distance(x, y) for y in substitutes))
        total = sum(exp(-scale * distance(x, r)) for r in histograms(sum(x), len(x)))
        return -scale * distance(x, output) - log(total)

    return log_probability(pair[0]) - log_probability(pair[1])
