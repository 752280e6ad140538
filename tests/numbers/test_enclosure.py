"""Decimals rounded outward: they contain the exact value, and are as narrow as asked."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dpaudit.numbers.ball import Ball, ball, bits_for_digits, infinite_ball, precision
from dpaudit.numbers.enclosure import GUARD_DIGITS, Enclosure, enclose, enclose_real
from dpaudit.numbers.real import real
from tests.enclosing import fraction_of
from tests.numbers.expressions import OutOfDomain, Tree, evaluate, trees, written

RATIONALS = st.fractions(min_value=0, max_denominator=10**9) | st.builds(
    lambda a, e: Fraction(a) * Fraction(10) ** e, st.integers(1, 10**6), st.integers(-60, 60)
)


def allowed_width(value: Fraction, digits: int) -> Fraction:
    """10^−digits absolutely, and relatively where the value is below 1."""
    return Fraction(1, 10**digits) * min(Fraction(1), value)


@settings(max_examples=300)
@given(RATIONALS, st.integers(1, 60))
@example(Fraction(10**40 - 1, 10**40), 5)
@example(Fraction(10**40 + 1, 10**40), 5)
def test_a_ball_is_enclosed_outward_and_tightly(value: Fraction, digits: int) -> None:
    whole = len(str(int(value)))
    with precision(bits_for_digits(digits + GUARD_DIGITS + whole + 8)):
        interval = enclose(ball(value), digits)
    assert Fraction(interval.lower) <= value <= Fraction(interval.upper)
    assert Fraction(interval.upper) - Fraction(interval.lower) <= allowed_width(value, digits)
    assert value in interval


@settings(max_examples=200)
@given(RATIONALS, st.integers(1, 60))
def test_an_exact_rational_is_enclosed_with_its_text(value: Fraction, digits: int) -> None:
    interval = enclose_real(real(value), digits)
    assert Fraction(interval.lower) <= value <= Fraction(interval.upper)
    assert Fraction(interval.upper) - Fraction(interval.lower) <= allowed_width(value, digits)
    assert interval.exact is not None
    assert real(interval.exact) == real(value)
    if (value * 10**digits).denominator == 1 and value < 1:
        assert interval.lower == interval.upper


@settings(max_examples=150)
@given(trees(), st.integers(1, 40))
def test_closed_forms_are_enclosed(tree: Tree, digits: int) -> None:
    try:
        truth = fraction_of(evaluate(tree))
    except OutOfDomain:
        assume(False)
    assume(Fraction(1, 10**10) < truth < 10**6)
    interval = enclose_real(real(written(tree)), digits)
    slack = truth / 10**60
    assert Fraction(interval.lower) <= truth + slack
    assert truth - slack <= Fraction(interval.upper)
    assert interval.width <= Decimal(10) ** -digits


@settings(max_examples=100)
@given(st.fractions(0, 4, max_denominator=1000), st.fractions(0, 1, max_denominator=1000))
def test_both_ends_of_a_wide_ball_are_kept(centre: Fraction, radius: Fraction) -> None:
    low, high = centre - radius, centre + radius
    interval = enclose(Ball(ball(centre), 0).union(ball(low)).union(ball(high)), 6)
    assert Fraction(interval.lower) <= max(low, Fraction(0))
    assert Fraction(interval.upper) >= high
    assert Fraction(interval.lower) >= max(low, Fraction(0)) - Fraction(1, 10**5)
    assert Fraction(interval.upper) <= high + Fraction(1, 10**5)


def test_tiny_numbers_keep_their_digits() -> None:
    value = Fraction(1, 3 * 10**5000)
    interval = enclose_real(real(value), 8)
    assert Fraction(interval.lower) < value < Fraction(interval.upper)
    assert Fraction(interval.upper) - Fraction(interval.lower) <= value / 10**8
    with precision(128):
        again = enclose(ball(value), 8)
    assert 0 < Fraction(again.lower) < value < Fraction(again.upper) < value * 2
    irrational = enclose_real(real(Fraction(1, 10**5000)) * real("pi"), 8)
    assert irrational.lower == Decimal("3.1415926535E-5000")
    assert irrational.upper == Decimal("3.1415926536E-5000")


def test_numbers_below_every_printed_one_are_bounded_by_it() -> None:
    interval = enclose_real(real("exp(-1e9)"), 8)
    assert interval.lower == 0
    assert interval.upper == Decimal("1E-12000")
    with precision(64):
        below = enclose(-real("exp(-1e9)").ball(), 8)
    assert below.lower == below.upper == 0


def test_large_numbers_have_digits_after_the_point() -> None:
    for value in (Fraction(10**4400, 7), Fraction(10**30, 7)):
        interval = enclose_real(real(value), 5)
        assert Fraction(interval.lower) < value < Fraction(interval.upper)
        assert Fraction(interval.upper) - Fraction(interval.lower) <= Fraction(1, 10**5)


def test_zero_and_what_is_known_to_be_nonnegative() -> None:
    assert enclose(ball(0), 10) == Enclosure(Decimal(0), Decimal(0))
    assert enclose_real(real(0), 10) == Enclosure(Decimal(0), Decimal(0), real(0))
    straddling = enclose(Ball(0, 0.25), 3)
    assert straddling.lower == 0
    assert Fraction(1, 4) <= Fraction(straddling.upper) <= Fraction(251, 1000)


def test_infinity_and_ignorance() -> None:
    infinity = Decimal("Infinity")
    assert enclose(infinite_ball(), 5) == Enclosure(infinity, infinity)
    assert enclose(Ball("nan"), 5) == Enclosure(Decimal(0), infinity)
    assert enclose(infinite_ball(), 5).width == 0
    assert enclose(Ball("nan"), 5).width == infinity
    assert str(enclose(infinite_ball(), 5)) == "inf"
    assert str(enclose(Ball("nan"), 5)) == "[0, inf]"


@pytest.mark.parametrize("inside", [Decimal("0.25"), Fraction(1, 3), "0.5", "1/4", Decimal("0.5")])
def test_membership_of_exact_values(inside: Decimal | Fraction | str) -> None:
    assert inside in Enclosure(Decimal("0.25"), Decimal("0.5"))


@pytest.mark.parametrize(
    "outside", [0, 1, Fraction(1, 5), "0.5000001", Decimal("0.2499"), Decimal("Infinity")]
)
def test_values_outside(outside: Decimal | Fraction | int | str) -> None:
    assert outside not in Enclosure(Decimal("0.25"), Decimal("0.5"))


def test_membership_in_unbounded_intervals() -> None:
    infinity = Decimal("Infinity")
    assert 10**9 in Enclosure(Decimal(0), infinity)
    assert -1 not in Enclosure(Decimal(0), infinity)
    assert infinity in Enclosure(Decimal(0), infinity)
    assert infinity in Enclosure(infinity, infinity)
    assert 5 not in Enclosure(infinity, infinity)
    assert -infinity not in Enclosure(Decimal(0), infinity)


def test_text_and_midpoint() -> None:
    assert str(Enclosure(Decimal("0.50"), Decimal("0.50"))) == "0.50"
    assert str(Enclosure(Decimal("0.25"), Decimal("0.5"))) == "[0.25, 0.5]"
    assert Enclosure(Decimal("0.25"), Decimal("0.75")).midpoint == 0.5
    assert Enclosure(Decimal("0.25"), Decimal("0.75")).width == Decimal("0.5")


def test_terms_that_nearly_cancel_take_more_bits_than_digits() -> None:
    interval = enclose_real(real("-ln(1 - exp(-1e-40))"), 3)
    assert interval.is_tight(3)
    assert Decimal("92.1034037198") in interval


def test_noise_is_rounded_outward() -> None:
    for low, high, places in (("0", "7.50007635298975E-23", 90), ("0.5", "0.5000001", 3)):
        interval = Enclosure(Decimal(low), Decimal(high))
        rounded = interval.without_noise(places)
        assert rounded.lower <= interval.lower
        assert interval.upper <= rounded.upper
        assert rounded.width <= max(interval.width * Decimal("1.001"), Decimal(10) ** -places)
    nearly = Enclosure(Decimal(0), Decimal("7.50007636285051E-23"))
    assert nearly.without_noise(90).upper == Decimal("7.500077E-23")
    short = Enclosure(Decimal("0.25"), Decimal("0.250001"))
    assert short.without_noise(90).texts() == ("0.25", "0.250001")


def test_an_interval_is_sharp_if_it_is_the_narrowest_of_its_digits() -> None:
    assert Enclosure(Decimal("0.333333"), Decimal("0.333334")).is_sharp(3)
    assert not Enclosure(Decimal("0.333333"), Decimal("0.333335")).is_sharp(3)
    assert Enclosure(Decimal("0.999999"), Decimal(1)).is_sharp(3)
    assert Enclosure(Decimal("1.23456E-30"), Decimal("1.23457E-30")).is_sharp(3)
    assert not Enclosure(Decimal(0), Decimal("1E-30")).is_sharp(3)
    assert not Enclosure(Decimal(1), Decimal("Infinity")).is_sharp(3)
