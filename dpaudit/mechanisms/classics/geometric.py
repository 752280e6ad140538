"""Counts with two-sided geometric noise, which is discrete Laplace noise, and a noisy histogram."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from dpaudit.data.adjacency import Adjacency
from dpaudit.data.histograms import Counts
from dpaudit.data.neighbouring import (
    HISTOGRAM_ADD_REMOVE,
    HISTOGRAM_SUBSTITUTION,
    WORDS_OF_HISTOGRAMS,
)
from dpaudit.laws.closed_over_epsilon import ClosedFamily, geometric_losses
from dpaudit.laws.deltas_over import DeltaFamily, deltas_of_counts
from dpaudit.laws.geometric import GeometricLaw, Piece, Point, Run
from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.laws.over_parameter import ScaleFamily
from dpaudit.laws.product import ONE_PLUS_T, ScaledProductLaw
from dpaudit.mechanisms.classics.base import (
    BASE,
    EPSILON,
    NOISE,
    CellMechanism,
    CountMechanism,
    CountsInBase,
    noise_rate,
    redrawn,
)
from dpaudit.mechanisms.classics.base import geometric as draw_geometric
from dpaudit.mechanisms.parameters import ChoiceParameter, PositiveParameter, WholeParameter
from dpaudit.numbers.laurent import Laurent
from dpaudit.numbers.real import ZERO, Real, rational
from dpaudit.numbers.varying import Varying
from dpaudit.results import Budget

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from dpaudit.laws.law import Law
    from dpaudit.laws.over_epsilon import EpsilonFamily


__all__ = ["DiscreteLaplace", "Geometric", "NoisyHistogram", "TruncatedGeometric"]

ROW = ("counts with integer noise", "Geometric TruncatedGeometric DiscreteLaplace NoisyHistogram")

_ONE = Fraction(1)


@lru_cache(maxsize=1 << 16)
def two_sided(count: int) -> GeometricLaw:
    """Return (1 + t) times the law of count + Z, P(Z = z) = (1 − t)/(1 + t)·t^|z|."""
    return GeometricLaw(
        (Run(None, count - 1, _ONE, count, -1), Run(count, None, _ONE, count, 1)), count
    )


@lru_cache(maxsize=1 << 16)
def clamped(count: int, n: int) -> GeometricLaw:
    """Return (1 + t) times the law of count + Z clamped to [0, n], 0 ≤ count ≤ n and n ≥ 1."""
    pieces: list[Piece] = [Point(0, Laurent.monomial(1, count))]
    if count > 1:
        pieces.append(Run(1, count - 1, _ONE, count, -1))
    if max(count, 1) < n:
        pieces.append(Run(max(count, 1), n - 1, _ONE, count, 1))
    pieces.append(Point(n, Laurent.monomial(1, n - count)))
    return GeometricLaw(tuple(pieces), count)


@dataclass(frozen=True)
class Geometric(CountsInBase, CountMechanism):
    """The geometric mechanism: a count with two-sided geometric noise."""

    epsilon: Real
    base: str

    name: ClassVar = "Geometric"
    source: ClassVar = (
        'Ghosh, Roughgarden and Sundararajan 2009, "Universally utility-maximizing privacy '
        'mechanisms"'
    )
    definition: ClassVar = (
        "r = c + Z, P(Z = z) = (1 − t)/(1 + t)·t^|z|, t = e^(−ε); counts c = 0 … n, as (c, n − c)"
    )
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (EPSILON, BASE)

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        return dataset[0] + draw_geometric(float(self.rate), (size, 1), rng)

    def law(self, dataset: Counts) -> ScaledProductLaw:
        return ScaledProductLaw((two_sided(dataset[0]),), self.rate)

    def over_epsilon(self, n: int) -> EpsilonFamily | None:
        if self.base != "e":
            return None
        return ClosedFamily(geometric_losses(pairwise(map(two_sided, range(n + 1)))), _ONE, n)

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        if self.base != "e" or parameter != "epsilon":
            return None
        return deltas_of_counts([two_sided(0), two_sided(1)], n, ONE_PLUS_T, _ONE)


@dataclass(frozen=True)
class TruncatedGeometric(CountsInBase, CountMechanism):
    """The truncated geometric mechanism: geometric noise, kept inside 0 … n."""

    epsilon: Real
    truncation: str
    base: str

    name: ClassVar = "TruncatedGeometric"
    source: ClassVar = (
        'Ghosh, Roughgarden and Sundararajan 2009, "Universally utility-maximizing privacy '
        'mechanisms"'
    )
    definition: ClassVar = (
        "r = clamp(c + Z, 0, n), P(Z = z) = (1 − t)/(1 + t)·t^|z|, t = e^(−ε); "
        "counts c = 0 … n, as (c, n − c)"
    )
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (
        EPSILON,
        ChoiceParameter(
            "truncation",
            "how a count outside the range is brought inside",
            "clamped",
            "it is what the definition says",
            (
                ("clamped", "it becomes the nearest end, 0 or n"),
                ("redrawn", "a mistake: the noise is drawn again until the count is inside"),
            ),
        ),
        BASE,
    )

    def output_count(self, n: int) -> int:
        return n + 1

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        count, n = dataset[0], sum(dataset)
        rate = float(self.rate)

        def noisy() -> NDArray[np.int64]:
            return count + draw_geometric(rate, (size, 1), rng)

        return noisy().clip(0, n) if self.truncation == "clamped" else redrawn(noisy, 0, n)

    def law(self, dataset: Counts) -> Law:
        count, n = dataset[0], sum(dataset)
        if self.truncation == "clamped":
            return ScaledProductLaw((clamped(count, n),), self.rate)
        return IndependentLaw((_redrawn(count, n, self.rate),))

    def over_epsilon(self, n: int) -> EpsilonFamily | None:
        if self.base != "e" or self.truncation != "clamped":
            return None
        laws = [clamped(count, n) for count in range(n + 1)]
        return ClosedFamily(geometric_losses(pairwise(laws)), _ONE, n)

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        if self.base != "e" or self.truncation != "clamped" or parameter != "epsilon":
            return None
        return deltas_of_counts([clamped(count, n) for count in range(n + 1)], n, ONE_PLUS_T, _ONE)


@lru_cache(maxsize=1 << 10)
def _redrawn(count: int, n: int, rate: Real) -> Table:
    """Return the law on 0 … n with weights t^|r − count|."""
    return Table({r: (rate * rational(-abs(r - count))).exp() for r in range(n + 1)})


def _deltas_of_scale(n: int) -> DeltaFamily:
    return deltas_of_counts([two_sided(0), two_sided(1)], n, ONE_PLUS_T, Varying.reciprocal)


@dataclass(frozen=True)
class DiscreteLaplace(CountMechanism):
    """Discrete Laplace noise of a given scale on a count."""

    scale: Real

    name: ClassVar = "DiscreteLaplace"
    source: ClassVar = (
        'Canonne, Kamath and Steinke 2020, "The discrete Gaussian for differential privacy"'
    )
    definition: ClassVar = (
        "r = c + Z, P(Z = z) = (e^(1/s) − 1)/(e^(1/s) + 1)·e^(−|z|/s), s the scale; "
        "counts c = 0 … n, as (c, n − c)"
    )
    guarantee: ClassVar = "1/s-differentially private"
    parameters: ClassVar = (
        PositiveParameter(
            "scale", "the scale s of the noise", "5/4", "it makes ε = 4/5, as elsewhere"
        ),
    )
    families: ClassVar = {"scale": (ScaleFamily, _deltas_of_scale)}

    @property
    def stated(self) -> Budget:
        return Budget(self.scale.reciprocal(), ZERO)

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        return dataset[0] + draw_geometric(1 / float(self.scale), (size, 1), rng)

    def law(self, dataset: Counts) -> ScaledProductLaw:
        return ScaledProductLaw((two_sided(dataset[0]),), self.scale.reciprocal())


@dataclass(frozen=True)
class NoisyHistogram(CellMechanism):
    """A histogram with independent two-sided geometric noise on every cell."""

    epsilon: Real
    cells: int
    neighbours: str
    noise: str

    name: ClassVar = "NoisyHistogram"
    source: ClassVar = (
        'Dwork, McSherry, Nissim and Smith 2006, "Calibrating noise to sensitivity", '
        "with the noise of Ghosh, Roughgarden and Sundararajan 2009; "
        'the mistake: Ding, Wang, Wang, Zhang and Kifer 2018, "Detecting violations"'
    )
    definition: ClassVar = (
        "r_i = c_i + Z_i, P(Z = z) = (1 − t)/(1 + t)·t^|z|, t = e^(−ε) for "
        "histogram-add-remove and e^(−ε/2) for histogram-substitution; histograms (c_1, …) of n"
    )
    guarantee: ClassVar = "ε-differentially private for the relation it is calibrated to"
    parameters: ClassVar = (
        EPSILON,
        WholeParameter("cells", "the number of cells", "2", "the smallest histogram", 2, 64),
        ChoiceParameter(
            "neighbours",
            "the relation that the noise is calibrated to, audited if adjacency names no other",
            HISTOGRAM_ADD_REMOVE.name,
            "a histogram's usual sensitivity is 1",
            (
                (HISTOGRAM_ADD_REMOVE.name, "one record more or less: one cell moves by 1"),
                (HISTOGRAM_SUBSTITUTION.name, "one record replaced: two cells move by 1"),
            ),
            tuple(WORDS_OF_HISTOGRAMS.items()),
        ),
        NOISE,
    )

    @property
    def k(self) -> int:
        return self.cells

    @property
    def rate(self) -> Real:
        """−ln t."""
        sensitivity = rational(1 if self.neighbours == HISTOGRAM_ADD_REMOVE.name else 2)
        return noise_rate(self.epsilon / sensitivity, self.noise)

    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        return super().adjacency(name or self.neighbours)

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        return draw_geometric(float(self.rate), (size, len(dataset)), rng) + dataset

    def law(self, dataset: Counts) -> ScaledProductLaw:
        return ScaledProductLaw(tuple(map(two_sided, dataset)), self.rate)
