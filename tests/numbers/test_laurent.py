"""Laurent polynomials against arithmetic of fractions at a rational t."""

from fractions import Fraction

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dpaudit.numbers.laurent import LAURENT_ONE, LAURENT_ZERO, Laurent, ratio
from dpaudit.numbers.real import real
from tests.campaigns import part

COEFFICIENTS = st.fractions(-5, 5, max_denominator=6)
POLYNOMIALS = st.lists(st.tuples(st.integers(-6, 6), COEFFICIENTS), max_size=5).map(Laurent.collect)
NON_ZERO = POLYNOMIALS.filter(lambda p: not p.is_zero())
BASES = st.fractions(Fraction(11, 10), 9, max_denominator=10)


def value(polynomial: Laurent, t: Fraction) -> Fraction:
    return sum((q * t**power for power, q in polynomial.terms), Fraction(0))


@settings(max_examples=part(200, 60))
@given(POLYNOMIALS, POLYNOMIALS, BASES, st.integers(-5, 5))
def test_arithmetic_commutes_with_evaluation(
    p: Laurent, q: Laurent, base: Fraction, m: int
) -> None:
    t = 1 / base
    assert value(p + q, t) == value(p, t) + value(q, t)
    assert value(p - q, t) == value(p, t) - value(q, t)
    assert value(p * q, t) == value(p, t) * value(q, t)
    assert value(-p, t) == -value(p, t)
    assert value(p.shifted(m), t) == value(p, t) * t**m
    rate = real(base).ln()
    assert p.at(rate).as_fraction() == value(p, t)


@settings(max_examples=200)
@given(POLYNOMIALS, POLYNOMIALS)
def test_normal_form(p: Laurent, q: Laurent) -> None:
    for polynomial in (p, p + q, p - q, p * q, -p):
        powers = [power for power, _ in polynomial.terms]
        assert powers == sorted(set(powers))
        assert all(coefficient for _, coefficient in polynomial.terms)
    assert (p - p).is_zero()
    assert p - p == LAURENT_ZERO
    assert p * LAURENT_ONE == p
    assert (p * q == q * p) and (p + q == q + p)  # noqa: PT018


@settings(max_examples=part(200, 60))
@given(NON_ZERO, NON_ZERO, BASES)
def test_a_ratio_keeps_the_quotient(p: Laurent, q: Laurent, base: Fraction) -> None:
    t = 1 / base
    assume(value(p, t) and value(q, t))
    found = ratio(p, q)
    quotient = found.coefficient * t**found.power * value(found.above, t) / value(found.below, t)
    assert quotient == value(p, t) / value(q, t)
    assert found.above.terms[0] == found.below.terms[0] == (0, Fraction(1))


@settings(max_examples=100)
@given(NON_ZERO, COEFFICIENTS.filter(bool), st.integers(-5, 5))
def test_what_both_share_cancels(p: Laurent, q: Fraction, m: int) -> None:
    found = ratio(p.shifted(m) * Laurent.monomial(q, 0), p)
    assert (found.coefficient, found.power) == (q, m)
    assert found.above == found.below == LAURENT_ONE


@settings(max_examples=part(150, 40))
@given(NON_ZERO, NON_ZERO, st.sampled_from([Fraction(2), Fraction(3), Fraction(3, 2)]))
def test_the_logarithm_of_a_ratio_is_that_of_the_quotient(
    p: Laurent, q: Laurent, base: Fraction
) -> None:
    t = 1 / base
    found = ratio(p, q)
    # masses of laws are positive, and so are their leading terms
    assume(found.coefficient > 0 and value(found.above, t) > 0 and value(found.below, t) > 0)
    loss = found.logarithm(real(base).ln())
    assert loss.exp().as_fraction() == value(p, t) / value(q, t)


def test_zero_monomials_vanish() -> None:
    assert Laurent.monomial(0, 3) == LAURENT_ZERO
    assert Laurent.collect([(1, Fraction(1)), (1, Fraction(-1))]).is_zero()
    assert str(Laurent.collect([(2, Fraction(-1)), (0, Fraction(1, 2))])) == "1/2*t^0 - 1*t^2"
    assert LAURENT_ZERO.at(real(1)) == real(0)
