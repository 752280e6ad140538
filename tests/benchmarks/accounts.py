"""Certified accounts beside dp-accounting's estimates: ``python -m tests.benchmarks.accounts``.

Whole processes, one after the other.  A line of the table is met where every interval is as narrow,
and the process as fast and as small, as its goal says; a closed form has to lie in what lattices
find.  Seconds are of all processors, so that others on the machine count little.  dp-accounting
looks at the pair that is the worst one at the first δ, and is stopped after :data:`MOST` seconds.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from decimal import Decimal
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.benchmarks.measure import Run, run

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LINES", "MEMORY", "Line", "check", "estimated", "main", "missed", "table"]

BEGIN, END = "<!-- accounts: begin -->", "<!-- accounts: end -->"

MEMORY = 1024
"""MiB that every account has to keep to."""

MOST = 120
"""Seconds that dp-accounting has for one line."""

STEP = 1e-4
"""The step of its grid, unless a line has another; it is its default."""

_RANDOM = "tests/benchmarks/scripts/random_law.py:random_law"
_WIDE = "--at-delta 1e-5,1e-10,1e-15"
_SAMPLED = "--at-delta 1e-5,1e-10,1e-12"
_FAST = "Gaussian --sigma 1 --compose 10000 --sample-rate 1/1000"


@dataclass(frozen=True)
class Line:
    """One account and its goals."""

    name: str
    arguments: str
    """What follows ``dpaudit account``; with a name that begins with ``tests.``, ``python -m``."""
    width: str
    """How wide an interval of ε may be; one of δ in proportion."""
    seconds: float | None = None
    """Processor time that the process has; None where no goal is set."""
    gaussian: dict[str, Any] | None = None
    """σ and the rate, for dp-accounting's Gaussian mechanism."""
    laplace: dict[str, Any] | None = None
    """The scale and the rate, for its Laplace mechanism; without both it gets masses of a pair."""
    step: float = STEP
    closed: bool = False
    """Whether the closed form of Gaussian runs has to lie inside."""

    def word(self, name: str) -> str | None:
        """Return the value of an option."""
        words = self.arguments.split()
        return words[words.index(name) + 1] if name in words else None

    @property
    def command(self) -> list[str]:
        """What follows ``python -m``."""
        words = self.arguments.split()
        return words if words[0].startswith("tests.") else ["dpaudit", "account", *words, *_JSON]


_JSON = ("--format", "json")


def _gaussians() -> Iterator[Line]:
    for sigma, runs in ((100, 10**4), (1000, 10**6)):
        about = f"--sigma {sigma} --compose {runs} {_WIDE}"
        law = {"sigma": sigma, "rate": 1.0}
        name = f"Gaussian, σ = {sigma}, k = {runs}"
        yield Line(name, f"Gaussian {about}", "1e-12", 1, law)
        for width, seconds in (("2e-5", 5), ("5e-7", 40)):
            module = f"tests.benchmarks.scripts.gaussian_lattices {about} --width {width}"
            yield Line(f"{name}, by lattices", module, width, seconds, law, closed=True)


def _listed() -> Iterator[Line]:
    subjects = {
        "EHDS, n = 50": "EHDS --n 50",
        "LSHist, n = 50": "LSHist --n 50",
        "51 random outputs": _RANDOM,
    }
    for name, subject in subjects.items():
        for runs, width in ((100, "2e-5"), (1000, "2e-4")):
            words = f"{subject} --compose {runs} --width {width} {_WIDE}"
            yield Line(f"{name}, k = {runs}", words, width)
    words = f"EHDS --n 180 --compose 100 --width 2e-5 {_WIDE}"
    yield Line("EHDS, n = 180, k = 100", words, "2e-5")


LINES = (
    *_gaussians(),
    Line(
        "RR, k = 1000, exactly",
        "RR --eps ln(3) --compose 1000 --at-eps 300,550",
        "1e-12",
        1,
        step=log(3) / 1000,
    ),
    Line("RR, k = 1000000", f"RR --compose 1000000 {_WIDE}", "1e-12", 1, step=0.8),
    Line(
        "DiscreteLaplace, scale 1, k = 10000",
        f"DiscreteLaplace --scale 1 --n 1 --compose 10000 {_WIDE} --width 1e-12",
        "1e-12",
        1,
    ),
    Line(
        "Laplace, scale 1, k = 100",
        f"Laplace --scale 1 --compose 100 {_SAMPLED}",
        "1e-5",
        4,
        laplace={"scale": 1, "rate": 1.0},
    ),
    Line(
        "Laplace, scale 1, q = 1/100, k = 1000, both",
        f"Laplace --scale 1 --compose 1000 --sample-rate 1/100 {_SAMPLED}",
        "1e-5",
        4,
        laplace={"scale": 1, "rate": 1e-2},
    ),
    Line(
        "Gaussian, σ = 1, q = 1/1000, k = 10000, add",
        f"{_FAST} --direction add {_SAMPLED}",
        "1e-5",
        60,
        {"sigma": 1, "rate": 1e-3},
    ),
    Line(
        "Gaussian, σ = 1, q = 1/1000, k = 10000, both",
        f"{_FAST} {_SAMPLED} --width 1e-6",
        "1e-6",
        60,
        {"sigma": 1, "rate": 1e-3},
    ),
    Line(
        "Gaussian, σ = 4/5, q = 1/100, k = 2000, both",
        f"Gaussian --sigma 4/5 --compose 2000 --sample-rate 1/100 {_SAMPLED}",
        "1e-5",
        30,
        {"sigma": 0.8, "rate": 1e-2},
    ),
    *_listed(),
)
"""In the order of the table."""


