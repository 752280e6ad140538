"""``dpaudit account-matrix``: the certified ε of a matrix mechanism, from its strategy matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

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
class MatrixRequest(TrainingRequest):
    """Options of the account of a matrix mechanism."""

    noise_multiplier: str | None
    """σ: the deviation of the noise in clipping norms."""
    max_participations: int
    """The largest number of steps of one user."""
    min_sep: int
    """Distance of two of these steps."""
    participation: str
    """``min-sep`` or ``fixed-epoch``."""
    solve: str | None
    """``noise-multiplier``, to find the smallest that keeps the budget."""


@click.command(
    "account-matrix",
    epilog=epilogue(
        within="everything was computed; the budget, if given, is kept",
        exceeds="the budget is exceeded",
        undecided="something could not be certified; a line says why",
        interrupted="interrupted",
    ),
)
@options.with_options(
    click.argument("strategy", metavar="STRATEGY"),
    click.option(
        "--noise-multiplier",
        metavar="SIGMA",
        help="The standard deviation of the noise divided by the clipping norm.",
    ),
    click.option(
        "--max-participations",
        type=int,
        required=True,
        metavar="K",
        help="The largest number of steps in which one user takes part.",
    ),
    click.option(
        "--min-sep",
        type=int,
        required=True,
        metavar="B",
        help="Steps of one user are at least B apart.",
    ),
    click.option(
        "--participation",
        type=click.Choice(["min-sep", "fixed-epoch"]),
        default="min-sep",
        show_default=True,
        help="Steps of one user are at least B apart, or exactly B (fixed-epoch).",
    ),
    POINT_OPTIONS,
    click.option(
        "--solve",
        type=click.Choice(["noise-multiplier"]),
        help="Find the smallest noise multiplier that certainly keeps --budget.",
    ),
    click.option(
        "--width",
        metavar="WIDTH",
        help="Largest accepted width of an interval of ε or δ for a known sensitivity: a number, "
        "or a percentage; default: 1%. With bounds of the sensitivity alone, intervals are wider.",
    ),
    DESTINATION_OPTIONS,
)
@with_memory_cap
@requested(MatrixRequest)
def command(request: MatrixRequest, *, strategy: str) -> int:
    """Certify ε of a matrix mechanism (DP-FTRL, BandMF) from its strategy matrix C.

    STRATEGY is C, a T × T matrix in a .npy, .npz or .csv file. A training of T steps releases
    C·x + z: row t of x is the sum of clipped gradients of step t, z is normal noise. Neighbours:
    all contributions of one user are replaced by 0.
    """
    from dpaudit.mechanisms.parameters import read_budget
    from dpaudit.questions.account.accountant_curves import plot
    from dpaudit.questions.account.dpsgd import DPSGD_WIDTH
    from dpaudit.questions.account_matrix.function import accounted
    from dpaudit.questions.account_matrix.sensitivity import Participation
    from dpaudit.report.render import render

    destination = Destination.read(request)
    deltas, epsilons = requested_points(request)
    participation = Participation(
        request.max_participations,
        request.min_sep,
        request.participation,  # type: ignore[arg-type]
    )
    with quietly():
        found, subject = accounted(
            strategy,
            participation,
            noise_multiplier=request.noise_multiplier,
            at_delta=deltas,
            at_eps=epsilons,
            budget=None if request.budget is None else read_budget(request.budget),
            solve=request.solve,
            width=request.width or DPSGD_WIDTH,
        )
        report = render([found], request.form)
    assert found.matrix is not None
    if request.solve is not None:
        click.echo(
            "dpaudit: the smallest noise multiplier found to keep the budget is "
            f"{found.matrix.noise_multiplier}",
            err=True,
        )
    destination.write(report, partial(plot, subject, [found], None) if request.plots else None)
    return exit_of(found)
