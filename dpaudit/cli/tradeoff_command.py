"""``dpaudit tradeoff``: the trade-off function of a mechanism, and its Gaussian fit."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.sweep import estimated_curve_seconds
from dpaudit.cli.contained import quietly
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.naming import plot_name
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.cli.reading import read_tasks
from dpaudit.cli.run import Workforce, exit_when_stopped, run_tasks
from dpaudit.errors import DomainError
from dpaudit.exact.real import real
from dpaudit.notions.tradeoff_sweep import TradeoffAudit, assemble_tradeoff, sweep_tradeoff
from dpaudit.report.tradeoffs import render_tradeoffs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from matplotlib.figure import Figure

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
@audit_options(without=("at_eps", "resume", "budget"))
def command(mechanisms: tuple[str, ...], **given: Any) -> int:
    """Give the trade-off function: the smallest type II error of telling neighbours apart.

    It is the largest convex function that no test of one neighbour against another gets below,
    over every pair and both directions. μ is the smallest with a Gaussian trade-off function below
    it. There is no verdict (for one, check --notion gdp): the exit code is 0 when every function
    was computed, 3 when one could not be.
    """
    wanted = tuple(_type_one(text) for text in given["at_type_one"].split(","))
    # The plan's own budget is of no account here; 1 keeps it from asking for one.
    with quietly():
        tasks = read_tasks(mechanisms, {**given, "budget": "1", "at_eps": None})
    workforce = Workforce.read(given)
    destination = Destination.read(given, plot_name("tradeoff", tasks))
    with quietly():
        found, interrupted = run_tasks(
            tasks, workforce, partial(sweep_tradeoff, wanted), estimated_curve_seconds
        )
        audits = [
            assemble_tradeoff(task.mechanism, task.sizes, task.plan, results)
            for task, results in zip(tasks, found, strict=True)
        ]
        report = render_tradeoffs(audits, given["form"])
    plotted = [audit for audit in audits if audit.results]
    figure = partial(_figure, plotted) if plotted else None
    destination.write(report, figure)
    if interrupted:
        return exit_when_stopped(Exit.UNDECIDED)
    return Exit.UNDECIDED if any(audit.undecided for audit in audits) else Exit.WITHIN


def _type_one(text: str) -> Fraction:
    found = real(text.strip()).as_fraction()
    if found is None or not 0 <= found <= 1:
        raise DomainError("at-type-one", text, "must be a rational number from 0 to 1")
    return found


def _figure(audits: Sequence[TradeoffAudit]) -> Figure:
    from dpaudit.report.figures.tradeoffs import plot_tradeoffs

    return plot_tradeoffs(audits)
