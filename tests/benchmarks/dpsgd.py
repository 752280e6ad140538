"""Sixty DP-SGD runs, certified beside dp-accounting: ``python -m tests.benchmarks.dpsgd``.

A grid fixed beforehand: every σ with every q and every T, the ends of each range included. Whole
processes, one after the other; seconds are of all processors. A line is met where ε is known to
1 % within :data:`MOST` seconds. dp-accounting has its default grid, both directions of rounding,
the same seconds and :data:`ROOM` of memory; what it cannot do then is left empty.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

from tests.accounting.accountants import placed
from tests.benchmarks.measure import Run, run

__all__ = ["MOST", "RUNS", "Training", "main", "row", "summary"]

BEGIN, END = "<!-- dpsgd: begin -->", "<!-- dpsgd: end -->"

PAGE = Path(__file__).parents[2] / "docs" / "performance.md"

MOST = 60
"""Seconds of processors that every line has."""

SHARE = Decimal("0.01")
"""Width that an interval of ε may have, as a share of its upper end."""

ROOM = 3072
"""MiB of addresses that dp-accounting has."""

STEP = 1e-4
"""Step of dp-accounting's grid of losses: its default."""

SIGMAS = ("0.5", "1", "3", "10")
RATES = ("1e-5", "1e-4", "1e-3", "1e-2", "1e-1")
STEPS = (100, 10_000, 1_000_000)


@dataclass(frozen=True)
class Training:
    """A run of DP-SGD, and the δ at which its ε is wanted."""

    sigma: str
    rate: str
    steps: int

    @property
    def delta(self) -> str:
        """10⁻⁵, and less where a rate so small means more data: one over a hundred batches."""
        return {"1e-4": "1e-6", "1e-5": "1e-7"}.get(self.rate, "1e-5")

    @property
    def command(self) -> list[str]:
        """What follows ``python -m``."""
        named = {
            "--noise-multiplier": self.sigma,
            "--sample-rate": self.rate,
            "--steps": str(self.steps),
            "--delta": self.delta,
            "--format": "json",
        }
        return ["dpaudit", "account", "dpsgd", *(word for one in named.items() for word in one)]

    @property
    def estimate(self) -> list[str]:
        """The same of dp-accounting's command."""
        wanted = {
            "sigma": float(self.sigma),
            "rate": float(self.rate),
            "runs": self.steps,
            "step": STEP,
            "deltas": [float(self.delta)],
            "epsilons": [],
            "room": ROOM,
        }
        return ["tests.benchmarks.scripts.pld_accounts", json.dumps(wanted)]


RUNS = tuple(Training(*setting) for setting in product(SIGMAS, RATES, STEPS))
"""In the order of the table."""

HEADER = [
    *("σ", "q", "T", "δ", "certified ε", "width", "by", "s", "dp-accounting", "s", "ratio"),
    *("its interval", "goal"),
]


def _completed(command: list[str]) -> Run | None:
    """Return the run of a command; None where it fails, or takes far too long."""
    try:
        return run(command, most=1.5 * MOST)
    except RuntimeError:
        return None


def row(training: Training, ours: Run | None, theirs: Run | None) -> list[str]:
    """Return a line of the table; its last cell is ``met``, or says what is missed."""
    from dpaudit.numbers.enclosure import Enclosure
    from dpaudit.report.table import compact

    about = [training.sigma, training.rate, f"{training.steps:.0e}".replace("e+0", "e")]
    ends, estimated, place, ratio = "–", "–", "–", "–"
    late = theirs is not None and theirs.processor > MOST
    low, high = (None, None) if theirs is None or late else theirs.report["values"][0]
    if low is not None:
        estimated = f"{low:.7g} .. {high:.7g}"
    if ours is None:
        cells = [*about, training.delta, ends, "–", "–", f"> {MOST}", estimated]
        return [*cells, _seconds(theirs), ratio, place, "missed: no answer"]
    (found,) = ours.report["rows"]
    low_end, high_end = (Decimal(found["epsilon"][end]) for end in ("lower", "upper"))
    epsilon = Enclosure(low_end, high_end)
    width = (epsilon.upper - epsilon.lower) / epsilon.upper if epsilon.upper else Decimal(0)
    ends = compact(epsilon.rounded(9))
    place = placed(low, high, epsilon)
    if theirs is not None and not late:
        ratio = f"{ours.processor / theirs.processor:.2f}"
    gone = [] if width <= SHARE else [f"{100 * width:.1f} % wide"]
    gone += [] if ours.processor <= MOST else [f"more than {MOST} s"]
    return [
        *(*about, training.delta, ends, f"{width:.0e}" if width else "0", found["method"]),
        *(f"{ours.processor:.1f}", estimated, _seconds(theirs), ratio, place),
        f"missed: {', '.join(gone)}" if gone else "met",
    ]


def _seconds(theirs: Run | None) -> str:
    if theirs is None:
        return "failed"
    return f"{theirs.processor:.1f}" if theirs.processor <= MOST else f"> {MOST}"


def summary(rows: list[list[str]]) -> str:
    """Return what the table comes to, in sentences."""
    met = sum(line[-1] == "met" for line in rows)
    answered = [line for line in rows if line[8] != "–"]
    standing = [line[11] for line in answered]
    contains = sum(one == "contains it" for one in standing)
    meets = sum(one == "meets it" for one in standing)
    below = sum(one.startswith("below") for one in standing)
    above = sum(one.startswith("above") for one in standing)
    ratios = sorted(float(line[10]) for line in rows if line[10] != "–")
    middle = f"{ratios[len(ratios) // 2]:.2f}" if ratios else "–"
    return (
        f"{met} of {len(rows)} runs are known to 1 % within {MOST} s of a processor. "
        f"dp-accounting answers {len(answered)} of them within as much and {ROOM} MiB: its two "
        f"estimates are around the certified interval in {contains}, reach into it in {meets}, "
        f"are both below it in {below} and both above it in {above}. The median ratio of seconds, "
        f"dpaudit's over dp-accounting's, is {middle}."
    )


def document(rows: list[list[str]]) -> str:
    """Return the section of the page."""
    from dpaudit.report.table import markdown_table

    return f"{BEGIN}\n\n{summary(rows)}\n\n{markdown_table(HEADER, rows)}\n{END}"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a line misses its goal."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.dpsgd", description=__doc__)
    parser.add_argument("--sigma", choices=SIGMAS, help="only these lines")
    parser.add_argument("--rate", choices=RATES, help="only these lines")
    parser.add_argument("--write", action="store_true", help=f"keep the table in {PAGE.name}")
    wanted: Any = parser.parse_args(arguments)
    rows: list[list[str]] = []
    for training in RUNS:
        if wanted.sigma not in (None, training.sigma) or wanted.rate not in (None, training.rate):
            continue
        rows.append(row(training, _completed(training.command), _completed(training.estimate)))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    text = document(rows)
    if wanted.write:
        before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
        PAGE.write_text(before + text + rest.split(END)[1], encoding="utf-8")
    else:
        print(text)
    return 1 if any(line[-1] != "met" for line in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
