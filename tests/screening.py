"""Random mechanisms, and the claims of the screen compared with balls, entry by entry."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpaudit.data.histograms import Histograms
from dpaudit.mechanisms.registry import mechanism_class
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.hellinger_exponential import HellingerExponential
from dpaudit.numbers.ball import Ball, lower_fraction, precision, upper_fraction
from dpaudit.screens.exponents import FloatLaws, LossScreen

LARGEST_N = {2: 14, 3: 5, 4: 3}


def _log_uniform(rng: random.Random, low: float, high: float) -> Fraction:
    return Fraction(str(round(low * (high / low) ** rng.random(), 4)))


def random_mechanism(rng: random.Random) -> tuple[HellingerExponential, int]:
    """Return a mechanism and a size: k = 2, 3, 4, priors from 1/100 to 50, ε from 1/100 to 20."""
    k = rng.choice((2, 2, 3, 4))
    few = [_log_uniform(rng, 0.01, 50) for _ in range(rng.randint(1, k))]
    given: dict[str, Any] = {
        "epsilon": _log_uniform(rng, 0.01, 20),
        "prior": [rng.choice(few) for _ in range(k)],
    }
    name = rng.choice(("EHD", "EHDL", "EHDS", "MH"))
    if name == "EHD":
        given["gs"] = rng.choice(("quoted", "computed"))
    if name in ("EHDL", "MH"):
        given["divisor"] = rng.choice(("1", "2"))
    if name == "EHDS":
        given["gamma"] = _log_uniform(rng, 0.001, 100)
    if name == "MH":
        given["delta"] = _log_uniform(rng, 0.0001, 0.5)
        given["count"] = rng.choice(("n", "n+1", "candidates"))
    mechanism = mechanism_class(name).build(given)
    assert isinstance(mechanism, HellingerExponential)
    return mechanism, rng.randint(1, LARGEST_N[k])


def assert_within(approximate: float, error: float, truth: Ball) -> None:
    """Assert |approximate − truth| ≤ error, exactly, for every number in the ball."""
    low, high = Fraction(approximate) - Fraction(error), Fraction(approximate) + Fraction(error)
    assert low <= lower_fraction(truth), f"{approximate} − {error} is above {truth}"
    assert upper_fraction(truth) <= high, f"{approximate} + {error} is below {truth}"


def all_weights(laws: FloatLaws) -> NDArray[np.float64]:
    """Return Ŵ(x, r), one row for each output r."""
    count = len(laws.moves.ranks)
    weights = np.empty((count, count))
    laws.block((count, count)).weights(np.arange(count), slice(0, count), weights)
    return weights


def check_weights(laws: FloatLaws, mechanism: HellingerExponential) -> None:
    """Assert that every Ŵ(x, r) is within the error claimed for it, and below its ceiling."""
    by_output = all_weights(laws)
    space = Histograms(laws.n, mechanism.k)
    row = np.empty(len(space))
    with precision(160):
        metric, factors = HellingerMetric(mechanism.prior), mechanism.factors(laws.n)
        for rank, counts in enumerate(space):
            laws.block((1, len(space))).row(rank, row)
            for output, distance in enumerate(metric.row(counts)):
                truth = factors[rank] * distance
                error = float(laws.error[rank])
                assert_within(float(by_output[output, rank]), error, truth)
                assert_within(float(row[output]), error, truth)
                assert upper_fraction(truth) <= Fraction(float(laws.ceiling[rank]))


def check_losses(losses: LossScreen, laws: FloatLaws, mechanism: HellingerExponential) -> None:
    """Assert that the losses of every pair are within their error, and its bounds bounds."""
    space, moves = Histograms(laws.n, mechanism.k), laws.moves
    with precision(160):
        book = mechanism.laws()
        for index, (i, j) in enumerate(moves.categories):
            lefts = moves.ranks[moves.ends[j]].tolist()
            rights = moves.ranks[moves.ends[i]].tolist()
            for shared, (left, right) in enumerate(zip(lefts, rights, strict=True)):
                divergence = book.law(space[left]).divergence_from(book.law(space[right]))
                place, error = (index, shared), float(losses.error[index, shared])
                forward = divergence.max_loss(forward=True).ball
                backward = divergence.max_loss(forward=False).ball
                assert_within(float(losses.forward[place]), error, forward)
                assert_within(float(losses.backward[place]), error, backward)
                check_bounds(losses, place, forward.max(backward))


def check_bounds(losses: LossScreen, place: tuple[int, int], truth: Ball) -> None:
    """Assert that the two bounds of a pair hold, and that they were rounded outward."""
    upper, lower = (Fraction(float(b[place])) for b in (losses.upper, losses.lower))
    assert lower <= lower_fraction(truth)
    assert upper_fraction(truth) <= upper
    largest = Fraction(float(max(losses.forward[place], losses.backward[place])))
    error = Fraction(float(losses.error[place]))
    assert lower <= largest - error
    assert largest + error <= upper
