"""``dpaudit check``: audit mechanisms over every pair of neighbouring datasets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.result import Audit, SizeResult, UndecidedSize, worst_verdict
from dpaudit.audit.sweep import assemble, estimated_seconds, sweep
from dpaudit.cli.exits import EPILOGUE, Exit, exit_for
from dpaudit.cli.naming import plot_name
from dpaudit.cli.options import audit_options, read_tasks
from dpaudit.cli.run import Destination, Task, Workforce, run_tasks
from dpaudit.errors import ParameterError
from dpaudit.report.render import render_audits

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

__all__ = ["command"]

Found = SizeResult | UndecidedSize


@click.command("check", epilog=EPILOGUE)
@click.option(
    "--notion",
    metavar="NOTION",
    help="Audit in another notion: pure, approximate, renyi, zcdp, gdp, kl or tv; --budget is then "
    "in it, by default what the stated ε implies.",
)
@click.option("--order", metavar="ALPHA", help="The order of --notion renyi: 1, 3/2, 8, inf.")
@audit_options
def command(mechanisms: tuple[str, ...], **given: Any) -> int:
    """Audit mechanisms over every pair of neighbouring datasets, both directions, every output.

    Prints the realised ε, and δ at the budget's ε, as intervals that provably contain the truth,
    and the verdict against the stated budget. Numbers are read exactly: 0.8, 4/5, 5e-4, ln(3),
    sqrt(1-pi/4).
    """
    if given["notion"] is not None:
        from dpaudit.cli.notion_audit import check_notion

        return check_notion(mechanisms, given)
    if given["order"] is not None:
        raise ParameterError("order", "--order belongs to --notion renyi")
    tasks = read_tasks(mechanisms, given)
    workforce = Workforce.read(given)
    destination = Destination.read(given, plot_name("check", tasks))
    found, interrupted = run_tasks(
        tasks,
        workforce,
        sweep,
        estimated_seconds,
        kept=_kept(destination.resumed(given["resume"]), tasks),
        save=partial(_save, destination, tasks) if destination.saves() else None,
    )
    audits = _audits(tasks, found)
    plotted = [audit for audit in audits if audit.results]
    figure = partial(_figure, plotted) if plotted else None
    destination.write(render_audits(audits, given["form"]), figure)
    if interrupted:
        click.echo("dpaudit: interrupted; what was finished is reported", err=True)
        return Exit.INTERRUPTED
    return exit_for(worst_verdict(audit.verdict for audit in audits))


def _kept(path: Path | None, tasks: Sequence[Task]) -> list[list[Found]]:
    if path is None:
        return []
    from dpaudit.report.resume import resume_audits

    return resume_audits(path, [(task.mechanism, task.sizes, task.plan) for task in tasks])


def _audits(tasks: Sequence[Task], found: list[list[Found]]) -> list[Audit]:
    return [
        assemble(task.mechanism, task.sizes, task.plan, results)
        for task, results in zip(tasks, found, strict=True)
    ]


def _save(destination: Destination, tasks: Sequence[Task], found: list[list[Found]]) -> None:
    destination.save(render_audits(_audits(tasks, found), "json"))


def _figure(audits: Sequence[Audit]) -> Figure:
    from dpaudit.report.figures import plot_realised

    return plot_realised(audits)
