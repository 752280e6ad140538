"""Functions as they are written in companies: noise from whatever was at hand."""

from __future__ import annotations

import math
import random
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np

generator = np.random.default_rng()
"""A generator that is made when the module is imported."""
seeded = np.random.default_rng(7)


def rounded_count(n: int, eps: float = 1.0) -> int:
    return int(max(0, round(n + generator.laplace(0.0, 1.0 / eps))))


def scaled_count(n: int, eps: float = 0.3) -> float:
    return n + np.random.laplace(scale=1 / eps)


def inverse(scale: float) -> float:
    u = random.random() - 0.5
    return -scale * math.copysign(1, u) * math.log(1 - 2 * abs(u))


def inverse_mean(xs: tuple[float, ...]) -> float:
    clamped = [min(max(x, 0.0), 10.0) for x in xs]
    return round((sum(clamped) + inverse(10.0)) / len(clamped), 2)


def inverse_numpy(n: int) -> Any:
    u = np.random.uniform(-0.5, 0.5)
    return n - 2.0 * np.sign(u) * np.log(1 - 2 * np.abs(u))


def difference(n: int) -> float:
    return n + random.expovariate(0.5) - random.expovariate(0.5)


def noisy_maximum(counts: tuple[int, ...]) -> int:
    noisy = np.asarray(counts, dtype=float) + np.random.laplace(scale=2.0, size=len(counts))
    return int(np.argmax(noisy))


def gumbel_maximum(scores: tuple[int, ...]) -> int:
    noisy = [score / 2 - math.log(-math.log(random.random())) for score in scores]
    return noisy.index(max(noisy))


def exponential_choice(scores: tuple[int, ...]) -> str:
    weights = np.exp(np.array(scores, dtype=float) / 2)
    return str(np.random.choice(["a", "b", "c"], p=weights / weights.sum()))


def box_muller(n: int) -> float:
    u, v = random.random(), random.random()
    return n + 2.0 * math.sqrt(-2 * math.log(u)) * math.cos(2 * math.pi * v)


def gauss(n: int) -> float:
    return n + random.gauss(0, 2.0)


def normal(n: int) -> Any:
    return n + np.random.normal(0.0, 2.0)


def thresholded(n: int) -> float | None:
    noisy = n + generator.laplace(0, 2.0)
    return float(noisy) if noisy > 5 else None


def predictable(n: int) -> float:
    return n + float(seeded.laplace())


def keyed(n: int) -> int:
    source = random.Random(f"key {n}")
    return n + source.randrange(10)


def keyed_numpy(n: int) -> float:
    return n + float(np.random.default_rng(n).laplace())


def keyed_legacy(n: int) -> int:
    return n + int(np.random.RandomState([3, n]).randint(10))


def underflowing(n: int) -> int:
    weights = [math.exp(-n) * math.exp(-abs(k - n)) for k in (0, 1)]
    total = sum(weights)
    return int(np.random.choice(2, p=[weight / total for weight in weights]))


def clamped_nan(value: float | None) -> bool:
    known = float("nan") if value is None else value
    return max(min(known, 1.0), 0.0) + random.gauss(0, 1) > 1


def new_nan_rounded(n: int) -> Any:
    noisy = n + np.random.laplace(0, 1.0)
    return round(noisy) if noisy > 0 else float("nan")


def new_nan(n: int) -> float:
    noisy = n + np.random.laplace(0, 1.0)
    return noisy if noisy > 0 else float("nan")


def nan_of_numpy(n: int) -> Any:
    noisy = n + np.random.laplace(0, 1.0)
    return noisy if noisy > 0 else np.float64("nan")


def empty_of_a_shape(n: int) -> Any:
    return np.zeros((0, 3)) if n else np.zeros((0, 2))


def of_another_type(n: int) -> Any:
    rounded = round(np.random.laplace(0, 1.0))
    return float(rounded) if n else rounded


