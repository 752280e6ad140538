"""Mechanisms over the answers of n queries, and selection among them, a second time.

Selection is computed by softmax, sums over subsets, and integrals by quadrature (McSherry and
Talwar 2007; McKenna and Sheldon 2020; Dwork and Roth 2014, §3.3; Ding, Kifer et al. 2021).  Its
output is the index of a query, from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise, product
from math import comb, prod
from typing import Any, ClassVar, NamedTuple

from mpmath import mp, mpf

from dpaudit.recheck.definition import Listed, Parametrised, hold
from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.histograms import RELATIONS
from dpaudit.recheck.integrals import Nodes, laplace_below, laplace_density, nodes
from dpaudit.recheck.numbers import whole_numbers, whole_tuple

__all__ = [
    "DENSITY",
    "QUERY_DEFAULTS",
    "QUERY_WHOLES",
    "Cell",
    "ExponentialMechanism",
    "OverQueries",
    "PermuteAndFlip",
    "RNMExponential",
    "RNMGumbel",
    "RNMLaplace",
    "RNMLaplaceValue",
    "Table",
    "Vector",
    "cells",
]


Vector = tuple[int, ...]
Table = dict[Any, mpf]

QUERY_WHOLES = {"low": (-(10**6), 10**6), "high": (-(10**6), 10**6)}
DENSITY = "the upper ends come from a bound on densities, which the reported pair does not confirm"
_MOST_OUTPUTS = 1 << 16
_KEPT = 2000

QUERY_DEFAULTS = {"epsilon": "4/5", "sensitivity": "1", "low": "-1", "high": "1"}


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

    def dataset(self, reported: Any, n: int) -> Vector:
        if len(whole_tuple(reported, f"{n} answers")) != n:
            raise ValueError(f"{reported} is not a list of {n} answers")
        return tuple(reported)

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
            patterns = set(_patterns(n))
            return [pair for pair in patterns if at is None or self._chosen(n, at) in pair]
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


_MOST_TERMS = 1 << 18


class _Selection(OverQueries):
    """Base of selections that depend on the differences to the largest answer alone."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        self._chances: dict[tuple[Vector, int], dict[int, mpf]] = {}

    def output_count(self, n: int) -> int:
        return n

    def output(self, reported: Any) -> int:
        if type(reported) is not int:
            raise ValueError(f"{reported} is not an index of a query")
        return reported

    def table(self, answers: Vector) -> Table:
        key = tuple(sorted(answer - max(answers) for answer in answers)), mp.prec
        if key not in self._chances:
            self._chances[key] = self.chances(Counter(key[0]))
        return {i: self._chances[key][answer - max(answers)] for i, answer in enumerate(answers)}

    def chances(self, answers: Counter[int]) -> dict[int, mpf]:
        """Return the probability that one query of each answer is chosen; the largest is 0."""
        raise NotImplementedError

    @property
    def half(self) -> mpf:
        """ε/(2Δ)."""
        return self.rate / 2


class ExponentialMechanism(_Selection):
    """P(i) ∝ e^(ε·q_i/(2Δ))."""

    defaults: ClassVar = QUERY_DEFAULTS

    def chances(self, answers: Counter[int]) -> dict[int, mpf]:
        weights = {answer: mp.exp(self.half * answer) for answer in answers}
        total = mp.fsum(times * weights[answer] for answer, times in answers.items())
        return {answer: weight / total for answer, weight in weights.items()}


class RNMGumbel(ExponentialMechanism):
    """The largest of answers with Gumbel noise, which has the same law."""

    defaults: ClassVar = QUERY_DEFAULTS


