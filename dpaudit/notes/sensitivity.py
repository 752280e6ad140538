"""Local, global, γ-smooth and β-smooth sensitivity of the Hellinger score (N §2, A §1).

Everything here is over the datasets of one size n, in the order of
:class:`~dpaudit.data.histograms.Histograms`, and at the working precision.

* LS(x) = max over substitutes x′ and candidates r of |H(x, r) − H(x′, r)| (N §2.2).  H is a metric
  and x′ is itself a candidate, so by the triangle inequality this is max over x′ of H(x, x′).
* GS = max over x of LS(x) (N §2.1).
* S_γ(x) = max over x′ of 1/(1/LS(x′) + γ·d(x, x′)) (A §1).
* S_β(x) = max over x′ of LS(x′)·e^(−β·d(x, x′)) (N §2.3.1, Def. 2.1; Nissim et al. 2007).

d is the Hamming distance, the graph metric of substitutions, so both smoothings are distance
transforms: 1/S_γ is the lower envelope of 1/LS plus γ per step, −ln S_β that of −ln LS plus β per
step.  They cost two sweeps for k = 2 and as many passes over the neighbour graph as a step can
still help for k > 2, never |R|² work.

An :class:`ExponentSensitivity` is the S(x) in the exponent of a mechanism, here in balls for all
datasets of a size; :mod:`dpaudit.notes.hellinger_screen` has the same in floats, and in balls at
single datasets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from dpaudit.data.adjacency import later_substitutes, substitutes
from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.numbers.ball import (
    Ball,
    PrecisionNeeded,
    certainly_less,
    lower_fraction,
    maximum,
    minimum,
    upper_fraction,
)
from dpaudit.numbers.real import Real

__all__ = [
    "LARGE",
    "MANY_ENTRIES",
    "BetaSmooth",
    "ExponentSensitivity",
    "FixedSensitivity",
    "GammaSmooth",
    "GlobalSensitivity",
    "LocalSensitivity",
    "beta_smooth_sensitivities",
    "gamma_smooth_sensitivities",
    "global_sensitivity",
    "local_sensitivities",
    "lower_envelope",
]


LARGE = 30_000
"""From this size on two categories are screened by structure: dpaudit.notes.hellinger_large."""

MANY_ENTRIES = 1 << 24
"""From so many on more categories are screened by structure: dpaudit.notes.hellinger_binned."""


def local_sensitivities(prior: tuple[Fraction, ...], n: int) -> list[Ball]:
    """Return the balls of LS(x) for every histogram x of ``n`` ≥ 1 records over len(prior) ≥ 2."""
    metric = HellingerMetric(prior)
    space = Histograms(n, len(prior))
    local: list[Ball | None] = [None] * len(space)
    for rank, counts in enumerate(space):
        for neighbour in later_substitutes(counts):
            neighbour_rank = space.rank(neighbour)
            distance = metric.between(counts, neighbour)
            for place in (rank, neighbour_rank):
                largest = local[place]
                local[place] = distance if largest is None else largest.max(distance)
    return [ls for ls in local if ls is not None]


def global_sensitivity(prior: tuple[Fraction, ...], n: int) -> Ball:
    """Return the ball of GS = max LS at this ``n`` and ``prior``."""
    return maximum(local_sensitivities(prior, n))


def gamma_smooth_sensitivities(local: list[Ball], gamma: Ball, space: Histograms) -> list[Ball]:
    """Return the balls of S_γ for every histogram of ``space``, from those of LS."""
    return [1 / value for value in lower_envelope([1 / ls for ls in local], gamma, space)]


def beta_smooth_sensitivities(local: list[Ball], beta: Ball, space: Histograms) -> list[Ball]:
    """Return the balls of S_β for every histogram of ``space``, from those of LS."""
    envelope = lower_envelope([-ls.log() for ls in local], beta, space)
    return [(-value).exp() for value in envelope]


def lower_envelope(values: list[Ball], step: Ball, space: Histograms) -> list[Ball]:
    """Return the balls of min over x′ of values[x′] + step·d(x, x′), for every x of ``space``.

    ``step`` > 0.  After m passes of v(x) ← min(v(x), v(neighbour) + step) every x′ within distance
    m has been taken into account; an x′ further away than (max − min)/step cannot win, and no x′
    is further away than n.
    """
    if space.k == 2:
        return _swept(_swept(values, step)[::-1], step)[::-1]
    passes = min(space.n, _useful_steps(values, step))
    neighbours = [[space.rank(other) for other in substitutes(counts)] for counts in space]
    current = values
    for _ in range(passes):
        current = [
            (minimum(current[other] for other in near) + step).min(value)
            for value, near in zip(current, neighbours, strict=True)
        ]
    return current


def _swept(values: list[Ball], step: Ball) -> list[Ball]:
    swept = [values[0]]
    for value in values[1:]:
        swept.append((swept[-1] + step).min(value))
    return swept


def _useful_steps(values: list[Ball], step: Ball) -> int:
    if not certainly_less(Ball(0), step) or not all(value.is_finite() for value in (*values, step)):
        raise PrecisionNeeded("a sensitivity or a smoothing step is not separated from zero")
    spread = upper_fraction(maximum(values)) - lower_fraction(minimum(values))
    return floor(spread / lower_fraction(step))


class ExponentSensitivity(ABC):
    """A sensitivity S(x) > 0 for every dataset of a size."""

    @abstractmethod
    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        """Return S for every histogram of ``n`` records, at the working precision."""


@dataclass(frozen=True)
class FixedSensitivity(ExponentSensitivity):
    """One number for all datasets and sizes."""

    value: Real

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        return [self.value.ball()] * len(Histograms(n, len(prior)))


@dataclass(frozen=True)
class GlobalSensitivity(ExponentSensitivity):
    """GS = max over x of LS(x)."""

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        return [global_sensitivity(prior, n)] * len(Histograms(n, len(prior)))


@dataclass(frozen=True)
class LocalSensitivity(ExponentSensitivity):
    """LS(x) itself."""

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        return local_sensitivities(prior, n)


@dataclass(frozen=True)
class GammaSmooth(ExponentSensitivity):
    """S_γ(x) = max over x′ of 1/(1/LS(x′) + γ·d(x, x′))."""

    gamma: Real

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        space = Histograms(n, len(prior))
        return gamma_smooth_sensitivities(local_sensitivities(prior, n), self.gamma.ball(), space)


@dataclass(frozen=True)
class BetaSmooth(ExponentSensitivity):
    """S_β(x) = max over x′ of LS(x′)·e^(−β·d(x, x′))."""

    beta: Real

    def balls(self, prior: tuple[Fraction, ...], n: int) -> list[Ball]:
        space = Histograms(n, len(prior))
        return beta_smooth_sensitivities(local_sensitivities(prior, n), self.beta.ball(), space)
