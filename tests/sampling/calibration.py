"""How often a mechanism exactly at its budget is said to exceed it: the whole pipeline, counted.

``python -m tests.sampling.calibration --count 10000`` prints the share of false alarms at an error
probability of 1 %, the choice of pair and event included, and ends with 1 above 1.3 %.
"""

from __future__ import annotations

import argparse
import sys
from math import log, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit import sampler
from dpaudit.sampling.audit import audit_pairs
from dpaudit.sampling.draws import Source
from dpaudit.sampling.joint import JointTest

if TYPE_CHECKING:
    from dpaudit.sampling.sampler import Sampler

__all__ = ["alarm", "main"]

ALPHA = 0.01
_FIVE = range(5)


@sampler(datasets=[0, 1, 2], neighbours="all", budget="ln(3)")
def response(x: Any, size: Any, rng: Any) -> Any:
    """Three values, each kept three times as often as any other one is given: ε = ln(3)."""
    other = (x + rng.integers(1, 3, size=size)) % 3
    return np.where(rng.integers(5, size=size) < 3, x, other)


@sampler(datasets=_FIVE, neighbours=lambda x, y: abs(x - y) == 1, budget="ln(2)")
def geometric(x: Any, size: Any, rng: Any) -> Any:
    """Two-sided geometric noise, clamped: ε = ln(2)."""
    return np.clip(x + rng.geometric(0.5, size) - rng.geometric(0.5, size), 0, 4)


SUBJECTS: dict[Sampler, float] = {response: log(3), geometric: log(2)}


def alarm(subject: Sampler, epsilon: float, draws: int, seed: int) -> bool:
    """Tell whether a subject exactly at its budget is said to exceed it."""
    relation = subject.relation
    datasets = list(relation.listing(1))
    pairs = [(datasets.index(x), datasets.index(y)) for x, y in relation.pairs(1)]
    found = audit_pairs(Source(subject, datasets, seed), pairs, draws, ALPHA, 0.0)
    budget = nextafter(epsilon, 9.0)
    return JointTest(found.counts, ALPHA, "epsilon", 0.0).rejects(budget)


def main(arguments: list[str] | None = None) -> int:
    """Count false alarms."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    alarms = 0
    for index in range(asked.count):
        subject = list(SUBJECTS)[index % len(SUBJECTS)]
        alarms += alarm(subject, SUBJECTS[subject], asked.draws, asked.seed + index)
        if (index + 1) % 100 == 0:
            print(f"{alarms} false alarms in {index + 1} audits", flush=True)
    return int(alarms > 0.013 * asked.count)


if __name__ == "__main__":
    sys.exit(main())
