"""Hellinger distances in balls against log-beta functions of mpmath."""

import gc
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.data.histograms import Counts, Histograms
from dpaudit.notes.dirichlet import AffinityTable, HellingerMetric
from dpaudit.numbers.ball import Sign, precision, sign
from tests.enclosing import assert_encloses, overlap, width_of
from tests.oracles.sensitivity import hellinger, posterior

NARROW = Fraction(1, 10**45)
PRIORS = [
    (Fraction(1), Fraction(1)),
    (Fraction(1, 100), Fraction(50)),
    (Fraction(1000), Fraction(1, 3)),
    (Fraction(1, 2), Fraction(3), Fraction(7, 4)),
    (Fraction(1, 100), Fraction(1, 100), Fraction(1000)),
    (Fraction(1), Fraction(2), Fraction(1, 5), Fraction(50)),
]


@pytest.mark.parametrize("prior", PRIORS, ids=str)
def test_every_distance_of_a_size(prior: tuple[Fraction, ...]) -> None:
    n = {2: 9, 3: 4, 4: 3}[len(prior)]
    space = Histograms(n, len(prior))
    with precision(256):
        metric = HellingerMetric(prior)
        rows = [metric.row(counts) for counts in space]
        for (x, row), (index, y) in product(zip(space, rows, strict=True), list(enumerate(space))):
            truth = hellinger(posterior(prior, x), posterior(prior, y))
            assert_encloses(row[index], truth, width=NARROW, slack=Fraction(1, 10**25))
            assert_encloses(metric.between(x, y), truth, width=NARROW, slack=Fraction(1, 10**25))
            if x != y:
                assert_encloses(row[index], truth, width=NARROW)
                assert overlap(row[index], metric.between(x, y))
                assert sign(row[index]) is Sign.POSITIVE
            else:
                assert row[index].is_zero()
                assert metric.between(x, y).is_zero()


@settings(max_examples=40)
@given(
    st.lists(st.fractions(Fraction(1, 100), 1000, max_denominator=100), min_size=2, max_size=4),
    st.data(),
)
def test_distances_of_random_priors(prior: list[Fraction], data: st.DataObject) -> None:
    space = Histograms(data.draw(st.integers(1, 60)), len(prior))
    left, right = (space[data.draw(st.integers(0, len(space) - 1))] for _ in range(2))
    truth = hellinger(posterior(tuple(prior), left), posterior(tuple(prior), right))
    with precision(256):
        distance = HellingerMetric(tuple(prior)).between(left, right)
    if left != right:
        assert_encloses(distance, truth, width=NARROW)
    else:
        assert distance.is_zero()


def test_a_table_grown_step_by_step_is_the_table_grown_at_once() -> None:
    alpha = Fraction(1, 3)
    stepwise, whole = AffinityTable(alpha, 128), AffinityTable(alpha, 128)
    for size in (0, 1, 4, 5, 12):
        stepwise.row(3, size)
    for a, b in zip(stepwise.row(3, 12), whole.row(3, 12), strict=True):
        assert overlap(a, b)
        assert width_of(a) <= Fraction(1, 2**115)
    assert stepwise.row(12, 3)[3].overlaps(whole.row(3, 12)[12])


def test_sharing_tables_between_sizes_costs_no_precision() -> None:
    prior = (Fraction(7, 5), Fraction(2, 5))
    for bits in (64, 128):
        with precision(bits):
            metric = HellingerMetric(prior)
            metric.row((300, 300))
            distance = metric.between((300, 300), (299, 301))
        truth = hellinger(posterior(prior, (300, 300)), posterior(prior, (299, 301)))
        assert_encloses(distance, truth, width=Fraction(1, 2 ** (bits - 30)))


@pytest.mark.parametrize(("left", "right"), [((5, 5), (0, 10)), ((3, 7), (4, 6))])
def test_distance_is_symmetric(left: Counts, right: Counts) -> None:
    with precision(128):
        metric = HellingerMetric((Fraction(1, 2), Fraction(3)))
        assert overlap(metric.between(left, right), metric.between(right, left))


def test_a_row_is_dropped_with_the_last_that_holds_it() -> None:
    """No circle of references keeps thousands of balls until some later collection."""
    with precision(64):
        metric = HellingerMetric((Fraction(1),) * 4)
        gc.collect()
        gc.disable()
        try:
            metric.row((1, 2, 0, 3))
            assert gc.collect() == 0
        finally:
            gc.enable()
