"""Sums of e^(−s·z²) over integers, enclosed: the theta function, and its tails.

With s = 1/(2σ²) these normalise the discrete Gaussian law and give its distribution function.  A
sum is cut where what is left over is bounded by a geometric series:

    Σ_{z ≥ K} e^(−s·z²) ≤ e^(−s·K²)/(1 − e^(−2s·K)),   K ≥ 1,

because (K + j)² ≥ K² + 2K·j.  The rest lies between 0 and that bound, and so does its ball.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import (
    Ball,
    PrecisionNeeded,
    ball,
    certainly_less,
    fixed_point,
    pi_ball,
    working_precision,
)

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["MAX_TERMS", "tail_sum", "theta", "theta_around"]

MAX_TERMS = 1_000_000
"""How many terms a sum may take before it is refused."""


def tail_sum(s: Ball, first: int) -> Ball:
    """Return Σ_{z ≥ first} e^(−s·z²) for s > 0 and any integer ``first``.

    Raises ``PrecisionNeeded`` where s is not separated from 0, and ``PrecisionError`` where the
    sum would take more than :data:`MAX_TERMS` terms.

    >>> print(tail_sum(ball(1), 3).str(12, radius=False))
    0.000123522353150
    """
    if not certainly_less(ball(0), s):
        raise PrecisionNeeded("the width of a Gaussian law is not separated from infinity")
    if first < 1:
        # Σ_{z ≥ first} = Σ over all − Σ_{z ≥ 1 − first}, by symmetry
        return theta(s) - tail_sum(s, 1 - first)
    return _enclosed_tail(s, first)


def theta(s: Ball) -> Ball:
    """Return Σ over all integers z of e^(−s·z²), s > 0, by the faster of its two series.

    Poisson's summation gives √(π/s)·Σ e^(−π²·z²/s) as well, which converges fast where the first
    converges slowly (Jacobi's identity; Whittaker and Watson, §21.51).

    >>> print(theta(ball(1)).str(15, radius=False))
    1.77263720482665
    """
    if certainly_less(s, pi_ball()):
        dual = pi_ball() * pi_ball() / s
        return (pi_ball() / s).sqrt() * (1 + 2 * tail_sum(dual, 1))
    return 1 + 2 * tail_sum(s, 1)


def theta_around(s: Ball, place: Fraction) -> Ball:
    """Return Σ over all integers z of e^(−s·(z − place)²), s > 0 and 0 ≤ ``place`` < 1.

    Beyond K on either side the terms are below those of the tail from K, because |z − place| is at
    least |z| − 1 there.

    >>> from fractions import Fraction
    >>> print(theta_around(ball(1), Fraction(1, 2)).str(15, radius=False))
    1.77227049698438
    """
    if not certainly_less(ball(0), s):
        raise PrecisionNeeded("the width of a Gaussian law is not separated from infinity")
    last = _last_term(s, 1)
    total = Ball(0)
    for z in range(-last, last + 1):
        total += (-s * ball(z - place) ** 2).exp()
    return total + Ball(0).union(2 * _enclosed_tail(s, last))


def _enclosed_tail(s: Ball, first: int) -> Ball:
    """Return the tail from ``first`` ≥ 1: terms until they no longer count, and the rest."""
    last = _last_term(s, first)
    total = Ball(0)
    # e^(−s(z+1)²) = e^(−s·z²)·e^(−s(2z+1)), and the second factor falls by e^(−2s) each time
    term = (-s * ball(first) ** 2).exp()
    ratio = (-s * (2 * first + 1)).exp()
    step = (-2 * s).exp()
    for _ in range(first, last):
        total += term
        term *= ratio
        ratio *= step
    bound = term / (1 - (-2 * s * last).exp())
    return total + Ball(0).union(bound)


def _last_term(s: Ball, first: int) -> int:
    """Return a place from which the rest is below 2^−(precision + 16) times the first term.

    Any place is sound: this one is only good.
    """
    bits = working_precision() + 16
    wanted = ball(bits)  # e^-bits < 2^-bits
    # s((first + j)² − first²) ≥ bits where j ≥ √(first² + bits/s) − first
    reach = (ball(first) ** 2 + wanted / s).sqrt()
    if not reach.is_finite():
        raise PrecisionNeeded("the width of a Gaussian law is not separated from infinity")
    last = fixed_point(reach, 0)[1] + 1
    if last - first > MAX_TERMS:
        raise PrecisionError(
            f"a Gaussian sum would take {last - first} terms, of at most {MAX_TERMS}"
        )
    return last
