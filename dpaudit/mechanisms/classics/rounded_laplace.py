"""Counts with Laplace noise that is rounded to an integer, and clamped to the range or not."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from dpaudit.data.histograms import Counts
from dpaudit.laws.closed_over_epsilon import ClosedFamily, geometric_losses
from dpaudit.laws.deltas_over import DeltaFamily, deltas_of_counts
from dpaudit.laws.geometric import (
    GeometricLaw,
    clamped_floor,
    clamped_nearest,
    floor,
    nearest_integer,
)
from dpaudit.laws.product import Completion, ProductLaw
from dpaudit.mechanisms.classics.base import EPSILON, NOISE, CountMechanism, noise_rate
from dpaudit.mechanisms.parameters import ChoiceParameter
from dpaudit.numbers.laurent import LAURENT_ONE
from dpaudit.numbers.real import Real, rational

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from dpaudit.laws.over_epsilon import EpsilonFamily


__all__ = ["RoundedLaplace"]

ROW = ("counts with integer noise", "RoundedLaplace")

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class RoundedLaplace(CountMechanism):
    """A count with continuous Laplace noise, floored or rounded, clamped to the range or not."""

    epsilon: Real
    rounding: str
    range: str
    noise: str

    name: ClassVar = "RoundedLaplace"
    source: ClassVar = (
        'Dwork, McSherry, Nissim and Smith 2006, "Calibrating noise to sensitivity in private '
        'data analysis"; rounding and clamping are post-processing'
    )
    definition: ClassVar = (
        "r = ⌊c + Lap(1/ε)⌋, or the nearest integer, or that clamped to [0, n]; "
        "counts c = 0 … n, as (c, n − c)"
    )
    guarantee: ClassVar = "ε-differentially private, as post-processing of the Laplace mechanism"
    parameters: ClassVar = (
        EPSILON,
        ChoiceParameter(
            "rounding",
            "how the noise becomes an integer",
            "floor",
            "as in the notes' mechanisms",
            (("floor", "⌊c + Y⌋"), ("nearest", "the integer nearest to c + Y")),
        ),
        ChoiceParameter(
            "range",
            "where the noisy count may lie",
            "line",
            "the Laplace mechanism leaves it where it falls",
            (
                ("line", "any integer"),
                ("clamped", "0 … n: what lies outside becomes the nearest end"),
            ),
        ),
        NOISE,
    )

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        scale = 1 / float(noise_rate(self.epsilon, self.noise))
        noisy = dataset[0] + rng.laplace(0.0, scale, (size, 1))
        rounded = (noisy + 0.5 if self.rounding == "nearest" else noisy) // 1
        whole: NDArray[np.int64] = rounded.astype("int64")
        return whole.clip(0, sum(dataset)) if self.range == "clamped" else whole

    def law(self, dataset: Counts) -> ProductLaw:
        count, n = dataset[0], sum(dataset)
        rate = noise_rate(self.epsilon, self.noise) * rational(self._step)
        return ProductLaw((self._factor(count, n),), rate, Completion("none", n))

    @property
    def _step(self) -> Fraction:
        """The rate of what masses are polynomials in, over that of the noise."""
        return _HALF if self.rounding == "nearest" else Fraction(1)

    def _factor(self, count: int, n: int) -> GeometricLaw:
        if self.rounding == "nearest":
            return clamped_nearest(count, n) if self.range == "clamped" else nearest_integer(count)
        return clamped_floor(count, n) if self.range == "clamped" else floor(count)

    def over_epsilon(self, n: int) -> EpsilonFamily | None:
        if self.noise != "calibrated":
            return None
        laws = [self._factor(count, n) for count in range(n + 1)]
        return ClosedFamily(geometric_losses(pairwise(laws)), self._step, n)

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        if self.noise != "calibrated" or parameter != "epsilon":
            return None
        laws = [self._factor(count, n) for count in range(n + 1)]
        return deltas_of_counts(laws, n, LAURENT_ONE, self._step)
