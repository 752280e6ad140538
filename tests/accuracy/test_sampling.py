"""Samplers of every mechanism against the exact law of the error, and planted faults caught.

The test is the G-test (the likelihood-ratio test) of the groups of equal error with at least ten
expected draws, all others pooled, and the exact binomial test of the most probable group.  Each
is made at a significance of 1e-8 with a fixed seed; a correct sampler is rejected by one or the
other of the fewer than 90 tests below with a probability of less than 2e-6 over seeds.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import binomtest, power_divergence

from dpaudit.accuracy import ErrorLaw, error_law, sample_errors
from dpaudit.accuracy.sampling import errors_of_draws, sample_outputs
from dpaudit.api import mechanism
from dpaudit.data.histograms import Counts
from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.base import HistogramMechanism
from dpaudit.notes.hellinger_exponential import EHDS, MH
from dpaudit.notes.laplace_histogram import LSDim, LSHist, LSZhang, NotesLaplace
from dpaudit.numbers.real import Real, real
from tests.oracles.setting import READINGS, Setting, variants
from tests.situations import build

DRAWS = 30_000
SIGNIFICANCE = 1e-8
SEED = 20_240_501
Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

EVERY_VARIANT = [(name, readings) for name in READINGS for readings in variants(name)]


def fits(law: ErrorLaw, errors: Floats) -> bool:
    """Whether neither test rejects; an error that the law does not have rejects."""
    groups = law.groups
    values = np.array([group.distance.midpoint for group in groups])
    chances = np.array([group.probability.midpoint for group in groups])
    place = np.clip(np.searchsorted(values, errors - 1e-9), 0, len(values) - 1)
    if not np.allclose(values[place], errors, rtol=0, atol=1e-9):
        return False
    seen = np.bincount(place, minlength=len(values))
    often = chances * len(errors) >= 10
    observed = np.append(seen[often], seen[~often].sum())
    expected = np.append(chances[often], 1 - chances[often].sum()) * len(errors)
    if expected[-1] < 10:  # too few to test: with the last of the others
        observed = np.append(observed[:-2], observed[-2:].sum())
        expected = np.append(expected[:-2], expected[-2:].sum())
    found = power_divergence(observed, expected, lambda_="log-likelihood")
    top = int(chances.argmax())
    exact = binomtest(int(seen[top]), len(errors), float(chances[top]))
    return bool(found.pvalue > SIGNIFICANCE and exact.pvalue > SIGNIFICANCE)


@pytest.mark.parametrize("metric", ["hellinger", "l1"])
@pytest.mark.parametrize(("name", "readings"), EVERY_VARIANT, ids=str)
def test_samplers_follow_the_exact_law(
    name: str, readings: tuple[tuple[str, str], ...], metric: str
) -> None:
    setting = Setting(name, 7, (Fraction(1), Fraction(2)), Fraction(2), readings=readings)
    built = build(setting)
    law = error_law(built, (3, 4), metric)
    assert fits(law, sample_errors(built, (3, 4), DRAWS, SEED, metric=metric))


@pytest.mark.parametrize("name", list(READINGS))
def test_samplers_follow_the_exact_law_for_three_categories(name: str) -> None:
    built = mechanism(name, k=3, eps="3/2")
    law = error_law(built, (2, 0, 5))
    assert fits(law, sample_errors(built, (2, 0, 5), DRAWS, SEED))


@pytest.mark.parametrize("coordinates", ["printed", "all"])
@pytest.mark.parametrize("outside", ["clamped", "furthest", "redrawn"])
def test_every_reading_of_counts_outside(outside: str, coordinates: str) -> None:
    built = mechanism("NotesLaplace", coordinates=coordinates, eps=2)
    law = error_law(built, (1, 4), outside=outside)
    assert fits(law, sample_errors(built, (1, 4), DRAWS, SEED, outside=outside))


def test_a_sample_is_repeated_by_its_seed_and_differs_otherwise() -> None:
    for name in ("LSHist", "EHDS"):
        first, again, other = (
            sample_errors(mechanism(name), (9, 9), 300, seed).tolist() for seed in (1, 1, 2)
        )
        assert first == again
        assert first != other


def test_sizes_that_are_none() -> None:
    for size in (0, -1, True):
        with pytest.raises(DomainError, match="size"):
            sample_errors(mechanism("LSHist"), (4, 4), size, 1)
    for seed in (-1, True):
        with pytest.raises(DomainError, match="seed"):
            sample_errors(mechanism("LSHist"), (4, 4), 5, seed)


def test_noise_that_hardly_ever_fits_is_not_drawn_for_ever() -> None:
    drowned = mechanism("NotesLaplace", k=9, eps="1/1000000")
    with pytest.raises(ParameterError, match="hardly any"):
        sample_errors(drowned, (1,) * 9, 3, 1, metric="l1", outside="redrawn")


class _WrongScale(LSHist):
    @property
    def rate(self) -> Real:
        return super().rate * real("19/20")


class _RoundedToNearest(LSDim):
    def rounded(self, counts: Whole, noise: Floats, n: int) -> Floats:
        return np.clip(np.rint(counts + noise), 0, n)


class _NotClampedAbove(LSZhang):
    def rounded(self, counts: Whole, noise: Floats, n: int) -> Floats:
        return np.maximum(np.floor(counts + noise), 0)


class _TruncatedNotFloored(NotesLaplace):
    def rounded(self, counts: Whole, noise: Floats, n: int) -> Floats:
        cut: Floats = np.trunc(noise)
        return counts + cut


class _OneNoiseForAll(NotesLaplace):
    def draw(self, dataset: Counts, size: int, rng: Generator) -> Whole:
        drawn = super().draw(dataset, size, rng)
        drawn[:, 1] = dataset[1] + drawn[:, 0] - dataset[0]
        return drawn


@dataclass(frozen=True)
class _WrongBudget(EHDS):
    def draw(self, dataset: Counts, size: int, rng: Generator) -> Whole:
        louder = EHDS.build({**self.values(), "epsilon": self.epsilon * real("9/10")})
        return louder.draw(dataset, size, rng)


@dataclass(frozen=True)
class _LocalSensitivity(MH):
    def draw(self, dataset: Counts, size: int, rng: Generator) -> Whole:
        local = MH.build({**self.values(), "smoothing": "own"})
        return local.draw(dataset, size, rng)


@dataclass(frozen=True)
class _Stuck(EHDS):
    """One draw in 50 repeats the data."""

    def draw(self, dataset: Counts, size: int, rng: Generator) -> Whole:
        drawn = super().draw(dataset, size, rng)
        drawn[::50] = dataset
        return drawn


FAULTS: list[type[HistogramMechanism]] = [
    *(_WrongScale, _RoundedToNearest, _NotClampedAbove, _TruncatedNotFloored, _OneNoiseForAll),
    *(_WrongBudget, _LocalSensitivity, _Stuck),
]


@pytest.mark.parametrize("faulty", FAULTS)
def test_planted_faults_are_caught(faulty: type[HistogramMechanism]) -> None:
    given = {"epsilon": "2", "prior": (1, 2)}
    if faulty is _OneNoiseForAll:
        given["coordinates"] = "all"
    sampler, right = faulty.build(given), mechanism(faulty.name, **given)
    for dataset in ((3, 4), (0, 12), (30, 2)):
        law = error_law(right, dataset)
        faulty_law = error_law(sampler, dataset)
        assert fits(law, sample_errors(right, dataset, DRAWS, SEED))
        if not fits(law, errors_of_draws(law, sample_outputs(faulty_law, DRAWS, SEED))):
            return
    pytest.fail("the fault was not caught at any of the datasets")
