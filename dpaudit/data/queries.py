"""Query vectors: the answers of n queries, and which vectors are neighbours.

A dataset enters a selection mechanism only through the answers to its queries, each of which one
record can change by at most 1.  Three relations, written out, for integer vectors x and y of n
entries:

* unit moves:  x ≠ y and |xᵢ − yᵢ| ≤ 1 for every i, over all vectors with entries in a range;
* unit moves of one sign:  the same with all xᵢ − yᵢ ≥ 0 or all ≤ 0, as when a record comes or goes;
* patterns:    the pairs of vectors, with entries 0, 1 and 2, that testers of such mechanisms try
  (Ding, Wang, Wang, Zhang and Kifer 2018, "Detecting violations of differential privacy").
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from dpaudit.data.adjacency import Adjacency
from dpaudit.data.neighbouring import UNIT_MOVES, UNIT_MOVES_ONE_SIGN
from dpaudit.errors import SizeError

__all__ = ["Patterns", "QueryVectors", "UnitMoves", "UnitMovesOneSign", "Vector", "pattern_pairs"]

Vector = tuple[int, ...]
"""The answers of the queries."""


class QueryVectors:
    """All vectors of n integers from low to high, in lexicographic order.

    >>> list(QueryVectors(2, 0, 1))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    def __init__(self, n: int, low: int, high: int) -> None:
        """Take the number of queries n ≥ 1 and the range of their answers, low < high."""
        if n < 1 or low >= high:
            raise SizeError(f"{n} queries from {low} to {high}: n must be ≥ 1 and low < high")
        self.n = n
        self.values = range(low, high + 1)

    def __len__(self) -> int:
        """Return (high − low + 1)^n."""
        return int(len(self.values) ** self.n)

    def __iter__(self) -> Iterator[Vector]:
        """Iterate in lexicographic order."""
        return product(self.values, repeat=self.n)

    def __contains__(self, vector: object) -> bool:
        """Tell whether ``vector`` is one of these."""
        return (
            isinstance(vector, tuple)
            and len(vector) == self.n
            and all(isinstance(value, int) and value in self.values for value in vector)
        )


class UnitMoves(Adjacency[Vector]):
    """Every query moves by at most 1, all at once and in any direction."""

    name = UNIT_MOVES.name

    def __init__(self, low: int, high: int) -> None:
        """Take the range of the answers, low < high."""
        self.low = low
        self.high = high

    def datasets(self, n: int) -> QueryVectors:
        return QueryVectors(n, self.low, self.high)

    def dataset_count(self, n: int) -> int:
        """Return m^n for m answers."""
        return len(self.datasets(n))

    def pair_count(self, n: int) -> int:
        """Return ((3m − 2)^n − m^n)/2 for m answers: each entry stays, or moves to a neighbour."""
        m = len(self.datasets(n).values)
        return int(((3 * m - 2) ** n - m**n) // 2)

    def pairs(self, n: int) -> Iterator[tuple[Vector, Vector]]:
        """Iterate over the pairs (x, y) with x before y in lexicographic order.

        >>> list(UnitMoves(0, 1).pairs(1))
        [((0,), (1,))]
        """
        values = self.datasets(n).values
        near = {v: [u for u in (v - 1, v, v + 1) if u in values] for v in values}
        for x in self.datasets(n):
            for y in product(*(near[value] for value in x)):
                if x < y:
                    yield x, y

    def adjacent(self, left: Vector, right: Vector) -> bool:
        """Tell whether the vectors differ, and nowhere by more than 1."""
        return UNIT_MOVES.adjacent(left, right)


class UnitMovesOneSign(UnitMoves):
    """Every query moves by at most 1, and all that move in one direction."""

    name = UNIT_MOVES_ONE_SIGN.name

    def pair_count(self, n: int) -> int:
        """Return (2m − 1)^n − m^n for m answers: each entry of the lower vector stays, or rises."""
        m = len(self.datasets(n).values)
        return int((2 * m - 1) ** n - m**n)

    def pairs(self, n: int) -> Iterator[tuple[Vector, Vector]]:
        """Iterate over the pairs (x, y) with x below y in every entry.

        >>> list(UnitMovesOneSign(0, 1).pairs(2))[:3]
        [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 0), (1, 1))]
        """
        values = self.datasets(n).values
        for x in self.datasets(n):
            for y in product(*([v, v + 1] if v + 1 in values else [v] for v in x)):
                if x != y:
                    yield x, y

    def adjacent(self, left: Vector, right: Vector) -> bool:
        """Tell whether the vectors differ by unit moves of one sign."""
        return UNIT_MOVES_ONE_SIGN.adjacent(left, right)


def pattern_pairs(n: int) -> dict[str, tuple[Vector, Vector]]:
    """Return the patterns for n ≥ 2 queries by name; h = ⌊n/2⌋ stands for "half".

    Patterns that coincide for small n are given once.

    >>> pattern_pairs(5)["half above, half below"]
    ((1, 1, 1, 1, 1), (2, 2, 0, 0, 0))
    """
    if n < 2:
        raise SizeError(f"n = {n}: the patterns need at least 2 queries")
    half = n // 2
    ones = (1,) * n
    named = {
        "one below": (ones, (0,) + (1,) * (n - 1)),
        "one above": (ones, (2,) + (1,) * (n - 1)),
        "one above, rest below": (ones, (2,) + (0,) * (n - 1)),
        "one below, rest above": (ones, (0,) + (2,) * (n - 1)),
        "half above, half below": (ones, (2,) * half + (0,) * (n - half)),
        "all above": (ones, (2,) * n),
        "all below": (ones, (0,) * n),
        "crossed": ((1,) * half + (0,) * (n - half), (0,) * half + (1,) * (n - half)),
    }
    # Of patterns that coincide the first name stays.
    by_pair = {pair: name for name, pair in reversed(named.items())}
    return {name: pair for name, pair in named.items() if by_pair[pair] == name}


class Patterns(Adjacency[Vector]):
    """The eight worst-case patterns of the field, and no other pairs."""

    name = "patterns"

    def datasets(self, n: int) -> list[Vector]:
        return list(dict.fromkeys(v for pair in pattern_pairs(n).values() for v in pair))

    def dataset_count(self, n: int) -> int:
        """Return the number of different vectors in the patterns."""
        return len(self.datasets(n))

    def pair_count(self, n: int) -> int:
        """Return the number of different patterns: 8 from four queries on."""
        return len(pattern_pairs(n))

    def pairs(self, n: int) -> Iterator[tuple[Vector, Vector]]:
        return iter(pattern_pairs(n).values())

    def adjacent(self, left: Vector, right: Vector) -> bool:
        """Tell whether the two vectors are one of the patterns, in either order."""
        pairs = pattern_pairs(len(left)).values()
        return (left, right) in pairs or (right, left) in pairs
