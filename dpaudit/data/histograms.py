"""Histograms of n records over k categories: the datasets up to the order of their records.

A mechanism that looks at a dataset only through its counts has the same output law on all the
sequences with those counts, so histograms are all the datasets an audit needs (DESIGN: every
mechanism of the notes is of this kind).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb
from typing import overload

from dpaudit.errors import SizeError

__all__ = ["Counts", "Histograms", "balanced_histograms", "hamming_distance"]

Counts = tuple[int, ...]
"""Counts of the categories."""


class Histograms(Sequence[Counts]):
    """All (c₁, …, c_k) with cᵢ ≥ 0 and Σc = n, in lexicographic order.

    >>> list(Histograms(2, 2))
    [(0, 2), (1, 1), (2, 0)]
    >>> len(Histograms(180, 3)), Histograms(180, 3).rank((7, 100, 73))
    (16471, 1346)
    >>> Histograms(180, 3)[1346]
    (7, 100, 73)
    """

    def __init__(self, n: int, k: int) -> None:
        """Take the number of records ``n`` ≥ 0 and of categories ``k`` ≥ 1."""
        if n < 0 or k < 1:
            raise SizeError(f"histograms of n = {n} over k = {k}: n must be ≥ 0 and k ≥ 1")
        self.n = n
        self.k = k

    def __len__(self) -> int:
        """Return the number of histograms, C(n + k − 1, k − 1)."""
        return comb(self.n + self.k - 1, self.k - 1)

    def __iter__(self) -> Iterator[Counts]:
        """Iterate in lexicographic order."""
        return _compositions(self.n, self.k)

    def __contains__(self, counts: object) -> bool:
        """Tell whether ``counts`` is a histogram of this n and k."""
        return (
            isinstance(counts, tuple)
            and len(counts) == self.k
            and all(isinstance(count, int) and count >= 0 for count in counts)
            and sum(counts) == self.n
        )

    def rank(self, counts: Counts) -> int:
        """Return the position of ``counts``; ``SizeError`` if it is not one of these."""
        if counts not in self:
            raise SizeError(f"{counts} is not a histogram of n = {self.n} over k = {self.k}")
        position, remaining = 0, self.n
        for index, count in enumerate(counts[:-1]):
            parts = self.k - index - 1
            # histograms whose next count is smaller: Σ_{v<count} C(remaining − v + parts − 1, ·)
            position += comb(remaining + parts, parts) - comb(remaining - count + parts, parts)
            remaining -= count
        return position

    def index(self, value: Counts, start: int = 0, stop: int | None = None) -> int:
        """Return the position of ``value``, as :meth:`rank`; ``ValueError`` if it is not there."""
        if value in self:
            position = self.rank(value)
            if position in range(*slice(start, stop).indices(len(self))):
                return position
        raise ValueError(f"{value} is not among these histograms")

    def unrank(self, position: int) -> Counts:
        """Return the histogram at ``position``; ``IndexError`` outside 0 … len − 1."""
        if not 0 <= position < len(self):
            raise IndexError(f"position {position} of {len(self)} histograms")
        counts, remaining = [], self.n
        for parts in range(self.k - 1, 1, -1):
            count = 0
            while position >= (block := comb(remaining - count + parts - 1, parts - 1)):
                position -= block
                count += 1
            counts.append(count)
            remaining -= count
        return (self.n,) if self.k == 1 else (*counts, position, remaining - position)

    @overload
    def __getitem__(self, position: int) -> Counts: ...
    @overload
    def __getitem__(self, position: slice) -> list[Counts]: ...
    def __getitem__(self, position: int | slice) -> Counts | list[Counts]:
        """Return the histogram at a position, or those of a slice."""
        if isinstance(position, slice):
            return [self.unrank(index) for index in range(*position.indices(len(self)))]
        return self.unrank(position + len(self) if position < 0 else position)


def _compositions(n: int, k: int) -> Iterator[Counts]:
    counts = [0] * (k - 1) + [n]
    while True:
        yield tuple(counts)
        place = k - 1
        while place and not counts[place]:
            place -= 1
        if not place:
            return
        moved, counts[place] = counts[place], 0
        counts[place - 1] += 1
        counts[-1] = moved - 1


def balanced_histograms(n: int, k: int) -> list[Counts]:
    """Return the histograms whose counts differ by at most one: C(k, n mod k) of them.

    >>> balanced_histograms(3, 2)
    [(1, 2), (2, 1)]
    """
    low, extra = divmod(n, k)
    if extra == 0:
        return [(low,) * k]
    return [
        tuple(low + step for step in steps) for steps in _compositions(extra, k) if max(steps) == 1
    ]


def hamming_distance(left: Counts, right: Counts) -> int:
    """Return how many records must be substituted to turn one histogram into the other.

    That is ½·‖left − right‖₁ for histograms of the same total; ``SizeError`` for others.

    >>> hamming_distance((3, 0, 1), (1, 2, 1))
    2
    """
    if len(left) != len(right) or sum(left) != sum(right):
        raise SizeError(f"{left} and {right} are not histograms of the same n and k")
    return sum(max(a - b, 0) for a, b in zip(left, right, strict=True))
