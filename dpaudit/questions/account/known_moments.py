"""Moments of losses in closed form, those of different runs together, and which a pair has."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import exp, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.errors import PrecisionError
from dpaudit.laws.shifted import GaussianDivergence, LaplaceDivergence
from dpaudit.numbers.ball import Ball, integer_power
from dpaudit.numbers.contour import complex_power
from dpaudit.numbers.quadrature import ComplexBall, complex_ball
from dpaudit.questions.account.moments import (
    DECAYED,
    ListedMoments,
    Moments,
    SampledGaussianMoments,
)
from dpaudit.questions.account.outcomes import outcomes
from dpaudit.questions.account.sources import Spread

if TYPE_CHECKING:
    from dpaudit.laws.law import Divergence, LossMeasure
    from dpaudit.numbers.real import Real

__all__ = ["DrawnMoments", "GaussianMoments", "JointMoments", "LaplaceMoments", "moments_of"]


@dataclass(frozen=True)
class _InClosedForm(Moments):
    shift: Real

    @abstractmethod
    def at(self, z: ComplexBall) -> ComplexBall:
        """Return M(z)."""

    def along(
        self, power: Ball, step: Ball, count: int, start: Ball | None = None
    ) -> list[ComplexBall]:
        first = Ball(0) if start is None else start
        return [self.at(complex_ball(power, first + step * place)) for place in range(count)]


@dataclass(frozen=True)
class GaussianMoments(_InClosedForm):
    """Of a loss that is normal with the mean μ²/2 and the variance μ²: M(z) = e^(μ²z(z + 1)/2).

    |M(c + iy)| = M(c)·e^(−μ²y²/2) falls with y.
    """

    def at(self, z: ComplexBall) -> ComplexBall:
        """Return M(z)."""
        mu = self.shift.ball()
        return (z * (z + 1) * (mu * mu / 2)).exp()

    @property
    def drawn(self) -> tuple[Any, Any]:
        mu, x = float(self.shift), np.linspace(-40.0, 40.0, 1601)
        return np.exp(-x * x / 2) / sqrt(2 * pi) / 20 + 1e-320, mu * mu / 2 + mu * x

    def cumulant(self, power: float) -> float:
        return float(self.shift) ** 2 * power * (power + 1) / 2

    def turned(self, power: float, heights: Any) -> Any:
        square = float(self.shift) ** 2
        return np.exp(1j * heights * square * (power + 0.5) - square * heights * heights / 2)

    def decay(self, power: Ball, moment: Ball, height: Ball, runs: int) -> Ball:
        mu = self.shift.ball()
        return (-mu * mu * height * height * runs / 2).exp()

    def reach(self, power: float, runs: int) -> float:
        return sqrt(2 * DECAYED / runs) / float(self.shift)


@dataclass(frozen=True)
class LaplaceMoments(_InClosedForm):
    """Of Laplace noise with centres s scales apart.

    The loss is s with probability 1/2, −s with e^(−s)/2, and has the density e^((l − s)/2)/4
    between, so that M(z) = (e^(zs) + e^(−(z + 1)s))/2 + e^(−s/2)·sinh((z + ½)s)/(2z + 1).
    """

    def at(self, z: ComplexBall) -> ComplexBall:
        """Return M(z)."""
        s = self.shift.ball()
        atoms = ((z * s).exp() + (-(z + 1) * s).exp()) / 2
        return atoms + (-s / 2).exp() * ((z + Ball(1) / 2) * s).sinh() / (2 * z + 1)

    @property
    def drawn(self) -> tuple[Any, Any]:
        s, cells = float(self.shift), 400
        between = s * ((np.arange(cells) + 0.5) * 2 / cells - 1)
        weights = np.exp((between - s) / 2) / 4 * (2 * s / cells)
        return np.append(weights, [0.5, exp(-s) / 2]), np.append(between, [s, -s])


@dataclass(frozen=True)
class DrawnMoments(Moments):
    """Of a pair with densities and no form of its moments: floats that plan lattices alone."""

    measure: LossMeasure

    @cached_property
    def drawn(self) -> tuple[Any, Any]:
        return Spread(self.measure).drawn()

    def along(
        self, power: Ball, step: Ball, count: int, start: Ball | None = None
    ) -> list[ComplexBall]:
        raise PrecisionError("the moments of this privacy loss are known only as floats")


@dataclass(frozen=True)
class JointMoments(Moments):
    """Of independent runs of different pairs together: products of powers."""

    parts: tuple[tuple[Moments, int], ...]

    @property
    def infinite(self) -> tuple[Ball, Ball]:
        held, known = Ball(1), Ball(1)
        for one, runs in self.parts:
            certain, possible = one.infinite
            held *= integer_power(1 - possible, runs)
            known *= integer_power(1 - possible + certain, runs)
        return (known - held).max(Ball(0)), (1 - held).max(Ball(0))

    @property
    def drawn(self) -> tuple[Any, Any]:
        """Return the terms of all parts one after another, which say how many there are."""
        weights, losses = zip(*(one.drawn for one, _ in self.parts), strict=True)
        return np.concatenate(weights), np.concatenate(losses)

    @property
    def is_steep(self) -> bool:
        return any(one.is_steep for one, _ in self.parts)

    def cumulant(self, power: float) -> float:
        return float(sum(runs * one.cumulant(power) for one, runs in self.parts))

    def variance(self) -> float:
        return float(sum(runs * one.variance() for one, runs in self.parts))

    def turned(self, power: float, heights: Any) -> Any:
        found = np.ones(len(heights), dtype=complex)
        for one, runs in self.parts:
            found = found * one.turned(power, heights) ** runs
        return found

    def along(
        self, power: Ball, step: Ball, count: int, start: Ball | None = None
    ) -> list[ComplexBall]:
        found = [complex_ball(Ball(1))] * count
        for one, runs in self.parts:
            more = one.along(power, step, count, start)
            found = [x * complex_power(y, runs) for x, y in zip(found, more, strict=True)]
        return found

    def decay(self, power: Ball, moment: Ball, height: Ball, runs: int) -> Ball:
        found = Ball(1)
        for one, times in self.parts:
            here = one.along(power, Ball(1), 1)[0].real
            found *= one.decay(power, here, height, times * runs)
        return found

    def reach(self, power: float, runs: int) -> float:
        return min(one.reach(power, times * runs) for one, times in self.parts)


def moments_of(
    divergence: Divergence, *, forward: bool = True, sampled: tuple[Real, bool] | None = None
) -> Moments | None:
    """Return the moments of a pair, None where there is no form of them.

    Args:
        divergence: the pair.
        forward: the direction.
        sampled: the rate of Poisson samples, and whether a record is removed.
    """
    if sampled is not None:
        if isinstance(divergence, GaussianDivergence):
            return SampledGaussianMoments(divergence.shift, *sampled)
        return None
    if isinstance(divergence, GaussianDivergence):
        return GaussianMoments(divergence.shift)
    if isinstance(divergence, LaplaceDivergence):
        return LaplaceMoments(divergence.shift)
    if divergence.loss_measure(forward=forward) is not None:
        return None
    return ListedMoments(outcomes(divergence), forward)
