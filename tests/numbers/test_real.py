"""Closed forms: their value against mpmath, the ties they recognise, and what they refuse."""

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpaudit.errors import DomainError, NumberSyntaxError, PrecisionError
from dpaudit.numbers.ball import Sign, precision
from dpaudit.numbers.real import ONE, PI, ZERO, compare, complement, order, real
from tests.enclosing import assert_encloses, fraction_of, overlap, width_of
from tests.numbers.expressions import OutOfDomain, Tree, evaluate, trees, written


@settings(max_examples=300)
@given(trees())
def test_value_agrees_with_mpmath(tree: Tree) -> None:
    try:
        truth = fraction_of(evaluate(tree))
    except OutOfDomain:
        assume(False)
    number = real(written(tree))
    scale = max(Fraction(1), abs(truth))
    with precision(1280):  # powers of sums are expanded, which costs digits where terms cancel
        assert_encloses(
            number.ball(), truth, width=scale / 10**45, slack=scale * Fraction(1, 10**50)
        )


@settings(max_examples=100)
@given(trees())
def test_more_precision_narrows_and_overlaps(tree: Tree) -> None:
    try:
        evaluate(tree)
    except OutOfDomain:
        assume(False)
    number = real(written(tree))
    with precision(96):
        coarse = number.ball()
    with precision(384):
        fine = number.ball()
    assume(coarse.is_finite())
    assert overlap(coarse, fine)
    assert width_of(fine) <= width_of(coarse)


@settings(max_examples=150)
@given(trees())
def test_pickling_keeps_the_number(tree: Tree) -> None:
    try:
        evaluate(tree)
    except OutOfDomain:
        assume(False)
    number = real(written(tree))
    copy = pickle.loads(pickle.dumps(number))
    assert copy == number
    assert hash(copy) == hash(number)
    assert str(copy) == str(number)


TIES = [
    ("ln(9)", "2*ln(3)"),
    ("sqrt(8)", "2*sqrt(2)"),
    ("exp(ln(3)/2)^2", "3"),
    ("ln(12) - ln(4)", "ln(3)"),
    ("exp(2*ln(3) - ln(9))", "1"),
    ("exp(1/2)*exp(1/2)", "exp(1)"),
    ("sqrt(exp(1))", "exp(1/2)"),
    ("ln(exp(4/5)/2)", "4/5 - ln(2)"),
    ("4^(1/6)", "2^(1/3)"),
    ("1/sqrt(2)", "sqrt(2)/2"),
    ("sqrt(6)*sqrt(10)", "2*sqrt(15)"),
    ("sqrt(pi)^2", "pi"),
    ("pi/pi", "1"),
    ("(1 + pi)^2", "1 + 2*pi + pi*pi"),
    ("1/(3*pi + 2)", "1/(2 + 3*pi)"),
    ("(2 + 2*pi)/(1 + pi)", "2"),
    ("ln(2)/ln(4)", "1/2"),
    ("(1 + exp(1))*(1 - exp(1))", "1 - exp(2)"),
]


@pytest.mark.parametrize(("left", "right"), TIES)
def test_ties_are_recognised(left: str, right: str) -> None:
    assert real(left) == real(right)
    assert hash(real(left)) == hash(real(right))
    assert compare(left, right) is Sign.ZERO
    assert order(real(left), real(right)) is Sign.ZERO


@pytest.mark.parametrize(("left", "right"), TIES)
@pytest.mark.parametrize("step", [Fraction(1, 10**30), Fraction(-1, 10**30)])
def test_near_ties_are_told_apart(left: str, right: str, step: Fraction) -> None:
    moved = real(right) + real(step)
    assert real(left) != moved
    assert compare(real(left), moved) is (Sign.NEGATIVE if step > 0 else Sign.POSITIVE)


def test_a_tie_beyond_the_normal_form_is_undecided_and_never_equal() -> None:
    left, right = real("(2 + sqrt(5))^(1/3)"), real("(1 + sqrt(5))/2")
    assert left != right
    assert compare(left, right, cap=512) is Sign.UNDECIDED
    with pytest.raises(PrecisionError, match="cannot be distinguished"):
        order(left, right)


@settings(max_examples=200)
@given(st.fractions(), st.fractions())
def test_order_of_rationals(a: Fraction, b: Fraction) -> None:
    expected = Sign.ZERO if a == b else Sign.POSITIVE if a > b else Sign.NEGATIVE
    assert compare(a, b) is expected
    assert order(real(a), real(b)) is expected


