"""Exponential mechanisms scored by Hellinger distance, in floats for all datasets of a size.

A screened audit asks for the sensitivity of every dataset in float64 with a proved error bound, and
then for balls at the few datasets that matter: what the floats leave in doubt is evaluated in
balls, and nothing else.

The definitions are those of :mod:`dpaudit.notes.sensitivity`.  Maxima and minima are exact; what
rounds is counted.  A smoothing is repeated passes over the neighbour graph, until a pass changes
nothing.  Then no value is better than its neighbour's taken one rounded step further, so none is
worse than what any x′ gives after d(x, x′) rounded additions (or products) of the step; and each
is what some x′ gives after so many.  d is at most the number n of records: n roundings are counted,
however few the passes were, since values that tie from step to step need no pass to be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.data.adjacency import substitutes
from dpaudit.data.arrays import Moves, interchangeable, orbits
from dpaudit.data.histograms import Counts, Histograms
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.float_metric import FloatMetric
from dpaudit.notes.sensitivity import (
    LARGE,
    MANY_ENTRIES,
    BetaSmooth,
    ExponentSensitivity,
    FixedSensitivity,
    GammaSmooth,
    GlobalSensitivity,
    LocalSensitivity,
)
from dpaudit.numbers.ball import Ball, maximum, minimum
from dpaudit.numbers.floats import (
    ROUNDED_BALL_ERROR,
    SLACK,
    UNIT,
    Exponential,
    NotRounded,
    Relative,
    rounded,
)
from dpaudit.numbers.real import Real
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.exponents import Block, FloatLaws, LossScreen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "FloatSensitivities",
    "HellingerScreen",
    "decayed_maximum",
    "float_sensitivities",
    "sensitivity_at",
    "stepped_minimum",
]


def local_float_sensitivities(metric: FloatMetric, moves: Moves) -> Relative:
    """Return LS for every histogram, in order: the largest distance to a neighbour."""
    local = np.zeros(len(metric))
    for i, j in moves.categories:
        first, second = moves.ends[i], moves.ends[j]
        distances = metric.distances_between(first, second).values
        local[first] = np.maximum(local[first], distances)
        local[second] = np.maximum(local[second], distances)
    return Relative(local, metric.relative_error)


def stepped_minimum(start: Relative, step: float, moves: Moves, n: int) -> Relative:
    """Return min over x′ of start(x′) + step·d(x, x′) for every x; ``step`` > 0 once rounded.

    Adding the step n times costs n roundings, and the step its own: all relative, as nothing is
    negative.
    """
    values = _relax(start.values, moves, np.minimum, lambda near: near + step)
    return Relative(values, SLACK * (start.error + ROUNDED_BALL_ERROR + n * UNIT))


def decayed_maximum(start: Relative, decay: float, moves: Moves, n: int) -> Relative:
    """Return max over x′ of start(x′)·decay^d(x, x′) for every x; 0 < ``decay`` < 1 once rounded.

    Each of n products costs a rounding and the relative error of the decay.
    """
    values = _relax(start.values, moves, np.maximum, lambda near: near * decay)
    return Relative(values, SLACK * (start.error + n * (ROUNDED_BALL_ERROR + UNIT)))


def _relax(
    start: Floats,
    moves: Moves,
    better: Callable[[Floats, Floats], Floats],
    further: Callable[[Floats], Floats],
) -> Floats:
    """Improve every value by its neighbours' until nothing changes."""
    values = start
    while True:
        reached = further(values)
        improved = values.copy()
        for i, j in moves.categories:
            first, second = moves.ends[i], moves.ends[j]
            improved[first] = better(improved[first], reached[second])
            improved[second] = better(improved[second], reached[first])
        if np.array_equal(improved, values):  # after n rounds at most: no path is longer
            return values
        values = improved


def near_minimum(approximate: Floats, error: float) -> NDArray[np.intp]:
    """Return the indices that can hold the minimum of positive numbers known to ``error``.

    A minimiser m of the true values has approximate(m) ≤ true(m)·(1 + e) ≤ true(i)·(1 + e) ≤
    approximate(i)·(1 + e)/(1 − e) for every i, and (1 + e)/(1 − e) ≤ 1 + 3e for e ≤ 1/3.
    """
    return np.flatnonzero(approximate <= approximate.min() * (1 + 3 * error) * (1 + 4 * UNIT))


def near_maximum(approximate: Floats, error: float) -> NDArray[np.intp]:
    """Return the indices that can hold the maximum of positive numbers known to ``error``.

    As in :func:`near_minimum`, approximate(m) ≥ approximate(i)·(1 − e)/(1 + e), which is at least
    approximate(i)·(1 − 2e).
    """
    return np.flatnonzero(approximate >= approximate.max() * (1 - 2 * error) * (1 - 4 * UNIT))


