"""The commands that sweep one measure and have nothing else to do: what is their own of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.plan import DEFAULT_TOLERANCE, DEFAULT_TYPE_ONE
from dpaudit.cli.exits import epilogue
from dpaudit.cli.measuring import Ask, curves_over, interval_measure, measure
from dpaudit.cli.options import Option, audit_options, with_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.cli.reading import given_parameters
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import intervals_among
from dpaudit.numbers.real import real

if TYPE_CHECKING:
    from dpaudit.audit.runner import Task
    from dpaudit.data.columns import Column

__all__ = ["calibrate", "curve", "tradeoff"]

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


@_sweeps(
    click.option(
        "--at-ratio",
        metavar="LIST",
        help="Over an interval of ε, proportions r of it for δ(r·ε); default 0,1/4,1/2,3/4,1 "
        "without --at-eps.",
    ),
    texts={
        "more_epsilon": " FIRST..LAST is every real ε between the two, a continuum, as 10..180 of "
        "--n is every whole size between: δ as a band over it. So may --gamma, --delta, --scale, "
        "--sigma or --prior be given, one of them, with --at-eps."
    },
    instead={"held": "if stated"},
    over=curves_over,
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
    """Return the task with multiples of its budget's ε, if it has a budget."""
    if task.plan.budget is None:
        return task
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
    instead={"budget": None, "held": "never", "at_eps": None},
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
