"""``dpaudit gate``: reject what exceeds its stated budget."""

from __future__ import annotations

import os
from pathlib import Path

import click

from dpaudit.cli import options
from dpaudit.cli.destination import Destination, check_unread, status_line
from dpaudit.cli.exits import Exit, epilogue, exit_for
from dpaudit.cli.request import WriteRequest, requested
from dpaudit.cli.run import read_jobs
from dpaudit.errors import OutputError, ParameterError
from dpaudit.machine import read_memory_cap
from dpaudit.report.files import check_writable, write_whole

__all__ = ["command"]


_EPILOGUE = epilogue(
    within="every budget is certainly kept (of samplers: not refuted), and every claim has its "
    "expected verdict",
    exceeds="a budget is exceeded, a sampler's distribution differs, or a verdict is not as "
    "expected or is worse than in the baseline",
    usage="bad usage, or a configuration that cannot be used",
    undecided="nothing certainly fails, but something is undecided, too slow or broken",
    interrupted="interrupted",
)


@click.command("gate", epilog=_EPILOGUE)
@click.option(
    "--config",
    metavar="FILE",
    help="The configuration; default: dpaudit.toml, or "
    "pyproject.toml with [tool.dpaudit], in this "
    "folder.",
)
@click.option(
    "--init",
    metavar="[FILE.py]",
    is_flag=False,
    flag_value="",
    help="Write a commented dpaudit.toml to start from; with FILE.py, with entries for its "
    "functions.",
)
@click.option(
    "--baseline",
    metavar="FILE",
    help="JSON report of an older gate; an entry that got worse fails. Default: that of the "
    "configuration.",
)
@options.form_option(text="The form of the report on standard output.", show_default=False)
@options.report_option("json", "junit", "sarif", "markdown", "annotations", "html")
@click.option(
    "--jobs",
    metavar="N",
    help="Number of entries checked at the same time; default: one for each core.",
)
@options.memory_cap_option(
    "Memory limit in MB for each entry without its own memory-cap. Default: that of the "
    "configuration, otherwise entries that run at the same time share the free memory."
)
@options.digits_option(
    None, text="Aim at intervals at most 10^-DIGITS wide; default: that of the configuration."
)
@options.OUTPUT_FILE
@options.plot_options("used shares of the budgets", asked=True)
@requested(WriteRequest)
def command(
    request: WriteRequest,
    *,
    config: str | None,
    init: str | None,
    baseline: str | None,
    jobs: str | None,
    memory_cap: str | None,
    digits: int | None,
) -> int:
    """Check all mechanisms of a configuration against their budgets.

    Reads [tool.dpaudit] of pyproject.toml, or dpaudit.toml.  Fails closed: what is undecided, too
    slow, broken or unknown does not pass.  With a baseline it also fails if a verdict got worse, or
    if something is no longer checked; a baseline never turns a failure into a pass.
    """
    from dpaudit.audit.workers import processors
    from dpaudit.gate.baseline import baseline_path
    from dpaudit.gate.config import STARTER, find_config
    from dpaudit.gate.functions import starter_of
    from dpaudit.gate.interface import run_gate
    from dpaudit.report.render import forms_of, render
    from dpaudit.results import GateDocument, SampleReport

    if init is not None:
        text = starter_of(Path(init)) if init else STARTER
        return _write_starter(Path(config or "dpaudit.toml"), text)
    destination = Destination.read(request, forms=forms_of(GateDocument))
    destinations = destination.reports
    path = Path(config) if config else find_config(Path())
    check_unread(destination.files, [path])
    older = baseline_path(path, baseline)
    check_unread(destination.files, [] if older is None else [older])
    curves = any(form == "html" for form, _ in destinations)
    workers = read_jobs(jobs) or processors()
    most = None if memory_cap is None else read_memory_cap(memory_cap) >> 20
    with status_line() as progress:
        gated = run_gate(
            path,
            workers,
            progress,
            curves=curves,
            digits=digits,
            memory_cap=most,
            baseline=baseline,
        )
    further = [(file, render(gated.reports, form)) for form, file in destinations]
    numbers = [
        finding for finding in gated.mechanisms if not isinstance(finding.report, SampleReport)
    ]
    figure = gated.figure if any(finding.report for finding in numbers) else None
    destination.write(render(gated.reports, destination.form), figure, further=further)
    return Exit.EXCEEDS if gated.report.got_worse else exit_for(gated.verdict)


def _write_starter(path: Path, text: str) -> int:
    if os.path.lexists(path):
        raise OutputError(path, "it already exists; remove it, or give another name")
    if path.name == "pyproject.toml":
        raise ParameterError("init", "--init cannot write a pyproject.toml; name another file")
    check_writable(path)
    write_whole(path, text.encode())
    click.echo(f"wrote {path}")
    return Exit.WITHIN
