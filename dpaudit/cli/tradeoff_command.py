"""``dpaudit tradeoff``: the trade-off function of a mechanism, and its Gaussian fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.exits import epilogue
from dpaudit.cli.measuring import measure
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.notions.tradeoff_sweep import DEFAULT_TYPE_ONE, Tradeoffs, read_type_one

if TYPE_CHECKING:
    from dpaudit.cli.run import Task
    from dpaudit.data.columns import Column

__all__ = ["command"]


@click.command(
    "tradeoff",
    cls=CommandWithParameters,
    epilog=epilogue(
        within="every function was computed",
        exceeds=None,
        undecided="a function could not be computed",
    ),
)
@click.option(
    "--at-type-one",
    default=DEFAULT_TYPE_ONE,
    show_default=True,
    metavar="LIST",
    help="Type I errors at which the smallest type II error is wanted.",
)
@audit_options(without=("at_eps", "budget"))
def command(mechanisms: tuple[str, ...], **given: Any) -> int:
    """Give the trade-off function: the smallest type II error of telling neighbours apart.

    It is the largest convex function that no test of one neighbour against another gets below,
    over every pair and both directions. μ is the smallest with a Gaussian trade-off function below
    it. There is no verdict (for one, check --notion gdp): the exit code is 0 when every function
    was computed, 3 when one could not be.
    """
    wanted = read_type_one(given["at_type_one"])

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        return [replace(task, measure=Tradeoffs(wanted)) for task in tasks]

    # The plan's own budget is of no account here; 1 keeps it from asking for one.
    return measure(mechanisms, given, "tradeoff", asked, budget="1", at_eps=None)
