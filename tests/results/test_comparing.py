"""Intervals compare with numbers by what is certain of the value, or raise."""

import math
import operator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.errors import PrecisionError
from dpaudit.numbers.real import real
from dpaudit.results import Enclosure

OPERATORS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
NUMBERS = st.one_of(
    st.integers(-3, 3), st.fractions(-3, 3, max_denominator=8), st.decimals(-3, 3, places=2)
)
ENDS = st.decimals(-3, 3, places=2)


@given(ENDS, ENDS, NUMBERS, st.sampled_from(OPERATORS), st.fractions(0, 1, max_denominator=7))
def test_an_answer_holds_for_every_value_in_the_interval(
    left: Decimal, right: Decimal, number: Any, decide: Any, part: Fraction
) -> None:
    """And where two values would answer differently, there is none."""
    low, high = sorted((left, right))
    inside = [Fraction(low), Fraction(high), Fraction(low) + part * (Fraction(high - low))]
    inside += [Fraction(number)] if low <= Fraction(number) <= high else []
    answers = {decide(value, Fraction(number)) for value in inside}
    try:
        found = decide(Enclosure(low, high), number)
    except PrecisionError:
        assert low < high
        assert low <= Fraction(number) <= high
    else:
        assert answers == {found}
        if decide in (operator.eq, operator.ne):
            assert decide(number, Enclosure(low, high)) is found


def test_closed_forms_decide_ties() -> None:
    tie = Enclosure(Decimal("1.0986"), Decimal("1.0987"), real("ln(3)"))
    assert tie == real("ln(3)")
    assert tie <= real("ln(9)/2")
    assert not tie > real("ln(3)")
    assert tie != Fraction(10986, 10000)
    assert tie < 1.1


def test_infinity_is_above_every_number() -> None:
    infinite = Enclosure(Decimal("Infinity"), Decimal("Infinity"))
    assert infinite > 10**9
    assert infinite == math.inf
    assert infinite > real("exp(5)")
    assert infinite.float_down() == infinite.float_up() == math.inf


@pytest.mark.parametrize("number", [0.25441, Fraction(25441, 100000), real("sqrt(0.06473)")])
@pytest.mark.parametrize("decide", OPERATORS)
def test_an_interval_that_straddles_is_an_error(decide: Any, number: Any) -> None:
    with pytest.raises(PrecisionError, match=r"straddles|cannot be distinguished"):
        decide(Enclosure(Decimal("0.2544"), Decimal("0.2545")), number)


def test_no_bool_no_float_no_text() -> None:
    interval = Enclosure(Decimal("0.2544"), Decimal("0.2545"))
    with pytest.raises(TypeError, match="not a bool"):
        bool(interval)
    with pytest.raises(TypeError, match="float_down"):
        float(interval)
    for other in ("0.3", True, math.nan):
        with pytest.raises(TypeError, match="does not compare"):
            assert interval < other
    assert interval != None  # noqa: E711


@given(st.decimals(allow_nan=False, allow_infinity=False, places=20, min_value=-9, max_value=9))
def test_floats_are_rounded_in_the_direction_that_is_named(value: Decimal) -> None:
    low, high = Enclosure(value, value).float_down(), Enclosure(value, value).float_up()
    assert Fraction(low) <= Fraction(value) <= Fraction(high)
    assert high <= math.nextafter(low, math.inf)


def test_intervals_are_equal_by_their_ends_and_hash_so() -> None:
    one, two = (Enclosure(Decimal("0.2544"), Decimal("0.2545")) for _ in range(2))
    assert one == two
    assert len({one, two}) == 1
    assert one < Enclosure(Decimal("0.3"), Decimal("0.4"))
    with pytest.raises(PrecisionError):
        assert one < Enclosure(Decimal("0.2545"), Decimal("0.4"))
