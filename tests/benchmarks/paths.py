"""What a path as run costs beside a call of the code: ``python -m tests.benchmarks.paths``.

Every function is explored at some inputs, real runs included, and called as often as it has paths.
Both are seconds of a processor in one process, the least of some rounds; the limit is on their
ratio.  A row of whole processes is ``dpaudit check`` of 50,000 paths beside as many calls.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.programs.as_run.explored import AsRun, explore_as_run
from dpaudit.programs.real.effort import AS_RUN, Effort
from tests.benchmarks.measure import ROOT, beside
from tests.benchmarks.scripts import path_subjects

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CASES", "Found", "main", "measured", "table"]


class Case(NamedTuple):
    """A function, how many of its inputs are explored, and the largest ratio that is allowed."""

    function: Callable[[int], Any]
    what: str
    inputs: int
    most: float


CASES = {
    one.function.__name__: one
    for one in (
        Case(path_subjects.exponential, "choice of 1,000 by cumulative weights", 5, 20),
        Case(path_subjects.choices, "`random.choices` of 200", 5, 120),
        Case(path_subjects.chosen, "eight bits of randomised response", 5, 1200),
        Case(path_subjects.coins, "ten coins", 2, 1500),
        Case(path_subjects.noisy_count, "Laplace noise, rounded and clamped", 5, 1500),
        Case(path_subjects.shuffled, "five numbers in a random order", 5, 800),
    )
}
_PROCESS = "dpaudit check, 50 inputs of the first row"
_MOST_OF_PROCESS = 15


class Found(NamedTuple):
    """What a row took."""

    what: str
    paths: int
    ours: float
    plain: float
    most: float

    @property
    def met(self) -> bool:
        """True if the ratio is allowed."""
        return self.ours <= self.most * self.plain


def measured(case: Case, rounds: int) -> Found:
    """Return what exploring a function took, and as many calls of it."""
    ours, plain = [], []
    for _ in range(rounds):
        paths, began = 0, time.process_time()
        for row in range(case.inputs):
            found = explore_as_run(
                lambda row=row: case.function(row),  # type: ignore[misc]
                100_000,
                AsRun(set(), set()),
                effort=lambda seconds: Effort(None, seconds, case.inputs, AS_RUN),
                holds=(case.function, {}, row),
            )
            paths += found.paths
        ours.append(time.process_time() - began)
        began = time.process_time()
        for number in range(paths):
            case.function(number % case.inputs)
        plain.append(time.process_time() - began)
    return Found(case.what, paths, min(ours), min(plain), case.most)


def _process(rounds: int) -> Found:
    """Return what the audit of 50 inputs took, and 50,000 calls: whole processes."""
    subject = ROOT / "tests" / "benchmarks" / "scripts" / "path_subjects.py"
    words = ["check", f"{subject}:exponential", "--inputs", "0..49", "--neighbours", "all"]
    script = (
        "from tests.benchmarks.scripts.path_subjects import exponential;"
        "[exponential(number % 50) for number in range(50_000)]"
    )
    plain = ["timeit", "-n1", "-r1", "-s", "pass", script]
    command = [*words, "--budget", "10", "--format", "json", "--no-plot"]
    ours, calls = beside(command, plain, rounds)
    return Found(_PROCESS, 50_000, ours.processor, calls.processor, _MOST_OF_PROCESS)


def table(found: list[Found]) -> str:
    """Return the table of what was found, one line for each row."""
    lines = [
        "| row | paths | paths a second | ÷ calls of the code | limit | |",
        "|---|---|---|---|---|---|",
    ]
    lines += (
        f"| {one.what} | {one.paths:,} | {one.paths / one.ours:,.0f} | {one.ours / one.plain:.1f} "
        f"| {one.most:g} | {'met' if one.met else '**missed**'} |"
        for one in found
    )
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.paths", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("cases", nargs="*", default=[*CASES, "process"], metavar="CASE")
    asked = parser.parse_args(arguments)
    found = [
        _process(asked.rounds) if name == "process" else measured(CASES[name], asked.rounds)
        for name in asked.cases
    ]
    print(table(found), end="")
    return 0 if all(one.met for one in found) else 1


if __name__ == "__main__":
    sys.exit(main())
