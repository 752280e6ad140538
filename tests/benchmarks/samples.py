"""What ``dpaudit sample`` costs beside the draws alone: ``python -m tests.benchmarks.samples``.

Whole processes that draw 100,000 times at each of two datasets, in turn, the least processor time
of each.  The limit is a multiple of the draws alone, and 0.7 s for all else.
"""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

from tests.benchmarks.measure import ROOT, Run, beside

__all__ = ["CASES", "Case", "main", "table"]

SUBJECTS = ROOT / "tests" / "benchmarks" / "scripts" / "sample_subjects.py"
DRAWS = 100_000
_ELSE = 0.7


class Case(NamedTuple):
    """A sampler beside a script that draws as often."""

    what: str
    options: tuple[str, ...]
    script: str
    most: float
    """Largest multiple of the draws alone, beside 0.7 s."""


CASES = {
    "laplace": Case(
        "many draws in one call",
        (),
        "import numpy; rng = numpy.random.default_rng(0);"
        f"[count + rng.laplace(0, 1, {DRAWS}) for count in (0, 1)]",
        3,
    ),
    "one": Case(
        "one draw a call",
        ("--inputs", "0,1", "--budget", "1"),
        "from tests.benchmarks.scripts.sample_subjects import one;"
        f"[one(count) for count in (0, 1) for _ in range({DRAWS})]",
        1.5,
    ),
    "word": Case(
        "one word a call",
        ("--inputs", "0,1", "--budget", "2"),
        "from tests.benchmarks.scripts.sample_subjects import word;"
        f"[word(count) for count in (0, 1) for _ in range({DRAWS})]",
        1.5,
    ),
}


def _measured(name: str, rounds: int) -> tuple[Run, Run]:
    """Return the least runs of the audit, and of the draws alone."""
    case = CASES[name]
    words = ["sample", f"{SUBJECTS}:{name}", *case.options, "--draws", str(DRAWS), "--no-plot"]
    alone = ["timeit", "-n", "1", "-r", "1", "-s", "pass", case.script]
    return beside([*words, "--format", "json"], alone, rounds)


def table(found: dict[str, tuple[Run, Run]]) -> str:
    """Return the table of what was found, one line for each sampler."""
    lines = [
        "| 200,000 draws | `dpaudit sample` | draws alone | limit | |",
        "|---|---:|---:|---:|---|",
    ]
    for name, (ours, alone) in found.items():
        most = CASES[name].most * alone.processor + _ELSE
        met = "met" if ours.processor <= most else "**missed**"
        lines.append(
            f"| {CASES[name].what} | {ours.processor:.2f} s | {alone.processor:.2f} s "
            f"| {most:.2f} s | {met} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.samples", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    asked = parser.parse_args(arguments)
    found = {name: _measured(name, asked.rounds) for name in asked.cases}
    text = table(found)
    print(text, end="")
    return 1 if "missed" in text else 0


if __name__ == "__main__":
    sys.exit(main())
