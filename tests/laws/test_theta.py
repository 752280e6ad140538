"""Gaussian sums over the integers against mpmath's theta functions and plain sums."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, jtheta, mp, mpf

from dpaudit.errors import PrecisionError
from dpaudit.laws.discrete_gaussian import tail_sum, theta
from dpaudit.numbers.ball import Ball, PrecisionNeeded, ball, precision
from tests.enclosing import assert_encloses, overlap, width_of

RATES = st.fractions(Fraction(1, 200), 40, max_denominator=200)


@settings(max_examples=60, deadline=None)
@given(RATES)
def test_theta_is_the_theta_function(rate: Fraction) -> None:
    with mp.workdps(60):
        s = mpf(rate.numerator) / rate.denominator
        truth = jtheta(3, 0, exp(-s))
    with precision(200):
        assert_encloses(theta(ball(rate)), truth, width=Fraction(1, 10**50))


@settings(max_examples=60, deadline=None)
@given(RATES, st.integers(-6, 60))
def test_tails_are_plain_sums(rate: Fraction, first: int) -> None:
    with mp.workdps(60):
        s = mpf(rate.numerator) / rate.denominator
        truth = mpf(0)
        for z in range(first, 240):
            truth += exp(-s * z * z)
    with precision(200):
        found = tail_sum(ball(rate), first)
        assert_encloses(found, truth, width=Fraction(1, 10**40))
        if first > 0:  # narrow beside itself too, however small
            assert width_of(found) * 10**40 <= width_of(Ball(0).union(found))


def test_both_series_agree_where_either_converges() -> None:
    """At s = π the two series of Jacobi's identity are one; on either side they overlap."""
    for rate in ("3", "22/7", "13/4"):
        with precision(300):
            s = ball(Fraction(rate))
            direct = 1 + 2 * tail_sum(s, 1)
            assert overlap(direct, theta(s))
            assert width_of(theta(s)) < Fraction(1, 10**80)


def test_more_precision_narrows_and_never_contradicts() -> None:
    found = []
    for bits in (64, 128, 256, 512):
        with precision(bits):
            found.append(tail_sum(ball(Fraction(1, 9)), 5))
    for coarse, fine in pairwise(found):
        assert overlap(coarse, fine)
        assert width_of(fine) < width_of(coarse)


def test_what_cannot_be_summed_is_refused() -> None:
    with pytest.raises(PrecisionNeeded):
        tail_sum(Ball(0, 1), 3)
    with pytest.raises(PrecisionError, match="terms"):
        tail_sum(ball(Fraction(1, 10**15)), 3)


@pytest.mark.parametrize("terms", [0, 1, 2, 5])
def test_a_sum_may_be_cut_anywhere(terms: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left out is bounded, not neglected: cut early, the ball grows and still holds."""
    with precision(200):
        truths = [tail_sum(ball(Fraction(1, 9)), first) for first in (1, 4, 20)]
        monkeypatch.setattr(
            "dpaudit.laws.discrete_gaussian._last_term", lambda s, first: first + terms
        )
        for first, truth in zip((1, 4, 20), truths, strict=True):
            cut = tail_sum(ball(Fraction(1, 9)), first)
            assert cut.contains(truth)
            assert width_of(cut) > width_of(truth)
