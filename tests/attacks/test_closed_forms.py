"""Numbers of extreme size: none is nan, none is beside the truth, and what is too large is said."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpaudit.errors import DomainError, NumberSyntaxError, UsageError
from dpaudit.mechanisms.parameters import PositiveParameter
from dpaudit.numbers.ball import Ball, Sign, integer_power, precision
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import real
from tests.attacks.closed_forms import fault, random_tree


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_random_closed_forms_are_never_nan_and_contain_what_mpmath_finds(
    seed: int, depth: int
) -> None:
    assert fault(random_tree(random.Random(seed), depth)) in (None, "-")


@pytest.mark.parametrize(
    "text",
    [
        "ln(1 + exp(-3000))",
        "ln(1 - exp(-1e6))",
        "ln(1 + exp(-1e6))^2",
        "1/ln(1 + exp(-1e6))",
        "sqrt(ln(1 + exp(-1e5)))",
        "1/(sqrt(1 + exp(-1e5)) - 1)",
        "1/(1 - exp(-1e-30))",
        "ln(exp(1e6) + exp(-1e6))",
        "exp(1e6)*ln(1 + exp(-1e6))",
        "exp(1e9)/(1 + exp(1e9))",
        "exp(exp(20))",
    ],
)
@pytest.mark.parametrize("bits", [32, 64, 1024])
def test_no_ball_is_nan(text: str, bits: int) -> None:
    number = real(text)
    with precision(bits):
        assert number.ball().is_finite()
    assert number.sign() in (Sign.POSITIVE, Sign.NEGATIVE)


def test_a_small_logarithm_is_enclosed_closely() -> None:
    with precision(64):
        ball = real("ln(1 + exp(-3000))").ball()
    assert ball > 0
    assert ball.rel_accuracy_bits() > 40
    assert enclose_real(real("ln(1 + exp(-3000))"), 12).is_tight(12)


@pytest.mark.parametrize("power", range(-3, 4))
def test_powers_of_balls_around_0_are_finite_or_infinite_and_never_lost(power: int) -> None:
    around = Ball(0, 1)
    found = integer_power(around, power)
    assert found.is_finite() == (power >= 0)
    assert power < 0 or found.contains(integer_power(Ball(-1), power))


@pytest.mark.parametrize(
    "text",
    ["exp(1e4000)", "exp(-1e4000)", "exp(exp(exp(100)))", "exp(10^1000 + 1)", "1/exp(1e1001)"],
)
def test_what_is_too_large_is_refused_as_that(text: str) -> None:
    with pytest.raises(
        NumberSyntaxError, match=r"too large, or too near 0; must lie within ±1e1000"
    ):
        PositiveParameter("epsilon", "", "", "").read(text)


@pytest.mark.parametrize(
    "text",
    [
        *("1e999999999", "1e-999999999", "2**10**10", "2**(10**10)", "2^(2^(2^(2^2)))"),
        *("9**9**9**9", "(2^4096)^4096", "exp(1e9)^4096^4096", "1e4096**4096"),
        *("exp(exp(exp(exp(9))))", "ln(exp(exp(exp(30))))", "sqrt(exp(1e4096))"),
        "*".join(["1e4096"] * 50),
    ],
)
def test_texts_of_huge_numbers_are_refused_at_once(text: str) -> None:
    begun = time.process_time()
    with pytest.raises(UsageError) as caught:
        real(text)
    assert "\n" not in str(caught.value)
    assert time.process_time() - begun < 20  # it would take for ever, or the memory


def test_a_sign_that_is_not_told_is_no_negative_number() -> None:
    with pytest.raises(DomainError, match="it may be 0"):
        PositiveParameter("epsilon", "", "", "").read("(2 + sqrt(5))^(1/3) - (1 + sqrt(5))/2")
