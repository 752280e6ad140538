"""What tests ask of a ball: that it contains an independently computed value, and is narrow."""

from fractions import Fraction

from mpmath import mpf

from dpaudit.numbers.ball import Ball, lower_fraction, precision, upper_fraction

__all__ = ["SLACK", "assert_encloses", "ends", "fraction_of", "overlap", "width_of"]

SLACK = Fraction(1, 10**40)
"""What the mpmath oracles, run with 60 digits, may be off by."""


def fraction_of(value: mpf) -> Fraction:
    """The exact rational value of a finite binary float of mpmath."""
    sign, mantissa, exponent, _ = value._mpf_
    return Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** int(exponent)


def ends(x: Ball) -> tuple[Fraction, Fraction]:
    """Both ends, with enough precision not to widen a tight ball."""
    with precision(4096):
        return lower_fraction(x), upper_fraction(x)


def width_of(x: Ball) -> Fraction:
    lower, upper = ends(x)
    return upper - lower


def overlap(x: Ball, y: Ball) -> bool:
    (a, b), (c, d) = ends(x), ends(y)
    return a <= d and c <= b


def assert_encloses(
    x: Ball, truth: mpf | Fraction, *, width: Fraction, slack: Fraction = SLACK
) -> None:
    """`x` meets truth ± slack from both sides, and is at most `width` wide."""
    exact = truth if isinstance(truth, Fraction) else fraction_of(truth)
    lower, upper = ends(x)
    assert lower <= exact + slack, f"lower end {float(lower)} above {float(exact)}"
    assert upper >= exact - slack, f"upper end {float(upper)} below {float(exact)}"
    assert upper - lower <= width, f"width {float(upper - lower)} above {float(width)}"
