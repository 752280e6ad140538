"""Signs that neither normal forms nor balls of a moderate precision show."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpaudit
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.mechanisms.user import own_mechanism
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ZERO, Real, compare, rational, real

exponents = st.integers(0, 4).map(lambda n: rational(Fraction(-n, 2)).exp())
terms = st.tuples(st.integers(1, 5), exponents).map(lambda pair: rational(pair[0]) * pair[1])
sums = st.lists(terms, min_size=1, max_size=4).map(lambda parts: sum(parts, ZERO))


@given(sums, sums, sums, sums)
@settings(max_examples=60, deadline=None)
def test_fractions_added_are_the_fraction_of_the_sum(a: Real, b: Real, c: Real, d: Real) -> None:
    difference = a / b + c / d - (a * d + c * b) / (b * d)
    assert difference.sign() is Sign.ZERO
    assert (difference + real("1e-3000")).sign() is Sign.POSITIVE


@given(sums, sums, st.integers(-3, 3))
@settings(max_examples=60, deadline=None)
def test_the_logarithm_of_a_quotient_is_a_difference(a: Real, b: Real, power: int) -> None:
    moved = a * rational(power).exp()
    assert compare((moved / b).ln(), a.ln() - b.ln() + rational(power)) is Sign.ZERO
    assert compare((moved / b).ln(), a.ln() - b.ln() + rational(power) + real("1e-40")) is (
        Sign.NEGATIVE
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ln((1 + sqrt(2))*(2 + pi)) - ln(1 + sqrt(2)) - ln(2 + pi)", Sign.ZERO),
        ("2*ln(1 + exp(-1)) - ln(1 + 2*exp(-1) + exp(-2))", Sign.ZERO),
        ("1/(1 + 1/(1 + exp(-1))) - (1 + exp(-1))/(2 + exp(-1))", Sign.ZERO),
        ("1/(1 + exp(-1)) - exp(-1)", Sign.POSITIVE),
        ("ln(1 + exp(-1)) - ln(1 + exp(-2))", Sign.POSITIVE),
        ("40*ln(1 + exp(-1)) - 40*ln(exp(1) + 1) + 40", Sign.ZERO),
        ("sqrt(pi^2 + 2*pi + 1) - pi - 1", Sign.ZERO),
        ("exp(1e6*ln(3)) - 3*exp(999999*ln(3))", Sign.ZERO),
        ("1 + exp(1e6*ln(3)) - 3*exp(999999*ln(3))", Sign.POSITIVE),
        ("ln(1 - exp(-1e6))", Sign.NEGATIVE),
        ("sqrt(1 + exp(-1e6)) - 1", Sign.POSITIVE),
        ("exp(exp(-1e6)) - 1", Sign.POSITIVE),
        ("1/(1 + exp(-1e6)) - 1", Sign.NEGATIVE),
        ("ln(1 - exp(-1) + exp(-1e6)) - ln(1 - exp(-1))", Sign.POSITIVE),
        ("ln((3/4 + 1e-3000)/(1/4 - 1e-3000)) - ln(3)", Sign.POSITIVE),
        ("ln((3/4 - 1e-3000)/(1/4 + 1e-3000)) - ln(3)", Sign.NEGATIVE),
        ("exp(1e-3000) - 1 - 1e-3000", Sign.POSITIVE),
    ],
)
def test_signs(text: str, found: Sign) -> None:
    assert real(text).sign() is found
    assert (-real(text)).sign() is (
        {Sign.POSITIVE: Sign.NEGATIVE, Sign.NEGATIVE: Sign.POSITIVE}.get(found, found)
    )


def test_what_is_too_large_to_multiply_out_is_left_undecided() -> None:
    number = real("70*ln(1 + exp(-1)) - 69*ln(1 + exp(-1)) - ln(1 + exp(-1))")
    assert number == ZERO  # the normal form shows this one
    one = "41*ln(1 + exp(-1)) - 41*ln(exp(1) + 1) + 41"
    assert real(one).sign() is Sign.ZERO
    number = real(f"{one} + ln((2 + exp(1))*(3 + exp(1))) - ln(2 + exp(1)) - ln(3 + exp(1))")
    assert number.sign() is Sign.UNDECIDED


class Median:
    """The median of three grades by an exponential mechanism, given by its weights."""

    budget, neighbours, normalised = "1", "one-entry", False

    def datasets(self, n: int) -> list[str]:
        return [f"{a}{b}{c}" for a in "012" for b in "012" for c in "012"]

    def law(self, grades: str) -> dict[str, str]:
        def off(r: str) -> int:
            return max(sum(g < r for g in grades), sum(g > r for g in grades))

        return {r: f"exp(-{off(r)})" for r in "012"}


def test_losses_that_tie_with_the_budget_are_told_from_it() -> None:
    """Laws by weights have losses of exactly 1 among larger ones: none may be left undecided."""
    found = dpaudit.check(own_mechanism(Median()), n=3)
    assert found.verdict == "exceeds"
    assert found.results[0].reason == ""


def test_weights_divided_by_their_sum_add_up_to_one() -> None:
    weights = {r: rational(Fraction(-r, 2)).exp() for r in range(5)}
    total = sum(weights.values(), ZERO)
    law = ExplicitLaw({r: weight / total for r, weight in weights.items()})
    assert law.output_count() == 5


def test_equal_sums_below_cancel() -> None:
    total = real("1 + exp(-1) + exp(-2)")
    assert real("exp(-1)") / total / (real("exp(-2)") / total) == real("exp(1)")
    assert (real("exp(-1)") / total).monomial_quotient(real("3") / total) == real("exp(-1)/3")
