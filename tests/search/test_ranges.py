"""Ranges as they are written."""

from fractions import Fraction

import pytest

from dpaudit.errors import UsageError
from dpaudit.questions.hunt.family import read_ranges
from dpaudit.questions.hunt.space import Choices, Dimension, Range, Steps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prior=1/100..1", Range("prior", Fraction(1, 100), Fraction(1))),
        ("prior=0.01..1", Range("prior", Fraction(1, 100), Fraction(1))),
        (" eps = 1e-2 .. 2^3 ", Range("epsilon", Fraction(1, 100), Fraction(8))),
        ("x=-1/2...5", Range("x", Fraction(-1, 2), Fraction(1, 2))),
        ("n=2..300", Steps("n", 2, 1, 299)),
        ("n=10..181..10", Steps("n", 10, 10, 18)),
        ("k=2..4", Steps("k", 2, 1, 3)),
        ("k=2,3", Choices("k", (2, 3))),
        ("n=7", Choices("n", (7,))),
        ("n=7..7", Steps("n", 7, 1, 1)),
        ("gamma=1..9..1/2", Steps("gamma", Fraction(1), Fraction(1, 2), 17)),
        ("m=2..10..1", Steps("m", 2, 1, 9)),
        ("p=3..3", Choices("p", (Fraction(3),))),
        ("divisor=1,2,1", Choices("divisor", ("1", "2"))),
        ("eps=ln(3),1", Choices("epsilon", ("ln(3)", "1"))),
    ],
)
def test_ranges_read_exactly(text: str, expected: Dimension) -> None:
    assert read_ranges([text]) == (expected,)


def test_a_mapping_says_the_same() -> None:
    assert read_ranges({"n": "2..9", "k": [2, 3], "gs": "quoted"}) == read_ranges(
        ["n=2..9", "k=2,3", "gs=quoted"]
    )


BAD = [
    ("", "write the parameter, = and its values"),
    ("prior", "write the parameter, = and its values"),
    ("=1..2", "not the name of a parameter"),
    ("prior.0=1..2", "not the name of a parameter"),
    ("prior.x=1..2", "not the name of a parameter"),
    ("a b=1..2", "not the name of a parameter"),
    ("prior=", "a value is missing"),
    ("prior=..", "not a range"),
    ("prior=1..", "not a range"),
    ("prior=..1", "not a range"),
    ("prior=1..2..3..4", "not a range"),
    ("prior=1,", "a value is missing"),
    ("prior=1..2,3", "mixes a list and a range"),
    ("prior=1..1/100", "the range runs backwards; did you mean 1/100..1?"),
    ("n=300..2", "the range runs backwards; did you mean 2..300?"),
    ("prior=a..b", "'a' is not a number"),
    ("prior=nan..1", "is not a number"),
    ("prior=1..inf", "is not a number"),
    ("prior=__import__('os')..1", "is not a number"),
    ("prior=1/0..1", "is not a number"),
    ("prior=1..1e999", "must be 0, or from 10^-300 to 10^300"),
    ("prior=1..1e99999999", "power of ten"),
    ("prior=1e-301..1", "must be 0, or from 10^-300 to 10^300"),
    ("prior=ln(2)..1", "must be rational"),
    ("n=1/2..3", "must be a whole number"),
    ("n=0..3", "must be a whole number from 1 to"),
    ("n=-3..3", "must be a whole number from 1 to"),
    ("n=2..1e12", "must be a whole number from 1 to"),
    ("n=2..9..0", "the step of n = 0: must be at least 1"),
    ("n=2..9..1/2", "must be a whole number"),
    ("n=2,x", "'x' is not a number"),
    ("n=2,99999999999", "must be a whole number from 1 to"),
    ("k=1..3", "must be a whole number from 2 to 100000"),
    ("k=2,100001", "must be a whole number from 2 to 100000"),
    ("p=0..1..0", "must be greater than 0"),
    ("p=0..1..-1", "must be greater than 0"),
    ("p=0..1..1e-12", "steps, and the limit is"),
    (f"p={'9' * 500}..1", "is not a number"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_what_is_no_range_gets_one_clear_line(text: str, reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_ranges([text])
    message = str(caught.value)
    assert reason in message
    assert "\n" not in message
    assert len(message) < 400


def test_a_parameter_is_searched_once() -> None:
    with pytest.raises(UsageError, match="epsilon is searched twice"):
        read_ranges(["eps=1..2", "epsilon=3..4"])
    with pytest.raises(UsageError, match="no parameter to search"):
        read_ranges([])
