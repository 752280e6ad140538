"""What lies beyond the listed part of unclamped noise, in closed form.

Rounded by floor or toward zero, P(|noise| = a) ≤ (1 − t)·t^(a−1) for every a ≥ 0, t = e^(−1/b).  So
for K independent noises, S = Σ|noise| and L ≥ 0,

    E[S^d; S > L] ≤ Σ_{m > L} a_m,   a_m = m^d·C(m + K − 1, K − 1)·t^(m−K)

((1 − t)^K ≤ 1 is dropped), whose quotients a_(m+1)/a_m = t·((m + 1)/m)^d·(m + K)/(m + 1) fall with
m: the sum is at most a_(L+1)/(1 − q), q the quotient at L + 1, where q < 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from dpaudit.errors import SizeError
from dpaudit.exact.ball import (
    Ball,
    ball,
    certainly_less,
    infinite_ball,
    integer_power,
    working_precision,
)

__all__ = ["LONGEST_NOISE", "Remainder", "noise_bound", "remainder_beyond"]

LONGEST_NOISE = 1_000_000
"""Noise is not listed beyond this."""


@dataclass(frozen=True)
class Remainder:
    """Outputs that are not listed: balls around 0 that hold what they contribute."""

    mass: Ball
    """Their probability."""
    first: Ball
    """The part of the mean error that is theirs."""
    second: Ball
    """The part of the mean squared error that is theirs."""
    least: int = 0
    """Their error is at least this."""


def _moment_bound(t: Ball, k: int, reach: int, d: int) -> Ball:
    """Return an upper bound of E[S^d; S > reach]; infinite where the quotient is not below 1."""
    m = reach + 1
    quotient = t * ball(Fraction((m + 1) ** d * (m + k), m**d * (m + 1)))
    if not certainly_less(quotient, ball(1)):
        return infinite_ball()
    return ball(m**d * comb(m + k - 1, k - 1)) * integer_power(t, m - k) / (1 - quotient)


def noise_bound(t: Ball, k: int) -> int:
    """Return an L with E[S²; S > L] below 2^−bits at the working precision.

    Raises ``SizeError`` for noise so wide that there is no such L up to :data:`LONGEST_NOISE`.
    """
    small = ball(Fraction(1, 1 << working_precision()))
    low, high = 1, 2
    while not _is_below(t, k, high, small):
        low, high = high, 2 * high
        if high > LONGEST_NOISE:
            raise SizeError(
                f"the noise is too wide to be listed to within 2^-{working_precision()}"
            )
    while high - low > 1 + low // 16:
        middle = (low + high) // 2
        if _is_below(t, k, middle, small):
            high = middle
        else:
            low = middle
    return high


def _is_below(t: Ball, k: int, reach: int, small: Ball) -> bool:
    return certainly_less(_moment_bound(t, k, reach, 2), small)


def remainder_beyond(
    t: Ball, k: int, reach: int, scale: Ball, *, factor: int = 1, least: int = 0
) -> Remainder:
    """Return what the noises with S > ``reach`` contribute to an error of at most ``factor``·S.

    Probabilities are multiplied by ``scale``.
    """
    zeroth, first, second = (
        _up_to(_moment_bound(t, k, reach, d) * scale * factor**d) for d in range(3)
    )
    return Remainder(zeroth, first, second, least)


def _up_to(largest: Ball) -> Ball:
    """Return a ball that contains all from 0 to ``largest``."""
    return ball(0).union(largest)
