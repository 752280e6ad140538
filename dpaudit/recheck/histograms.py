"""Histograms and their neighbours, from the definitions, and how many there are."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "ADD_REMOVE",
    "SUBSTITUTION",
    "Counts",
    "are_neighbours",
    "balanced",
    "dataset_count",
    "histograms",
    "neighbours",
    "pair_count",
    "pairs",
]

Counts = tuple[int, ...]
SUBSTITUTION = "histogram-substitution"
"""One unit of count moves from one category to another."""
ADD_REMOVE = "histogram-add-remove"
"""One count changes by one."""


def histograms(n: int, k: int) -> Iterator[Counts]:
    """Iterate over the histograms of ``n`` records in ``k`` categories: where k − 1 bars stand.

    >>> list(histograms(1, 3))
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    for bars in combinations(range(n + k - 1), k - 1):
        ends = (-1, *bars, n + k - 1)
        yield tuple(right - left - 1 for left, right in pairwise(ends))


@cache
def _histogram_count(n: int, k: int) -> int:
    """Return how many there are: one more category takes any part of the records."""
    ways = [1] * (n + 1)
    for _ in range(k - 1):
        for total in range(1, n + 1):
            ways[total] += ways[total - 1]
    return ways[n]


def dataset_count(relation: str, n: int, k: int) -> int:
    """Return how many datasets the pairs at size ``n`` are drawn from."""
    here = _histogram_count(n, k)
    return here if relation == SUBSTITUTION else here + _histogram_count(n + 1, k)


def pair_count(relation: str, n: int, k: int) -> int:
    """Return how many unordered neighbouring pairs there are at size ``n``.

    Substitution: what n − 1 records are the same, times which two categories the other record
    differs by.  Add/remove: a dataset of n records, times what is added.
    """
    if relation == SUBSTITUTION:
        return _histogram_count(n - 1, k) * (k * (k - 1) // 2)
    return _histogram_count(n, k) * k


def neighbours(relation: str, n: int, counts: Counts) -> Iterator[Counts]:
    """Iterate over the neighbours of ``counts`` among the pairs at size ``n``."""
    places = range(len(counts))

    def moved(*steps: tuple[int, int]) -> Counts:
        result = list(counts)
        for place, step in steps:
            result[place] += step
        return tuple(result)

    if relation == SUBSTITUTION:
        for source in places:
            for target in places:
                if counts[source] and target != source:
                    yield moved((source, -1), (target, 1))
    elif sum(counts) == n:
        yield from (moved((place, 1)) for place in places)
    else:
        yield from (moved((place, -1)) for place in places if counts[place])


def pairs(relation: str, n: int, k: int) -> Iterator[tuple[Counts, Counts]]:
    """Iterate over the unordered pairs at size ``n``, each once."""
    for counts in histograms(n, k):
        for other in neighbours(relation, n, counts):
            if relation != SUBSTITUTION or counts < other:
                yield counts, other


def are_neighbours(relation: str, n: int, left: Counts, right: Counts) -> bool:
    """Tell whether two histograms are a pair at size ``n``."""
    sizes = {sum(left), sum(right)}
    if sizes != ({n} if relation == SUBSTITUTION else {n, n + 1}):
        return False
    return right in set(neighbours(relation, n, left))


def balanced(n: int, k: int) -> list[Counts]:
    """Return the histograms whose counts differ by at most one."""
    low, extra = divmod(n, k)
    return [
        tuple(low + (place in chosen) for place in range(k))
        for chosen in combinations(range(k), extra)
    ]
