"""Samplers whose audits are timed: many draws in one call, and one draw a call."""

import math
import random

from dpaudit import sampler

__all__ = ["laplace", "one", "word"]


@sampler(datasets=[0, 1], neighbours="all", budget=1)
def laplace(count, size, rng):  # type: ignore[no-untyped-def]
    """Draw as many noisy counts as are wanted."""
    return count + rng.laplace(0, 1, size)


def one(count: int) -> float:
    """Draw one noisy count."""
    uniform = random.random() - 0.5
    return count - math.copysign(math.log(1 - 2 * abs(uniform)), uniform)


def word(count: int) -> str:
    """Draw one answer, the right one in three of four."""
    return "yes" if (random.random() < 0.75) == bool(count) else "no"
