"""``dpaudit calibrate``: the largest nominal ε whose realised privacy keeps a budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from dpaudit.calibration.size import DEFAULT_TOLERANCE, CalibrationGoal, read_tolerance
from dpaudit.calibration.sweep import Calibrations
from dpaudit.cli.exits import epilogue
from dpaudit.cli.measuring import measure
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.errors import ParameterError

if TYPE_CHECKING:
    from dpaudit.cli.run import Task
    from dpaudit.data.columns import Column

__all__ = ["command"]


@click.command("calibrate", cls=CommandWithParameters, epilog=epilogue())
@audit_options(
    without=("at_eps",),
    texts={
        "budget": "What is to be kept, in place of what the mechanism states when run with --eps."
    },
)
@click.option(
    "--tolerance",
    metavar="NUMBER",
    default=DEFAULT_TOLERANCE,
    show_default=True,
    help="How far above the nominal ε found the failing one may lie and, for a budget of ε alone, "
    "how far below it the realised ε.",
)
def command(mechanisms: tuple[str, ...], **given: Any) -> int:
    """Find the largest nominal ε whose realised ε, or δ, is certified to keep a budget.

    The mechanism is run with other nominal ε, all else unchanged, and each is audited over every
    pair of neighbouring datasets. The nominal ε found is certified safe; one just above it is
    certified to exceed the budget. The realised ε need not grow with the nominal ε, so nothing is
    said about nominal ε beyond that. Where outputs have a posterior, what is gained in accuracy is
    the exact mean Hellinger error E[H(BI(x), z)] at uniform data, before and after.
    """
    if given["budget"] is not None and given.get("p_epsilon") is not None:
        raise ParameterError(
            "budget", "with --budget the mechanism's own ε is what is searched; give no --eps"
        )
    tolerance = read_tolerance(given["tolerance"])

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        question = CalibrationGoal(tolerance, None if data is None else data.counts)
        return [replace(task, measure=Calibrations(question)) for task in tasks]

    return measure(mechanisms, given, "calibrate", asked, at_eps=None)
