"""Samplers for the tests: with the truth known, over their budget, and careless ones."""

from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit import finite_mechanism, real, sampler

BITS: dict[str, Any] = {"datasets": [0, 1], "neighbours": "all"}


@sampler(**BITS, budget="ln(3)")
def response(x: Any, size: Any, rng: Any, p: Fraction = Fraction(3, 4)) -> Any:
    """Randomised response: ε = ln(p/(1 − p))."""
    return np.where(rng.random(size) < float(p), x, 1 - x)


@sampler(datasets=[0, 1, 2], neighbours="all", budget="ln(3)")
def one_of_three(x: Any, size: Any, rng: Any) -> Any:
    """Three values, each kept three times as often as any other one is given: ε = ln(3)."""
    other = (x + rng.integers(1, 3, size=size)) % 3
    return np.where(rng.integers(5, size=size) < 3, x, other)


@sampler(datasets=range(5), neighbours=lambda x, y: abs(x - y) == 1, budget="ln(2)")
def geometric(x: Any, size: Any, rng: Any) -> Any:
    """Two-sided geometric noise, clamped: ε = ln(2)."""
    return np.clip(x + rng.geometric(0.5, size) - rng.geometric(0.5, size), 0, 4)


@sampler(**BITS, budget=("ln(2)", "1/100"))
def telling(x: Any, size: Any, rng: Any) -> Any:
    """Randomised response that tells the truth as well, once in a hundred: δ(ln(2)) = 1/100."""
    answered = np.where(rng.integers(3, size=size) < 2, x, 1 - x)
    return np.where(rng.integers(100, size=size) < 1, x + 2, answered)


@sampler(**BITS, budget="1/10")
def laplace(x: Any, size: Any, rng: Any, scale: Any = 10) -> Any:
    """A float: its last bits tell more than 1/10."""
    return x + rng.laplace(0, float(scale), size)


@sampler(**BITS, budget="1/2")
def binned(x: Any, size: Any, rng: Any, scale: Any = 32) -> Any:
    """The same on a grid, where nothing leaks: ε = 16/scale."""
    return np.floor((x * 16 + rng.laplace(0, float(scale), size)) / 16)


@sampler(**BITS, budget="ln(2)")
def noisy_count(x: Any, size: Any, rng: Any, epsilon: Any = "ln(2)") -> Any:
    """Two-sided geometric noise: ε is the parameter."""
    p = 1 - np.exp(-float(real(epsilon)))
    return x + rng.geometric(p, size) - rng.geometric(p, size)


@sampler(datasets=[(1,) * 5, (0,) + (1,) * 4], neighbours="all", budget="1/10")
def noisy_values(x: Any, size: Any, rng: Any) -> Any:
    """Vectors: ε is 1 over the scale 2."""
    return np.floor(np.array(x) + rng.laplace(0, 2, (size, 5)))


@sampler(**BITS, budget="1/10")
def above(x: Any, rng: Any) -> Any:
    """The number, where it is above a threshold, else nothing."""
    value = float(np.floor(4 * (x + rng.laplace(0, 2))))
    return value if value >= 4 * rng.laplace(0, 2) else None


@sampler(**BITS, budget="1/10")
def words(x: Any, rng: Any) -> Any:
    """Texts."""
    return "yes" if rng.random() < 0.5 + 0.2 * x else "no"


@sampler(**BITS, budget="1/10")
def leaking(x: Any, rng: Any) -> Any:
    """An exception now and then, on one side only."""
    if x and rng.random() < 0.05:
        raise ValueError("x")
    return 0


@sampler(**BITS, budget="1")
def constant(x: Any, size: Any, rng: Any) -> Any:
    return np.zeros(size)


@sampler(**BITS, budget="1")
def failing(x: Any, size: Any, rng: Any) -> Any:
    raise RuntimeError("no\nluck")


@sampler(**BITS, budget="1")
def short(x: Any, size: Any, rng: Any) -> Any:
    return np.zeros(size - 1)


_OWN = np.random.default_rng(5)


@sampler(**BITS, budget="ln(3)")
def own_generator(x: Any, size: Any, rng: Any) -> Any:
    """A generator of its own that goes on."""
    return np.where(_OWN.random(size) < 0.75, x, 1 - x)


@sampler(**BITS, budget="ln(3)")
def seeded_again(x: Any, size: Any, rng: Any) -> Any:
    """A generator of its own that starts again at every call."""
    return np.where(np.random.default_rng(5).random(size) < 0.75, x, 1 - x)


@finite_mechanism(**BITS, budget="ln(3)")
def law(x: Any) -> Any:
    return {x: "3/4", 1 - x: "1/4"}


@sampler(datasets=lambda n: range(n + 1), neighbours=lambda x, y: abs(x - y) == 1, budget="1")
def sized(x: Any, size: Any, rng: Any) -> Any:
    """Datasets that depend on a size."""
    return np.floor(x + rng.laplace(0, 2, size))


@sampler(**BITS, budget="ln(3)")
def all_alike(x: Any, size: Any, rng: Any) -> Any:
    """One draw, given as many times as are asked for."""
    return np.full(size, x if rng.random() < 0.75 else 1 - x)


@sampler(**BITS, budget="ln(3)")
def repeating(x: Any, size: Any, rng: Any) -> Any:
    """A few draws, over and over."""
    few = np.where(rng.random(17) < 0.75, x, 1 - x)
    return np.resize(few, size)


@sampler(**BITS, budget="ln(3)")
def sorted_draws(x: Any, size: Any, rng: Any) -> Any:
    """Draws in an order."""
    return np.sort(np.where(rng.random(size) < 0.75, x, 1 - x))


@sampler(**BITS, budget="ln(3)")
def sticky(x: Any, size: Any, rng: Any) -> Any:
    """Each draw is the one before with a chance of one half."""
    fresh = np.where(rng.random(size) < 0.75, x, 1 - x)
    last = np.maximum.accumulate(np.where(rng.random(size) < 0.5, np.arange(size), 0))
    return fresh[last]


@sampler(**BITS, budget="ln(3)")
def drifting(x: Any, size: Any, rng: Any) -> Any:
    """Each call has a chance of its own."""
    chance = 0.5 + 0.5 * rng.random()
    return np.where(rng.random(size) < chance, x, 1 - x)


@sampler(**BITS, budget="1/10")
def failing_calls(x: Any, size: Any, rng: Any) -> Any:
    """The same on both sides, but for calls that fail as a whole, with 2 %."""
    fine = 1 + (rng.random(size) < 0.3)
    return np.where(rng.random() < 0.02, 0, fine)


@finite_mechanism(**BITS, budget="1/10")
def uneven(x: Any) -> Any:
    return {0: "1/50", 1: "343/500", 2: "147/500"}


@sampler(**BITS, budget="ln(3)")
def partly_own(x: Any, size: Any, rng: Any) -> Any:
    """Randomness of its own at one dataset alone."""
    return np.where((_OWN if x else rng).random(size) < 0.75, x, 1 - x)


@sampler(**BITS, budget="1/10")
def not_numbers(x: Any, size: Any, rng: Any) -> Any:
    """No number, on one side alone."""
    return np.where(rng.random(size) < 0.1 * x, np.nan, 0.0)


@sampler(**BITS, budget="1/10")
def unhashable(x: Any, rng: Any) -> Any:
    return {"answer": [x]} if rng.random() < 0.5 else {"answer": []}
