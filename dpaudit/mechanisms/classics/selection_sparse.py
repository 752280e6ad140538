"""Above-threshold and the sparse vector technique, in the six variants of Lyu, Su and Li (2017).

Each noisy answer is compared with a noisy threshold T + ρ.  Given ρ the comparisons are
independent, so the probability of an answer string is an integral over ρ of a product of
distribution functions, a closed form.  It depends only on how many queries of which answer were
found above and below, so few integrals serve all datasets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, ClassVar

from dpaudit.laws.closed import ClosedForm
from dpaudit.mechanisms.classics.selection_base import (
    CUTOFF,
    QUERY_PARAMETERS,
    THRESHOLD,
    QueryMechanism,
)
from dpaudit.noise.distributions import Laplace, Noise, NoNoise
from dpaudit.noise.expsum import EXPSUM_ONE, ExpSum

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.data.queries import Vector
    from dpaudit.noise.piecewise import Piecewise

__all__ = ["SVT1", "SVT2", "SVT4", "SVT5", "SVT6", "AboveThreshold"]

ABOVE, BELOW = "⊤", "⊥"

Comparisons = tuple[tuple[Fraction, bool], ...]
"""(q − T, found above) of queries compared with one noisy threshold, sorted."""


@dataclass(frozen=True)
class SparseVector(QueryMechanism):
    """A string of ⊤ and ⊥, one for each query up to the last that is answered."""

    parameters = (*QUERY_PARAMETERS, THRESHOLD)

    threshold: Fraction

    threshold_noise: ClassVar[Laplace]
    """The noise ρ of the threshold."""
    fresh_threshold: ClassVar[bool] = False
    """Whether ρ is drawn anew after each ⊤."""

    @property
    def cutoff(self) -> int | None:
        """How many ⊤ end the run; None if nothing does."""
        return None

    def noises(self) -> tuple[Laplace, Noise]:
        """Return the noise of the threshold and of an answer."""
        raise NotImplementedError

    def output_count(self, n: int) -> int:
        """Return the number of strings; some may be impossible for some data."""
        c = self.cutoff
        if c is None or c > n:
            return int(2**n)
        whole = sum(comb(n, above) for above in range(c))
        return whole + sum(comb(last - 1, c - 1) for last in range(c, n + 1))

    def forms(self, answers: Vector) -> Mapping[str, ClosedForm]:
        rho, nu = self.noises()
        gaps = tuple(value - self.threshold for value in answers)
        found = {}
        for output in _strings(len(answers), self.cutoff):
            product = EXPSUM_ONE
            for part in _parts(gaps, output, self.fresh_threshold):
                product = product * _probability(rho, nu, part)
            found[output] = ClosedForm(product, self.rate)
        return found


def _strings(n: int, cutoff: int | None, start: str = "") -> Iterator[str]:
    """Iterate over the answer strings: of length n, or ended by the last ⊤ allowed."""
    if len(start) == n or (cutoff is not None and start.count(ABOVE) == cutoff):
        yield start
        return
    for symbol in (ABOVE, BELOW):
        yield from _strings(n, cutoff, start + symbol)


def _parts(gaps: tuple[Fraction, ...], output: str, fresh: bool) -> Iterator[Comparisons]:
    """Iterate over the comparisons that share one noisy threshold."""
    part = []
    for gap, symbol in zip(gaps, output, strict=False):
        part.append((gap, symbol == ABOVE))
        if fresh and symbol == ABOVE:
            yield tuple(sorted(part))
            part = []
    if part:
        yield tuple(sorted(part))


@lru_cache(maxsize=1 << 15)
def _probability(rho: Laplace, nu: Noise, part: Comparisons) -> ExpSum:
    """Return ∫ f(z)·Π P(q + ν ≥ T + z)·Π P(q + ν < T + z) dz, f the density of ρ."""
    return _integrand(rho, nu, part).integral()


@lru_cache(maxsize=1 << 15)
def _integrand(rho: Laplace, nu: Noise, part: Comparisons) -> Piecewise:
    if not part:
        return rho.density(0)
    gap, above = part[-1]
    factor = nu.survival(gap) if above else nu.cdf(gap)
    return _integrand(rho, nu, part[:-1]) * factor


@dataclass(frozen=True)
class CutOff(SparseVector):
    """A sparse vector that ends after c answers of ⊤."""

    parameters = (*QUERY_PARAMETERS, THRESHOLD, CUTOFF)

    c: int

    @property
    def cutoff(self) -> int | None:
        return self.c


_LYU = "Lyu, Su and Li 2017, Alg. {}"


@dataclass(frozen=True)
class SVT1(CutOff):
    """Sparse vector as Lyu, Su and Li propose it."""

    name = "SVT1"
    source = _LYU.format(1)
    definition = "⊤ if q_i + Lap(4cΔ/ε) ≥ T + ρ, else ⊥; ρ = Lap(2Δ/ε); ends after c times ⊤"
    guarantee = "ε (proved in the source)"

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2)), Laplace(Fraction(1, 4 * self.c))


@dataclass(frozen=True)
class SVT2(CutOff):
    """Sparse vector of Dwork and Roth: a fresh noisy threshold after each ⊤."""

    name = "SVT2"
    source = _LYU.format(2) + ", after Dwork and Roth 2014, §3.6"
    definition = "⊤ if q_i + Lap(4cΔ/ε) ≥ T + ρ, else ⊥; ρ = Lap(2cΔ/ε), anew after each ⊤; c times"
    guarantee = "ε"
    fresh_threshold = True

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2 * self.c)), Laplace(Fraction(1, 4 * self.c))


@dataclass(frozen=True)
class SVT4(CutOff):
    """Sparse vector whose noise on the answers does not grow with c."""

    name = "SVT4"
    source = _LYU.format(4) + ", after Lee and Clifton 2014"
    definition = "⊤ if q_i + Lap(4Δ/(3ε)) ≥ T + ρ, else ⊥; ρ = Lap(4Δ/ε); ends after c times ⊤"
    guarantee = "ε (claimed; Lyu, Su and Li show (1 + 6c)/4·ε)"

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 4)), Laplace(Fraction(3, 4))


@dataclass(frozen=True)
class SVT5(SparseVector):
    """Sparse vector without noise on the answers, and without an end."""

    name = "SVT5"
    source = _LYU.format(5) + ", after Stoddard, Chen and Machanavajjhala 2014"
    definition = "⊤ if q_i ≥ T + ρ, else ⊥; ρ = Lap(2Δ/ε)"
    guarantee = "ε (claimed; Lyu, Su and Li show that no ε holds)"

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2)), NoNoise()


@dataclass(frozen=True)
class SVT6(SparseVector):
    """Sparse vector that never ends."""

    name = "SVT6"
    source = _LYU.format(6) + ", after Chen, Xiao, Zhang and Xu 2015"
    definition = "⊤ if q_i + Lap(2Δ/ε) ≥ T + ρ, else ⊥; ρ = Lap(2Δ/ε)"
    guarantee = "ε (claimed; Lyu, Su and Li show that no ε holds for all n)"

    def noises(self) -> tuple[Laplace, Noise]:
        return Laplace(Fraction(1, 2)), Laplace(Fraction(1, 2))


@dataclass(frozen=True)
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
