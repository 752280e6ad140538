"""Selecting the query with the largest answer: the exponential mechanism and its relatives.

The output is the index (from 0) of one of n queries.  Every probability is exact, a quotient of
exponential sums in t = e^(−ε/Δ).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from dpaudit.data.queries import Vector
from dpaudit.laws.closed import ClosedForm, ClosedMass
from dpaudit.laws.density_cells import CELL_NOTE, CellLaw, cells
from dpaudit.laws.noise import ContinuousNoise, Exponential, Laplace, gumbel_weights
from dpaudit.mechanisms.classics.selection_base import QueryMechanism
from dpaudit.numbers.expsum import EXPSUM_ONE, EXPSUM_ZERO, ExpSum
from dpaudit.numbers.piecewise import ONE_EVERYWHERE, Piecewise
from dpaudit.numbers.real import rational

__all__ = [
    "ExponentialMechanism",
    "PermuteAndFlip",
    "RNMExponential",
    "RNMGumbel",
    "RNMLaplace",
    "RNMLaplaceValue",
]

ROW = (
    "selection among queries",
    "ExponentialMechanism PermuteAndFlip RNMLaplace RNMExponential RNMGumbel RNMLaplaceValue",
)

HALF = Fraction(1, 2)


class Selection(QueryMechanism):
    """One of n queries, chosen with regard to the answers alone."""

    def output_count(self, n: int) -> int:
        return n

    def forms(self, answers: Vector) -> dict[Hashable, ClosedForm]:
        top = max(answers)
        relative = [value - top for value in answers]  # only differences matter
        return {
            index: self.form(value, tuple(sorted(relative[:index] + relative[index + 1 :])))
            for index, value in enumerate(relative)
        }

    @abstractmethod
    def form(self, own: int, others: tuple[int, ...]) -> ClosedForm:
        """Return the probability that the query with answer ``own`` beats the ``others``."""


class ExponentialMechanism(Selection):
    """The exponential mechanism with the answers as scores."""

    name = "ExponentialMechanism"
    source = "McSherry and Talwar 2007"
    definition = "P(i) ∝ exp(ε·q_i/(2Δ))"
    guarantee = "ε"

    def form(self, own: int, others: tuple[int, ...]) -> ClosedForm:
        weight, *rest = gumbel_weights((own, *others), HALF)
        return ClosedForm(weight, self.rate, sum(rest, weight))


class RNMGumbel(ExponentialMechanism):
    """Report noisy max with Gumbel noise: the exponential mechanism in another guise."""

    name = "RNMGumbel"
    source = "Durfee and Rogers 2019, Lemma 4.2"
    definition = "argmax_i q_i + Gumbel(2Δ/ε) = softmax of ε·q_i/(2Δ)"


class PermuteAndFlip(Selection):
    """Permute-and-flip: queries in random order, each taken with probability e^(ε(q−q*)/(2Δ))."""

    name = "PermuteAndFlip"
    source = "McKenna and Sheldon 2020, Alg. 1"
    definition = "P(i) = p_i·∫₀¹ Π_{j≠i} (1 − x·p_j) dx, p_i = exp(ε(q_i − max q)/(2Δ))"
    guarantee = "ε"

    def form(self, own: int, others: tuple[int, ...]) -> ClosedForm:
        return ClosedForm(_flipped(own, others), self.rate)


@lru_cache(maxsize=1 << 14)
def _flipped(own: int, others: tuple[int, ...]) -> ExpSum:
    """Return p·∫₀¹ Π (1 − x·p_j) dx: query i comes up at a uniform time x, those before it fail."""
    coefficients = [EXPSUM_ONE]  # of the polynomial in x
    for chance in gumbel_weights(others, HALF):
        longer = [*coefficients, EXPSUM_ZERO]
        for power, c in enumerate(coefficients):
            longer[power + 1] -= c * chance
        coefficients = longer
    integral = EXPSUM_ZERO
    for power, c in enumerate(coefficients):
        integral += c.times(Fraction(1, power + 1))
    (own_chance,) = gumbel_weights((own,), HALF)
    return own_chance * integral


class NoisyMax(Selection):
    """Report noisy max: the index of the largest of the noisy answers."""

    noise: ClassVar[ContinuousNoise]
    """The noise on each answer."""

    def form(self, own: int, others: tuple[int, ...]) -> ClosedForm:
        return ClosedForm(_largest(self.noise, own, others), self.rate)


@lru_cache(maxsize=1 << 14)
def _largest(noise: ContinuousNoise, own: int, others: tuple[int, ...]) -> ExpSum:
    """Return ∫ f(z − own)·Π F(z − other) dz."""
    return (noise.density(own) * _all_below(noise, others)).integral()


@lru_cache(maxsize=1 << 14)
def _all_below(noise: ContinuousNoise, values: tuple[int, ...]) -> Piecewise:
    if not values:
        return ONE_EVERYWHERE
    return _all_below(noise, values[:-1]) * noise.cdf(values[-1])


class RNMLaplace(NoisyMax):
    """Report noisy max with Laplace noise of scale 2Δ/ε."""

    name = "RNMLaplace"
    source = "Dwork and Roth 2014, §3.3, with twice the scale for answers that rise and fall"
    definition = "argmax_i q_i + Lap(2Δ/ε)"
    guarantee = "ε"
    noise = Laplace(HALF)


class RNMExponential(NoisyMax):
    """Report noisy max with one-sided exponential noise of mean 2Δ/ε: permute-and-flip again."""

    name = "RNMExponential"
    source = "Ding, Kifer, Saghaian N. E., Steinke, Wang, Xiao and Zhang 2021"
    definition = "argmax_i q_i + Expo(2Δ/ε)"
    guarantee = "ε"
    noise = Exponential(HALF)


class RNMLaplaceValue(QueryMechanism):
    """Report noisy max that prints the largest noisy answer itself: a classic mistake."""

    name = "RNMLaplaceValue"
    source = "Ding, Wang, Wang, Zhang and Kifer 2018, a mistaken variant of report noisy max"
    definition = "max_i q_i + Lap(2Δ/ε), audited by the cell it lies in"
    guarantee = "ε (claimed; the realised ε grows with n)"
    disagreements = CELL_NOTE
    noise = Laplace(HALF)

    def output_count(self, n: int) -> int:
        return len(cells(self.low, self.high))

    def forms(self, answers: Vector) -> dict[Hashable, ClosedForm]:
        below = _all_below(self.noise, tuple(sorted(answers)))
        return {
            cell.text: ClosedForm(
                (EXPSUM_ONE if cell.high is None else below.at(cell.high))
                - (EXPSUM_ZERO if cell.low is None else below.at(cell.low)),
                self.rate,
            )
            for cell in cells(self.low, self.high)
        }

    def law_of(self, masses: dict[Hashable, ClosedMass], answers: Vector) -> CellLaw:
        return CellLaw(masses, answers, self.rate * rational(self.noise.kappa), self._moves)

    def _moves(self, x: Vector, y: Vector) -> int:
        """Return max_i |x_i − y_i| + Σ_{j≠i} max(0, y_j − x_j), for Σ_i f_i·Π_{j≠i} F_j."""
        falls = [max(0, b - a) for a, b in zip(x, y, strict=True)]
        steps = [abs(a - b) for a, b in zip(x, y, strict=True)]
        return sum(falls) + max(step - fall for step, fall in zip(steps, falls, strict=True))
