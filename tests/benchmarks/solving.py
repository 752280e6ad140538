"""The search for noise beside dp-accounting's own: ``python -m tests.benchmarks.solving``.

``account … --solve sigma`` finds the smallest noise, to four digits, that certainly keeps a budget
of a DP-SGD run.  dp-accounting's ``calibrate_dp_mechanism`` finds about the same, as closely.  Both
are whole processes, one after the other, and seconds are of all processors.  A line is met where
the ratio is at most :data:`LIMIT` and both find the same noise but for :data:`APART`.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.measure import Run, run

__all__ = ["LIMIT", "LINES", "Line", "check", "main", "table"]

BEGIN, END = "<!-- solving: begin -->", "<!-- solving: end -->"

LIMIT = 10.0
"""How many times dp-accounting's seconds a search may take."""

APART = 0.01
"""How far apart, in proportion, both answers may be: dp-accounting's is on a grid of losses."""

_DIGITS = 1e-3
"""Four digits of a noise multiplier about 1."""


@dataclass(frozen=True)
class Line:
    """A run of DP-SGD and the budget that it is to keep."""

    rate: str
    steps: int
    epsilon: str
    delta: str

    @property
    def name(self) -> str:
        """What the table calls it."""
        return f"q = {self.rate}, T = {self.steps}, ({self.epsilon}, {self.delta})"

    @property
    def ours(self) -> list[str]:
        """What follows ``python -m`` for dpaudit."""
        words = f"account Gaussian --sigma 1 --sample-rate {self.rate} --compose {self.steps}"
        budget = f"--budget {self.epsilon},{self.delta} --width 1% --solve sigma --format json"
        return ["dpaudit", *words.split(), *budget.split()]

    @property
    def theirs(self) -> list[str]:
        """The same for dp-accounting."""
        top, _, bottom = self.rate.partition("/")
        asked = {
            "rate": int(top) / int(bottom),
            "steps": self.steps,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "tolerance": _DIGITS,
        }
        return ["tests.benchmarks.scripts.pld_solving", json.dumps(asked)]


LINES = (
    Line("64/15000", 3516, "1", "1e-5"),
    Line("1/100", 1000, "2", "1e-6"),
    Line("1/10", 300, "4", "1e-5"),
    Line("1/1000", 10000, "1", "1e-6"),
    Line("1/50", 40, "8", "1e-5"),
)
"""Few steps and many, small rates and large ones, tight budgets and wide ones."""


def check(ours: Run, theirs: Run) -> list[str]:
    """Return the goals of a line that are missed; ``ValueError`` for two different answers."""
    noise, other = float(ours.report["solved"]["value"]), float(theirs.report["sigma"])
    if abs(noise - other) > APART * other:
        raise ValueError(f"σ is {noise} here and {other} there")
    ratio = ours.processor / theirs.processor
    return [f"{ratio:.1f} times as long"] if ratio > LIMIT else []


def _row(line: Line, ours: Run, theirs: Run) -> list[str]:
    return [
        line.name,
        str(ours.report["solved"]["value"]),
        f"{theirs.report['sigma']:.4g}",
        f"{ours.processor:.2f}",
        f"{theirs.processor:.2f}",
        f"{ours.processor / theirs.processor:.2f}",
        "; ".join(check(ours, theirs)) or "met",
    ]


_HEADER = ["run", "σ", "dp-accounting's σ", "seconds", "its seconds", "ratio", "goals"]


def table(rows: list[list[str]]) -> str:
    """Return the table of what was found."""
    from dpaudit.report.table import markdown_table

    return markdown_table(_HEADER, rows)


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.solving", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="lines whose name has this")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="replace the table in a file")
    asked = parser.parse_args(arguments)
    made: list[list[str]] = []
    for line in (one for one in LINES if asked.only in one.name):
        made.append(_row(line, run(line.ours), run(line.theirs)))
        print(" | ".join(made[-1]), file=sys.stderr, flush=True)
    text = f"{BEGIN}\n\n{table(made)}\n{END}"
    if asked.write is None:
        print(text)
    else:
        before, rest = asked.write.read_text(encoding="utf-8").split(BEGIN)
        asked.write.write_text(before + text + rest.split(END)[1], encoding="utf-8")
    return 1 if any(row[-1] != "met" for row in made) else 0


if __name__ == "__main__":
    sys.exit(main())
