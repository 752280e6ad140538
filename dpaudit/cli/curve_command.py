"""``dpaudit curve``: the whole privacy curve δ(ε)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.curve import Curves
from dpaudit.cli.exits import epilogue
from dpaudit.cli.measuring import measure
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.numbers.real import real

if TYPE_CHECKING:
    from dpaudit.cli.run import Task
    from dpaudit.data.columns import Column

__all__ = ["command"]

_DEFAULT_MULTIPLES = [Fraction(part, 4) for part in (0, 1, 2, 3)]


@click.command(
    "curve",
    cls=CommandWithParameters,
    epilog=epilogue(
        within="every curve was computed", exceeds=None, undecided="a curve could not be computed"
    ),
)
@audit_options()
def command(mechanisms: tuple[str, ...], **given: Any) -> int:
    """Give the whole privacy curve ε ↦ δ(ε) over every pair of neighbouring datasets.

    Prints δ at the budget's ε and, unless --at-eps names others, at 0, 1/4, 1/2 and 3/4 of it. The
    JSON form holds the curve itself: hulls that bound δ(ε) from above and below at every ε. There
    is no verdict: the exit code is 0 when every curve was computed, 3 when one could not be.
    """

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        tasks = [replace(task, measure=Curves()) for task in tasks]
        return tasks if given["at_eps"] else list(map(_with_default_epsilons, tasks))

    return measure(mechanisms, given, "curve", asked)


def _with_default_epsilons(task: Task) -> Task:
    epsilon = task.plan.budget.epsilon
    multiples = tuple(epsilon * real(multiple) for multiple in _DEFAULT_MULTIPLES)
    return replace(task, plan=replace(task.plan, at_eps=multiples))
