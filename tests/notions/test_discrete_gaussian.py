"""Rényi, zero-concentrated and KL divergences of the discrete Gaussian, with endless support."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpaudit.laws.discrete_gaussian import DiscreteGaussianLaw
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import rational, real
from tests.enclosing import SLACK, ends, fraction_of

DIGITS = 40


def divergence(order: Fraction, shift: int, variance: Fraction) -> mpf:
    """D_α from the definition: the sum over all integers that matter to so many digits."""
    with mp.workdps(DIGITS + 20):
        s = 1 / (2 * mpf(variance.numerator) / variance.denominator)
        alpha = mpf(order.numerator) / order.denominator
        reach = int(mp.sqrt(mpf(DIGITS + 20) * 3 / s)) + (2 + 2 * int(order)) * abs(shift) + 3
        z = range(-reach, reach + 1)
        total = mp.fsum(mp.exp(-s * k * k) for k in z)
        terms = (mp.exp(-s * (alpha * k * k + (1 - alpha) * (k - shift) ** 2)) for k in z)
        return mp.log(mp.fsum(terms) / total) / (alpha - 1)


@given(
    st.fractions(Fraction(11, 10), 6, max_denominator=12),
    st.integers(-3, 3),
    st.fractions(Fraction(1, 5), 9, max_denominator=9),
)
def test_renyi_is_the_sum_over_the_integers(
    order: Fraction, shift: int, variance: Fraction
) -> None:
    with precision(200):
        p, q = (DiscreteGaussianLaw(c, rational(variance)) for c in (5, 5 + shift))
        for forward in (True, False):
            found = p.divergence_from(q).known("renyi", order, forward=forward)
            assert found is not None
            truth = divergence(order, shift, variance)
            lower, upper = ends(found.ball)
            assert lower - SLACK <= fraction_of(truth) <= upper + SLACK
            assert upper - lower < SLACK
            if (order * shift).denominator == 1:
                assert found.exact == rational(order * shift**2 / (2 * variance))
            else:
                assert found.exact is None


def test_the_limit_is_that_of_the_continuous_law() -> None:
    """α·d²/(2σ²) is approached from below as σ grows, to 30 digits already at σ = 4."""
    gaps: list[float] = []
    for sigma in (1, 2, 4):
        with precision(300):
            p, q = (DiscreteGaussianLaw(c, rational(sigma**2)) for c in (0, 1))
            found = p.divergence_from(q).known("renyi", Fraction(5, 2), forward=True)
            assert found is not None
            gaps.append(float((real("5/4") / real(sigma**2)).ball() - found.ball))
    assert 1e-3 > gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 1e-30


@pytest.mark.parametrize("notion", ["kl", "zcdp"])
def test_kl_and_the_supremum_are_exact(notion: str) -> None:
    p, q = (DiscreteGaussianLaw(c, real("7/3")) for c in (0, 2))
    found = p.divergence_from(q).known(notion, None, forward=True)
    assert found is not None
    assert str(found.exact) == "6/7"
    assert p.divergence_from(q).known("gdp", None, forward=True) is None