class PermuteAndFlip(_Selection):
    """P(i) = p_i·Σ over S of (−1)^|S|/(|S| + 1)·Π p_j, S the sets of other queries."""

    defaults: ClassVar = QUERY_DEFAULTS

    def chances(self, answers: Counter[int]) -> dict[int, mpf]:
        flips = {answer: mp.exp(self.half * answer) for answer in answers}
        return {own: flips[own] * self._others(answers - Counter([own]), flips) for own in answers}

    def _others(self, others: Counter[int], flips: dict[int, mpf]) -> mpf:
        """Add up over how many queries of every answer are in the set."""
        # The sum is over every subset: they are counted before it begins.
        if prod(times + 1 for times in others.values()) > _MOST_TERMS:
            raise UnknownDefinitionError("there are too many sets of queries")
        total = mpf(0)
        for included in product(*(range(times + 1) for times in others.values())):
            size = sum(included)
            term = mpf((-1) ** size) / (size + 1)
            for (answer, times), chosen in zip(others.items(), included, strict=True):
                term *= comb(times, chosen) * flips[answer] ** chosen
            total += term
        return total


class _NoisyMax(_Selection):
    """P(i) = ∫ f(z − q_i)·Π F(z − q_j) dz."""

    density: Callable[[mpf, mpf], mpf]
    """f(z) of noise of a rate."""
    below: Callable[[mpf, mpf], mpf]
    """F(z)."""

    def chances(self, answers: Counter[int]) -> dict[int, mpf]:
        many = sum(answers.values())
        result = {}
        mesh = self.nodes(sorted(answers), many)
        below = {a: [self.below(self.half, z - a) for z, _ in mesh] for a in answers}
        for own in answers:
            others = answers - Counter([own])
            parts = (
                weight
                * self.density(self.half, z - own)
                * mp.fprod(below[a][place] ** times for a, times in others.items())
                for place, (z, weight) in enumerate(mesh)
            )
            result[own] = mp.fsum(parts)
        return result

    def nodes(self, answers: list[int], many: int) -> Nodes:
        """Return where the integrand is looked at."""
        raise NotImplementedError


class RNMLaplace(_NoisyMax):
    """Noise Lap(2Δ/ε)."""

    defaults: ClassVar = QUERY_DEFAULTS
    density = staticmethod(laplace_density)
    below = staticmethod(laplace_below)

    def nodes(self, answers: list[int], many: int) -> Nodes:
        return nodes([mpf(a) for a in answers], self.half, many, many * self.half)


class RNMExponential(_NoisyMax):
    """Noise Expo(2Δ/ε): nothing can win below the largest answer."""

    defaults: ClassVar = QUERY_DEFAULTS
    density = staticmethod(lambda rate, z: rate * mp.exp(-rate * z))
    below = staticmethod(lambda rate, z: -mp.expm1(-rate * z))

    def nodes(self, answers: list[int], many: int) -> Nodes:
        return nodes([mpf(answers[-1])], self.half, many, mpf(0), left=False)


class RNMLaplaceValue(OverQueries):
    """The largest noisy answer itself, by the cell it lies in: P(max ≤ z) = Π F(z − q_i)."""

    defaults: ClassVar = QUERY_DEFAULTS
    density_bound = DENSITY

    def loss_bound(self, x: Vector, y: Vector) -> mpf:
        """Return the bound for Σ over i of f(z − q_i)·Π over j ≠ i of F(z − q_j).

        For one i, f gives at most e^(rate·|x_i − y_i|) and an F only where its answer rises.
        """
        rises = [max(0, b - a) for a, b in zip(x, y, strict=True)]
        falls = [max(0, a - b) for a, b in zip(x, y, strict=True)]
        return self.rate / 2 * (sum(rises) + max(falls))

    def output_count(self, n: int) -> int:
        return len(self._cells())

    def output(self, reported: Any) -> str:
        return str(reported)

    def table(self, answers: Vector) -> Table:
        return {
            cell.text: self._below(answers, cell.high) - self._below(answers, cell.low, mpf(0))
            for cell in self._cells()
        }

    def _cells(self) -> list[Cell]:
        return cells(self.whole("low"), self.whole("high"))

    def _below(self, answers: Vector, end: int | None, endless: mpf | int = 1) -> mpf:
        if end is None:
            return mpf(endless)
        return mp.fprod(laplace_below(self.rate / 2, mpf(end - answer)) for answer in answers)
