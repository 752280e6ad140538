"""What a mechanism of one's own costs beside plain NumPy: ``python -m tests.benchmarks.own``.

Whole processes, in turn, the least time of each; the answers of NumPy are held against the
certified intervals.  The limit is ten times the NumPy script, five or six times where laws have
many outputs, and 0.3 s for a second interpreter, in which a user's code runs.  Memory is what the
largest process has at its peak beyond that of an audit of forty short laws, beside the matrix of
all probabilities as floats: three times that at most, where it is not too small to be seen.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction

from tests.benchmarks.measure import ROOT, Run, beside
from tests.benchmarks.scripts.numpy_own import SPREAD

__all__ = ["CASES", "check", "main", "table"]

CASES = {
    "exponential": "200 exponential weights, one pair",
    "few": "400 datasets, all 79,800 pairs",
    "many": "2,000 datasets, all 1,999,000 pairs",
    "wide": "1,000 datasets with 250 outputs each, all 499,500 pairs",
    "long": "5,000 datasets with 50 outputs each, all 12,497,500 pairs",
    "square": "1,000 datasets with 1,000 outputs each, all 499,500 pairs",
}
"""The mechanisms of :mod:`tests.benchmarks.scripts.own_subjects`."""

_SUBJECTS = ROOT / "tests" / "benchmarks" / "scripts" / "own_subjects.py"
_LIMITS = {"wide": 6, "long": 5, "square": 5}
_MATRICES = {name: 8 * m * r / 2**20 for name, (m, r) in SPREAD.items()}
"""Of each that is not too small, the MiB of its probabilities as floats."""
_MOST_MATRICES = 3
_OFF = Fraction(1, 10**12)


def check(certified: Run, plain: Run) -> None:
    """Raise ``ValueError`` unless the floats are near the certified ε and δ."""
    (result,) = certified.report["results"]
    for what in ("epsilon", "delta"):
        low, high = (Fraction(result[what][end]) for end in ("lower", "upper"))
        value = Fraction(plain.report[what])
        if not low - _OFF <= value <= high + _OFF:
            raise ValueError(f"{what}: {float(value)} is not near [{float(low)}, {float(high)}]")


def table(found: dict[str, tuple[Run, Run]], bare: float) -> str:
    """Return the table of what was found, one line for each case: dpaudit and NumPy.

    ``bare`` is the peak of an audit of next to nothing, in MiB.
    """
    lines = [
        "| case | `dpaudit check` | plain NumPy | ratio | limit | memory ÷ matrix | |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, (ours, plain) in found.items():
        limit = _LIMITS.get(name, 10) * plain.wall + 0.3
        matrices = (ours.peak - bare) / _MATRICES[name] if name in _MATRICES else 0.0
        met = "met" if ours.wall <= limit and matrices <= _MOST_MATRICES else "**missed**"
        lines.append(
            f"| {CASES[name]} | {ours.wall:.2f} s, {ours.peak:.0f} MiB "
            f"| {plain.wall:.2f} s, {plain.peak:.0f} MiB | {ours.wall / plain.wall:.1f} "
            f"| {limit:.2f} s | {f'{matrices:.1f}' if matrices else ''} | {met} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.own", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    asked = parser.parse_args(arguments)
    found = {}
    for name in ("bare", *asked.cases):
        command = ["check", f"{_SUBJECTS}:{name}", "--format", "json", "--no-plot"]
        found[name] = beside(command, ["tests.benchmarks.scripts.numpy_own", name], asked.rounds)
        check(*found[name])
    bare, _ = found.pop("bare")
    text = table(found, bare.peak)
    print(text, end="")
    return 1 if "missed" in text else 0


if __name__ == "__main__":
    sys.exit(main())
