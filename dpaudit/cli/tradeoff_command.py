"""``dpaudit tradeoff``: the trade-off function of a mechanism, and its Gaussian fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.exits import epilogue
from dpaudit.cli.measuring import measure
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.errors import DomainError
from dpaudit.exact.real import real
from dpaudit.notions.tradeoff_sweep import Tradeoffs

if TYPE_CHECKING:
    from fractions import Fraction

    from dpaudit.cli.run import Task
    from dpaudit.data.columns import Column

__all__ = ["command"]

_DEFAULT = "1/100,1/20,1/10,1/4,1/2"


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
    default=_DEFAULT,
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
    wanted = tuple(_type_one(text) for text in given["at_type_one"].split(","))

    def asked(task: Task, data: Column | None) -> Task:
        return replace(task, measure=Tradeoffs(wanted))

    # The plan's own budget is of no account here; 1 keeps it from asking for one.
    return measure(mechanisms, given, "tradeoff", asked, budget="1", at_eps=None)


def _type_one(text: str) -> Fraction:
    found = real(text.strip()).as_fraction()
    if found is None or not 0 <= found <= 1:
        raise DomainError("at-type-one", text, "must be a rational number from 0 to 1")
    return found
