"""Closed forms of well-known mechanisms, to compare an audit with.

Privacy of randomised response, of Laplace noise and of Gaussian noise on a query of sensitivity 1,
exactly (:class:`Real`) where a closed form exists and as a ball where it needs Φ.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpaudit.numbers.ball import Ball, ball, certainly_less
from dpaudit.numbers.normal import normal_cdf, normal_quantile
from dpaudit.numbers.real import ONE, Number, Real, rational, real

__all__ = [
    "gaussian_renyi",
    "gaussian_tradeoff",
    "laplace_kl",
    "laplace_renyi",
    "laplace_tradeoff",
    "randomised_response_gaussian",
    "randomised_response_kl",
    "randomised_response_renyi",
    "randomised_response_tv",
]


def randomised_response_renyi(epsilon: Number, order: Fraction) -> Real:
    """Return D_α of randomised response with p = e^ε/(1 + e^ε), α > 1 (Mironov 2017, Prop. 5).

    >>> from fractions import Fraction
    >>> print(randomised_response_renyi("ln(3)", Fraction(2)))
    ln(7/3)
    """
    odds = real(epsilon).exp()
    total = ONE + odds
    likely, unlikely = odds / total, ONE / total
    moment = likely * odds ** (order - 1) + unlikely * odds ** (1 - order)
    return moment.ln() / rational(order - 1)


def randomised_response_kl(epsilon: Number) -> Real:
    """Return ε·tanh(ε/2), the KL divergence of randomised response and the limit α → 1.

    >>> print(randomised_response_kl("ln(3)"))
    ln(3)/2
    """
    return real(epsilon) * randomised_response_tv(epsilon)


def randomised_response_tv(epsilon: Number) -> Real:
    """Return tanh(ε/2) = (e^ε − 1)/(e^ε + 1), the total variation of randomised response."""
    odds = real(epsilon).exp()
    return (odds - ONE) / (odds + ONE)


def randomised_response_gaussian(epsilon: Number) -> Ball:
    """Return μ = 2·Φ⁻¹(e^ε/(1 + e^ε)) of randomised response (Dong, Roth and Su 2022)."""
    return -2 * normal_quantile(1 / (1 + real(epsilon).ball().exp()))


def laplace_renyi(scale: Number, order: Fraction) -> Real:
    """Return D_α of Lap(``scale``) on a query of sensitivity 1, α > 1 (Mironov 2017, Prop. 6)."""
    b = real(scale)
    left = rational(order / (2 * order - 1)) * (rational(order - 1) / b).exp()
    right = rational((order - 1) / (2 * order - 1)) * (rational(-order) / b).exp()
    return (left + right).ln() / rational(order - 1)


def laplace_kl(scale: Number) -> Real:
    """Return 1/b + e^(−1/b) − 1, the limit α → 1 of :func:`laplace_renyi`."""
    rate = ONE / real(scale)
    return rate + (-rate).exp() - ONE


def gaussian_renyi(sigma: Number, order: Fraction) -> Real:
    """Return α/(2σ²), D_α of N(0, σ²) on a query of sensitivity 1 (Mironov 2017, Prop. 7).

    >>> from fractions import Fraction
    >>> print(gaussian_renyi(2, Fraction(3)))
    3/8
    """
    return rational(order) / (rational(2) * real(sigma) * real(sigma))


def gaussian_tradeoff(mu: Number, type_one: Fraction) -> Ball:
    """Return G_μ(a) = Φ(Φ⁻¹(1 − a) − μ), for 0 < a < 1 (Dong, Roth and Su 2022)."""
    return normal_cdf(-normal_quantile(ball(type_one)) - real(mu).ball())


def laplace_tradeoff(scale: Number, type_one: Fraction) -> Ball:
    """Return the trade-off function of Lap(``scale``) on a query of sensitivity 1.

    It is F(F⁻¹(1 − a) − 1/b) with F the distribution function of Lap(1) (Dong, Roth and Su 2022,
    for log-concave noise), for 0 < a < 1.
    """
    rate = (ONE / real(scale)).ball()
    shifted = -_laplace_quantile(type_one) - rate
    return _either(shifted, lambda x: x.exp() / 2, lambda x: 1 - (-x).exp() / 2)


def _laplace_quantile(probability: Fraction) -> Ball:
    if 2 * probability <= 1:
        return ball(2 * probability).log()
    return -ball(2 * (1 - probability)).log()


def _either(x: Ball, below: Callable[[Ball], Ball], above: Callable[[Ball], Ball]) -> Ball:
    """Return below(x) for x ≤ 0 and above(x) otherwise, their union where the sign is unknown."""
    if certainly_less(x, Ball(0)):
        return below(x)
    if certainly_less(Ball(0), x):
        return above(x)
    return below(x).union(above(x))
