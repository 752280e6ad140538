"""Integrals of products of densities and distribution functions, against mpmath and sympy."""

from fractions import Fraction
from functools import reduce
from operator import mul

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import inf, mp, mpf, quad

from dpaudit.laws.noise import (
    Exponential,
    Laplace,
    Noise,
    NoNoise,
    gumbel_weights,
)
from dpaudit.numbers.ball import precision
from dpaudit.numbers.expsum import EXPSUM_ONE, ExpSum
from dpaudit.numbers.piecewise import ONE_EVERYWHERE, Piecewise, indicator
from dpaudit.numbers.real import real
from tests.enclosing import assert_encloses
from tests.oracles.selection import Density, exponential, gumbel, laplace, noisy_max

RATE = Fraction(3, 10)
"""λ; scales are 1/(κλ)."""

small = st.integers(-9, 9).map(lambda thirds: Fraction(thirds, 3))
rates = st.sampled_from([Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(3, 2)])
noises = st.builds(lambda kind, kappa: kind(kappa), st.sampled_from([Laplace, Exponential]), rates)


def number(q: Fraction) -> mpf:
    return mpf(q.numerator) / q.denominator


def oracle(noise: Noise) -> Density:
    assert isinstance(noise, Laplace | Exponential)
    scale = 1 / number(noise.kappa * RATE)
    return laplace(scale) if isinstance(noise, Laplace) else exponential(scale)


@settings(max_examples=25)
@given(
    st.tuples(noises, small),
    st.lists(st.tuples(noises, small, st.booleans()), max_size=4),
    st.none() | small,
    st.none() | small,
)
def test_integrals_of_products_agree_with_quadrature(
    first: tuple[Laplace | Exponential, Fraction],
    factors: list[tuple[Noise, Fraction, bool]],
    low: Fraction | None,
    high: Fraction | None,
) -> None:
    noise, centre = first
    product = reduce(
        mul,
        [n.survival(c) if above else n.cdf(c) for n, c, above in factors],
        noise.density(centre),
    )
    found = product.integral(low, high)
    with mp.workdps(15):

        def integrand(x: mpf) -> mpf:
            value = oracle(noise)[0](x - number(centre))
            for n, c, above in factors:
                below = oracle(n)[1](x - number(c))
                value *= 1 - below if above else below
            return value

        left = -inf if low is None else number(low)
        right = inf if high is None else number(high)
        scale = 1 / number(noise.kappa * RATE)
        points = [number(p) / scale for p in sorted({centre, *(c for _, c, _ in factors)})]
        inner = [p for p in points if left < p * scale < right]
        truth = mpf(0)
        if left < right:
            ends = [left / scale, *inner, right / scale]
            truth = scale * quad(lambda u: integrand(scale * u), ends)
    with precision(160):
        ball = found.ball(real(RATE))
        again = found.folded(RATE).ball(real(RATE))
        closed = found.at(real(RATE)).ball()
    for value in (ball, again, closed):
        assert_encloses(value, truth, width=Fraction(1, 10**30), slack=Fraction(1, 10**9))


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.fractions(-2, 2, max_denominator=2), small),
        min_size=1,
        max_size=3,
    ),
    small,
    small,
)
@settings(max_examples=20)
def test_polynomials_times_exponentials_agree_with_sympy(
    terms: list[tuple[int, Fraction, Fraction]], a: Fraction, b: Fraction
) -> None:
    low, high = sorted((a, b))
    piece: dict[tuple[int, Fraction], ExpSum] = {}
    for k, r, q in terms:
        piece[k, r] = piece.get((k, r), ExpSum({})) + ExpSum.term(q)
    found = Piecewise((), (piece,)).integral(low, high)
    y = sympy.Symbol("y")
    rate = sympy.Rational(3, 10)

    def rational(q: Fraction) -> sympy.Rational:
        return sympy.Rational(q.numerator, q.denominator)

    function = sum(rational(q) * y**k * sympy.exp(rational(r) * y) for k, r, q in terms)
    truth = sympy.integrate(function, (y, rate * rational(low), rate * rational(high)))
    with precision(160):
        ball = found.ball(real(RATE))
    assert_encloses(
        ball, mpf(sympy.N(truth, 50)), width=Fraction(1, 10**30), slack=Fraction(1, 10**14)
    )


@given(noises, small, small)
def test_densities_integrate_to_one_and_to_their_distribution_functions(
    noise: Laplace | Exponential, centre: Fraction, x: Fraction
) -> None:
    density = noise.density(centre)
    assert density.integral() == EXPSUM_ONE
    assert density.integral(high=x) == noise.cdf(centre).at(x)
    assert density.integral(low=x) == noise.survival(centre).at(x)
    assert density.shifted(x).integral(high=centre) == noise.cdf(centre + x).at(centre)


@given(noises, noises, small, small, small)
def test_integrals_add_up(
    first: Laplace | Exponential, second: Noise, a: Fraction, b: Fraction, cut: Fraction
) -> None:
    product = first.density(a) * second.cdf(b)
    assert product.integral(high=cut) + product.integral(low=cut) == product.integral()
    assert product.between(None, cut).integral() == product.integral(high=cut)
    rest = first.density(a) * second.survival(b)
    assert product.integral() + rest.integral() == EXPSUM_ONE
    assert (product + rest).integral() == EXPSUM_ONE
    assert product.cumulative().at(cut) == product.integral(high=cut)


def test_a_density_times_itself_leaves_a_power_of_lambda() -> None:
    """The convolution of two Laplace densities has a polynomial factor: (2 + y)e^(−y)/8 dy."""
    rate = Fraction(1)
    total = (Laplace(rate).density(0) * Laplace(rate).density(2)).integral()
    assert str(total) == "1/4*t^(2) + 1/2*lambda^1*t^(2)"


def test_integrals_that_do_not_converge_are_refused() -> None:
    for function in (ONE_EVERYWHERE, Laplace(Fraction(1)).cdf(0)):
        with pytest.raises(ValueError, match="converge"):
            function.integral()
    with pytest.raises(ValueError, match="converge"):
        Laplace(Fraction(1)).survival(0).cumulative()
    assert indicator(Fraction(1), Fraction(1)).integral().is_zero()


def test_no_noise_is_a_step() -> None:
    step = NoNoise().cdf(Fraction(1, 2))
    assert [str(step.at(x)) for x in (0, 1)] == ["0", "1"]


@settings(max_examples=10)
@given(st.lists(st.integers(-2, 2), min_size=1, max_size=4), rates)
def test_the_largest_of_gumbel_values_is_the_softmax(answers: list[int], kappa: Fraction) -> None:
    weights = gumbel_weights(answers, kappa)
    total = sum(weights[1:], weights[0])
    scale = 1 / number(kappa * RATE)
    truth = noisy_max(gumbel(scale), answers, scale)
    with precision(160):
        for weight, chance in zip(weights, truth, strict=True):
            share = weight.ball(real(RATE)) / total.ball(real(RATE))
            assert_encloses(share, chance, width=Fraction(1, 10**30), slack=Fraction(1, 10**9))
