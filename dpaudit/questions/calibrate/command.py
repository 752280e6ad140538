"""``dpaudit calibrate``: the largest nominal ε that keeps a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from dpaudit.audit.plan import DEFAULT_TOLERANCE
from dpaudit.cli.sweeping import sweeps
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import intervals_among
from dpaudit.questions.interval.command import interval_measure

if TYPE_CHECKING:
    from dpaudit.audit.runner import Task
    from dpaudit.cli.measuring import Ask
    from dpaudit.cli.request import SweepRequest
    from dpaudit.data.columns import Column


__all__ = ["calibrate"]


def _kept_by(names: tuple[str, ...], request: SweepRequest, tolerance: str) -> int | None:
    """Find all values of a parameter in an interval that certainly keep a budget."""
    if request.budget is None and intervals_among(request.parameters):
        raise ParameterError(
            "budget", "calibrate over an interval needs a budget to keep; give --budget"
        )
    return interval_measure(names, request, "calibrate")


@sweeps(
    click.option(
        "--tolerance",
        metavar="NUMBER",
        default=DEFAULT_TOLERANCE,
        show_default=True,
        help="The search ends with a nominal ε that certainly keeps the budget, and one at most "
        "NUMBER larger that certainly exceeds it. If the budget has no δ, the realised ε of the "
        "first is also at most NUMBER below the budget, unless ε jumps over it.",
    ),
    without=("at_eps",),
    texts={
        "budget": "The budget to keep; default: what the mechanism states when run with --eps.",
        "more_epsilon": (
            " With --budget, FIRST..LAST finds all real ε between the two ends that "
            "certainly keep the budget, as intervals."
        ),
    },
    over=_kept_by,
)
def calibrate(request: SweepRequest, tolerance: str) -> Ask:
    """Find how large the nominal ε may be while the mechanism is certified to keep a budget.

    The mechanism is run with other nominal ε, all else unchanged, and each is audited over every
    pair of neighbouring datasets. The nominal ε found is certified safe. One just above it is
    certified to exceed the budget, unless a note says that none was found. The realised ε need not
    grow with the nominal ε, so nothing is said about nominal ε beyond that. If outputs have a
    posterior, the gain in accuracy is shown too: the exact mean Hellinger error E[H(BI(x), z)] at
    uniform data, before and after.
    """
    from dpaudit.questions.calibrate.size import CalibrationGoal, read_tolerance
    from dpaudit.questions.calibrate.sweep import Calibrations

    if request.budget is not None and "epsilon" in request.parameters:
        given = click.get_current_context().params
        name = "--set epsilon=" if given.get("p_epsilon") is None else "--eps"
        raise ParameterError(
            "budget", f"with --budget, calibrate searches the mechanism's own ε; leave {name} out"
        )
    most = read_tolerance(tolerance)

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        goal = CalibrationGoal(most, None if data is None else data.counts)
        return [replace(task, measure=Calibrations(goal)) for task in tasks]

    return asked
