"""Counts with Laplace noise that is rounded to an integer, and clamped to the range or not."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import floor as floor_of
from typing import TYPE_CHECKING, ClassVar

from dpaudit.data.histograms import Counts
from dpaudit.laws.geometric import clamped_floor, clamped_nearest, floor, nearest_integer
from dpaudit.laws.product import Completion, ProductLaw
from dpaudit.mechanisms.classics.base import EPSILON, NOISE, CountMechanism, noise_rate
from dpaudit.mechanisms.parameters import ChoiceParameter
from dpaudit.numbers.real import Real, rational

if TYPE_CHECKING:
    from numpy.random import Generator


__all__ = ["RoundedLaplace"]

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

    def draw(self, dataset: Counts, rng: Generator) -> tuple[int]:
        noisy = dataset[0] + rng.laplace(0.0, 1 / float(noise_rate(self.epsilon, self.noise)))
        rounded = floor_of(noisy + 0.5 if self.rounding == "nearest" else noisy)
        return (min(max(rounded, 0), sum(dataset)) if self.range == "clamped" else rounded,)

    def law(self, dataset: Counts) -> ProductLaw:
        count, n = dataset[0], sum(dataset)
        rate = noise_rate(self.epsilon, self.noise)
        if self.rounding == "nearest":
            rate /= rational(2)
            factor = (
                clamped_nearest(count, n) if self.range == "clamped" else nearest_integer(count)
            )
        else:
            factor = clamped_floor(count, n) if self.range == "clamped" else floor(count)
        return ProductLaw((factor,), rate, Completion("none", n))
