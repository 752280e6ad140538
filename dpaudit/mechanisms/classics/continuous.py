"""A count with continuous noise: the Gaussian and the Laplace mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpaudit.data.histograms import Counts
from dpaudit.laws.noise_deltas import GaussianDeltas, LaplaceDeltas
from dpaudit.laws.over_parameter import EndlessFamily, ScaleFamily
from dpaudit.laws.shifted import GaussianLaw, LaplaceLaw
from dpaudit.mechanisms.classics.base import CountMechanism
from dpaudit.mechanisms.classics.discrete_gaussian import DELTA_OF_STATED, budget_of_concentration
from dpaudit.mechanisms.parameters import PositiveParameter
from dpaudit.numbers.real import ZERO, Real, rational
from dpaudit.results import Budget

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray


__all__ = ["Gaussian", "Laplace"]

ROW = ("counts with continuous noise", "Gaussian Laplace")


class _ContinuousNoise(CountMechanism):
    @property
    def default_size(self) -> int:
        """Return 1: pairs of counts that differ by 1 are alike at every size."""
        return 1


@dataclass(frozen=True)
class Gaussian(_ContinuousNoise):
    """The Gaussian mechanism: a count with normal noise; its pure ε is infinite."""

    sigma: Real
    delta: Real

    name: ClassVar = "Gaussian"
    source: ClassVar = (
        'Dwork and Roth 2014, App. A; Balle and Wang 2018, "Improving the Gaussian mechanism for '
        'differential privacy", Theorem 8'
    )
    definition: ClassVar = (
        "r = c + Z, Z normal with standard deviation σ, a real number; "
        "counts c = 0 … n, as (c, n − c)"
    )
    guarantee: ClassVar = (
        "½/σ²-concentrated, hence (ρ + 2√(ρ·ln(1/δ)), δ)-differentially private, ρ = ½/σ² "
        "(Bun and Steinke 2016, Prop. 1.3 and 1.6)"
    )
    parameters: ClassVar = (
        PositiveParameter("sigma", "the standard deviation σ of the noise", "2", "as discrete"),
        DELTA_OF_STATED,
    )
    families: ClassVar = {"sigma": (EndlessFamily, GaussianDeltas)}

    @property
    def stated(self) -> Budget:
        rho = (rational(2) * self.sigma * self.sigma).reciprocal()
        return budget_of_concentration(rho, self.delta)

    def law(self, dataset: Counts) -> GaussianLaw:
        return GaussianLaw(dataset[0], self.sigma)

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.float64]:
        return rng.normal(dataset[0], float(self.sigma), (size, 1))


@dataclass(frozen=True)
class Laplace(_ContinuousNoise):
    """The Laplace mechanism: a count with continuous Laplace noise."""

    scale: Real

    name: ClassVar = "Laplace"
    source: ClassVar = (
        'Dwork, McSherry, Nissim and Smith 2006, "Calibrating noise to sensitivity in private '
        'data analysis"'
    )
    definition: ClassVar = (
        "r = c + Y, Y of density e^(−|y|/b)/(2b), a real number; counts c = 0 … n, as (c, n − c)"
    )
    guarantee: ClassVar = "1/b-differentially private"
    parameters: ClassVar = (
        PositiveParameter("scale", "the scale b of the noise", "5/4", "1/b = 4/5"),
    )
    families: ClassVar = {"scale": (ScaleFamily, LaplaceDeltas)}

    @property
    def stated(self) -> Budget:
        return Budget(self.scale.reciprocal(), ZERO)

    def law(self, dataset: Counts) -> LaplaceLaw:
        return LaplaceLaw(dataset[0], self.scale)

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.float64]:
        return rng.laplace(dataset[0], float(self.scale), (size, 1))
