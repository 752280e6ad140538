"""``dpaudit account-run``: the certified ε of a training, from what its library leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from dpaudit.cli import options
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import epilogue
from dpaudit.cli.isolated import quietly, with_memory_cap
from dpaudit.cli.request import requested
from dpaudit.questions.account.training_options import (
    DESTINATION_OPTIONS,
    POINT_OPTIONS,
    TrainingRequest,
    exit_of,
    requested_points,
)

__all__ = ["command"]


@dataclass(frozen=True, kw_only=True)
class RunRequest(TrainingRequest):
    """Options of the account of a training."""

    their_epsilon: str | None
    """The ε that its own accountant gave."""
    sampling: str | None
    """The draw of the batches."""
    direction: str | None
    """Neighbours: add, remove or both."""


@click.command(
    "account-run",
    epilog=epilogue(
        within="everything was computed; the budget and the training's own ε, if any, hold",
        exceeds="the budget, or the ε of the training's own accountant, is exceeded",
        undecided="something could not be certified; a line says why",
        interrupted="interrupted",
    ),
)
@options.with_options(
    click.argument("file", metavar="FILE"),
    POINT_OPTIONS,
    click.option(
        "--their-epsilon",
        metavar="EPS",
        help="The ε that the training's own accountant gave at the first δ; default: the file's.",
    ),
    click.option(
        "--sampling",
        type=click.Choice(["poisson", "shuffle", "fixed", "allocation"]),
        help="The way batches were drawn; default: as the file says, otherwise poisson.",
    ),
    click.option(
        "--direction",
        type=click.Choice(["add", "remove", "both"]),
        help="The neighbouring relation: one record added, one removed, or both; default: both.",
    ),
    click.option(
        "--width",
        metavar="WIDTH",
        help="Largest accepted width of an interval: a number, or a percentage of ε, such as 1%, "
        "the default.",
    ),
    DESTINATION_OPTIONS,
)
@with_memory_cap
@requested(RunRequest)
def command(request: RunRequest, *, file: str) -> int:
    """Certify ε of a training that was run, and compare its own accountant with it.

    FILE is what its library writes: an Opacus accountant's history as JSON, a DpEvent of
    dp-accounting (TensorFlow Privacy, jax-privacy) as JSON or as it prints, or a JSON table of
    settings. Nothing in it is run.
    """
    from dpaudit.questions.account.accountant_curves import plot
    from dpaudit.questions.account.dpsgd import DPSGD_WIDTH
    from dpaudit.questions.account_run.function import accounted
    from dpaudit.questions.account_run.logs import read_log
    from dpaudit.report.render import render

    destination = Destination.read(request)
    deltas, epsilons = requested_points(request)
    log = read_log(Path(file))
    with quietly():
        found, subject = accounted(
            log,
            delta=deltas,
            epsilon=epsilons,
            budget=request.budget,
            their_epsilon=request.their_epsilon,
            sampling=request.sampling,
            direction=request.direction or "both",  # type: ignore[arg-type]
            width=request.width or DPSGD_WIDTH,
        )
        report = render([found], request.form)
    destination.write(report, partial(plot, subject, [found], None) if request.plots else None)
    return exit_of(found)