def check(line: Line, found: Run, closed: Run | None) -> list[str]:
    """Return the goals of a line that are missed; ``ValueError`` for what is not even right."""
    missed = []
    ours = _intervals(found)
    for kind, low, high in ours:
        allowed = Decimal(line.width) * (1 if kind == "epsilon" else 100 * high)
        if not high - low <= allowed:
            missed.append(f"width {high - low:.1e}")
    if line.seconds is not None and found.processor > line.seconds:
        missed.append(f"more than {line.seconds:g} s")
    if found.peak > MEMORY:
        missed.append(f"more than {MEMORY} MiB")
    if closed is not None:
        for (_, low, high), (_, least, most) in zip(ours, _intervals(closed), strict=True):
            if not low <= least <= most <= high:
                raise ValueError(f"{line.name}: the closed form is not in [{low}, {high}]")
    return missed


def _intervals(found: Run) -> list[tuple[str, Decimal, Decimal]]:
    rows = found.report["rows"]
    kinds = ["delta" if row["given"] == "epsilon" else "epsilon" for row in rows]
    return [
        (kind, Decimal(row[kind]["lower"]), Decimal(row[kind]["upper"]))
        for kind, row in zip(kinds, rows, strict=True)
    ]


def estimated(line: Line, found: Run) -> Run | None:
    """Run dp-accounting on the same; None where it fails, or takes more than :data:`MOST` s."""
    asked: dict[str, Any] = {"runs": int(line.word("--compose") or 1), "step": line.step}
    for name, option in (("deltas", "--at-delta"), ("epsilons", "--at-eps")):
        words = line.word(option)
        asked[name] = [float(word) for word in words.split(",")] if words else []
    asked |= (
        line.gaussian or line.laplace or {"logarithms": _logarithms(line, found.report["rows"][0])}
    )
    try:
        return run(["tests.benchmarks.scripts.pld_accounts", json.dumps(asked)], most=MOST)
    except RuntimeError:
        return None


def _logarithms(line: Line, row: dict[str, Any]) -> list[list[float]]:
    """Return ln of the masses under both laws of a row's pair, where both are positive."""
    from dpaudit.api.plans import mechanism
    from dpaudit.numbers.ball import precision
    from dpaudit.questions.account.outcomes import outcomes

    given = {name: line.word(f"--{name}") for name in ("eps", "scale")}
    subject = mechanism(
        line.arguments.split()[0], **{name: word for name, word in given.items() if word}
    )
    x, y = (tuple(one) if isinstance(one, list) else one for one in (row["x"], row["y"]))
    with precision(128):
        laws = subject.laws()
        one = outcomes(laws.law(x).divergence_from(laws.law(y))).as_balls()
        sides = [[each.p for each in one.finite], [each.q for each in one.finite]]
        return [[float(mass.log()) for mass in side] for side in sides]


def missed(lines: list[list[str]]) -> int:
    """Return how many lines of the table miss a goal."""
    return sum(line[-1] != "met" for line in lines)


_HEADER = [
    "account",
    "δ or ε",
    "width",
    "seconds",
    "goal",
    "MiB",
    "dp-accounting",
    "ratio",
    "goals",
]


def _row(line: Line, ours: Run, other: Run | None, gone: list[str]) -> list[str]:
    widest = max(
        high - low if kind == "epsilon" else (high - low) / (high or 1)
        for kind, low, high in _intervals(ours)
    )
    asked = line.word("--at-delta") or f"ε = {line.word('--at-eps')}"
    return [
        line.name,
        asked.replace(",", ", "),
        f"{widest:.1e}",
        f"{ours.processor:.2f}",
        "–" if line.seconds is None else f"{line.seconds:g}",
        f"{ours.peak:.0f}",
        f"> {MOST} s, or failed"
        if other is None
        else f"{other.processor:.2f} s, {other.peak:.0f} MiB",
        "–" if other is None else f"{ours.processor / other.processor:.2f}",
        "; ".join(gone) or "met",
    ]


def table(lines: list[list[str]]) -> str:
    """Return the table of what was found."""
    from dpaudit.report.table import markdown_table

    return markdown_table(_HEADER, lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.accounts", description=__doc__
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="lines whose name has this")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="replace the table in a file")
    asked = parser.parse_args(arguments)
    made: list[list[str]] = []
    closed: Run | None = None
    for line in (one for one in LINES if asked.only in one.name):
        ours = run(line.command)
        if line.width == "1e-12" and line.gaussian:
            closed = ours
        gone = check(line, ours, closed if line.closed else None)
        made.append(_row(line, ours, estimated(line, ours), gone))
        print(" | ".join(made[-1]), file=sys.stderr, flush=True)
    text = f"{BEGIN}\n\n{table(made)}\n{END}"
    if asked.write is None:
        print(text)
    else:
        before, rest = asked.write.read_text(encoding="utf-8").split(BEGIN)
        asked.write.write_text(before + text + rest.split(END)[1], encoding="utf-8")
    return 1 if missed(made) else 0


if __name__ == "__main__":
    sys.exit(main())
