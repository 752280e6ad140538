"""Bounds of binomial probabilities, held to sums of fractions and to Arb's beta function."""

import random
from fractions import Fraction
from math import comb

import flint
import pytest

from dpaudit.numbers.ball import lower_fraction, precision, upper_fraction
from dpaudit.sampling.binomial import Window, at_least, at_most, rounded_up, window


def exact(n: int, q: float, first: int, last: int) -> Fraction:
    p = Fraction(q)
    return sum(
        (comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(first, last + 1)), Fraction(0)
    )


@pytest.mark.parametrize("seed", range(60))
def test_tails_are_bounded_from_above_and_closely(seed: int) -> None:
    draw = random.Random(seed)
    n = draw.randint(1, 60)
    q = draw.choice([draw.random(), draw.random() * 1e-6, 1 - draw.random() * 1e-6, 0.0, 1.0])
    count = draw.randint(0, n)
    for bound, truth in (
        (at_least(n, q, count), exact(n, q, count, n)),
        (at_most(n, q, count), exact(n, q, 0, count)),
    ):
        assert Fraction(bound) >= truth
        assert bound <= float(truth) * (1 + 1e-9) + 1e-290


@pytest.mark.parametrize("seed", range(30))
def test_a_window_bounds_all_its_terms_and_what_is_beyond(seed: int) -> None:
    draw = random.Random(seed)
    n, q = draw.randint(2, 50), draw.random()
    first = draw.randint(0, n)
    last = draw.randint(first, n)
    found = Window(n, q, first, last)
    for j, term in enumerate(found.terms, start=first):
        assert Fraction(float(term)) >= exact(n, q, j, j)
    assert Fraction(found.below) >= exact(n, q, 0, first - 1)
    assert Fraction(found.above) >= exact(n, q, last + 1, n)
    for j, tail in enumerate(found.tails(), start=first):
        assert Fraction(float(tail)) >= exact(n, q, j, n)
    for j, head in enumerate(found.heads(), start=first - 1):
        assert Fraction(float(head)) >= exact(n, q, 0, j)


@pytest.mark.parametrize(("n", "q", "count"), [(10**6, 0.5, 503_000), (10**7, 1e-4, 1300)])
def test_many_draws(n: int, q: float, count: int) -> None:
    with precision(200):
        truth = flint.arb(q).beta_lower(count, n - count + 1, 1)
        low, high = lower_fraction(truth), upper_fraction(truth)
    bound = Fraction(at_least(n, q, count))
    assert low <= bound <= high * (1 + Fraction(1, 10**9))


def test_a_float_is_rounded_up() -> None:
    for value in (Fraction(1, 3), Fraction(1, 10), Fraction(2)):
        assert Fraction(rounded_up(value)) >= value


def test_a_window_is_around_the_mean() -> None:
    first, last = window(1000, 0.3, 5.0)
    assert first < 300 < last


def test_what_is_too_near_zero_to_be_written_out_is_bounded() -> None:
    """Of 10⁷ draws, a result that is a thousand standard deviations away."""
    far = Window(10**7, 0.25, 9 * 10**6, 9 * 10**6 + 50)
    assert 0 < far.terms.max() < 1e-290
    assert 0 < at_least(10**7, 0.25, 9 * 10**6) < 1e-200
    assert far.below == 1.0
