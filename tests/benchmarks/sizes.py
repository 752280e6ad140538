"""Large sizes beside ``import numpy``: ``python -m tests.benchmarks.sizes``.

Whole processes on one core, in turn, the least processor time of each.  The ratio is to an
interpreter that loads NumPy and does nothing, so that it is about the same on another machine.
"""

from __future__ import annotations

import argparse
import sys

from tests.benchmarks.measure import Run, beside

__all__ = ["CASES", "main", "table"]

CASES = {
    "check EHDS --prior 1,1,1 --n 400 --jobs 1 --no-plot": 330,
    "check EHDS --prior 1,1,1,1 --n 80 --jobs 1 --no-plot": 90,
    "check EHDS --prior 1,1,1,1,1 --n 60 --jobs 1 --no-plot": 660,
    "check EHDS --n 1000000 --jobs 1 --no-plot": 90,
    "check LSHist --n 100000 --jobs 1 --no-plot": 110,
}
"""Command lines, and the largest ratio that each is meant to have."""

_NUMPY = ["timeit", "-n", "1", "-r", "1", "import numpy"]


def table(found: dict[str, Run], numpy: float) -> str:
    """Return the table of what was found; ``numpy`` is the time of loading it."""
    lines = [
        "| command | processor, peak | ÷ `import numpy` | limit | |",
        "|---|---|---:|---:|---|",
    ]
    for line, ours in found.items():
        ratio = ours.processor / numpy
        met = "met" if ratio <= CASES[line] else "**missed**"
        lines.append(
            f"| `dpaudit {line}` | {ours.processor:.2f} s, {ours.peak:.0f} MiB | {ratio:.1f} "
            f"| {CASES[line]} | {met} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.sizes", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    asked = parser.parse_args(arguments)
    found: dict[str, Run] = {}
    numpy = float("inf")
    for line in asked.cases:
        found[line], alone = beside(line.split(), _NUMPY, asked.rounds)
        numpy = min(numpy, alone.processor)
    text = table(found, numpy)
    print(f"`import numpy`: {numpy:.2f} s\n\n{text}", end="")
    return 1 if "missed" in text else 0


if __name__ == "__main__":
    sys.exit(main())
