"""Balls: the one place that compares them, and the precision they are computed with."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpaudit.numbers.ball import (
    PRECISION_CAP,
    Ball,
    Sign,
    ball,
    bits_for_digits,
    certainly_less,
    certainly_less_or_equal,
    contenders,
    decide_sign,
    factorise,
    gamma,
    infinite_ball,
    lower_fraction,
    maximum,
    minimum,
    nonnegative,
    pi_ball,
    precision,
    sign,
    upper_fraction,
    working_precision,
)
from tests.campaigns import part
from tests.enclosing import assert_encloses, ends

INTERVALS = st.tuples(st.fractions(-4, 4, max_denominator=64), st.sampled_from([0, 1, 2, 5, 20]))


def interval_ball(centre: Fraction, radius_in_tenths: int) -> Ball:
    return Ball(ball(centre), radius_in_tenths / 10)


@settings(max_examples=200)
@given(st.fractions(), st.integers(24, 300))
def test_a_rational_is_enclosed_at_every_precision(value: Fraction, bits: int) -> None:
    with precision(bits):
        x = ball(value)
    lower, upper = ends(x)
    assert lower <= value <= upper
    assert upper - lower <= abs(value) * Fraction(4, 2**bits)
    assert lower_fraction(x) <= lower
    assert upper <= upper_fraction(x)


@pytest.mark.parametrize(
    "argument", [Fraction(1, 100), Fraction(1, 2), Fraction(7, 3), Fraction(900)]
)
def test_gamma_and_pi_against_mpmath(argument: Fraction) -> None:
    with mp.workdps(60), precision(256):
        truth = mp.gamma(mpf(argument.numerator) / argument.denominator)
        scaled = gamma(argument) / ball(int(truth) or 1)
        expected = truth / (int(truth) or 1)
        assert_encloses(scaled, expected, width=Fraction(1, 10**50))
        assert_encloses(pi_ball(), +mp.pi, width=Fraction(1, 10**50))


def test_ends_of_an_infinite_ball_are_refused() -> None:
    for x in (infinite_ball(), Ball("nan"), -infinite_ball()):
        with pytest.raises(ValueError, match="no rational bounds"):
            upper_fraction(x)
        with pytest.raises(ValueError, match="no rational bounds"):
            lower_fraction(x)


@pytest.mark.parametrize("found", list(Sign))
def test_a_sign_is_not_a_bool(found: Sign) -> None:
    with pytest.raises(TypeError, match="not a bool"):
        bool(found)
    with pytest.raises(TypeError):
        assert found


def test_signs_of_balls() -> None:
    assert sign(ball(Fraction(1, 10**30))) is Sign.POSITIVE
    assert sign(ball(Fraction(-1, 10**30))) is Sign.NEGATIVE
    assert sign(ball(0)) is Sign.ZERO
    assert sign(Ball(0, 1)) is Sign.UNDECIDED
    assert sign(Ball(1, 1)) is Sign.UNDECIDED
    assert sign(Ball("nan")) is Sign.UNDECIDED
    assert sign(infinite_ball()) is Sign.POSITIVE


@settings(max_examples=200)
@given(INTERVALS, INTERVALS)
def test_comparisons_are_certain_only_when_the_intervals_allow_it(
    left: tuple[Fraction, int], right: tuple[Fraction, int]
) -> None:
    x, y = interval_ball(*left), interval_ball(*right)
    assert certainly_less(x, y) == (upper_fraction(x) < lower_fraction(y))
    assert certainly_less_or_equal(x, y) == (upper_fraction(x) <= lower_fraction(y))


def test_precision_is_restored_also_after_an_exception() -> None:
    before = working_precision()

    def nest() -> None:
        with precision(777):
            assert working_precision() == 777
            with precision(55):
                assert working_precision() == 55
            assert working_precision() == 777
            raise RuntimeError

    with pytest.raises(RuntimeError):
        nest()
    assert working_precision() == before


def test_deciding_a_sign_restores_the_precision_even_if_the_evaluation_fails() -> None:
    before = working_precision()

    def fail() -> Ball:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        decide_sign(fail)
    assert working_precision() == before


def test_ties_stay_undecided_and_use_every_precision_up_to_the_cap() -> None:
    asked = []

    def tie() -> Ball:
        asked.append(working_precision())
        return ball(2).sqrt() ** 2 - 2

    assert decide_sign(tie, start=64, cap=1000) is Sign.UNDECIDED
    assert asked == [64, 128, 256, 512, 1000]
    asked.clear()
    assert decide_sign(tie) is Sign.UNDECIDED
    assert asked[-1] == PRECISION_CAP


def test_the_precision_rises_until_a_sign_is_known() -> None:
    step = Fraction(1, 10**100)
    assert decide_sign(lambda: (ball(2) + ball(step)).sqrt() - ball(2).sqrt()) is Sign.POSITIVE
    assert decide_sign(lambda: ball(2).sqrt() - (ball(2) + ball(step)).sqrt()) is Sign.NEGATIVE
    tight = decide_sign(lambda: (ball(2) + ball(step)).sqrt() - ball(2).sqrt(), cap=128)
    assert tight is Sign.UNDECIDED


@settings(max_examples=part(300, 60))
@given(
    st.lists(st.tuples(INTERVALS, st.fractions(-1, 1, max_denominator=8)), min_size=1, max_size=12),
    st.booleans(),
)
def test_contenders_never_lose_the_extreme(
    drawn: list[tuple[tuple[Fraction, int], Fraction]], largest: bool
) -> None:
    balls = [interval_ball(*interval) for interval, _ in drawn]
    truths = []
    for x, (_, place) in zip(balls, drawn, strict=True):
        low, high = lower_fraction(x), upper_fraction(x)
        truths.append((low + high) / 2 + (high - low) / 2 * place)
    extreme = max(truths) if largest else min(truths)
    kept = contenders(balls, largest=largest)
    assert kept == sorted(set(kept))
    for index, truth in enumerate(truths):
        if truth == extreme:
            assert index in kept
    enclosing = maximum(balls) if largest else minimum(balls)
    assert lower_fraction(enclosing) <= extreme <= upper_fraction(enclosing)


def test_contenders_drop_what_cannot_win() -> None:
    values = [ball(v) for v in (3, 1, 4, 1, 5, 9, 2, 6)]
    assert contenders(values) == [5]
    assert contenders(values, largest=False) == [1, 3]
    assert contenders([Ball("nan"), ball(1)])[0] == 0


@settings(max_examples=100)
@given(INTERVALS)
def test_the_nonnegative_part_contains_both_branches(interval: tuple[Fraction, int]) -> None:
    x = interval_ball(*interval)
    part = nonnegative(x)
    zero = Fraction(0)
    low, high = max(lower_fraction(x), zero), max(upper_fraction(x), zero)
    assert lower_fraction(part) <= low <= high <= upper_fraction(part)
    assert upper_fraction(part) - lower_fraction(part) <= (high - low) * 2 + Fraction(1, 10**8)


@given(st.integers(1, 10**12))
def test_factors_multiply_back_and_are_prime(number: int) -> None:
    product = 1
    for factor, power in factorise(number):
        product *= factor**power
        assert factorise(factor) == ((factor, 1),)
    assert product == number


def test_huge_integers_are_left_whole() -> None:
    assert factorise(2**159) == ((2, 159),)
    assert factorise(2**160) == ((2**160, 1),)
    assert factorise(1) == ()


@pytest.mark.parametrize("digits", [1, 15, 50, 1000])
def test_bits_resolve_the_digits(digits: int) -> None:
    assert 2 ** bits_for_digits(digits) > 10**digits * 2**30
    assert 2 ** bits_for_digits(digits) < 10**digits * 2**34
