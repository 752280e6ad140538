"""``dpaudit check``: audit mechanisms over every pair of neighbouring datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.result import Audit, worst_verdict
from dpaudit.audit.sweep import assemble, sweep
from dpaudit.cli.exits import EPILOGUE, Exit, exit_for
from dpaudit.cli.naming import plot_name
from dpaudit.cli.options import audit_options, read_tasks
from dpaudit.cli.run import Destination, read_jobs, run_tasks
from dpaudit.report.render import render_audits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["command"]


@click.command("check", epilog=EPILOGUE)
@audit_options
def command(mechanisms: tuple[str, ...], **given: Any) -> int:
    """Audit mechanisms over every pair of neighbouring datasets, both directions, every output.

    Prints the realised ε, and δ at the budget's ε, as intervals that provably contain the truth,
    and the verdict against the stated budget. Numbers are read exactly: 0.8, 4/5, 5e-4, ln(3),
    sqrt(1-pi/4).
    """
    tasks = read_tasks(mechanisms, given)
    jobs = read_jobs(given["jobs"])
    destination = Destination.read(given, plot_name("check", tasks))
    found, interrupted = run_tasks(tasks, jobs, sweep)
    audits = [
        assemble(task.mechanism, task.sizes, task.plan, results)
        for task, results in zip(tasks, found, strict=True)
    ]
    destination.write(render_audits(audits, given["form"]), lambda: _figure(audits))
    if interrupted:
        click.echo("dpaudit: interrupted; what was finished is reported", err=True)
        return Exit.INTERRUPTED
    return exit_for(worst_verdict(audit.verdict for audit in audits))


def _figure(audits: list[Audit]) -> Figure:
    from dpaudit.report.figures import plot_realised

    return plot_realised([audit for audit in audits if audit.results])
