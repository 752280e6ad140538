"""What a gate of small entries costs beside single audits: ``python -m tests.benchmarks.gates``.

Processor seconds of whole commands and all that they started, in turn, the least of each.  The
limits are three quarters of what a command for each entry takes, and one command with 0.15 s for
each entry.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.measure import Run, fastest, run

__all__ = ["ENTRIES", "main", "measured", "table"]

ENTRIES = ("EHDS", "MH", "LSHist", "Geometric") * 5
"""The mechanisms of the entries."""
_BUDGET, _SIZE = "2", "10"
_EACH, _SHARE = 0.15, 0.75


def measured(entries: tuple[str, ...], rounds: int) -> tuple[Run, dict[str, Run]]:
    """Return the least runs of a gate, and of a check of each kind of entry."""
    gates: list[Run] = []
    checks: dict[str, list[Run]] = {name: [] for name in entries}
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "dpaudit.toml").write_text(
            "\n".join(
                f'[[mechanism]]\nlabel = "{number}"\nmechanism = "{name}"\nn = {_SIZE}\n'
                f'budget = "{_BUDGET}"\n'
                for number, name in enumerate(entries)
            )
        )
        for _ in range(rounds):
            gates.append(run(["dpaudit", "gate"], folder))
            for name, runs in checks.items():
                words = ["check", name, "--n", _SIZE, "--budget", _BUDGET, "--no-plot"]
                runs.append(run(["dpaudit", *words], folder))
    return fastest(gates), {name: fastest(runs) for name, runs in checks.items()}


def table(entries: tuple[str, ...], gate: Run, checks: dict[str, Run]) -> str:
    """Return the table of what was found: the gate, a check, and a check of every entry."""
    one = max(run.processor for run in checks.values())
    every = sum(checks[name].processor for name in entries)
    most = min(_SHARE * every, one + _EACH * len(entries))
    met = "met" if gate.processor <= most else "**missed**"
    return (
        f"| {len(entries)} small entries | processor | limit | |\n|---|---:|---:|---|\n"
        f"| `dpaudit gate` | {gate.processor:.2f} s | {most:.2f} s | {met} |\n"
        f"| `dpaudit check` of each | {every:.2f} s | | |\n"
        f"| `dpaudit check` of one | {one:.2f} s | | |\n"
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the benchmark; 1 if the limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.gates", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--entries", type=int, default=len(ENTRIES))
    given = parser.parse_args(arguments)
    entries = ENTRIES[: given.entries]
    told = table(entries, *measured(entries, given.rounds))
    print(told, end="")
    return 1 if "missed" in told else 0


if __name__ == "__main__":
    sys.exit(main())
