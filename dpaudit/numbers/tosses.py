"""Numbers of heads in independent tosses of different coins (the Poisson binomial distribution)."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb_poly

from dpaudit.numbers.ball import Ball, ball

__all__ = ["probability_of_heads"]


def probability_of_heads(coins: Sequence[tuple[Ball, int]], count: int) -> Ball:
    """Return the probability of at least so many heads.

    Args:
        coins: for each kind of coin the odds o ≥ 0 of a head, which then has probability
            o/(1 + o), and how often it is tossed.
        count: the number of heads.

    Returns:
        A ball that contains it.  Its radius is relative to the largest probability of one number of
        heads, not to the result.

    >>> from dpaudit.numbers.ball import ball
    >>> float(probability_of_heads([(ball(1), 2), (ball(3), 1)], 2).mid())
    0.625
    """
    if count <= 0:
        return ball(1)
    factors = [arb_poly([1 / (1 + odds), odds / (1 + odds)]) ** times for odds, times in coins]
    while len(factors) > 1:  # halves of equal length multiply fastest
        factors = [
            one * other for one, other in zip(factors[::2], factors[1::2], strict=False)
        ] + factors[len(factors) // 2 * 2 :]
    masses = list(factors[0].coeffs()) if factors else []
    return sum(masses[count:], ball(0))
