"""Exponential mechanisms scored by Hellinger distance, in floats for all datasets of a size."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.data.arrays import interchangeable, orbits
from dpaudit.data.histograms import Counts, Histograms
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.float_exponents import (
    FloatSensitivities,
    float_sensitivities,
    sensitivity_at,
)
from dpaudit.numbers.floats import (
    ROUNDED_BALL_ERROR,
    SLACK,
    UNIT,
    Exponential,
    NotRounded,
    rounded,
)
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.exponents import Block, FloatLaws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.notes.sensitivity import ExponentSensitivity
    from dpaudit.numbers.real import Real

__all__ = ["HellingerScreen"]

_LARGEST_PRIOR = Fraction(10**9)


class ChosenLaws:
    """The laws of one mechanism at one size, where only a few datasets are asked for.

    Nothing is kept between laws, so each is enclosed at the precision in force when asked for.
    """

    def __init__(
        self, numerator: Real, calibration: ExponentSensitivity, floats: FloatSensitivities
    ) -> None:
        self.numerator, self.calibration, self.floats = numerator, calibration, floats
        self.space = Histograms(floats.n, len(floats.prior))

    def law(self, dataset: Counts) -> WeightedLaw:
        distances = HellingerMetric(self.floats.prior).row(dataset)
        factor = -self.numerator.ball() / sensitivity_at(self.calibration, dataset, self.floats)
        return WeightedLaw(self.space, [factor * distance for distance in distances])


class HellingerScreen(FloatLaws):
    """The weights s(x)·H(x, r) of one mechanism and size in floats.

    s is rounded from a ball and divided by the rounded sensitivity; the product with H rounds once
    more, and H ≤ 1, so that a(x) = ŝ(x)·(the sum of those relative errors).
    """

    def __init__(
        self, prior: tuple[Fraction, ...], n: int, numerator: Real, calibration: ExponentSensitivity
    ) -> None:
        """Take what makes s(x) = ``numerator``/S(x); ``NotScreened`` for a prior beyond 10^±9.

        The same for parameters that are no normal floats.
        """
        if not all(1 / _LARGEST_PRIOR <= alpha <= _LARGEST_PRIOR for alpha in prior):
            raise NotScreened("priors this small or this large are left to balls")
        self.numerator, self.calibration, self.n = numerator, calibration, n
        self.floats = FloatSensitivities(prior, n)
        self.moves = self.floats.moves
        self.groups = interchangeable(prior)
        self.orbits = orbits(self.floats.metric.counts, self.groups)
        try:
            sensitivity, error = float_sensitivities(calibration, self.floats)
            self.factors = rounded(numerator) / sensitivity
        except NotRounded as reason:
            raise NotScreened(str(reason)) from None
        relative = error + self.floats.metric.relative_error + ROUNDED_BALL_ERROR + 3 * UNIT
        self.ceiling = self.factors * SLACK
        self.error = self.factors * (relative * SLACK)

    def block(self, shape: tuple[int, int]) -> _HellingerBlock:
        return _HellingerBlock(self, shape)

    def book(self) -> ChosenLaws:
        return ChosenLaws(self.numerator, self.calibration, self.floats)


class _HellingerBlock(Block):
    def __init__(self, screen: HellingerScreen, shape: tuple[int, int]) -> None:
        self.screen = screen
        self.exponents = np.empty(shape)
        self.exponential = Exponential(shape)

    def weights(self, outputs: NDArray[np.intp], datasets: slice, out: NDArray[np.float64]) -> None:
        exponents = self.exponents[: out.shape[0], : out.shape[1]]
        self.screen.floats.metric.exponents(outputs, datasets, exponents, out)
        self.exponential.one_minus(exponents, out)
        np.sqrt(out, out=out)
        np.multiply(out, self.screen.factors[datasets], out=out)

    def row(self, dataset: int, out: NDArray[np.float64]) -> None:
        width = self.exponents.shape[1]
        for start in range(0, len(out), width):
            part = slice(start, min(start + width, len(out)))
            here = out[None, part]
            exponents = self.exponents[:1, : here.shape[1]]
            rank = np.array([dataset])
            self.screen.floats.metric.exponents(rank, part, exponents, here)
            self.exponential.one_minus(exponents, here)
        np.sqrt(out, out=out)
        np.multiply(out, self.screen.factors[dataset], out=out)
