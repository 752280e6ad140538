"""Small commands beside ``import numpy``: ``python -m tests.benchmarks.loading``.

Whole processes in turn, and the median of each one's processor time.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.measure import run

__all__ = ["CASES", "main", "table"]

CASES = {"check --help": 1.3, "list": 1.3, "check EHDS --n 10": 1.3, "--version": 0.5}
"""Command lines, and the largest ratio that each is meant to have."""


def table(found: dict[str, float], numpy: float) -> str:
    """Return the table of the processor seconds found; ``numpy`` is what loading it takes."""
    lines = ["| command | processor | ÷ `import numpy` | limit | |", "|---|---:|---:|---:|---|"]
    for line, seconds in found.items():
        ratio = seconds / numpy
        limit = CASES[line]
        met = "met" if ratio <= limit else "**missed**"
        lines.append(f"| `dpaudit {line}` | {seconds:.3f} s | {ratio:.2f} | {limit} | {met} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.loading", description=__doc__)
    parser.add_argument("--rounds", type=int, default=21)
    asked = parser.parse_args(arguments)
    taken: dict[str, list[float]] = {line: [] for line in CASES}
    alone = []
    with TemporaryDirectory() as folder:
        for _ in range(asked.rounds):
            alone.append(run(["-c", "import numpy"], Path(folder)).processor)
            for line, times in taken.items():
                times.append(run(["dpaudit", *line.split()], Path(folder)).processor)
    numpy = median(alone)
    text = f"`import numpy`: {numpy:.3f} s\n\n"
    text += table({line: median(times) for line, times in taken.items()}, numpy)
    print(text, end="")
    return 1 if "missed" in text else 0


if __name__ == "__main__":
    sys.exit(main())
