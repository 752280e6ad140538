"""All histograms of one size as arrays: counts, ranks, single moves, and permutation orbits.

Rows follow the lexicographic order of :class:`~dpaudit.data.histograms.Histograms`, so that a row
number is a rank.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.intp]

__all__ = [
    "Moves",
    "Orbits",
    "histogram_array",
    "interchangeable",
    "move_orbits",
    "orbits",
    "rank_array",
]


def histogram_array(n: int, k: int) -> Whole:
    """Return the histograms of ``n`` records over ``k`` categories, one a row, in order.

    >>> histogram_array(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    rows = np.zeros((1, 0), dtype=np.intp)
    remaining = np.full(1, n, dtype=np.intp)
    for _ in range(k - 1):
        copies = remaining + 1
        starts = np.cumsum(copies) - copies
        parent = np.repeat(np.arange(len(rows)), copies)
        count = np.arange(len(parent)) - starts[parent]
        rows = np.column_stack([rows[parent], count])
        remaining = remaining[parent] - count
    return np.column_stack([rows, remaining])


def rank_array(counts: Whole) -> Whole:
    """Return the rank of every row of ``counts`` among the histograms of its total.

    >>> rank_array(histogram_array(7, 4)).tolist() == list(range(120))
    True
    """
    k = counts.shape[1]
    n = int(counts[0].sum())
    position = np.zeros(len(counts), dtype=np.intp)
    remaining = np.full(len(counts), n, dtype=np.intp)
    for index in range(k - 1):
        parts = k - index - 1
        # Histograms with a smaller count at this place come before.
        below = np.array([comb(m + parts, parts) for m in range(n + 1)], dtype=np.intp)
        position += below[remaining] - below[remaining - counts[:, index]]
        remaining = remaining - counts[:, index]
    return position


@dataclass(frozen=True)
class Moves:
    """Every pair of histograms that differ by one substituted record, each once.

    A pair is a histogram of n − 1 records, the records both share, and two categories i < j for
    the one they do not: C(n + k − 2, k − 1)·C(k, 2) pairs.
    """

    ranks: Whole
    """0, 1, …: the ranks of all histograms."""
    ends: tuple[Whole | slice, ...]
    """ranks[ends[i]][b] is the rank of the b-th histogram of n − 1 records, one of i added."""
    categories: tuple[tuple[int, int], ...]
    """The pairs (i, j) of categories, i < j.

    The histogram with the record in category j comes before the one with it in category i.
    """

    @classmethod
    def of(cls, n: int, k: int) -> Moves:
        """Return the moves between histograms of ``n`` ≥ 1 records over ``k`` ≥ 2 categories."""
        ranks = np.arange(comb(n + k - 1, k - 1))
        if k == 2:
            return cls(ranks, (slice(1, n + 1), slice(n)), ((0, 1),))
        shared = histogram_array(n - 1, k)
        ends = []
        for category in range(k):
            grown = shared.copy()
            grown[:, category] += 1
            ends.append(rank_array(grown))
        pairs = tuple((i, j) for i in range(k) for j in range(i + 1, k))
        return cls(ranks, tuple(ends), pairs)

    @property
    def pair_count(self) -> int:
        """Number of pairs, by count."""
        return sum(len(self.ranks[self.ends[i]]) for i, _ in self.categories)

    @property
    def shared_count(self) -> int:
        """Number of histograms of n − 1 records, by count."""
        return len(self.ranks[self.ends[0]])


def interchangeable(labels: Sequence[Hashable]) -> tuple[tuple[int, ...], ...]:
    """Return the groups of positions that carry equal labels: permutations within them are free.

    >>> interchangeable((1, 2, 1))
    ((0, 2), (1,))
    """
    groups: dict[Hashable, list[int]] = {}
    for position, label in enumerate(labels):
        groups.setdefault(label, []).append(position)
    return tuple(tuple(group) for group in groups.values())


@dataclass(frozen=True)
class Orbits:
    """The histograms of one size, sorted into classes by permutations of some categories."""

    of: Whole
    """The number of its orbit, for every histogram."""
    representatives: Whole
    """The rank of one histogram of every orbit."""
    sizes: Whole
    """Number of histograms in each orbit."""


def orbits(counts: Whole, groups: tuple[tuple[int, ...], ...]) -> Orbits:
    """Return the orbits of the rows of ``counts`` under permutations within each of ``groups``.

    >>> found = orbits(histogram_array(2, 2), ((0, 1),))
    >>> found.of.tolist(), found.representatives.tolist(), found.sizes.tolist()
    ([0, 1, 0], [0, 1], [2, 1])
    """
    if all(len(group) == 1 for group in groups):
        everything = np.arange(len(counts))
        return Orbits(everything, everything, np.ones(len(counts), dtype=np.intp))
    if counts.shape[1] == 2:  # (a, b) and (b, a), by the rank of the first
        n = len(counts) - 1
        ranks = np.arange(n + 1)
        half = n // 2 + 1
        sizes = np.full(half, 2)
        sizes[n // 2] = 2 if n % 2 else 1
        return Orbits(np.minimum(ranks, n - ranks), ranks[:half], sizes)
    canonical = counts.copy()
    for group in groups:
        columns = list(group)
        canonical[:, columns] = np.sort(counts[:, columns], axis=1)
    representatives, of, sizes = np.unique(
        rank_array(canonical), return_inverse=True, return_counts=True
    )
    return Orbits(of.reshape(-1), representatives, sizes)


def move_orbits(moves: Moves, n: int, groups: tuple[tuple[int, ...], ...]) -> tuple[Whole, Whole]:
    """Return the number of the orbit of every pair, taken in order and in reverse.

    Ordered pairs (x, y) and (x′, y′) share an orbit if a permutation within ``groups`` carries x to
    x′ and y to y′.  That is so exactly if the records they share do, by a permutation that carries
    the category of the one other record in x to that in x′, and the same for y: so an orbit is that
    of the shared histogram, and for both categories the group and the count.

    The arrays have a row for each pair of categories and a column for each shared histogram; the
    first is about (earlier, later), the second about (later, earlier).
    """
    shape = (len(moves.categories), moves.shared_count)
    if all(len(group) == 1 for group in groups):
        forward = np.arange(shape[0] * shape[1]).reshape(shape)
        return forward, forward + forward.size
    k = len(moves.ends)
    if k == 2:  # exchanged, the pair of ranks (b, b + 1) is (n − b, n − b − 1)
        forward = np.arange(n).reshape(shape)
        return forward, n - 1 - forward
    shared = histogram_array(n - 1, k)
    of = orbits(shared, groups).of
    group_of = {category: number for number, group in enumerate(groups) for category in group}
    marks = [shared[:, category] * len(groups) + group_of[category] for category in range(k)]
    radix = n * len(groups)
    keys = np.empty((2, *shape), dtype=np.intp)
    for row, (i, j) in enumerate(moves.categories):
        keys[0, row] = (of * radix + marks[j]) * radix + marks[i]
        keys[1, row] = (of * radix + marks[i]) * radix + marks[j]
    _, numbers = np.unique(keys, return_inverse=True)
    numbers = numbers.reshape(keys.shape)
    return numbers[0], numbers[1]
