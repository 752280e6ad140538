"""Paths a second of what libraries do, as run: ``python -m tests.benchmarks.libraries``.

The sample is every fourth row of ``docs/libraries.md`` that was explored as run, in the order of
that page.  Each is explored at all its inputs in the pinned version of its library, whose
environment is made on demand in ``--work``; the rows of one environment share a process.  Paths a
second are those of exploring alone; the real runs that a law is held to have a time of their own,
however few paths there are, and are in the last column.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks.measure import ROOT
from tests.libraries.__main__ import ADAPTERS
from tests.libraries.environments import made, run

__all__ = ["LEAST", "STEP", "Explored", "Place", "main", "sample", "table"]

LEAST = 2_000
"""Paths a second that the median row has to have."""
STEP = 4
_SECONDS = 600.0
_ROW = re.compile(r"\| (\S+) \| (\S+) \| `(.+?)`[^|]*\| [^|]* \| as run \|")


class Place(NamedTuple):
    """Where a row comes from: its adapter, and the places of its environment and its call."""

    adapter: str
    environment: int
    number: int


class Explored(NamedTuple):
    """What a row took."""

    call: str
    paths: int
    exploring: float
    whole: float

    @property
    def speed(self) -> float:
        """Paths a second of exploring."""
        return self.paths / self.exploring


def sample(step: int = STEP) -> dict[Place, str]:
    """Return every so many-th call of the page that was explored as run."""
    page = (ROOT / "docs" / "libraries.md").read_text()
    rows = list(dict.fromkeys(_ROW.findall(page)))
    places = {
        (environment.library, environment.version, case.call): Place(adapter, place, number)
        for adapter in ADAPTERS
        for place, environment in enumerate(
            import_module(f"tests.libraries.{adapter}").ENVIRONMENTS
        )
        for number, case in enumerate(environment.cases)
    }
    found = [(places[row], row[2]) for row in rows if row in places]
    return dict(found[::step])


def explored(places: dict[Place, str], work: Path, rounds: int) -> list[Explored]:
    """Return what rows took, those of one environment in one process of it."""
    found = []
    for adapter, place in dict.fromkeys((one.adapter, one.environment) for one in places):
        environment = import_module(f"tests.libraries.{adapter}").ENVIRONMENTS[place]
        rows = {one.number: call for one, call in places.items() if one[:2] == (adapter, place)}
        script = ["-m", "tests.benchmarks.scripts.library_paths", adapter, str(place), str(rounds)]
        python = made(environment, work, borrowed=True)
        done = run(python, [*script, *map(str, rows)], environment, _SECONDS)
        if done.returncode:
            raise RuntimeError(f"{environment.name}: {done.stderr.strip()[-400:]}")
        printed = json.loads(done.stdout.splitlines()[-1])
        found += [
            Explored(f"{environment.name} `{call}`", **took)
            for call, took in zip(rows.values(), printed, strict=True)
            if took is not None
        ]
    return found


def table(found: list[Explored]) -> str:
    """Return the table of what was found, the slowest first, and the median."""
    lines = ["| row | paths | paths a second | with real runs |", "|---|---:|---:|---:|"]
    lines += (
        f"| {one.call} | {one.paths:,} | {one.speed:,.0f} | {one.whole:.2f} s |"
        for one in sorted(found, key=lambda one: one.speed)
    )
    middle = median(one.speed for one in found)
    met = "met" if middle >= LEAST else "**missed**"
    lines.append(f"| median of {len(found)} rows; at least {LEAST:,} | | {middle:,.0f} | {met} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if the limit is missed."""
    name = "python -m tests.benchmarks.libraries"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="where environments are made")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--step", type=int, default=STEP)
    asked = parser.parse_args(arguments)
    text = table(explored(sample(asked.step), asked.work, asked.rounds))
    print(text, end="")
    return 1 if "missed" in text else 0


if __name__ == "__main__":
    sys.exit(main())
