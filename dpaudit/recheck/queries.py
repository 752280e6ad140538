"""Mechanisms over the answers of n queries: their datasets, neighbours, and printed answers."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.definition import Listed, Parametrised, hold
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.histograms import RELATIONS
from dpaudit.recheck.numbers import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["DENSITY", "QUERY_WHOLES", "Cell", "OverQueries", "Table", "Vector", "cells"]

Vector = tuple[int, ...]
Table = dict[Any, mpf]

QUERY_WHOLES = {"low": (-(10**6), 10**6), "high": (-(10**6), 10**6)}
DENSITY = "the upper ends come of a bound on densities, and the pair shown does not confirm them"
_MOST_OUTPUTS = 1 << 16
_KEPT = 2000


class OverQueries(Listed, Parametrised):
    """A mechanism that sees n whole answers; its noise has rates in proportion to ε/Δ."""

    numbers = ("epsilon", "sensitivity")
    wholes: ClassVar = QUERY_WHOLES
    relations = ("unit-moves", "unit-moves-one-sign", "patterns")

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        hold(self.whole("low") < self.whole("high"), "low is not below high")
        self._laws: dict[tuple[Vector, int], Table] = {}

    @property
    def rate(self) -> mpf:
        """ε/Δ."""
        return self.number("epsilon") / self.number("sensitivity")

    def table(self, answers: Vector) -> Table:
        """Return the probability of every output."""
        raise NotImplementedError

    def law(self, answers: Vector) -> Table:
        """Return :meth:`table`, kept for a while."""
        key = answers, mp.prec
        if key not in self._laws:
            if (self.output_count(len(answers)) or 0) > _MOST_OUTPUTS:
                raise UnknownDefinitionError("there are too many outputs to list")
            if len(self._laws) >= _KEPT:
                self._laws.clear()
            self._laws[key] = self.table(answers)
        return self._laws[key]

    # -- the datasets

    def dataset(self, shown: Any, n: int) -> Vector:
        whole = isinstance(shown, tuple) and all(type(part) is int for part in shown)
        if not whole or len(shown) != n:
            raise ValueError(f"{shown} is no list of {n} answers")
        return tuple(shown)

    def counts(self, n: int, relation: str, at: str | None) -> tuple[int, int]:
        if relation == "patterns":
            datasets = len({vector for pair in _patterns(n) for vector in pair})
            return datasets, len(self.pairs(n, relation, at))
        many = len(self._range()) ** n
        if at is not None:
            return many, len(self.pairs(n, relation, at))
        near = [(a, b) for a in self._range() for b in self._near(a)]
        if relation == "unit-moves":
            return many, (len(near) ** n - many) // 2
        # Of two neighbours one is below: each of its entries stays, or moves up.
        return many, sum(a <= b for a, b in near) ** n - many

    def adjacent(self, x: Vector, y: Vector, n: int, relation: str) -> bool:
        if relation == "patterns":
            return (x, y) in _patterns(n) or (y, x) in _patterns(n)
        inside = all(answer in self._range() for answer in (*x, *y))
        return inside and RELATIONS[relation](x, y)

    def pairs(self, n: int, relation: str, at: str | None) -> list[tuple[Vector, Vector]]:
        if relation == "patterns":
            found = set(_patterns(n))
            return [pair for pair in found if at is None or self._chosen(n, at) in pair]
        if at is None:
            vectors: Iterator[Vector] = product(self._range(), repeat=n)
            near = ((x, y) for x in vectors for y in self._around(x) if x < y)
        else:
            only = self._chosen(n, at)
            near = ((only, y) for y in self._around(only) if y != only)
        return [pair for pair in near if RELATIONS[relation](*pair)]

    def _around(self, x: Vector) -> Iterator[Vector]:
        return product(*(self._near(answer) for answer in x))

    def _near(self, answer: int) -> list[int]:
        return [near for near in (answer - 1, answer, answer + 1) if near in self._range()]

    def _range(self) -> range:
        return range(self.whole("low"), self.whole("high") + 1)

    def _chosen(self, n: int, at: str) -> Vector:
        only = whole_numbers(at)
        if len(only) != n:
            raise ValueError(f"not {n} answers")
        return only


def _patterns(n: int) -> list[tuple[Vector, Vector]]:
    """Return the pairs of Ding, Wang, Wang, Zhang and Kifer 2018, Table 1, for n ≥ 2 queries."""
    if n < 2:
        return []
    same, half = (1,) * n, n // 2
    others = [
        (first, *(rest,) * (n - 1))
        for first, rest in ((0, 1), (2, 1), (2, 0), (0, 2), (2, 2), (0, 0))
    ]
    others.append((2,) * half + (0,) * (n - half))
    crossed = tuple(int(place < half) for place in range(n))
    pairs = [(same, other) for other in others]
    pairs.append((crossed, tuple(1 - bit for bit in crossed)))
    return list(dict.fromkeys(pairs))


class Cell(NamedTuple):
    """An open interval between two integers, through which a printed number is seen."""

    low: int | None
    """None is −∞."""
    high: int | None
    """None is ∞."""

    @property
    def text(self) -> str:
        """The cell as reports show it."""
        low = "-∞" if self.low is None else self.low
        return f"({low},{'∞' if self.high is None else self.high})"


def cells(low: int, high: int) -> list[Cell]:
    """Return the cells between the integers that answers, and those of the patterns, can be."""
    edges = range(min(low, 0), max(high, 2) + 1)
    return [Cell(*ends) for ends in pairwise([None, *edges, None])]
