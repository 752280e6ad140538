"""Distances and sensitivities in floats against balls."""

import random
from fractions import Fraction

import numpy as np
import pytest

from dpaudit.data.histograms import Histograms
from dpaudit.notes import float_metric
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.float_metric import FloatMetric
from dpaudit.notes.hellinger_screen import (
    FloatSensitivities,
    float_sensitivities,
    sensitivity_at,
)
from dpaudit.notes.sensitivity import (
    BetaSmooth,
    ExponentSensitivity,
    FixedSensitivity,
    GammaSmooth,
    GlobalSensitivity,
    LocalSensitivity,
)
from dpaudit.numbers.ball import log_gamma, precision
from dpaudit.numbers.floats import Exponential
from dpaudit.numbers.real import real
from tests.enclosing import overlap
from tests.screening import assert_within

PRIORS = [
    (Fraction(1), Fraction(1)),
    (Fraction(1, 100), Fraction(50)),
    (Fraction(1), Fraction(1, 20), Fraction(3)),
    (Fraction(1, 2), Fraction(1, 2), Fraction(7, 3)),
    (Fraction(1), Fraction(2), Fraction(1, 5), Fraction(50)),
]
SIZES = {2: (1, 2, 60), 3: (1, 8), 4: (1, 4)}


def distances(metric: FloatMetric) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    count = len(metric)
    exponents, scratch = np.empty((count, count)), np.empty((count, count))
    metric.exponents(np.arange(count), slice(0, count), exponents, scratch)
    Exponential(exponents.shape).one_minus(exponents, scratch)
    return np.sqrt(scratch)


def check(prior: tuple[Fraction, ...], n: int) -> None:
    metric = FloatMetric(prior, n)
    found = distances(metric)
    space = Histograms(n, len(prior))
    rng = random.Random(n)
    with precision(200):
        balls = HellingerMetric(prior)
        for x in rng.sample(range(len(space)), min(len(space), 25)):
            for r, truth in enumerate(balls.row(space[x])):
                if r == x:
                    assert found[x, r] == 0
                else:
                    assert_within(
                        float(found[x, r]) / float(truth),
                        metric.relative_error,
                        truth / float(truth),
                    )
    left = np.arange(len(space) - 1)
    between = metric.distances_between(left, left + 1).values
    assert between.tolist() == found[left, left + 1].tolist()


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_every_distance_is_within_the_bound(prior: tuple[Fraction, ...]) -> None:
    for n in SIZES[len(prior)]:
        check(prior, n)


@pytest.mark.parametrize("cells", [20, 400])
def test_tables_split_into_several_give_the_same(
    monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    """As for many categories, where one table over all sums would be too large."""
    monkeypatch.setattr(float_metric, "_MAX_CELLS", cells)
    for prior in PRIORS[2 if cells < 81 else 4 :]:
        assert len(FloatMetric(prior, 4)._tables) > 1
        check(prior, 4)


def test_two_categories_have_one_table_however_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(float_metric, "_MAX_CELLS", 20)
    prior = Fraction(1), Fraction(3, 2)
    assert len(FloatMetric(prior, 40)._tables) == 1
    check(prior, 40)


def test_a_table_over_one_coordinate_is_made_however_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(float_metric, "_MAX_CELLS", 5)
    prior = Fraction(1), Fraction(2), Fraction(1, 2)
    assert len(FloatMetric(prior, 4)._tables) == 3
    check(prior, 4)


def test_sizes_in_the_hundred_thousands_keep_the_bound() -> None:
    """lnΓ near 10⁶: the tables are coarser, the distances are not."""
    n, prior = 100_000, (Fraction(1), Fraction(3, 2))
    metric = FloatMetric(prior, n)
    assert metric.relative_error < 1e-12
    ranks = np.array([0, 1, 777, 50_000, n - 1])
    found = metric.distances_between(ranks, ranks + 1)
    with precision(200):
        for rank, value in zip(ranks, found.values, strict=True):
            x, y = (int(rank), n - int(rank)), (int(rank) + 1, n - int(rank) - 1)
            a, b = (
                [alpha + c for alpha, c in zip(prior, counts, strict=True)] for counts in (x, y)
            )
            log_affinity = sum(
                (
                    log_gamma((s + t) / 2) - (log_gamma(s) + log_gamma(t)) / 2
                    for s, t in zip(a, b, strict=True)
                ),
                start=log_gamma(Fraction(1)),
            )
            truth = (1 - log_affinity.exp()).sqrt()
            assert_within(float(value) / float(truth), found.error, truth / float(truth))


CALIBRATIONS: list[ExponentSensitivity] = [
    FixedSensitivity(real("1/3")),
    GlobalSensitivity(),
    LocalSensitivity(),
    *(GammaSmooth(real(gamma)) for gamma in ("1/1000", "1/7", "1", "100")),
    *(BetaSmooth(real(beta)) for beta in ("1/1000", "1/7", "3")),
]


@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.parametrize("calibration", CALIBRATIONS, ids=str)
def test_sensitivities_in_floats_and_at_single_datasets(
    calibration: ExponentSensitivity, prior: tuple[Fraction, ...]
) -> None:
    n = {2: 31, 3: 6, 4: 3}[len(prior)]
    floats = FloatSensitivities(prior, n)
    found = float_sensitivities(calibration, floats)
    with precision(160):
        space = Histograms(n, len(prior))
        for rank, truth in enumerate(calibration.balls(prior, n)):
            assert_within(
                float(found.values[rank]) / float(truth), found.error, truth / float(truth)
            )
            alone = sensitivity_at(calibration, space[rank], floats)
            assert overlap(alone, truth)
            assert alone.rel_accuracy_bits() > 100


def test_an_unknown_calibration_is_refused() -> None:
    class Unknown(ExponentSensitivity):
        def balls(self, prior: tuple[Fraction, ...], n: int) -> list[object]:  # type: ignore[override]
            return []

    floats = FloatSensitivities(PRIORS[0], 3)
    with pytest.raises(TypeError, match="not known in floats"):
        float_sensitivities(Unknown(), floats)
    with pytest.raises(TypeError, match="not known in floats"):
        sensitivity_at(Unknown(), (1, 2), floats)
