"""``dpaudit curve``: the whole privacy curve."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.sweeping import sweeps
from dpaudit.errors import ParameterError
from dpaudit.numbers.real import real
from dpaudit.questions.interval.command import interval_measure

if TYPE_CHECKING:
    from dpaudit.audit.measure import Measure
    from dpaudit.audit.runner import Task
    from dpaudit.cli.measuring import Ask
    from dpaudit.cli.request import SweepRequest
    from dpaudit.data.columns import Column
    from dpaudit.questions.interval.reading import Interval

__all__ = ["curve"]

_DEFAULT_MULTIPLES = [Fraction(part, 4) for part in (0, 1, 2, 3)]


def _curves_over(names: tuple[str, ...], request: SweepRequest, at_ratio: str | None) -> int | None:
    """Give the privacy curve for every value of a parameter in an interval."""
    constant = request.budget is not None

    def wanted(interval: Interval, name: str) -> Measure[Any, Any]:
        from dpaudit.questions.interval.curves import CurvesOverInterval, read_ratios

        others = constant or bool(request.at_eps)
        ratios = read_ratios(at_ratio, name, others=others)
        return CurvesOverInterval(interval, name, ratios, constant)

    request = replace(request, held="always" if constant else "never")
    code = interval_measure(names, request, "curve", wanted)
    if code is None and at_ratio is not None:
        raise ParameterError("at-ratio", "--at-ratio needs an interval, such as --eps 1/10..2")
    return code


@sweeps(
    click.option(
        "--at-ratio",
        metavar="LIST",
        help="Over an interval of ε, report δ(r·ε) for these ratios r; default without --at-eps: "
        "0,1/4,1/2,3/4,1.",
    ),
    click.option(
        "--at-delta",
        metavar="LIST",
        help="Also report the smallest ε at these δ.",
    ),
    texts={
        "budget": "Report δ(ε) at the ε of this budget too; there is no verdict. Default: the "
        "budget that the mechanism states.",
        "more_epsilon": (
            " FIRST..LAST covers every real ε between the two ends, and reports δ as a band "
            "over them. Instead of ε, one of --gamma, --delta, --scale, --sigma and --prior "
            "may be such an interval, with --at-eps."
        ),
    },
    held="if stated",
    over=_curves_over,
    within="every curve was computed",
    exceeds=None,
    undecided="a curve could not be computed",
)
def curve(request: SweepRequest, at_ratio: str | None) -> Ask:
    """Compute the whole privacy curve ε ↦ δ(ε) over every pair of neighbouring datasets.

    Prints δ at the budget's ε and, unless --at-eps names others, at 0, 1/4, 1/2 and 3/4 of it. The
    JSON form holds the curve itself: hulls that bound δ(ε) from above and below at every ε. With
    an interval of nominal ε, it bounds δ(r·ε) for some ratios r (--at-ratio), by lines over the
    interval. There is no verdict: the exit code is 0 if every curve was computed, 3 if one could
    not be.
    """
    from dpaudit.audit.curve import Curves

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        tasks = [replace(task, measure=Curves()) for task in tasks]
        return tasks if request.at_eps else list(map(_with_default_epsilons, tasks))

    return asked


def _with_default_epsilons(task: Task) -> Task:
    """Return the task with multiples of its budget's ε, if it has a budget."""
    if task.plan.budget is None:
        return task
    epsilon = task.plan.budget.epsilon
    multiples = tuple(epsilon * real(multiple) for multiple in _DEFAULT_MULTIPLES)
    return replace(task, plan=replace(task.plan, at_eps=multiples))
