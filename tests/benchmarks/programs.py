"""What programs with independent entries cost: ``python -m tests.benchmarks.programs``.

Whole processes, in turn, the least processor time of each, beside plain NumPy with the law of one
entry by hand; the answers of NumPy are held against the certified intervals.  The limit is three
seconds of a processor.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tests.benchmarks.measure import ROOT, beside
from tests.benchmarks.own import check

if TYPE_CHECKING:
    from tests.benchmarks.measure import Run

__all__ = ["CASES", "main", "table"]

CASES = {
    "responses": "randomised response on 20 bits",
    "clamped": "20 counts with geometric noise, clamped to 0..20",
    "reached": "20 noisy counts, each held against a threshold",
    "total": "the sum of 200 randomised bits",
}
"""The programs of :mod:`tests.benchmarks.scripts.program_subjects`."""

_SUBJECTS = ROOT / "tests" / "benchmarks" / "scripts" / "program_subjects.py"
_LIMIT = 3.0


def table(found: dict[str, tuple[Run, Run]]) -> str:
    """Return the table of what was found, one line for each case: dpaudit and NumPy."""
    lines = [
        "| case | `dpaudit check` | plain NumPy | ratio | limit | |",
        "|---|---|---|---|---|---|",
    ]
    for name, (ours, plain) in found.items():
        met = "met" if ours.processor <= _LIMIT else "**missed**"
        lines.append(
            f"| {CASES[name]} | {ours.processor:.2f} s | {plain.processor:.2f} s "
            f"| {ours.processor / plain.processor:.1f} | {_LIMIT:.0f} s | {met} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.programs")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    asked = parser.parse_args(arguments)
    found = {}
    for name in asked.cases:
        command = ["check", f"{_SUBJECTS}:{name}", "--format", "json", "--no-plot"]
        found[name] = beside(
            command, ["tests.benchmarks.scripts.numpy_programs", name], asked.rounds
        )
        check(*found[name])
    print(table(found), end="")
    return 1 if "missed" in table(found) else 0


if __name__ == "__main__":
    sys.exit(main())
