"""Samplers against their laws, by a test that also rejects samplers with planted faults.

The test is Pearson's χ² over the outputs with at least ten expected draws, all others pooled,
referred to its asymptotic law (Wilson-Hilferty).  At 20,000 draws, a seed each and a significance
of 1e-9, a correct sampler passes and every fault below fails.
"""

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.typing import NDArray

from dpaudit.data.histograms import Counts
from dpaudit.laws.law import Law
from dpaudit.mechanisms.base import HistogramMechanism
from dpaudit.mechanisms.registry import mechanism_class
from dpaudit.notes.hellinger_exponential import EHDS
from dpaudit.notes.laplace_histogram import LSHist, LSZhang, NotesLaplace
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import Real, real
from tests.oracles.classics import ORACLES
from tests.oracles.laws import law as oracle_law
from tests.oracles.setting import READINGS, Setting, variants
from tests.situations import build

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

DRAWS = 20_000
SIGNIFICANCE = 1e-9
EVERY_VARIANT = [(name, readings) for name in READINGS for readings in variants(name)]
ONES = (Fraction(1), Fraction(1))
ONES3 = (Fraction(1),) * 3


def fits(sample: Iterable[Hashable], expected: dict[Hashable, float]) -> bool:
    """Whether Pearson's χ² does not reject at SIGNIFICANCE; a draw outside the law rejects."""
    seen = Counter(sample)
    if not seen.keys() <= expected.keys():
        return False
    draws = sum(seen.values())
    frequent = [output for output, p in expected.items() if p * draws >= 10]
    cells = [(seen[output], expected[output] * draws) for output in frequent]
    rest = 1 - sum(expected[output] for output in frequent)
    rare = draws - sum(observed for observed, _ in cells)
    if rest * draws >= 10:
        cells.append((rare, rest * draws))
    elif rare > 60:  # of fewer than ten expected: a Poisson tail below 1e-25
        return False
    statistic = sum((observed - mean) ** 2 / mean for observed, mean in cells)
    freedom = len(cells) - 1
    spread = 2 / (9 * freedom)
    normal = ((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread)
    return bool(normal < NormalDist().inv_cdf(1 - SIGNIFICANCE))


def probabilities(law: Law, outputs: Iterable[Hashable]) -> dict[Hashable, float]:
    with precision(64):
        return {output: float(law.probability(output).ball) for output in outputs}


def expected_by_oracle(setting: Setting, counts: Counts) -> dict[Hashable, float]:
    return {output: float(mass) for output, mass in oracle_law(setting, counts).items()}


@pytest.mark.parametrize(("mechanism", "readings"), EVERY_VARIANT, ids=str)
def test_samplers_follow_the_oracle(mechanism: str, readings: tuple[tuple[str, str], ...]) -> None:
    setting = Setting(mechanism, 5, ONES, Fraction(3), readings=readings)
    sample = build(setting).sample((2, 3), DRAWS, default_rng(20240501))
    assert len(sample) == DRAWS
    assert fits(sample, expected_by_oracle(setting, (2, 3)))


@pytest.mark.parametrize("mechanism", [name for name in READINGS if name != "NotesLaplace"])
def test_samplers_follow_the_law_for_three_categories(mechanism: str) -> None:
    setting = Setting(mechanism, 4, ONES3, Fraction(2))
    built = build(setting)
    sample = built.sample((2, 0, 2), DRAWS, default_rng(7))
    law = built.laws().law((2, 0, 2))
    assert fits(sample, probabilities(law, set(sample)) | expected_by_oracle(setting, (2, 0, 2)))
    assert all(law.probability(output).ball > 0 for output in set(sample))


def test_a_sample_is_repeated_by_its_seed_and_differs_otherwise() -> None:
    for mechanism in (LSHist.build({}), EHDS.build({})):
        first, again, other = (
            mechanism.sample((5, 5), 200, default_rng(seed)) for seed in (1, 1, 2)
        )
        assert first == again
        assert first != other


class _WrongScale(LSHist):
    @property
    def rate(self) -> Real:
        return super().rate * real("9/10")


class _RoundedToNearest(LSHist):
    def rounded(self, counts: Whole, noise: Floats, n: int) -> Floats:
        return np.clip(np.rint(counts + noise), 0, n)


class _NotClampedBelow(LSHist):
    def rounded(self, counts: Whole, noise: Floats, n: int) -> Floats:
        return np.minimum(np.floor(counts + noise), n)


class _ReversedCounts(LSHist):
    def draw(self, dataset: Counts, size: int, rng: Generator) -> Whole:
        return super().draw(dataset[::-1], size, rng)


class _TruncatedNotFloored(NotesLaplace):
    def rounded(self, counts: Whole, noise: Floats, n: int) -> Floats:
        cut: Floats = np.trunc(noise)
        return counts + cut


class _LastCountNoisy(LSZhang):
    def draw(self, dataset: Counts, size: int, rng: Generator) -> Whole:
        drawn = super().draw(dataset, size, rng)
        drawn[:, -1] = 1
        return drawn


@dataclass(frozen=True)
class _WrongBudget(EHDS):
    def draw(self, dataset: Counts, size: int, rng: Generator) -> Whole:
        louder = EHDS.build({**self.values(), "epsilon": self.epsilon * real("4/5")})
        return louder.draw(dataset, size, rng)


@pytest.mark.parametrize(
    "faulty",
    [
        _WrongScale,
        _RoundedToNearest,
        _NotClampedBelow,
        _ReversedCounts,
        _TruncatedNotFloored,
        _LastCountNoisy,
        _WrongBudget,
    ],
)
def test_planted_faults_are_rejected(faulty: type[HistogramMechanism]) -> None:
    setting = Setting(faulty.name, 5, ONES, Fraction(3))
    mechanism = faulty.build({"epsilon": "3"})
    sample = mechanism.sample((2, 3), DRAWS, default_rng(20240501))
    assert not fits(sample, expected_by_oracle(setting, (2, 3)))


PICKED: list[tuple[str, dict[str, str], tuple[int, ...] | int | None]] = [
    ("RR", {"epsilon": "1"}, 1),
    ("RR", {"truth": "1/3"}, 0),
    ("RR", {"coin": "left"}, 0),
    ("kRR", {"base": "2"}, 2),
    ("kRR", {"truth": "3/4"}, 3),
    ("SUE", {"k": "3"}, (0, 1, 0)),
    ("SUE", {"k": "3", "coin": "left"}, (0, 1, 0)),
    ("OUE", {"k": "3"}, (0, 1, 0)),
    ("PermanentRAPPOR", {"bits": "4"}, (1, 1, 0, 0)),
    ("PermanentRAPPOR", {"bits": "4", "coin": "left"}, (1, 1, 0, 0)),
    ("RAPPOR", {"bits": "4", "p": "1/5"}, (1, 1, 0, 0)),
    ("RAPPOR", {"bits": "2", "hashes": "1", "reports": "3"}, (1, 0)),
    ("Geometric", {}, (2, 3)),
    ("TruncatedGeometric", {}, (1, 4)),
    ("TruncatedGeometric", {"truncation": "redrawn"}, (1, 4)),
    ("DiscreteLaplace", {"scale": "2"}, (2, 3)),
    ("NoisyHistogram", {"epsilon": "2"}, (2, 3)),
    ("RoundedLaplace", {}, (2, 3)),
    ("RoundedLaplace", {"rounding": "nearest"}, (2, 3)),
    ("RoundedLaplace", {"rounding": "nearest", "range": "clamped"}, (1, 4)),
    ("RoundedLaplace", {"range": "clamped", "noise": "inverted"}, (1, 4)),
    ("DiscreteGaussian", {}, (2, 3)),
    ("DiscreteGaussian", {"sigma": "1/2"}, (2, 3)),
    ("SubsetSelection", {"k": "5"}, 3),
    ("SubsetSelection", {"subset": "3"}, 0),
]
CLASSICS = [
    *PICKED,
    *((name, {}, None) for name in ORACLES if name not in {one for one, _, _ in PICKED}),
]
"""None stands for the first dataset of the smallest size that the mechanism is tried at."""


@pytest.mark.parametrize(("name", "given", "dataset"), CLASSICS, ids=str)
def test_samplers_of_the_classics_follow_their_laws(
    name: str, given: dict[str, str], dataset: tuple[int, ...] | int | None
) -> None:
    """Coins and noise that are drawn, against the law that is computed.

    Outputs that were not drawn are in the law as well, for they are in the pool of the rest.
    """
    mechanism = mechanism_class(name).build(given)
    if dataset is None:
        dataset, _ = next(iter(mechanism.adjacency().pairs(mechanism.small_sizes[0])))
    sample = mechanism.sample(dataset, DRAWS, default_rng(20240501))
    assert fits(sample, probabilities(mechanism.laws().law(dataset), set(sample)))


def test_a_sampler_with_other_noise_is_rejected() -> None:
    special: dict[str, tuple[int, ...] | int] = {"RR": 1, "SUE": (0, 1, 0)}
    for name, right, wrong in (
        ("Geometric", {"epsilon": "1"}, {"epsilon": "9/10"}),
        ("DiscreteGaussian", {"sigma": "2"}, {"sigma": "9/4"}),
        ("RR", {"truth": "3/4"}, {"truth": "7/10"}),
        ("SUE", {"k": "3"}, {"k": "3", "coin": "left"}),
        ("TruncatedGeometric", {}, {"truncation": "redrawn"}),
    ):
        dataset = special.get(name, (2, 3))
        sample = mechanism_class(name).build(wrong).sample(dataset, DRAWS, default_rng(3))
        law = mechanism_class(name).build(right).laws().law(dataset)
        assert not fits(sample, probabilities(law, set(sample)))
