"""Selection among queries a second time: softmax, sums over subsets, and integrals by quadrature.

McSherry and Talwar 2007; McKenna and Sheldon 2020; Dwork and Roth 2014, §3.3; Ding, Kifer et al.
2021.  The output is the index of a query, from 0.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import comb, prod
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.integrals import laplace_below, laplace_density, nodes
from dpaudit.recheck.queries import DENSITY, Cell, OverQueries, cells

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.recheck.integrals import Nodes
    from dpaudit.recheck.queries import Table, Vector

__all__ = [
    "ExponentialMechanism",
    "PermuteAndFlip",
    "RNMExponential",
    "RNMGumbel",
    "RNMLaplace",
    "RNMLaplaceValue",
]

_MOST_TERMS = 1 << 18


class _Selection(OverQueries):
    """What is chosen depends on the differences to the largest answer alone."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Take the parameters as a report shows them."""
        super().__init__(parameters)
        self._chances: dict[tuple[Vector, int], dict[int, mpf]] = {}

    def output_count(self, n: int) -> int:
        return n

    def output(self, shown: Any) -> int:
        if type(shown) is not int:
            raise ValueError(f"{shown} is no index of a query")
        return shown

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

    def chances(self, answers: Counter[int]) -> dict[int, mpf]:
        weights = {answer: mp.exp(self.half * answer) for answer in answers}
        total = mp.fsum(times * weights[answer] for answer, times in answers.items())
        return {answer: weight / total for answer, weight in weights.items()}


class RNMGumbel(ExponentialMechanism):
    """The largest of answers with Gumbel noise, which has the same law."""


class PermuteAndFlip(_Selection):
    """P(i) = p_i·Σ over S of (−1)^|S|/(|S| + 1)·Π p_j, S the sets of other queries."""

    def chances(self, answers: Counter[int]) -> dict[int, mpf]:
        flips = {answer: mp.exp(self.half * answer) for answer in answers}
        return {own: flips[own] * self._others(answers - Counter([own]), flips) for own in answers}

    def _others(self, others: Counter[int], flips: dict[int, mpf]) -> mpf:
        """Add up over how many queries of every answer are in the set."""
        if prod(times + 1 for times in others.values()) > _MOST_TERMS:
            raise UnknownDefinitionError("there are too many sets of queries")
        total = mpf(0)
        for taken in product(*(range(times + 1) for times in others.values())):
            size = sum(taken)
            term = mpf((-1) ** size) / (size + 1)
            for (answer, times), chosen in zip(others.items(), taken, strict=True):
                term *= comb(times, chosen) * flips[answer] ** chosen
            total += term
        return total


class _NoisyMax(_Selection):
    """P(i) = ∫ f(z − q_i)·Π F(z − q_j) dz."""

    def chances(self, answers: Counter[int]) -> dict[int, mpf]:
        many = sum(answers.values())
        found = {}
        mesh = self.nodes(sorted(answers), many)
        below = {a: [self.below(z - a) for z, _ in mesh] for a in answers}
        for own in answers:
            others = answers - Counter([own])
            parts = (
                weight
                * self.density(z - own)
                * mp.fprod(below[a][place] ** times for a, times in others.items())
                for place, (z, weight) in enumerate(mesh)
            )
            found[own] = mp.fsum(parts)
        return found

    def nodes(self, answers: list[int], many: int) -> Nodes:
        """Return where the integrand is looked at."""
        raise NotImplementedError

    def density(self, z: mpf) -> mpf:
        """Return f(z)."""
        raise NotImplementedError

    def below(self, z: mpf) -> mpf:
        """Return F(z)."""
        raise NotImplementedError


class RNMLaplace(_NoisyMax):
    """Noise Lap(2Δ/ε)."""

    def nodes(self, answers: list[int], many: int) -> Nodes:
        return nodes([mpf(a) for a in answers], self.half, many, many * self.half)

    def density(self, z: mpf) -> mpf:
        return laplace_density(self.half, z)

    def below(self, z: mpf) -> mpf:
        return laplace_below(self.half, z)


class RNMExponential(_NoisyMax):
    """Noise Expo(2Δ/ε): nothing can win below the largest answer."""

    def nodes(self, answers: list[int], many: int) -> Nodes:
        return nodes([mpf(answers[-1])], self.half, many, mpf(0), left=False)

    def density(self, z: mpf) -> mpf:
        return self.half * mp.exp(-self.half * z)

    def below(self, z: mpf) -> mpf:
        return -mp.expm1(-self.half * z)


class RNMLaplaceValue(OverQueries):
    """The largest noisy answer itself, by the cell it lies in: P(max ≤ z) = Π F(z − q_i)."""

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

    def output(self, shown: Any) -> str:
        return str(shown)

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
