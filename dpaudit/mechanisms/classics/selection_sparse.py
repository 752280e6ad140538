"""Above-threshold and the sparse vector technique, in the six variants of Lyu, Su and Li (2017).

Each noisy answer is compared with a noisy threshold T + ρ.  Given ρ the comparisons are
independent, so the probability of an answer string is an integral over ρ of a product of
distribution functions, a closed form.  It depends only on how many queries of which answer were
found above and below, so few integrals serve all datasets.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import ClassVar

from dpaudit.data.queries import Vector
from dpaudit.laws.closed import ClosedForm, ClosedMass
from dpaudit.laws.density_cells import ANYWHERE, CELL_NOTE, Cell, CellLaw, cells
from dpaudit.laws.noise import Laplace, Noise, NoNoise
from dpaudit.mechanisms.classics.selection_base import (
    CUTOFF,
    QUERY_PARAMETERS,
    THRESHOLD,
    QueryMechanism,
)
from dpaudit.numbers.expsum import EXPSUM_ONE, ExpSum
from dpaudit.numbers.piecewise import Piecewise, constant
from dpaudit.numbers.real import rational

__all__ = ["SVT1", "SVT2", "SVT3", "SVT4", "SVT5", "SVT6", "AboveThreshold"]

ROW = ("sparse vector", "AboveThreshold SVT1 SVT2 SVT3 SVT4 SVT5 SVT6")


@dataclass(frozen=True, slots=True)
class Answer:
    """Output for one query: ⊤ or ⊥, or the noisy answer."""

    text: str
    above: bool
    """True if the noisy answer is at least the noisy threshold."""
    cell: Cell = ANYWHERE
    """Cell of the noisy answer − T, if that is printed."""

    def given_threshold(self, nu: Noise, gap: Fraction) -> Piecewise:
        """Return z ↦ the probability of this answer, with q − T = ``gap``, where ρ = z."""
        below = nu.cdf(gap)
        if not self.above:
            return below
        low, high = self.cell.low, self.cell.high
        if low is None and high is None:
            return nu.survival(gap)
        top = EXPSUM_ONE if high is None else below.at(high)
        part = (nu.survival(gap) + constant(top - EXPSUM_ONE)).between(low, high)
        if low is None:
            return part
        return part + constant(top - below.at(low)).between(None, low)


ABOVE, BELOW = Answer("⊤", True), Answer("⊥", False)

Comparisons = tuple[tuple[Fraction, Answer], ...]
"""(q − T, what was printed) of queries compared with one noisy threshold, in one order."""


@dataclass(frozen=True)
class SparseVector(QueryMechanism):
    """A string of ⊤ and ⊥, one for each query up to the last that is answered."""

    parameters = (*QUERY_PARAMETERS, THRESHOLD)

    threshold: Fraction

    fresh_threshold: ClassVar[bool] = False
    """True if ρ is drawn anew after each ⊤."""

    @property
    def cutoff(self) -> int | None:
        """Number of ⊤ that end the run; None for no limit."""
        return None

    @abstractmethod
    def noises(self) -> tuple[Laplace, Noise]:
        """Return the noise of the threshold and of an answer."""

    def above(self) -> tuple[Answer, ...]:
        """Return what can be printed for an answer above the threshold."""
        return (ABOVE,)

    def output_count(self, n: int) -> int:
        """Return the number of strings; some may be impossible for some data."""
        c, ways = self.cutoff, len(self.above())
        if c is None or c > n:
            return int((1 + ways) ** n)
        unfinished = sum(comb(n, above) * ways**above for above in range(c))
        finished = sum(comb(last - 1, c - 1) for last in range(c, n + 1))
        return int(unfinished + finished * ways**c)

    def forms(self, answers: Vector) -> dict[Hashable, ClosedForm]:
        rho, nu = self.noises()
        gaps = tuple(value - self.threshold for value in answers)
        found: dict[Hashable, ClosedForm] = {}
        for output in _strings(len(answers), (*self.above(), BELOW), self.cutoff):
            product = EXPSUM_ONE
            for part in _parts(gaps, output, self.fresh_threshold):
                product = product * _probability(rho, nu, part)
            found["".join(answer.text for answer in output)] = ClosedForm(product, self.rate)
        return found


def _strings(
    n: int, answers: tuple[Answer, ...], cutoff: int | None, start: tuple[Answer, ...] = ()
) -> Iterator[tuple[Answer, ...]]:
    """Iterate over the answer strings: of length n, or ended by the last ⊤ allowed."""
    if len(start) == n or (cutoff is not None and sum(a.above for a in start) == cutoff):
        yield start
        return
    for answer in answers:
        yield from _strings(n, answers, cutoff, (*start, answer))


def _parts(
    gaps: tuple[Fraction, ...], output: tuple[Answer, ...], fresh: bool
) -> Iterator[Comparisons]:
    """Iterate over the comparisons that share one noisy threshold."""
    part: list[tuple[Fraction, Answer]] = []
    for gap, answer in zip(gaps, output, strict=False):
        part.append((gap, answer))
        if fresh and answer.above:
            yield _in_order(part)
            part = []
    if part:
        yield _in_order(part)


def _in_order(part: list[tuple[Fraction, Answer]]) -> Comparisons:
    return tuple(sorted(part, key=lambda item: (item[0], item[1].text)))


@lru_cache(maxsize=1 << 15)
def _probability(rho: Laplace, nu: Noise, part: Comparisons) -> ExpSum:
    """Return ∫ f(z)·Π P(what was printed for q | z) dz, f the density of ρ."""
    return _integrand(rho, nu, part).integral()


@lru_cache(maxsize=1 << 15)
def _integrand(rho: Laplace, nu: Noise, part: Comparisons) -> Piecewise:
    if not part:
        return rho.density(0)
    gap, answer = part[-1]
    return _integrand(rho, nu, part[:-1]) * answer.given_threshold(nu, gap)


@dataclass(frozen=True)
class CutOff(SparseVector):
    """A sparse vector that ends after c answers of ⊤."""

    parameters = (*QUERY_PARAMETERS, THRESHOLD, CUTOFF)

    c: int

    @property
    def cutoff(self) -> int | None:
        return self.c


_LYU = "Lyu, Su and Li 2017, Alg. {}"


class SVT1(CutOff):
    """Sparse vector as Lyu, Su and Li propose it."""

    name = "SVT1"
    source = _LYU.format(1)
    definition = "⊤ if q_i + Lap(4cΔ/ε) ≥ T + ρ, else ⊥; ρ = Lap(2Δ/ε); ends after c times ⊤"
    guarantee = "ε (proved in the source)"

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2)), Laplace(Fraction(1, 4 * self.c))


class SVT2(CutOff):
    """Sparse vector of Dwork and Roth: a fresh noisy threshold after each ⊤."""

    name = "SVT2"
    source = _LYU.format(2) + ", after Dwork and Roth 2014, §3.6"
    definition = "⊤ if q_i + Lap(4cΔ/ε) ≥ T + ρ, else ⊥; ρ = Lap(2cΔ/ε), anew after each ⊤; c times"
    guarantee = "ε"
    fresh_threshold = True

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2 * self.c)), Laplace(Fraction(1, 4 * self.c))


class SVT3(CutOff):
    """Sparse vector that prints the noisy answers above the threshold."""

    name = "SVT3"
    source = _LYU.format(3) + ", after Roth's lecture notes of 2011"
    definition = (
        "a = q_i + Lap(2cΔ/ε) is printed if a ≥ T + ρ, audited by the cell it lies in, else ⊥; "
        "ρ = Lap(2Δ/ε); ends after c numbers"
    )
    guarantee = "ε (claimed; Lyu, Su and Li show that no ε holds for all n)"
    disagreements = CELL_NOTE

    def noises(self) -> tuple[Laplace, Laplace]:
        return Laplace(Fraction(1, 2)), Laplace(Fraction(1, 2 * self.c))

    def above(self) -> tuple[Answer, ...]:
        return tuple(
            Answer(cell.text, True, cell.shifted(-self.threshold))
            for cell in cells(self.low, self.high)
        )

    def law_of(self, masses: dict[Hashable, ClosedMass], answers: Vector) -> CellLaw:
        _, nu = self.noises()
        return CellLaw(masses, answers, self.rate * rational(nu.kappa), self._moves)

    def _moves(self, x: Vector, y: Vector) -> int:
        """Return the most that a string gives: |x_i − y_i| for a number, max(0, y_i − x_i) for ⊥.

        ``best[k]`` is the most after the queries so far with k numbers printed.
        """
        best = {0: 0}
        finished = 0
        for a, b in zip(x, y, strict=True):
            longer: dict[int, int] = {}
            for printed, total in best.items():
                longer[printed] = max(longer.get(printed, 0), total + max(0, b - a))
                if printed + 1 == self.c:
                    finished = max(finished, total + abs(b - a))
                else:
                    more = longer.get(printed + 1, 0)
                    longer[printed + 1] = max(more, total + abs(b - a))
            best = longer
        return max(finished, *best.values())


class SVT4(CutOff):
    """Sparse vector whose noise on the answers does not grow with c."""

    name = "SVT4"
    source = _LYU.format(4) + ", after Lee and Clifton 2014"
    definition = "⊤ if q_i + Lap(4Δ/(3ε)) ≥ T + ρ, else ⊥; ρ = Lap(4Δ/ε); ends after c times ⊤"
    guarantee = "ε (claimed; Lyu, Su and Li show (1 + 6c)/4·ε)"

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 4)), Laplace(Fraction(3, 4))


class SVT5(SparseVector):
    """Sparse vector without noise on the answers, and without an end."""

    name = "SVT5"
    source = _LYU.format(5) + ", after Stoddard, Chen and Machanavajjhala 2014"
    definition = "⊤ if q_i ≥ T + ρ, else ⊥; ρ = Lap(2Δ/ε)"
    guarantee = "ε (claimed; Lyu, Su and Li show that no ε holds)"

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2)), NoNoise()


class SVT6(SparseVector):
    """Sparse vector that never ends."""

    name = "SVT6"
    source = _LYU.format(6) + ", after Chen, Xiao, Zhang and Xu 2015"
    definition = "⊤ if q_i + Lap(2Δ/ε) ≥ T + ρ, else ⊥; ρ = Lap(2Δ/ε)"
    guarantee = "ε (claimed; Lyu, Su and Li show that no ε holds for all n)"

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2)), Laplace(Fraction(1, 2))


class AboveThreshold(SparseVector):
    """Above threshold: ⊥ until the first noisy answer above the noisy threshold."""

    name = "AboveThreshold"
    source = "Dwork and Roth 2014, §3.6, Alg. 1"
    definition = "⊤ and stop if q_i + Lap(4Δ/ε) ≥ T + ρ, else ⊥; ρ = Lap(2Δ/ε)"
    guarantee = "ε"

    @property
    def cutoff(self) -> int | None:
        return 1

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2)), Laplace(Fraction(1, 4))
