"""How often an honest mechanism exactly at its budget is refused: the whole pipeline, counted.

``python -m tests.sampling.calibration --write`` counts false alarms in 10,000 audits at an error
probability of 1 %, the choice of pair and event and two processes that draw included, and ends with
1 above 1.3 %.  An alarm is that it exceeds, or that its draws are said not to have one law.
"""

from __future__ import annotations

import sys
from math import inf, log, nextafter
from typing import TYPE_CHECKING, Any

from dpaudit.audit.workers import executors_for
from dpaudit.errors import LawError
from dpaudit.mechanisms.loading import find_mechanism
from dpaudit.numbers.real import real
from dpaudit.sampling.audit import audit_pairs, is_exceeded
from dpaudit.sampling.draws import Source
from dpaudit.sampling.verdicts import below, spare
from tests.sampling import recorded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

__all__ = ["ALPHA", "TIES", "alarm", "main"]

ALPHA = 0.01
TIES = {
    "one_of_three": (log(3), 0.0, "ε = ln(3), three values"),
    "geometric": (log(2), 0.0, "ε = ln(2), five datasets"),
    "telling": (log(2), 0.01, "ε = ln(2), δ = 1/100"),
}
"""Subjects exactly at their budget."""


def alarm(name: str, draws: int, seed: int, executors: Sequence[Executor] = ()) -> bool:
    """Tell whether a subject exactly at its budget is said to exceed it, or to have no one law."""
    subject: Any = find_mechanism(f"tests.sampling.subjects:{name}").build({})
    relation = subject.relation
    datasets = list(relation.listing(1))
    pairs = [(datasets.index(x), datasets.index(y)) for x, y in relation.pairs(1)]
    epsilon, delta, _ = TIES[name]
    rounded = delta and nextafter(delta, inf)
    source = Source(subject, datasets, seed, executors)
    error = real(str(ALPHA))
    alpha = below(error)
    try:
        found = audit_pairs(source, pairs, draws, alpha, rounded, drift=spare(error))
    except LawError:
        return True
    return is_exceeded(found.counts, alpha, nextafter(epsilon, inf), rounded)


def main(arguments: list[str] | None = None) -> int:
    """Count false alarms."""
    parser = recorded.parser(__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args(arguments)
    alarms = dict.fromkeys(TIES, 0)
    audits = dict.fromkeys(TIES, 0)
    with executors_for(2) as executors:
        for index in range(asked.count):
            name = list(TIES)[index % len(TIES)]
            audits[name] += 1
            alarms[name] += alarm(name, asked.draws, asked.seed + index, executors)
            if (index + 1) % 500 == 0:
                print(f"{sum(alarms.values())} false alarms in {index + 1} audits", flush=True)
    rows = [
        (told, asked.draws, audits[name], ALPHA, alarms[name], f"{alarms[name] / audits[name]:.2%}")
        for name, (_, _, told) in TIES.items()
    ]
    total = sum(alarms.values())
    rows.append(("all", asked.draws, asked.count, ALPHA, total, f"{total / asked.count:.2%}"))
    head = ("exactly at", "draws of a dataset", "audits", "error", "false alarms", "share")
    print(recorded.table(head, rows))
    if asked.write:
        recorded.record("calibration", recorded.table(head, rows))
    return int(total > 0.013 * asked.count)


if __name__ == "__main__":
    sys.exit(main())
