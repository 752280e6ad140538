"""``dpaudit curve``: the whole privacy curve δ(ε)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.curve import PrivacyCurve
from dpaudit.audit.result import UndecidedSize
from dpaudit.audit.sweep import assemble_curves, estimated_curve_seconds, sweep_curves
from dpaudit.cli.contained import quietly
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.naming import plot_name
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.cli.reading import read_tasks
from dpaudit.cli.run import Task, Workforce, exit_when_stopped, run_tasks
from dpaudit.exact.real import real
from dpaudit.report.render import render_curves

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from dpaudit.audit.curve import CurveAudit

__all__ = ["command"]

Found = PrivacyCurve | UndecidedSize

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
    with quietly():
        tasks = read_tasks(mechanisms, given)
        if not given["at_eps"]:
            tasks = [_with_default_epsilons(task) for task in tasks]
    workforce = Workforce.read(given)
    destination = Destination.read(given, plot_name("curve", tasks))
    with quietly():
        found, interrupted = run_tasks(
            tasks,
            workforce,
            sweep_curves,
            estimated_curve_seconds,
            kept=_kept(destination.resumed(given["resume"]), tasks),
            save=partial(_save, destination, tasks) if destination.saves() else None,
        )
        audits = _audits(tasks, found)
        report = render_curves(audits, given["form"])
    plotted = [audit for audit in audits if audit.curves]
    figure = partial(_figure, plotted) if plotted else None
    destination.write(report, figure)
    if interrupted:
        return exit_when_stopped(Exit.UNDECIDED)
    return Exit.UNDECIDED if any(audit.undecided for audit in audits) else Exit.WITHIN


def _with_default_epsilons(task: Task) -> Task:
    epsilon = task.plan.budget.epsilon
    multiples = tuple(epsilon * real(multiple) for multiple in _DEFAULT_MULTIPLES)
    return replace(task, plan=replace(task.plan, at_eps=multiples))


def _kept(path: Path | None, tasks: Sequence[Task]) -> list[list[Found]]:
    if path is None:
        return []
    from dpaudit.report.resume import resume_curves

    return resume_curves(path, [(task.mechanism, task.sizes, task.plan) for task in tasks])


def _audits(tasks: Sequence[Task], found: list[list[Found]]) -> list[CurveAudit]:
    return [
        assemble_curves(task.mechanism, task.sizes, task.plan, curves)
        for task, curves in zip(tasks, found, strict=True)
    ]


def _save(destination: Destination, tasks: Sequence[Task], found: list[list[Found]]) -> None:
    destination.save(render_curves(_audits(tasks, found), "json"))


def _figure(audits: Sequence[CurveAudit]) -> Figure:
    from dpaudit.report.figures import plot_curves

    return plot_curves(audits)
