"""Measuring mechanisms at sizes: what every command with a sweep does with its tasks.

The commands that sweep one measure and have nothing else to do: what is their own of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.plan import DEFAULT_TOLERANCE, DEFAULT_TYPE_ONE
from dpaudit.audit.workers import executor_beside
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue, exit_for
from dpaudit.cli.isolated import quietly
from dpaudit.cli.options import Option, audit_options, with_options
from dpaudit.cli.parameter_options import OPTION_NAMES, CommandWithParameters
from dpaudit.cli.reading import (
    check_feasible,
    given_parameters,
    read_data,
    read_rows,
    read_tasks,
    with_data,
)
from dpaudit.cli.run import WorkerPool, exit_when_stopped, plot_name, run_tasks
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import intervals_among
from dpaudit.numbers.real import real
from dpaudit.report.render import render
from dpaudit.report.views import plot_of
from dpaudit.results import worst_verdict

if TYPE_CHECKING:
    from pathlib import Path

    from dpaudit.audit.measure import Measure
    from dpaudit.cli.run import Task
    from dpaudit.data.columns import Column
    from dpaudit.intervals.asked import Interval

__all__ = ["INTERVAL_HELP", "calibrate", "curve", "interval_measure", "measure", "tradeoff"]

_DRAWING = "dpaudit.report.figures.sheet"
"""What all figures need, which takes as long to load as many a sweep."""

Ask = Callable[[list["Task"], "Column | None"], list["Task"]]
"""Makes tasks those of a measure; it is told the data of a file, if any."""


def measure(
    names: tuple[str, ...],
    given: Mapping[str, Any],
    command: str,
    ask: Ask,
    drawn: Callable[[Sequence[tuple[Task, Any]]], Sequence[Any]] = lambda done: (),
    **instead: Any,
) -> int:
    """Sweep mechanisms, write the report and the plot, and return the exit code.

    What an earlier run has finished is kept, as ``--resume`` asks; what is finished is saved every
    few seconds where it can be resumed from.

    Args:
        names: the mechanisms.
        given: what the options say.
        command: what files that are not named are named after.
        ask: makes tasks those of the command's measure.
        drawn: what else the plot is given, made from tasks and their reports.
        instead: what is taken for some options, whatever they say.
    """
    data = read_data(given)
    with quietly():
        read = read_tasks(names, with_data({**given, **instead}, data))
        tasks = [_as_measured(task) for task in ask(read, data)]
    check_feasible(data, tasks)
    pool = WorkerPool.read(given)
    destination = Destination.read(given, plot_name(command, tasks))
    shown = None if data is None else data.document

    def reported(found: Sequence[Sequence[Any]]) -> list[Any]:
        return [task.report(results) for task, results in zip(tasks, found, strict=True)]

    def save(found: Sequence[Sequence[Any]]) -> None:
        destination.save(render(reported(found), "json", shown))

    with executor_beside(_DRAWING) if destination.plots else nullcontext() as artist:
        with quietly():
            found, interrupted = run_tasks(
                tasks,
                pool,
                kept=_kept(destination.resumed(given.get("resume")), tasks),
                save=save if destination.saves() else None,
            )
            reports = reported(found)
            text = render(reports, given["form"], shown, read_rows(given))
        done = [(task, one) for task, one in zip(tasks, reports, strict=True) if one.results]
        plot = None
        if done:  # the figure names sizes without a result
            plot = partial(plot_of, reports, *drawn(done))
        destination.write(text, plot, artist)
    code, stopped = _exit(reports)
    return exit_when_stopped(stopped) if interrupted else code


def _as_measured(task: Task) -> Task:
    return replace(task, mechanism=task.measure.subject(task.mechanism, task.plan))


def _exit(reports: Sequence[Any]) -> tuple[Exit, Exit]:
    """Return the exit code, and the one of a run that was cut short by its time cap."""
    if hasattr(reports[0], "verdict"):
        code = exit_for(worst_verdict(report.verdict for report in reports))
        return code, code
    undecided = any(report.undecided or not getattr(report, "decided", True) for report in reports)
    return (Exit.UNDECIDED if undecided else Exit.WITHIN), Exit.UNDECIDED


def _kept(path: Path | None, tasks: Sequence[Task]) -> list[list[Any]]:
    if path is None:
        return []
    from dpaudit.report.resume import Asked, resume

    return resume(path, [Asked(t.measure, t.mechanism, t.sizes, t.plan) for t in tasks])


INTERVAL_HELP = {
    "more_epsilon": " FIRST..LAST is every real ε between the two, a continuum, as 10..180 of --n "
    "is every whole size between: each is held to itself, or to the constant of --budget. So may "
    "--gamma, --delta, --scale, --sigma or --prior be given, one of them."
}
"""What the help of commands says that take an interval of ε."""


def interval_measure(
    names: tuple[str, ...],
    given: Mapping[str, Any],
    command: str,
    wanted: Callable[[Interval, str], Measure[Any, Any]] | None = None,
    **instead: Any,
) -> int | None:
    """Measure over an interval of a parameter; None where the options ask for none.

    Args:
        names: the mechanisms.
        given: what the options say.
        command: what files that are not named are named after.
        wanted: makes the measure of the interval and its parameter: by default an audit.
        instead: what is taken for some options, whatever they say.
    """
    parameters = given_parameters(given)
    if not intervals_among(parameters):
        return None
    from dpaudit.intervals.asked import end_of, interval_among
    from dpaudit.intervals.measure import OverInterval

    found = interval_among(parameters)
    assert found is not None, "one is an interval"
    name, interval = found
    text = parameters[name]
    for other, flag in _NOT_OVER_INTERVALS.items():
        if given.get(other) and not (wanted is not None and other == "at_eps"):
            option = OPTION_NAMES.get(name, name)
            raise ParameterError(
                option, f"{option} = {text}: an interval does not go together with {flag}"
            )
    constant = given["budget"] is not None
    measured = OverInterval(interval, name, constant) if wanted is None else wanted(interval, name)
    parameters[name] = end_of(name, text, interval, given["k"])
    settings = {f"p_{key}": value for key, value in parameters.items()}
    return measure(
        names,
        # The mechanism itself is read with one end; nothing is said about it.
        {**given, **settings, "settings": (), **instead},
        command,
        lambda tasks, data: [replace(task, measure=measured) for task in tasks],
    )


_NOT_OVER_INTERVALS = {
    "at": "--at",
    "at_eps": "--at-eps",
    "adjacency": "--adjacency",
    "data": "--data",
    "notion": "--notion",
    "export": "--export",
    "conformance": "--conformance",
    "resume": "--resume",
}
"""What is about one ε, or one dataset."""

_DEFAULT_MULTIPLES = [Fraction(part, 4) for part in (0, 1, 2, 3)]


def _sweeps(
    *options: Option,
    without: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    instead: Mapping[str, Any] | None = None,
    over: Callable[[tuple[str, ...], Mapping[str, Any]], int | None] | None = None,
    **ends: Any,
) -> Callable[[Callable[[Mapping[str, Any]], Ask]], click.Command]:
    """Make a command of a function that reads the options, and of its docstring.

    Args:
        options: those that no other command has.
        without: the shared options that mean nothing here.
        texts: what shared options mean here, where that differs.
        instead: what is taken for some options, whatever they say.
        over: what answers in its place where an interval of ε is given, else None.
        ends: what exit codes mean, where that differs.
    """

    def decorate(ask: Callable[[Mapping[str, Any]], Ask]) -> click.Command:
        @click.command(
            ask.__name__, cls=CommandWithParameters, epilog=epilogue(**ends), help=ask.__doc__
        )
        @with_options(*options)
        @audit_options(without=without, texts=texts)
        def command(mechanisms: tuple[str, ...], **given: Any) -> int:
            if over is not None and (code := over(mechanisms, given)) is not None:
                return code
            return measure(mechanisms, given, ask.__name__, ask(given), **(instead or {}))

        return command

    return decorate


def _curves_over(names: tuple[str, ...], given: Mapping[str, Any]) -> int | None:
    """Give the privacy curve for every value of a parameter in an interval."""
    from dpaudit.intervals.curves import CurvesOverInterval, read_ratios

    constant = given["budget"] is not None

    def wanted(interval: Interval, name: str) -> Measure[Any, Any]:
        others = constant or bool(given["at_eps"])
        ratios = read_ratios(given["at_ratio"], name, others=others)
        return CurvesOverInterval(interval, name, ratios, constant)

    # Without a budget none is of account here; 1 keeps the plan from asking for one.
    budget = given["budget"] if constant else "1"
    code = interval_measure(names, given, "curve", wanted, budget=budget)
    if code is None and given["at_ratio"] is not None:
        raise ParameterError("at-ratio", "--at-ratio needs an interval, as --eps 1/10..2")
    return code


@_sweeps(
    click.option(
        "--at-ratio",
        metavar="LIST",
        help="With --eps FIRST..LAST: proportions r of the nominal ε, for δ(r·ε); default "
        "0,1/4,1/2,3/4,1 without --at-eps.",
    ),
    texts={
        "more_epsilon": " FIRST..LAST is every real ε between the two, a continuum, as 10..180 of "
        "--n is every whole size between: δ as a band over it. So may --gamma, --delta, --scale, "
        "--sigma or --prior be given, one of them, with --at-eps."
    },
    over=_curves_over,
    within="every curve was computed",
    exceeds=None,
    undecided="a curve could not be computed",
)
def curve(given: Mapping[str, Any]) -> Ask:
    """Give the whole privacy curve ε ↦ δ(ε) over every pair of neighbouring datasets.

    Prints δ at the budget's ε and, unless --at-eps names others, at 0, 1/4, 1/2 and 3/4 of it. The
    JSON form holds the curve itself: hulls that bound δ(ε) from above and below at every ε. With
    an interval of ε, δ at proportions of the nominal ε lies between lines over the interval. There
    is no verdict: the exit code is 0 when every curve was computed, 3 when one could not be.
    """
    from dpaudit.audit.curve import Curves

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        tasks = [replace(task, measure=Curves()) for task in tasks]
        return tasks if given["at_eps"] else list(map(_with_default_epsilons, tasks))

    return asked


def _with_default_epsilons(task: Task) -> Task:
    epsilon = task.plan.budget.epsilon
    multiples = tuple(epsilon * real(multiple) for multiple in _DEFAULT_MULTIPLES)
    return replace(task, plan=replace(task.plan, at_eps=multiples))


@_sweeps(
    click.option(
        "--at-type-one",
        default=DEFAULT_TYPE_ONE,
        show_default=True,
        metavar="LIST",
        help="Type I errors at which the smallest type II error is wanted.",
    ),
    without=("at_eps", "budget"),
    # The plan's own budget is of no account here; 1 keeps it from asking for one.
    instead={"budget": "1", "at_eps": None},
    within="every function was computed",
    exceeds=None,
    undecided="a function could not be computed",
)
def tradeoff(given: Mapping[str, Any]) -> Ask:
    """Give the trade-off function: the smallest type II error of telling neighbours apart.

    It is the largest convex function that no test of one neighbour against another gets below,
    over every pair and both directions. μ is the smallest with a Gaussian trade-off function below
    it. There is no verdict (for one, check --notion gdp): the exit code is 0 when every function
    was computed, 3 when one could not be.
    """
    from dpaudit.notions.tradeoff_sweep import Tradeoffs, read_type_one

    wanted = Tradeoffs(read_type_one(given["at_type_one"]))
    return lambda tasks, data: [replace(task, measure=wanted) for task in tasks]


def _kept_by(names: tuple[str, ...], given: Mapping[str, Any]) -> int | None:
    """Find all values of a parameter in an interval that certainly keep a budget."""
    if given["budget"] is None and intervals_among(given_parameters(given)):
        raise ParameterError(
            "budget", "calibrate over an interval needs the --budget that is to be kept"
        )
    return interval_measure(names, given, "calibrate")


@_sweeps(
    click.option(
        "--tolerance",
        metavar="NUMBER",
        default=DEFAULT_TOLERANCE,
        show_default=True,
        help="How far above the nominal ε found the failing one may lie and, for a budget of ε "
        "alone, how far below it the realised ε.",
    ),
    without=("at_eps",),
    texts={
        "budget": "What is to be kept, in place of what the mechanism states when run with --eps.",
        "more_epsilon": " FIRST..LAST, with --budget: not one nominal ε is searched, but all real "
        "ε between that certainly keep the budget are found, as intervals.",
    },
    instead={"at_eps": None},
    over=_kept_by,
)
def calibrate(given: Mapping[str, Any]) -> Ask:
    """Find the largest nominal ε whose realised ε, or δ, is certified to keep a budget.

    The mechanism is run with other nominal ε, all else unchanged, and each is audited over every
    pair of neighbouring datasets. The nominal ε found is certified safe; one just above it is
    certified to exceed the budget. The realised ε need not grow with the nominal ε, so nothing is
    said about nominal ε beyond that. Where outputs have a posterior, what is gained in accuracy is
    the exact mean Hellinger error E[H(BI(x), z)] at uniform data, before and after.
    """
    from dpaudit.calibration.size import CalibrationGoal, read_tolerance
    from dpaudit.calibration.sweep import Calibrations

    if given["budget"] is not None and given.get("p_epsilon") is not None:
        raise ParameterError(
            "budget", "with --budget the mechanism's own ε is what is searched; give no --eps"
        )
    tolerance = read_tolerance(given["tolerance"])

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        goal = CalibrationGoal(tolerance, None if data is None else data.counts)
        return [replace(task, measure=Calibrations(goal)) for task in tasks]

    return asked
