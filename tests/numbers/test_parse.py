"""The language of closed forms: what it reads, what it refuses, and that it reads what is shown."""

from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings

from dpaudit.errors import NumberSyntaxError, UsageError
from dpaudit.numbers.real import PI, parse_fraction, parse_real, real
from tests.numbers.expressions import OutOfDomain, Tree, evaluate, trees, written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.8", Fraction(4, 5)),
        (" 4/5 ", Fraction(4, 5)),
        ("5e-4", Fraction(1, 2000)),
        ("5E-4", Fraction(1, 2000)),
        (".5", Fraction(1, 2)),
        ("3.", Fraction(3)),
        ("1e3", Fraction(1000)),
        ("1 - 2 - 3", Fraction(-4)),
        ("8/4/2", Fraction(1)),
        ("2^3^2", Fraction(512)),
        ("2**-1", Fraction(1, 2)),
        ("-2^2", Fraction(-4)),
        ("(-2)^2", Fraction(4)),
        ("--1", Fraction(1)),
        ("2*-3", Fraction(-6)),
        ("2 × 3 ÷ 4 − 1", Fraction(1, 2)),
        ("4^(1/2)", Fraction(2)),
        ("27^(2/3)", Fraction(9)),
        ("0^0", Fraction(1)),
        ("exp(0)", Fraction(1)),
        ("sqrt(0)", Fraction(0)),
        ("ln(exp(1/3))", Fraction(1, 3)),
    ],
)
def test_reads_rationals_exactly(text: str, value: Fraction) -> None:
    assert parse_fraction(text) == value
    assert parse_real(text).as_fraction() == value


def test_spellings_of_pi_agree() -> None:
    assert parse_real("π") == parse_real("pi") == PI
    assert parse_real("2·π") == parse_real("2*pi")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "nan",
        "inf",
        "-inf",
        "Infinity",
        "1/0",
        "0^-1",
        "ln(0)",
        "ln(-1)",
        "ln(1 - 1)",
        "sqrt(-1)",
        "(-8)^(1/3)",
        "1/(ln(9) - 2*ln(3))",
        "2^pi",
        "1e",
        ".",
        "1.2.3",
        "1 2",
        "2pi",
        "1_000",
        "0x10",
        "1,5",
        "(1",
        "1)",
        "()",
        "ln 2",
        "ln()",
        "exp",
        "+",
        "1 +",
        "* 2",
        "2 ^",
        "epsilon",
        "__import__('os')",
        "__import__",
        "().__class__",
        "lambda: 1",
        "[1]",
        "1;2",
        "1 if 1 else 2",
        "'1'",
        "1\x00",
        "1j",
        "1e4097",
        "1e-99999999999999999999",
        "1e00000000099999999",
        "9^9^9^9",
        "2^4097",
        "2^(1/4097)",
        "99999^4000",
        "exp(1e1001*ln(2))",
        "(1 + pi)^4000",
        "(1 + pi + ln(2) + ln(3) + sqrt(2) + exp(1))^60",
        "((10^1000*pi)^4000)^4000",
        "(" * 45 + "1" + ")" * 45,
        "ln(" * 60 + "1",
        "2^" * 150 + "1",
        "1+" * 250 + "1",
        "1" * 401,
    ],
)
def test_refuses_with_one_line(text: str) -> None:
    with pytest.raises(NumberSyntaxError, match="is not a number") as caught:
        real(text)
    assert "\n" not in str(caught.value)
    assert caught.value.text == text
    assert isinstance(caught.value, UsageError)


@pytest.mark.parametrize(("text", "read"), [("((((1))))", 1), ("(" * 39 + "7" + ")" * 39, 7)])
def test_moderate_nesting_is_read(text: str, read: int) -> None:
    assert parse_fraction(text) == read


def test_a_quotient_of_hidden_zeros_is_refused_like_any_division_by_zero() -> None:
    zero = "(sqrt(pi^2 + 2*pi + 1) - pi - 1)"
    for text in (f"1/{zero}", f"{zero}/{zero}"):
        with pytest.raises(NumberSyntaxError, match="must not be zero"):
            real(text)


def test_deeply_nested_roots_stay_fast() -> None:
    number = real("sqrt(" * 20 + "pi" + ")" * 20)
    assert len(str(number)) < 400
    assert real(str(number)) == number


def test_an_irrational_is_not_read_as_a_fraction() -> None:
    with pytest.raises(NumberSyntaxError, match="not rational"):
        parse_fraction("sqrt(2)")


@pytest.mark.parametrize(
    "text",
    [
        "101*ln(2) + 100*ln(3)",
        "1e6*ln(2) + ln(3)",
        "ln(2^200) + ln(3)",
        "ln(2^161) - 10*ln(2)",
        "1/(3*pi + 2)",
        "1/(2*sqrt(2) + 1)",
        "(1/(1 + pi))*(1/(1 + pi))",
        "exp(ln(2)/5000)",
        "sqrt(2^201)",
        "-ln(3/2)/2 + pi",
        "ln(1/pi)/ln(2)^2",
        "sqrt(exp(1)/pi)*2^(1/3)/7",
        "-exp(sqrt(2) - 1/(1 - pi))",
    ],
)
def test_reads_back_what_it_shows(text: str) -> None:
    number = real(text)
    assert real(str(number)) == number


@settings(max_examples=300)
@given(trees())
@example(
    ("/", ("rational", Fraction(1)), ("+", ("*", ("pi",), ("rational", Fraction(3))), ("pi",)))
)
def test_reads_back_what_it_shows_on_random_trees(tree: Tree) -> None:
    try:
        evaluate(tree)
    except OutOfDomain:
        assume(False)
    number = real(written(tree))
    assume(len(str(number)) <= 400)
    assert real(str(number)) == number
    assert hash(real(str(number))) == hash(number)