@settings(max_examples=100)
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(-8, 8))
def test_logarithms_exponentials_and_powers_of_integers(a: int, b: int, m: int) -> None:
    p, q = real(a), real(b)
    assert (p * q).ln() == p.ln() + q.ln()
    assert (p / q).ln().exp() == p / q
    assert (p**m).ln() == p.ln() * real(m)
    assert p.sqrt() * p.sqrt() == p
    assert (p.ln() * real(Fraction(1, 3))).exp() ** 3 == p


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        (0.8, Fraction(4, 5)),
        (0.1, Fraction(1, 10)),
        (5e-324, Fraction(5, 10**324)),
        (1e300, Fraction(10**300)),
        (Decimal("0.8"), Fraction(4, 5)),
        (Decimal("1e400"), Fraction(10**400)),
        (Fraction(4, 5), Fraction(4, 5)),
        (-7, Fraction(-7)),
        ("0.8", Fraction(4, 5)),
    ],
)
def test_numbers_come_in_exact(value: object, exact: Fraction) -> None:
    assert real(value).as_fraction() == exact  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        float("-inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
        Decimal("1e-99999999"),
        Decimal("1e99999999"),
        True,
        False,
        None,
        b"1",
        [1],
        1j,
        object,
    ],
)
def test_everything_else_is_refused(value: object) -> None:
    with pytest.raises(NumberSyntaxError, match="is not a number"):
        real(value)  # type: ignore[arg-type]


def test_domains_of_the_functions() -> None:
    for impossible in (
        ZERO.ln,
        (-ONE).ln,
        (-PI).sqrt,
        lambda: ONE / ZERO,
        lambda: ONE / (real("ln(9)") - real("2*ln(3)")),
        lambda: ZERO ** Fraction(1, 3),
    ):
        with pytest.raises(DomainError):
            impossible()
    exponent = real(10**15) * real(2).ln()
    assert exponent.exp().ln() == exponent  # a power too long to be written out


def test_signs() -> None:
    assert real("ln(9) - 2*ln(3)").sign() is Sign.ZERO
    assert real("pi - 355/113").sign() is Sign.NEGATIVE
    assert real("exp(pi) - pi - 19.99").sign() is Sign.POSITIVE
    assert real("exp(-1e9)").sign() is Sign.POSITIVE


def test_a_real_compares_with_numbers_and_with_nothing_else_by_mistake() -> None:
    assert real(1) == 1
    assert real("4/5") == Fraction(4, 5)
    assert {real(1), 1, Fraction(1)} == {1}
    assert real("pi") != 3
    assert real(1) != None  # noqa: E711
    assert real(1) == real("2 - 1")
    for mistaken in ("1", 0.8):
        with pytest.raises(TypeError, match="compares with numbers"):
            bool(real(1) == mistaken)
    assert len({real("sqrt(8)"), real("2*sqrt(2)"), real("sqrt(2)")}) == 2


def test_numbers_of_many_digits_can_be_shown() -> None:
    power = real(Fraction(1, 3**10_000))
    assert len(str(power)) > 4300
    assert str(power).startswith("1/")
    assert str(real(10**5000)) == "1" + "0" * 5000
    assert str(power * PI).startswith("pi/")


def test_logarithms_and_roots_of_multiples_have_one_form() -> None:
    """So that a budget typed as ln(2 − e^(−1)) is recognised as a tie, however it came about."""
    assert real("ln(2 - exp(-1))") == real("ln(1 - exp(-1)/2) + ln(2)")
    assert real("ln(6*pi - 3)") == real("ln(3) + ln(2*pi - 1)")
    assert real("sqrt(4*pi - 4)") == real("2*sqrt(pi - 1)")
    assert real("1/(4 - 2*pi)") == real("-1/(2*pi - 4)")
    assert compare("ln(2 - exp(-1))", "ln(1 - exp(-1)/2) + ln(2)") is Sign.ZERO


@pytest.mark.parametrize("function", ["ln", "sqrt"])
def test_a_positive_quotient_of_two_negative_numbers_has_a_logarithm_and_a_root(
    function: str,
) -> None:
    """−3/(e^(−1/4) − 4e^(−1/8)) is positive though its coefficient and its divisor are not."""
    quotient = real("-3/(exp(-1/4) - 4*exp(-1/8))")
    found = real(f"{function}(-3/(exp(-1/4) - 4*exp(-1/8)))")
    truth = getattr(math, "log" if function == "ln" else function)
    assert math.isclose(float(found), truth(3 / (4 * math.exp(-1 / 8) - math.exp(-1 / 4))))
    back = found.exp() if function == "ln" else found * found
    assert math.isclose(float(back), float(quotient))
    assert float(real(str(found))) == float(found)


@pytest.mark.parametrize(
    ("p", "expected"),
    [("0", "1"), ("1", "0"), ("1/3", "2/3"), ("exp(1)/(1 + exp(1))", "1/(1 + exp(1))")],
)
def test_the_complement_of_a_probability_is_what_is_left_of_1(p: str, expected: str) -> None:
    assert complement(real(p)) == real(expected)
