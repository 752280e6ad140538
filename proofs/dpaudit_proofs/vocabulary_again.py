"""The words of typed statements in mpmath, from the definitions: maxima and sums over all data."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from dpaudit_proofs import definitions
from dpaudit_proofs.distances import distance_again

__all__ = [
    "beta_smooth_again",
    "candidates_again",
    "far_again",
    "gamma_smooth_again",
    "global_again",
    "local_again",
    "normaliser_again",
    "probability_again",
    "substitutes",
]


def substitutes(x: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the counts with one record moved."""
    k = range(len(x))
    moves = ((i, j) for i in k for j in k if i != j and x[i])
    return [tuple(c - (m == i) + (m == j) for m, c in enumerate(x)) for i, j in moves]


def _kept(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of numbers of mpmath that keeps what it computed, by its bits."""

    @lru_cache(maxsize=1 << 15)
    def at(bits: int, *args: Any) -> Any:
        return function(*args)

    def apply(*args: Any) -> Any:
        from mpmath import mp

        return at(mp.prec, *args)

    return apply


def _counts(values: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(int(v) for v in values)


@_kept
def local_again(prior: tuple[Any, ...], counts: tuple[Any, ...]) -> Any:
    """Return LS(x)."""
    return max(
        definitions.hellinger(
            [a + c for a, c in zip(prior, counts, strict=True)],
            [a + c for a, c in zip(prior, y, strict=True)],
        )
        for y in substitutes(_counts(counts))
    )


def _all(prior: tuple[Any, ...], n: int) -> list[tuple[int, ...]]:
    return definitions.histograms(n, len(prior))


@_kept
def global_again(prior: tuple[Any, ...], n: Any) -> Any:
    """Return GS."""
    return max(local_again(prior, y) for y in _all(prior, int(n)))


@_kept
def gamma_smooth_again(prior: tuple[Any, ...], gamma: Any, counts: tuple[Any, ...]) -> Any:
    """Return S_γ(x)."""
    x = _counts(counts)
    every = _all(prior, sum(x))
    return max(1 / (1 / local_again(prior, y) + gamma * definitions.hamming(x, y)) for y in every)


@_kept
def _locals(prior: tuple[Any, ...], n: int) -> list[tuple[tuple[int, ...], Any]]:
    return [(y, local_again(prior, y)) for y in _all(prior, n)]


@_kept
def _decays(beta: Any, n: int) -> list[Any]:
    from mpmath import exp

    return [exp(-beta * d) for d in range(n + 1)]


@_kept
def beta_smooth_again(prior: tuple[Any, ...], beta: Any, counts: tuple[Any, ...]) -> Any:
    """Return S_β(x)."""
    x = _counts(counts)
    decays = _decays(beta, sum(x))
    return max(at * decays[definitions.hamming(x, y)] for y, at in _locals(prior, sum(x)))


def probability_again(factor: Any, prior: Any, x: tuple[Any, ...], r: tuple[Any, ...]) -> Any:
    """Return P(r) in proportion to exp(−factor·H(x, r))."""
    counts, output = _counts(x), _counts(r)
    if sum(counts) != sum(output):
        return 0 * factor
    return _weight(factor, prior, counts, output) / _normaliser(factor, prior, counts)


def _weight(factor: Any, prior: Any, x: tuple[int, ...], r: tuple[int, ...]) -> Any:
    from mpmath import exp

    left, right = (tuple(a + c for a, c in zip(prior, z, strict=True)) for z in (x, r))
    return exp(-factor * distance_again(left, right))


@_kept
def _normaliser(factor: Any, prior: Any, x: tuple[int, ...]) -> Any:
    return sum(_weight(factor, prior, x, r) for r in _all(prior, sum(x)))


def normaliser_again(factor: Any, prior: tuple[Any, ...], x: tuple[Any, ...]) -> Any:
    """Return the sum of exp(−factor·H(x, r)) over all candidates r."""
    return _normaliser(factor, prior, _counts(x))


def far_again(factor: Any, prior: tuple[Any, ...], x: tuple[Any, ...], c: Any) -> Any:
    """Return the probability of all r with H(x, r) ≥ c."""
    counts = _counts(x)
    left = tuple(a + z for a, z in zip(prior, counts, strict=True))
    far = [
        r
        for r in _all(prior, sum(counts))
        if distance_again(left, tuple(a + z for a, z in zip(prior, r, strict=True))) >= c
    ]
    total = _normaliser(factor, prior, counts)
    return sum((_weight(factor, prior, counts, r) for r in far), 0 * factor) / total


def candidates_again(k: Any, n: Any) -> int:
    """Return how many counts of n records in k categories there are."""
    return len(definitions.histograms(int(n), int(k)))
