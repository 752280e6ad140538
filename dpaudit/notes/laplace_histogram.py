"""Counts with rounded Laplace noise: LSZhang, LSDim, LSHist and the Laplace mechanism of N.

Each noisy coordinate is ⌊c_i + Y⌋ with Y ~ Lap(b), clamped to [0, n] in A (Alg. 1–3) and not in N
(§3.1, §3.4.1).  Everything is exact: a law is a polynomial in t = e^(−1/b).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, Literal

from dpaudit.data.histograms import Counts
from dpaudit.laws.closed_over_epsilon import ClosedFamily, geometric_losses
from dpaudit.laws.deltas_over import DeltaFamily, deltas_of_counts
from dpaudit.laws.geometric import GeometricLaw, clamped_floor, floor, toward_zero
from dpaudit.laws.law import ListedOutputs
from dpaudit.laws.product import Completion, ProductLaw
from dpaudit.mechanisms.base import EPSILON, PRIOR, HistogramMechanism
from dpaudit.mechanisms.parameters import ChoiceParameter
from dpaudit.notes import NOTES
from dpaudit.numbers.laurent import LAURENT_ONE
from dpaudit.numbers.real import Real, real

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from dpaudit.laws.over_epsilon import EpsilonFamily

    Whole = NDArray[np.int64]
    Floats = NDArray[np.float64]

__all__ = ["LSDim", "LSHist", "LSZhang", "NotesLaplace"]

_HALF = Fraction(1, 2)


class _LaplaceLaws:
    """The laws of one mechanism; they need no shared work."""

    def __init__(self, mechanism: LaplaceHistogram) -> None:
        self.mechanism = mechanism

    def law(self, dataset: Counts) -> ProductLaw:
        mechanism = self.mechanism
        n = sum(dataset)
        noisy = dataset[: mechanism.noisy_coordinates]
        return ProductLaw(
            tuple(mechanism.coordinate(count, n) for count in noisy),
            mechanism.rate,
            Completion(mechanism.completion, n),
        )


class LaplaceHistogram(HistogramMechanism):
    """Independent rounded Laplace noise on the first coordinates of the counts."""

    documents: ClassVar = NOTES

    @property
    @abstractmethod
    def rate(self) -> Real:
        """1/b, the reciprocal of the noise scale."""

    @property
    def noisy_coordinates(self) -> int:
        """Number of coordinates that get noise."""
        return self.k - 1

    @property
    def completion(self) -> Literal["none", "zero", "rest", "clamped-rest"]:
        """Output after the noisy coordinates."""
        return "clamped-rest"

    def coordinate(self, count: int, n: int) -> GeometricLaw:
        """Return the law of one noisy coordinate."""
        return clamped_floor(count, n)

    def laws(self) -> _LaplaceLaws:
        return _LaplaceLaws(self)

    def over_epsilon(self, n: int) -> EpsilonFamily | None:
        rate = self._multiple
        if rate is None:
            return None
        laws = [self.coordinate(count, n) for count in range(n + 1)]
        return ClosedFamily(geometric_losses(pairwise(laws)), rate, n)

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        rate = self._multiple
        if rate is None or parameter != "epsilon":
            return None
        laws = [self.coordinate(count, n) for count in range(n + 1)]
        return deltas_of_counts(laws, n, LAURENT_ONE, rate)

    @property
    def _multiple(self) -> Fraction | None:
        """1/(b·ε), where the output is a function of one noisy coordinate."""
        if self.k != 2 or self.noisy_coordinates != 1:
            return None
        return (self.rate / self.epsilon).as_fraction()

    def output_count(self, n: int) -> int | None:
        return self.laws().law((n,) + (0,) * (self.k - 1)).output_count()

    def listed_outputs(self, n: int) -> ListedOutputs:
        return ListedOutputs(0)

    def entries(self, n: int) -> int:
        return 16

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        import numpy as np

        n = sum(dataset)
        noise = rng.laplace(0.0, 1 / float(self.rate), size=(size, self.noisy_coordinates))
        counts = np.array(dataset[: self.noisy_coordinates])
        printed = self.rounded(counts, noise, n).astype(np.int64)
        if self.completion == "none":
            return printed
        rest = n - printed.sum(axis=1)
        if self.completion == "zero":
            rest[:] = 0
        elif self.completion == "clamped-rest":
            np.clip(rest, 0, n, out=rest)
        return np.column_stack([printed, rest])

    def rounded(self, counts: Whole, noise: Floats, n: int) -> Floats:
        """Return the printed coordinates for drawn ``noise``: ⌊counts + noise⌋ clamped."""
        import numpy as np

        return np.clip(np.floor(counts + noise), 0, n)


@dataclass(frozen=True)
class _TwoOverEpsilon(LaplaceHistogram):
    """Noise of scale 2/ε on the first k − 1 coordinates, or on all of them."""

    coordinates: str

    unset: ClassVar[Literal["zero", "rest"]]
    """Output for the last coordinate when it gets no noise."""

    @property
    def rate(self) -> Real:
        return self.epsilon / real(2)

    @property
    def noisy_coordinates(self) -> int:
        return self.k if self.coordinates == "all" else self.k - 1

    @property
    def completion(self) -> Literal["none", "zero", "rest"]:
        return "none" if self.coordinates == "all" else self.unset


class LSZhang(_TwoOverEpsilon):
    """Noise of scale 2/ε on the counts (A Alg. 1, after Zhang et al. 2016)."""

    unset = "zero"

    name: ClassVar = "LSZhang"
    source: ClassVar = "A Alg. 1"
    definition: ClassVar = "r_i = clamp(⌊c_i + Lap(2/ε)⌋, 0, n)"
    guarantee: ClassVar = "ε-differentially private (A Alg. 1, after its reference [1])"
    parameters: ClassVar = (
        EPSILON,
        PRIOR,
        ChoiceParameter(
            "coordinates",
            "which coordinates get noise",
            "printed",
            "it is what A Alg. 1 says",
            (
                (
                    "printed",
                    "the first k − 1; the last is never set and stays 0 (A Alg. 1), a parameter "
                    "that no posterior has: its error is that of a last count of 0",
                ),
                ("all", "every coordinate, as the square in A Thm 4.5 needs"),
            ),
        ),
    )
    disagreements: ClassVar = (
        "A Alg. 1 leaves the last coordinate at its initial 0; A Thm 4.5 squares the probability "
        "of one noise to be small, which needs noise on both coordinates of k = 2",
    )


class LSDim(LaplaceHistogram):
    """Noise of scale k/ε on the first k − 1 counts (A Alg. 2)."""

    name: ClassVar = "LSDim"
    source: ClassVar = "A Alg. 2"
    definition: ClassVar = "r_i = clamp(⌊c_i + Lap(k/ε)⌋, 0, n) for i < k; r_k = clamp(n − Σ, 0, n)"
    guarantee: ClassVar = "ε-differentially private (A Thm 3.1)"
    parameters: ClassVar = (EPSILON, PRIOR)

    @property
    def rate(self) -> Real:
        return self.epsilon / real(self.k)


class LSHist(LaplaceHistogram):
    """Noise of scale 1/ε (k = 2) or 2/ε (k > 2) on the first k − 1 counts (A Alg. 3)."""

    name: ClassVar = "LSHist"
    source: ClassVar = "A Alg. 3"
    definition: ClassVar = (
        "r_i = clamp(⌊c_i + Lap(b)⌋, 0, n) for i < k; r_k = clamp(n − Σ, 0, n); "
        "b = 1/ε for k = 2, else 2/ε"
    )
    guarantee: ClassVar = "ε-differentially private (A Thm 3.1)"
    parameters: ClassVar = (EPSILON, PRIOR)

    @property
    def rate(self) -> Real:
        return self.epsilon if self.k == 2 else self.epsilon / real(2)


@dataclass(frozen=True)
class NotesLaplace(_TwoOverEpsilon):
    """Noise of scale 2/ε, rounded and not clamped (N §3.1, §3.4.1; L)."""

    rounding: str

    unset = "rest"

    name: ClassVar = "NotesLaplace"
    source: ClassVar = "N §3.1, §3.4.1; L"
    definition: ClassVar = "r_i = ⌊c_i + Lap(2/ε)⌋ for i < k; r_k = n − Σ (countable support)"
    guarantee: ClassVar = "ε-differentially private, as the Laplace mechanism (N §3.1)"
    parameters: ClassVar = (
        EPSILON,
        PRIOR,
        ChoiceParameter(
            "coordinates",
            "which coordinates get noise",
            "printed",
            "N §3.1 and §3.4.1 compute with m − 1 noises",
            (
                ("printed", "the first k − 1; the last is n − Σ of the others (L)"),
                ("all", "every coordinate, as N §3.4.1 writes the noisy distribution"),
            ),
        ),
        ChoiceParameter(
            "rounding",
            "how the noise becomes an integer",
            "floor",
            "N §3.1 defines the noise as floor(Y)",
            (
                ("floor", "⌊Y⌋ (N §3.1)"),
                ("toward-zero", "the sign of Y times ⌊|Y|⌋, which the printed tables bin by"),
            ),
        ),
    )
    disagreements: ClassVar = (
        "N §3.1 rounds by floor and then bins |Y|, which is rounding toward zero; the tables of "
        "N §3.4.1 agree with the bins",
        "N §3.4.1 writes m noises into DL(α + Lap) and computes with m − 1; L gives the last "
        "coordinate the rest of n",
        "N §3.4.1 halves the bins of |Y| for one sign and shifts them for the other; L divides by "
        "|S_noise|!·2^… instead",
    )

    def coordinate(self, count: int, n: int) -> GeometricLaw:
        return toward_zero(count) if self.rounding == "toward-zero" else floor(count)

    def rounded(self, counts: Whole, noise: Floats, n: int) -> Floats:
        import numpy as np

        whole: Floats = np.trunc(noise) if self.rounding == "toward-zero" else np.floor(noise)
        return counts + whole
