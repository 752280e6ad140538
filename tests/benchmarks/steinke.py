"""The bound in use, of Steinke, Nasr and Jagielski 2023, to be set beside the sharp one.

P[at least v of r guesses right] ≤ β + 2·m·δ·max_{1 ≤ i ≤ v} P[v > W ≥ v − i]/i, in floats.
"""

from __future__ import annotations

from functools import cache
from math import exp

import numpy as np
from scipy.stats import binom

__all__ = ["epsilon_refuted", "p_value"]

_WIDTH = 1e-9


def p_value(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """Return the largest probability that the formula allows so many right guesses."""
    chance = 1 / (1 + exp(-epsilon))
    tail = float(binom.sf(right - 1, guesses, chance))
    steps = np.arange(1, right + 1)
    near = binom.sf(right - steps - 1, guesses, chance) - tail
    return tail + 2 * canaries * delta * float(np.max(near / steps, initial=0.0))


@cache
def epsilon_refuted(canaries: int, guesses: int, right: int, delta: float, level: float) -> float:
    """Return about the first ε at which the formula exceeds the level; 0 where it is 0."""

    def refuted(epsilon: float) -> bool:
        return p_value(canaries, guesses, right, epsilon, delta) <= level

    if not refuted(0.0):
        return 0.0
    low, high = 0.0, 0.5
    while refuted(high):
        low, high = high, high + 0.5
    while high - low > _WIDTH:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low
