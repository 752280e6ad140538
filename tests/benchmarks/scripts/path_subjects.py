"""Functions as one writes them: what the benchmark of paths explores as they run."""

import math
import random

import numpy as np

__all__ = ["choices", "chosen", "coins", "exponential", "noisy_count", "shuffled"]

_SCORES = np.array(
    [[(7 * row + 13 * item * (1 + row % 3)) % 20 for item in range(1000)] for row in range(50)]
)


def exponential(row: int) -> int:
    """Return one of 1,000 candidates by the exponential mechanism."""
    scores = _SCORES[row] / 4
    weights = np.exp(scores - scores.max())
    return int(np.random.choice(1000, p=weights / weights.sum()))


def choices(row: int) -> int:
    """Return one of 200 candidates by Python's own choice."""
    weights = [math.exp(score / 4) for score in _SCORES[row, :200].tolist()]
    return random.choices(range(200), weights)[0]


def chosen(row: int) -> tuple[int, ...]:
    """Return randomised response on each of eight bits."""
    return tuple(int(random.random() < (0.75 if bit == row else 0.25)) for bit in range(8))


def coins(row: int) -> int:
    """Return a count with ten coins."""
    return row + sum(random.random() < 0.5 for _ in range(10))


def noisy_count(row: int) -> int:
    """Return a count with Laplace noise, rounded and clamped."""
    return min(30, max(-30, round(row + np.random.laplace(0, 2))))


def shuffled(row: int) -> tuple[int, ...]:
    """Return five numbers in a random order."""
    found = [row, 1, 2, 3, 4]
    random.shuffle(found)
    return tuple(found)
