"""``dpaudit check``: audit mechanisms over every pair of neighbouring datasets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.result import Audit, SizeResult, UndecidedSize, worst_verdict
from dpaudit.audit.sweep import assemble, estimated_seconds, sweep
from dpaudit.audit.time_cap import current_cap
from dpaudit.cli.contained import CONFORMANCE_CAP, quietly
from dpaudit.cli.data_options import check_feasible, data_options, read_data, with_data
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue, exit_for
from dpaudit.cli.naming import plot_name
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.cli.reading import conformance_sizes, read_mechanisms, read_tasks
from dpaudit.cli.run import Task, Workforce, exit_when_stopped, run_tasks
from dpaudit.errors import ParameterError
from dpaudit.report.render import render_audits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from dpaudit.data.columns import Column

__all__ = ["command"]

Found = SizeResult | UndecidedSize


@click.command("check", cls=CommandWithParameters, epilog=epilogue())
@click.option(
    "--conformance",
    is_flag=True,
    help="Only check that each is a mechanism at all: laws, datasets, neighbours. Exit code 0 if "
    "it is, 1 if not, 2 if it cannot be loaded.",
)
@click.option(
    "--notion",
    metavar="NOTION",
    help="Audit in another notion: pure, approximate, renyi, zcdp, gdp, kl or tv; --budget is then "
    "in it, by default what the stated ε implies.",
)
@click.option("--order", metavar="ALPHA", help="The order of --notion renyi: 1, 3/2, 8, inf.")
@audit_options()
@data_options
def command(mechanisms: tuple[str, ...], conformance: bool, **given: Any) -> int:
    """Audit mechanisms over every pair of neighbouring datasets, both directions, every output.

    Prints the realised ε, and δ at the budget's ε, as intervals that provably contain the truth,
    and the verdict against the stated budget. Numbers are read exactly: 0.8, 4/5, 5e-4, ln(3),
    sqrt(1-pi/4).
    """
    if conformance:
        _refuse_beside_conformance(given)
    if given["notion"] is not None:
        from dpaudit.cli.notion_audit import check_notion

        return check_notion(mechanisms, given)
    if given["order"] is not None:
        raise ParameterError("order", "--order belongs to --notion renyi")
    if conformance:
        return _conformance(mechanisms, given)
    data = read_data(given)
    with quietly():
        tasks = read_tasks(mechanisms, with_data(given, data))
    check_feasible(data, tasks)
    workforce = Workforce.read(given)
    destination = Destination.read(given, plot_name("check", tasks))
    with quietly():
        found, interrupted = run_tasks(
            tasks,
            workforce,
            sweep,
            estimated_seconds,
            kept=_kept(destination.resumed(given["resume"]), tasks),
            save=partial(_save, destination, tasks, data) if destination.saves() else None,
        )
        audits = _audits(tasks, found)
        report = render_audits(audits, given["form"], data)
    plotted = [audit for audit in audits if audit.results]
    figure = partial(_figure, plotted) if plotted else None
    destination.write(report, figure)
    code = exit_for(worst_verdict(audit.verdict for audit in audits))
    if interrupted:
        return exit_when_stopped(code)
    return code


_NOT_ASKED = {
    "notion": "--notion",
    "order": "--order",
    "budget": "--budget",
    "at": "--at",
    "at_eps": "--at-eps",
    "adjacency": "--adjacency",
    "resume": "--resume",
    "plots": "--plot",
    "data": "--data",
    "jobs": "--jobs",
    "dask": "--dask",
}
"""What is about an audit, and would be passed over by a check of conformance."""


def _refuse_beside_conformance(given: Mapping[str, Any]) -> None:
    for name, flag in _NOT_ASKED.items():
        if given[name]:
            raise ParameterError(
                "conformance", f"--conformance is no audit: it does not go together with {flag}"
            )


def _conformance(names: tuple[str, ...], given: Mapping[str, Any]) -> int:
    from dpaudit.audit.conformance import conformance
    from dpaudit.report.conformance import render_conformance

    if given["form"] == "csv":
        raise ParameterError("format", "--conformance has no CSV form")
    cap = current_cap() or float(CONFORMANCE_CAP)
    with quietly():
        found = [
            (mechanism, conformance(mechanism, conformance_sizes(mechanism, given["sizes"]), cap))
            for mechanism in read_mechanisms(names, given)
        ]
        report = render_conformance(found, given["form"])
    Destination.read({**given, "no_plot": True, "plots": ()}, "").write(report, None)
    return Exit.WITHIN if all(result.conforms for _, result in found) else Exit.EXCEEDS


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


def _save(
    destination: Destination,
    tasks: Sequence[Task],
    data: Column | None,
    found: list[list[Found]],
) -> None:
    destination.save(render_audits(_audits(tasks, found), "json", data))


def _figure(audits: Sequence[Audit]) -> Figure:
    from dpaudit.report.figures import plot_realised

    return plot_realised(audits)