class FloatSensitivities:
    """The distances of one prior and size in floats, with the local sensitivities."""

    def __init__(self, prior: tuple[Fraction, ...], n: int) -> None:
        """Take the ``prior`` and the size ``n``."""
        self.prior = prior
        self.n = n
        self.metric = FloatMetric(prior, n)
        self.moves = Moves.of(n, len(prior))

    @cached_property
    def local(self) -> Relative:
        """LS of every histogram."""
        return local_float_sensitivities(self.metric, self.moves)

    def steps_from(self, dataset: Counts) -> NDArray[np.intp]:
        """Return d(dataset, x′) for every histogram x′."""
        steps: NDArray[np.intp] = np.abs(self.metric.counts - np.array(dataset)).sum(axis=1) // 2
        return steps

    def local_balls(self, ranks: Iterable[int]) -> list[Ball]:
        """Return the balls of LS of some histograms, by rank, at the working precision."""
        metric = HellingerMetric(self.prior)
        space = Histograms(self.n, len(self.prior))
        chosen = [space[int(rank)] for rank in ranks]
        return [maximum(metric.between(x, near) for near in substitutes(x)) for x in chosen]


def float_sensitivities(exponent: ExponentSensitivity, floats: FloatSensitivities) -> Relative:
    """Return S for every histogram in float64, with its relative error."""
    match exponent:
        case FixedSensitivity(value):
            return Relative(np.full(len(floats.metric), rounded(value)), ROUNDED_BALL_ERROR)
        case GlobalSensitivity():
            values, error = floats.local
            return Relative(np.full(len(values), values.max()), error)
        case LocalSensitivity():
            return floats.local
        case GammaSmooth(gamma):
            inverse = _inverse_local(floats)
            smooth, error = stepped_minimum(inverse, rounded(gamma), floats.moves, floats.n)
            return Relative(1 / smooth, _inverted(error))
        case BetaSmooth(beta):
            return decayed_maximum(floats.local, _decay(beta), floats.moves, floats.n)
    raise TypeError(f"{exponent} is not known in floats")


def sensitivity_at(
    exponent: ExponentSensitivity, dataset: Counts, floats: FloatSensitivities
) -> Ball:
    """Return S at one histogram, at the working precision."""
    match exponent:
        case FixedSensitivity(value):
            return value.ball()
        case GlobalSensitivity():
            return maximum(floats.local_balls(near_maximum(*floats.local)))
        case LocalSensitivity():
            return floats.local_balls([Histograms(floats.n, len(floats.prior)).rank(dataset)])[0]
        case GammaSmooth(gamma):
            return _gamma_smooth_at(gamma, floats, floats.steps_from(dataset))
        case BetaSmooth(beta):
            return _beta_smooth_at(beta, floats, floats.steps_from(dataset))
    raise TypeError(f"{exponent} is not known in floats")


def _gamma_smooth_at(gamma: Real, floats: FloatSensitivities, steps: NDArray[np.intp]) -> Ball:
    inverse, error = _inverse_local(floats)
    around = inverse + rounded(gamma) * steps
    near = near_minimum(around, error + ROUNDED_BALL_ERROR + 3 * UNIT)
    step = gamma.ball()
    return 1 / minimum(
        1 / local + step * int(steps[rank])
        for rank, local in zip(near, floats.local_balls(near), strict=True)
    )


def _beta_smooth_at(beta: Real, floats: FloatSensitivities, steps: NDArray[np.intp]) -> Ball:
    powers = np.concatenate([[1.0], np.cumprod(np.full(floats.n, _decay(beta)))])
    values, error = floats.local
    # A power that underflows belongs to no maximum.
    error += (floats.n + 2) * (ROUNDED_BALL_ERROR + UNIT)
    near = near_maximum(values * powers[steps], error)
    step = beta.ball()
    return maximum(
        local * (-step * int(steps[rank])).exp()
        for rank, local in zip(near, floats.local_balls(near), strict=True)
    )


def _inverse_local(floats: FloatSensitivities) -> Relative:
    values, error = floats.local
    return Relative(1 / values, _inverted(error))


def _decay(beta: Real) -> float:
    return rounded((-beta).exp())


def _inverted(error: float) -> float:
    """Return the relative error of 1/x̂, its rounding included, from that of x̂ (at most 1/1000)."""
    return SLACK * (error * 1.002 + UNIT)


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

    def losses(self) -> LossScreen | None:
        metric = self.floats.metric
        try:
            if metric.k == 2 and self.n >= LARGE:
                from dpaudit.notes.hellinger_large import losses_by_structure

                return losses_by_structure(self, metric, self.factors)
            if metric.k > 2 and len(metric) * len(self.orbits.sizes) >= MANY_ENTRIES:
                from dpaudit.notes.hellinger_binned import binned_losses

                return binned_losses(self, metric, self.factors)
        except NotScreened:  # then every entry is looked at
            pass
        return None

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