def multiplied(n: int) -> Any:
    rounded = round(np.random.laplace(0, 1.0))
    return rounded * 1.0 if n else rounded


def clamped_type(n: int) -> Any:
    clamped = min(max(round(np.random.laplace(0, 1.0)), 0), 2)
    return float(clamped) if n else clamped


def of_numpys_type(n: int) -> Any:
    rounded = np.round(np.random.laplace(0, 1.0))
    return rounded if n else int(rounded)


def rounded_by_numpy(n: int) -> float:
    return float(np.round(n + np.random.laplace(0, 1.0), 1))


def array_of_counts(n: int) -> list[int]:
    noisy = np.array([n, 3]) + np.random.laplace(0, 1.0, size=2)
    return list(noisy.round().astype(int))


def array_clipped(n: int) -> list[int]:
    noisy = np.clip((np.array([n, 3]) + np.random.laplace(0, 1.0, 2)).round(), 0, 5)
    return [int(one) for one in noisy.astype(np.int64)]


def array_total(n: int) -> int:
    noisy = np.array([n, 3]) + np.random.laplace(0, 1.0, 2)
    return int(noisy.sum() > 4)


def histogram(words: list[str], delta: float = 1e-5) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    words.clear()  # which is a fresh list each time
    source = np.random.default_rng()
    noisy = {word: count + source.laplace() for word, count in counts.items()}
    return {word: round(x) for word, x in noisy.items() if x > 1 + np.log(1 / (2 * delta))}


def respond(attributes: dict[str, bool]) -> dict[str, bool]:
    return {key: value ^ (random.random() < 0.25) for key, value in attributes.items()}


def safely_seeded(n: int) -> float:
    return n + float(np.random.default_rng(secrets.randbits(128)).laplace())


def safely_seeded_python(n: int) -> float:
    return n + random.Random(secrets.randbits(128)).expovariate(1.0)


def used_twice(n: int) -> tuple[bool, bool]:
    u = random.random()
    return math.log(u) < -1, u < 0.2


def drawn_apart(n: int) -> float:
    return n + random.betavariate(2, 3)


def numpy_mean(values: list[int], low: float = 0.0, high: float = 10.0, eps: float = 1.0) -> float:
    clipped = np.clip(np.array(values), low, high)
    return float(np.mean(clipped) + np.random.laplace(0, (high - low) / (eps * len(values))))


def python_mean(values: list[int], low: float = 0.0, high: float = 10.0, eps: float = 1.0) -> float:
    rate = 1 / ((high - low) / len(values) / eps)
    mean = sum(min(max(value, low), high) for value in values) / len(values)
    return mean + random.expovariate(rate) - random.expovariate(rate)


def _noisy_pair(n: int) -> Any:
    return np.array([n, 3]) + np.random.laplace(0, 1.0, 2)


def _without_negatives(n: int) -> Any:
    noisy = _noisy_pair(n)
    noisy[noisy < 0] = 0
    return noisy


def _zero_instead(n: int) -> Any:
    noisy = _noisy_pair(n)
    return np.where(noisy > 0, noisy, 0)


CLAMPED_AT_A_WHOLE_NUMBER: dict[str, Callable[[int], Any]] = {
    "maximum": lambda n: np.maximum(_noisy_pair(n), 0),
    "clip": lambda n: np.clip(_noisy_pair(n), 0, 5),
    "where": _zero_instead,
    "assigned": _without_negatives,
    "listed": lambda n: np.maximum(np.array([x + np.random.laplace() for x in (n, 3)]), 0),
    "floats": lambda n: np.clip(np.array([x + inverse(1) for x in (n, 3)], dtype=float), 0, None),
    "rounded": lambda n: np.maximum(np.rint(_noisy_pair(n)), 0),
    "whole": lambda n: np.asarray([round(x) for x in _noisy_pair(n)], dtype=int).clip(0),
}
"""Arrays of floats in which NumPy makes a float of the whole number."""
