"""Probabilities of the discrete Gaussian in balls: sums of e^(−k²/2σ²), and a bound of the rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from dpaudit.numbers.ball import Ball, ball, precision, working_precision
from dpaudit.numbers.real import rational

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real

__all__ = ["discrete_gaussian_chance"]

_GUARD_BITS = 20


def discrete_gaussian_chance(sd: Real, support: tuple[tuple[int | None, int | None], ...]) -> Ball:
    """Return the probability that a discrete Gaussian draw lies in a support."""
    bits = working_precision()
    with precision(bits + _GUARD_BITS):
        variance = (rational(2) * sd * sd).ball()
        far = math.ceil(float(sd) * (math.isqrt(2 * bits) + 4)) + 1
        whole = _masses(variance, -far, far)
        beyond = _beyond(variance, far)
        inside = Ball(0)
        for low, high in support:
            first = -far if low is None else max(low, -far)
            last = far if high is None else min(high, far)
            if first <= last:
                inside += _masses(variance, first, last)
            if low is None or high is None or low < -far or high > far:
                inside += Ball(0).union(beyond)
        return inside / (whole + Ball(0).union(beyond))


def _masses(variance: Ball, first: int, last: int) -> Ball:
    return sum(((-ball(k * k) / variance).exp() for k in range(first, last + 1)), Ball(0))


def _beyond(variance: Ball, far: int) -> Ball:
    """Return a bound of Σ e^(−k²/2σ²) over |k| > far: a geometric series from the first on."""
    first = (-ball((far + 1) ** 2) / variance).exp()
    ratio = (-ball(2 * far + 3) / variance).exp()
    return 2 * first / (1 - ratio)
