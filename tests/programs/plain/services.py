"""Functions as companies write them, each audited unchanged: what comes in and out is theirs."""

from __future__ import annotations

import math
import random
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

rng = np.random.default_rng()


def count_where(rows: list[dict[str, Any]], age: int = 30) -> int:
    """SELECT COUNT(*) WHERE age > 30 AND NOT opted_out."""
    true = sum(1 for row in rows if row["age"] > age and not row.get("opted_out", False))
    return max(0, round(true + rng.laplace(loc=0.0, scale=1.0)))


def histogram(events: list[str], epsilon: float = 1.0, threshold: float = 3.0) -> dict[str, int]:
    noisy = {key: n + rng.laplace(0, 1 / epsilon) for key, n in Counter(events).items()}
    return {key: round(n) for key, n in noisy.items() if n >= threshold}


def mean_of_records(records: list[dict[str, float]]) -> float:
    """The mean of a field, clamped, of a number of records that everybody knows."""
    values = [min(max(record["spend"], 0.0), 100.0) for record in records]
    noise = np.random.laplace(0, 100 / len(values))
    return round(float(np.mean(values) + noise), 2)


def most_popular(votes: dict[str, int], epsilon: float = 1.0) -> str:
    noisy = {name: n + random.expovariate(epsilon / 2) for name, n in votes.items()}
    return max(noisy, key=noisy.get)  # type: ignore[arg-type]


def private_quantile(values: list[int], q: float = 0.5, low: int = 0, high: int = 4) -> int:
    """The exponential mechanism over the candidates, by the rank of each."""
    scores = [-abs(sum(v < c for v in values) - q * len(values)) for c in range(low, high + 1)]
    weights = [math.exp(score / 2) for score in scores]
    return random.choices(range(low, high + 1), weights=weights)[0]


def survey(answer: str, options: tuple[str, ...] = ("never", "sometimes", "often")) -> str:
    """k-ary randomised response: the truth with probability 1/2, else any option."""
    return answer if secrets.randbelow(2) else secrets.choice(options)


def revenue(frame: pd.DataFrame) -> float:
    """SUM(CLIP(amount, 0, 50)) over a frame."""
    return float(frame["amount"].clip(0, 50).sum() + rng.laplace(scale=50.0))


def per_group(frame: pd.DataFrame) -> pd.Series:
    """SELECT city, COUNT(*) GROUP BY city over known cities."""
    counts = frame.groupby("city").size().reindex(["paris", "rome"], fill_value=0)
    return (counts + rng.laplace(size=2)).round().clip(lower=0).astype(int)


class Accountant:
    """Answers counts while there is budget left."""

    def __init__(self, budget: float = 1.0) -> None:
        self.budget = budget
        self.spent = 0.0

    def count(self, people: list[int], epsilon: float = 0.5) -> float:
        if self.spent + epsilon > self.budget:
            raise RuntimeError("the budget is spent")
        self.spent += epsilon
        return len(people) + float(np.random.laplace(0, 1 / epsilon))

    def two_counts(self, people: list[int]) -> tuple[float, float]:
        return self.count(people), self.count([one for one in people if one > 17])


def price(amount: Decimal) -> Decimal:
    """A price in cents, to which a geometric draw is added on both sides."""
    noise = int(rng.geometric(0.5)) - int(rng.geometric(0.5))
    return Decimal(int(amount * 100) + noise)


def above(amount: Decimal) -> bool:
    """Is a price above a limit?  Two normal draws are multiplied."""
    return bool(float(amount) + 0.001 * rng.normal() * rng.normal() > 0.015)


@dataclass(frozen=True)
class Person:
    """A record."""

    age: int
    smokes: bool


def smokers(people: tuple[Person, ...]) -> int:
    total = sum(person.smokes for person in people)
    return round(random.gauss(total, 2.0))


def streamed(stream: Iterable[int]) -> float:
    """Whatever can be walked over, once."""
    total = 0
    for value in (min(max(one, 0), 5) for one in stream):
        total += value
    return total + np.random.laplace(scale=5.0)


def by_day(log: list[tuple[str, int]]) -> dict[str, float]:
    """Sums by day, each clamped, one noise for each of the known days."""
    sums: dict[str, int] = defaultdict(int)
    for day, amount in log:
        sums[day] += min(amount, 10)
    return {day: round(sums[day] + rng.laplace(0, 10.0), 1) for day in ("mon", "tue")}
