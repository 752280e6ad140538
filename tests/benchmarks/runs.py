"""Many runs of randomised response, exactly composed: ``python -m tests.benchmarks.runs``.

Whole processes in turn, the least time of each, beside dp-accounting's pessimistic estimate of the
same on its default grid, which has to be above the certified δ(ε).  The limit is three times the
time of the estimate.
"""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction

from tests.benchmarks.measure import Run, beside

__all__ = ["CASES", "LIMIT", "check", "main", "table"]

CASES = {100: ("20", "40"), 1000: ("300", "550"), 5000: ("1500", "2700")}
"""The ε of each number of runs."""

LIMIT = 3
"""How many times the estimate's time the exact δ may take."""

_GRID = Fraction(1, 1000)
_NOISE = Fraction(1, 10**9)


def check(certified: Run, estimated: Run) -> None:
    """Raise ``ValueError`` unless δ is enclosed, and the estimates are near it and not below."""
    rows = certified.report["rows"]
    for row, value in zip(rows, estimated.report["values"], strict=True):
        low, high = (Fraction(row["delta"][end]) for end in ("lower", "upper"))
        if high - low > Fraction(1, 10**30):
            raise ValueError(f"δ is from {float(low)} to {float(high)} only")
        if not low - _NOISE <= Fraction(value) <= high * (1 + 10 * _GRID) + _NOISE:
            raise ValueError(f"the estimate {value} is not near [{float(low)}, {float(high)}]")


def table(found: dict[int, tuple[Run, Run]]) -> str:
    """Return the table of what was found, one line for each number of runs."""
    lines = [
        "| runs | exactly | estimated | ratio | limit | |",
        "|---:|---|---|---|---|---|",
    ]
    for runs, (ours, estimate) in found.items():
        ratio = ours.wall / estimate.wall
        lines.append(
            f"| {runs} | {ours.wall:.2f} s, {ours.peak:.0f} MiB | {estimate.wall:.2f} s, "
            f"{estimate.peak:.0f} MiB | {ratio:.2f} | {LIMIT} "
            f"| {'met' if ratio <= LIMIT else '**missed**'} |"
        )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.runs", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("cases", nargs="*", type=int, default=list(CASES), metavar="RUNS")
    asked = parser.parse_args(arguments)
    found = {}
    for runs in asked.cases:
        epsilons = CASES[runs]
        ask = ["account", "RR", "--n", "1", "--eps", "ln(3)", "--compose", str(runs)]
        ask += ["--epsilon-grid", ",".join(epsilons), "--no-estimates", "--format", "json"]
        plain = ["tests.benchmarks.scripts.pld_runs", str(runs), *epsilons]
        found[runs] = beside(ask, plain, asked.rounds)
        check(*found[runs])
    print(table(found), end="")
    return 1 if "missed" in table(found) else 0


if __name__ == "__main__":
    sys.exit(main())
