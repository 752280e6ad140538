"""What a mechanism of one's own costs beside plain NumPy: ``python -m tests.benchmarks.own``.

Whole processes, in turn, the least time of each; the answers of NumPy are held against the
certified intervals.  The limit is ten times the NumPy script, six times where laws have many
outputs, and 0.3 s for a second interpreter, in which a user's code runs.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction

from tests.benchmarks.measure import ROOT, Run, beside

__all__ = ["CASES", "check", "main", "table"]

CASES = {
    "exponential": "200 exponential weights, one pair",
    "few": "400 datasets, all 79,800 pairs",
    "many": "2,000 datasets, all 1,999,000 pairs",
    "wide": "1,000 datasets with 250 outputs each, all 499,500 pairs",
}
"""The mechanisms of :mod:`tests.benchmarks.scripts.own_subjects`."""

_SUBJECTS = ROOT / "tests" / "benchmarks" / "scripts" / "own_subjects.py"
_LIMITS = {"wide": 6}
_OFF = Fraction(1, 10**12)


def check(certified: Run, plain: Run) -> None:
    """Raise ``ValueError`` unless the floats are near the certified ε and δ."""
    (result,) = certified.report["results"]
    for what in ("epsilon", "delta"):
        low, high = (Fraction(result[what][end]) for end in ("lower", "upper"))
        value = Fraction(plain.report[what])
        if not low - _OFF <= value <= high + _OFF:
            raise ValueError(f"{what}: {float(value)} is not near [{float(low)}, {float(high)}]")


def table(found: dict[str, tuple[Run, Run]]) -> str:
    """Return the table of what was found, one line for each case: dpaudit and NumPy."""
    lines = [
        "| case | `dpaudit check` | plain NumPy | ratio | limit | |",
        "|---|---|---|---|---|---|",
    ]
    for name, (ours, plain) in found.items():
        limit = _LIMITS.get(name, 10) * plain.wall + 0.3
        met = "met" if ours.wall <= limit else "**missed**"
        lines.append(
            f"| {CASES[name]} | {ours.wall:.2f} s, {ours.peak:.0f} MiB "
            f"| {plain.wall:.2f} s, {plain.peak:.0f} MiB | {ours.wall / plain.wall:.1f} "
            f"| {limit:.2f} s | {met} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.own", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    asked = parser.parse_args(arguments)
    found = {}
    for name in asked.cases:
        command = ["check", f"{_SUBJECTS}:{name}", "--format", "json", "--no-plot"]
        found[name] = beside(command, ["tests.benchmarks.scripts.numpy_own", name], asked.rounds)
        check(*found[name])
    print(table(found), end="")
    return 1 if "missed" in table(found) else 0


if __name__ == "__main__":
    sys.exit(main())
