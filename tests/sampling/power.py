"""How many draws an excess takes, beside what any test needs.

``python -m tests.sampling.power --write`` finds, for mechanisms over their budget, the least n at
which the expected counts of the best event are rejected, and how often the whole pipeline rejects
from a quarter more counted draws.
"""

from __future__ import annotations

import sys
from math import exp, inf, log, nextafter
from typing import Any, NamedTuple

import numpy as np

from dpaudit.audit.workers import executors_for
from dpaudit.mechanisms.loading import find_mechanism
from dpaudit.sampling.audit import audit_pairs, is_exceeded, selection_size
from dpaudit.sampling.draws import Source
from dpaudit.sampling.joint import Counts, distance
from tests.sampling import recorded

__all__ = ["ALPHA", "OVER", "SUBJECTS", "Subject", "least_any_test_needs", "main", "median"]

ALPHA = 1e-9
OVER = (0.05, 0.1, 0.5)


class Subject(NamedTuple):
    """A sampler of ``tests.sampling.subjects`` whose excess is a parameter, and its best event."""

    told: str
    epsilon: float
    name: str
    parameter: str
    best: Any
    """Gives both probabilities of the best event at a realised ε."""


SUBJECTS = [
    Subject("randomised response, ln(3)", log(3), "response", "p",
            lambda e: (exp(e) / (1 + exp(e)), 1 / (1 + exp(e)))),
    Subject("two-sided geometric noise, ln(2)", log(2), "noisy_count", "epsilon",
            lambda e: (1 / (1 + exp(-e)), exp(-e) / (1 + exp(-e)))),
    Subject("Laplace noise on a grid, 1/2", 0.5, "binned", "scale",
            lambda e: (1 / 2, exp(-e) / 2)),
]  # fmt: skip


def least_any_test_needs(p: float, q: float, epsilon: float) -> float:
    """Return ln(1/α) over the smallest sum of relative entropies to a null at the budget."""
    return log(1 / ALPHA) / float(distance(np.array(p), np.array(q), exp(epsilon), 0.0))


def median(p: float, q: float, epsilon: float) -> int:
    """Return the least n, but for a part in 500, at which the expected counts are rejected."""

    def found(n: int) -> bool:
        return is_exceeded(
            Counts(n, round(n * p), round(n * q)), ALPHA, nextafter(epsilon, inf), 0.0
        )

    low = int(least_any_test_needs(p, q, epsilon) / 2)
    high = 4 * low
    while high - low > low / 500:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def _share(subject: Subject, epsilon: float, draws: int, audits: int) -> str:
    """Return how many audits of a sampler of that realised ε find the excess."""
    p, _ = subject.best(epsilon)
    given = {"p": repr(p), "epsilon": repr(epsilon), "scale": repr(16 / epsilon)}
    named = f"tests.sampling.subjects:{subject.name}"
    one: Any = find_mechanism(named).build({subject.parameter: given[subject.parameter]})
    found = 0
    with executors_for(1) as executors:
        for seed in range(audits):
            got = audit_pairs(Source(one, [0, 1], seed, executors), [(0, 1)], draws, ALPHA, 0.0)
            found += is_exceeded(got.counts, ALPHA, nextafter(subject.epsilon, inf), 0.0)
    return f"{found} of {audits}"


def main(arguments: list[str] | None = None) -> int:
    """Find the draws that excesses take."""
    parser = recorded.parser(__doc__)
    parser.add_argument("--audits", type=int, default=40)
    asked = parser.parse_args(arguments)
    rows = []
    for subject in SUBJECTS:
        for over in OVER:
            epsilon = (1 + over) * subject.epsilon
            p, q = subject.best(epsilon)
            least, taken = (
                least_any_test_needs(p, q, subject.epsilon),
                median(p, q, subject.epsilon),
            )
            draws = int(taken * 1.25)
            draws += selection_size(int(draws / 0.8))
            share = _share(subject, epsilon, draws, asked.audits)
            ratio = f"{taken / least:.2f}"
            rows.append((subject.told, f"{over:.0%}", f"{least:.0f}", taken, ratio, draws, share))
            print(*rows[-1], flush=True)
    if asked.write:
        head = ("mechanism, budget", "over", "ln(1/α) / least D", "draws a side, counted", "ratio",
                "draws of the pipeline", "`exceeds`")  # fmt: skip
        recorded.record("power", recorded.table(head, rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
