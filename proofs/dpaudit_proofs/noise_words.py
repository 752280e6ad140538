"""Words about Laplace noise: how likely it is below a number, and where it takes a count."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.claims.elementary import Undefined, as_ball, sign_of
from dpaudit.claims.evaluate import exact_integer
from dpaudit.claims.vocabulary import vocabulary
from dpaudit.numbers.ball import PrecisionNeeded, Sign
from dpaudit.numbers.real import Real, rational

__all__ = ["clamped", "clamped_again", "laplace_below", "laplace_below_again"]


def laplace_below(scale: Any, t: Any) -> Any:
    """Return P(Y < t) for Laplace noise Y; ``Undefined`` unless its scale is above 0."""
    if sign_of(scale) is not Sign.POSITIVE:
        raise Undefined("a scale that is not above 0")
    exponential = vocabulary().functions["exp"].balls
    half = rational(Fraction(1, 2))
    below = sign_of(t)
    if below is Sign.UNDECIDED:
        raise PrecisionNeeded
    if below is Sign.NEGATIVE:
        return _times(half, exponential(_quotient(t, scale)))
    tail = _times(half, exponential(_quotient(-t, scale)))
    return rational(1) - tail if isinstance(tail, Real) else 1 - tail


def _quotient(left: Any, right: Any) -> Any:
    if isinstance(left, Real) and isinstance(right, Real):
        return left / right
    return as_ball(left) / as_ball(right)


def _times(left: Any, right: Any) -> Any:
    return left * right if isinstance(right, Real) else as_ball(left) * right


def laplace_below_again(scale: Any, t: Any) -> Any:
    """Return the same in mpmath."""
    from mpmath import exp

    return exp(t / scale) / 2 if t < 0 else 1 - exp(-t / scale) / 2


def clamped(scale: Any, n: Any, count: Any, output: Any) -> Any:
    """Return the probability of an output, the noisy count rounded down and clamped to 0 … n.

    It is 0 for an output that is no whole number from 0 to n; ``Undefined`` for n < 1.
    """
    size, r = exact_integer(n), output.as_fraction() if isinstance(output, Real) else None
    if size < 1:
        raise Undefined("datasets of no records")
    if r is None:
        raise PrecisionNeeded
    if r.denominator != 1 or not 0 <= r <= size:
        return rational(0)
    above, below = (laplace_below(scale, _minus(rational(t), count)) for t in (r + 1, r))
    return _minus(rational(1) if r == size else above, rational(0) if r == 0 else below)


def _minus(left: Any, right: Any) -> Any:
    if isinstance(left, Real) and isinstance(right, Real):
        return left - right
    return as_ball(left) - as_ball(right)


def clamped_again(scale: Any, n: Any, count: Any, output: Any) -> Any:
    """Return the same in mpmath."""
    from mpmath import floor

    if floor(output) != output or not 0 <= output <= n:
        return 0 * scale
    above = 1 if output == n else laplace_below_again(scale, output + 1 - count)
    return above - (0 if output == 0 else laplace_below_again(scale, output - count))
