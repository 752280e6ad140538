"""The recheck of rates in two worlds: the largest probability again, in floats of its own.

The probabilities are sums of a few thousand positive floats; they are trusted to a part of 10⁻⁹,
which is about as much of ε.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

__all__ = ["largest_probability"]

_HALVINGS = 60
_GOLDEN = (math.sqrt(5) - 1) / 2
_TIE = 1e-9


@lru_cache(maxsize=8)
def _logs(trials: int) -> list[float]:
    most = math.lgamma(trials + 1)
    return [most - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(trials + 1)]


def _masses(trials: int, p: float) -> list[float]:
    if p <= 0 or p >= 1:
        return [float(k == (trials if p >= 1 else 0)) for k in range(trials + 1)]
    up, down = math.log(p), math.log1p(-p)
    return [math.exp(way + k * up + (trials - k) * down) for k, way in enumerate(_logs(trials))]


def _tail(trials: int, first: int, p: float) -> float:
    return math.fsum(_masses(trials, p)[first:])


def _solved(is_below: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2


def _least(counts: tuple[int, int, int, int], delta: float, half: float) -> list[int] | None:
    """Return for each count without the canary the least one with it that is as extreme."""
    n, x, m, y = counts
    if not x:
        return None
    low = _solved(lambda p: _tail(n, x, p) < half, 0.0, 1.0)

    def upper(count: int, above: float) -> float:
        if count == m:
            return 1.0
        return _solved(lambda p: _tail(m, count + 1, p) < 1 - half, above, 1.0)

    high = upper(y, 0.0)
    ratios = [(low - delta) / high, (1 - high - delta) / (1 - low)]
    odds = max(ratios)
    if odds <= 0:
        return None
    least: list[int] = []
    first, above = 0, 0.0
    for count in range(m + 1):
        above = high if count == y else upper(count, above)
        needed = min(odds * above + delta, 1 - (1 - above - delta) / odds)
        if needed >= 1:
            return least + [n + 1] * (m + 1 - count)
        while first <= n and _tail(n, first, needed) > half * (1 + _TIE):
            first += 1
        least.append(first)
    return least


def largest_probability(
    counts: tuple[int, int, int, int], delta: float, level: float
) -> Callable[[float], float] | None:
    """Return the largest probability of as extreme counts as a function of ε; None for no bound.

    Args:
        counts: how many trainings there were with the canary, how many of those were called so,
            how many without it, and how many of these.
        delta: δ.
        level: the level.
    """
    least = _least(counts, delta, level / 2)
    if least is None:
        return None
    n, _, m, _ = counts

    def probability(epsilon: float) -> float:
        odds = math.exp(epsilon)

        def at(p: float) -> float:
            rate = min(odds * p + delta, 1 - (1 - p - delta) / odds, 1.0)
            tails = [0.0] * (n + 2)
            for k, mass in reversed([*enumerate(_masses(n, rate))]):
                tails[k] = tails[k + 1] + mass
            return math.fsum(mass * tails[c] for mass, c in zip(_masses(m, p), least, strict=True))

        # The two constraints cross here: the maximum may be a corner that no grid point hits.
        kink = (1 - delta) / (1 + odds)
        steps = max(32, 2 * math.isqrt(m))
        grid = sorted({math.sin(math.pi * k / (2 * steps)) ** 2 for k in range(steps + 1)} | {kink})
        place = max(range(len(grid)), key=lambda i: at(grid[i]))
        ends = [grid[max(place - 1, 0)], grid[place], grid[min(place + 1, len(grid) - 1)]]
        return max(_peak(at, low, high) for low, high in pairwise(ends))

    return probability


def _peak(at: Callable[[float], float], low: float, high: float) -> float:
    """Return the maximum of a function with one peak between two numbers."""
    best = max(at(low), at(high))
    for _ in range(_HALVINGS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        first, second = at(left), at(right)
        best = max(best, first, second)
        low, high = (low, right) if first >= second else (left, high)
    return best
