"""Carrying out a programme: processes in turn, answers held against the certified intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.benchmarks.measure import Run, fastest, run
from tests.benchmarks.methods import CERTIFIED, METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.benchmarks.cases import Programme
    from tests.benchmarks.methods import Case

__all__ = [
    "COMMAND",
    "COMMAND_PLOTTED",
    "PLOTTED",
    "SMALLEST",
    "VERSION",
    "Found",
    "Outcome",
    "carry_out",
]

PLOTTED = "plain NumPy with the plot"
COMMAND, COMMAND_PLOTTED = "dpaudit check", "dpaudit check with the plot"
VERSION, SMALLEST = "dpaudit --version", "dpaudit check EHDS --n 10 --no-plot"


@dataclass
class Found:
    """What was found for one case."""

    case: Case
    runs: dict[str, Run] = field(default_factory=dict)
    """The best run of each method that was tried, by key."""
    worst: dict[str, float] = field(default_factory=dict)
    """How far each method is from the certified interval where it is furthest."""


@dataclass
class Outcome:
    """What one run of the benchmark found."""

    programme: Programme
    sweep: Found
    commands: dict[str, Run]
    """The best run of each command."""
    growth: list[Found]
    screen: Found
    phases: dict[str, float]
    """Where the time of the sweep's command goes, in seconds."""
    rooms: list[tuple[Case, dict[str, float]]]
    """Where the time of an audit goes, by module, in seconds."""


def carry_out(programme: Programme, say: Callable[[str], None]) -> Outcome:
    """Run everything, one process at a time; ``ValueError`` if an answer is not what it should be.

    ``say`` is told what is going on.
    """
    say(f"sweep: {programme.sweep}")
    commands = _commands(programme)
    sweep = _measured(programme.sweep, METHODS, programme.rounds, programme.long, say)
    with TemporaryDirectory() as folder:
        found = _in_turn(
            {
                name: lambda arguments=arguments: run(arguments, Path(folder))  # type: ignore[misc]
                for name, arguments in commands.items()
            },
            programme.rounds,
            programme.long,
        )
    sweep.runs[PLOTTED] = found.pop(PLOTTED)
    growth = []
    for case, without in programme.growth:
        say(f"growth: {case}")
        keys = METHODS.keys() - set(without)
        growth.append(_measured(case, keys, programme.growth_rounds, programme.long, say))
    say(f"screen alone: {programme.screen}")
    screen = _measured(
        programme.screen, ("numpy", "floats", "dpaudit"), programme.rounds, programme.long, say
    )
    say("profiles")
    sizes = ",".join(map(str, programme.sweep.sizes))
    phases = _in_turn(
        {"": lambda: run(["tests.benchmarks.scripts.phases", "--sizes", sizes])},
        programme.rounds,
        programme.long,
    )[""].report["phases"]
    rooms = [
        (case, run([*CERTIFIED.arguments(case), "--profile"]).report["rooms"])
        for case in programme.profiled
    ]
    return Outcome(programme, sweep, found, growth, screen, phases, rooms)


def _commands(programme: Programme) -> dict[str, list[str]]:
    first, last = programme.sweep.sizes[0], programme.sweep.sizes[-1]
    check = ["dpaudit", "check", "EHDS", "--n", f"{first}..{last}"]
    numpy_plot = [*METHODS["numpy"].arguments(programme.sweep), "--plot", "plot.png"]
    return {
        PLOTTED: numpy_plot,
        COMMAND: [*check, "--no-plot"],
        COMMAND_PLOTTED: check,
        VERSION: ["dpaudit", "--version"],
        SMALLEST: ["dpaudit", "check", "EHDS", "--n", "10", "--no-plot"],
    }


def _in_turn(tasks: dict[str, Callable[[], Run]], rounds: int, long: float) -> dict[str, Run]:
    """Run the tasks one after the other, several rounds; those of ``long`` seconds once."""
    found: dict[str, list[Run]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            if not found[name] or found[name][0].wall < long:
                found[name].append(task())
    return {name: fastest(runs) for name, runs in found.items()}


def _measured(
    case: Case, keys: Iterable[str], rounds: int, long: float, say: Callable[[str], None]
) -> Found:
    """Return the runs of some methods on one case, checked against the certified intervals."""
    chosen = {key: METHODS[key] for key in METHODS if key in set(keys)}
    runs = _in_turn(
        {
            key: lambda method=method: run(method.arguments(case))  # type: ignore[misc]
            for key, method in chosen.items()
        },
        rounds,
        long,
    )
    certified = [
        (Fraction(low), Fraction(high)) for low, high in runs[CERTIFIED.key].report["values"]
    ]
    found = Found(case, runs)
    for key, method in chosen.items():
        found.worst[key] = max(method.deviations(runs[key], certified), key=abs)
        say(f"  {method.label}: {runs[key].wall:.3g} s, off by at most {found.worst[key]:.2g}")
    return found
