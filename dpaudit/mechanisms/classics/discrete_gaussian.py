"""The discrete Gaussian mechanism on a count (Canonne, Kamath and Steinke 2020)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from dpaudit.data.histograms import Counts
from dpaudit.laws.discrete_gaussian import DiscreteGaussianLaw
from dpaudit.laws.noise_deltas import DiscreteGaussianDeltas
from dpaudit.laws.over_parameter import EndlessFamily
from dpaudit.mechanisms.classics.base import CountMechanism
from dpaudit.mechanisms.classics.base import discrete_gaussian as draw_gaussian
from dpaudit.mechanisms.parameters import PositiveParameter, ProbabilityParameter
from dpaudit.numbers.real import Real, rational
from dpaudit.results import Budget

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray


__all__ = ["DELTA_OF_STATED", "DiscreteGaussian", "budget_of_concentration"]

ROW = ("counts with integer noise", "DiscreteGaussian")


DELTA_OF_STATED = ProbabilityParameter(
    "delta",
    "the privacy parameter δ at which ε is stated",
    "1/100000",
    "a usual one; the noise does not depend on it",
)
"""Of Gaussian noise, which keeps no ε alone."""


def budget_of_concentration(rho: Real, delta: Real) -> Budget:
    """Return the (ε, δ) that ρ-concentrated privacy implies, ε = ρ + 2√(ρ·ln(1/δ)).

    Source: Bun and Steinke 2016, Prop. 1.3.

    >>> from dpaudit.numbers.real import real
    >>> print(budget_of_concentration(real("1/2"), real("exp(-8)")))
    (9/2, exp(-8))
    """
    return Budget(rho + rational(2) * (rho * -delta.ln()).sqrt(), delta)


@dataclass(frozen=True)
class DiscreteGaussian(CountMechanism):
    """The discrete Gaussian mechanism: a count with noise N_Z(0, σ²); its pure ε is infinite."""

    sigma: Real
    delta: Real

    name: ClassVar = "DiscreteGaussian"
    source: ClassVar = (
        'Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy", '
        "Def. 1, Theorem 4"
    )
    definition: ClassVar = (
        "r = c + Z, P(Z = z) ∝ e^(−z²/(2σ²)) on all integers; counts c = 0 … n, as (c, n − c)"
    )
    guarantee: ClassVar = (
        "½/σ²-concentrated, hence (ρ + 2√(ρ·ln(1/δ)), δ)-differentially private, ρ = ½/σ² "
        "(Bun and Steinke 2016, Prop. 1.3)"
    )
    parameters: ClassVar = (
        PositiveParameter("sigma", "the parameter σ of the noise", "2", "noise of a few units"),
        DELTA_OF_STATED,
    )
    families: ClassVar = {"sigma": (EndlessFamily, DiscreteGaussianDeltas)}

    @property
    def stated(self) -> Budget:
        rho = (rational(2) * self.variance).reciprocal()
        return budget_of_concentration(rho, self.delta)

    def law(self, dataset: Counts) -> DiscreteGaussianLaw:
        return DiscreteGaussianLaw(dataset[0], self.variance)

    @cached_property
    def variance(self) -> Real:
        """σ²."""
        return self.sigma**2

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        return dataset[0] + draw_gaussian(float(self.sigma), size, rng).reshape(-1, 1)

    def entries(self, n: int) -> int:
        return 200 + int(30 * float(self.sigma))
