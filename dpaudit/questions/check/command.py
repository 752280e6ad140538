"""``dpaudit check``: audit mechanisms over every pair of neighbouring datasets."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from dpaudit.audit.certify import with_epsilon_at
from dpaudit.audit.workers import current_cap
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import CONFORMANCE_CAP, quietly
from dpaudit.cli.measuring import measure
from dpaudit.cli.options import audit_options
from dpaudit.cli.parameter_options import CommandWithParameters
from dpaudit.cli.reading import conformance_sizes, read_mechanisms
from dpaudit.errors import LawError, ParameterError, nearest
from dpaudit.questions.interval.command import INTERVAL_HELP, interval_measure
from dpaudit.report.render import render
from dpaudit.subjects import DRAWN
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.audit.runner import Task
    from dpaudit.cli.request import SweepRequest
    from dpaudit.data.columns import Column
    from dpaudit.results import Audit

__all__ = ["command"]


def _complete_notion(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from dpaudit.questions.notion.measure import NOTIONS, WORDS

    return [CompletionItem(name) for name in (*NOTIONS, *WORDS) if name.startswith(incomplete)]


@click.command("check", cls=CommandWithParameters, epilog=epilogue())
@click.option(
    "--conformance",
    is_flag=True,
    help="Only check that each is a valid mechanism: probabilities, datasets, neighbours. Exit "
    "code 0 if it is, 1 if not, 2 if it cannot be loaded.",
)
@click.option(
    "--notion",
    metavar="NOTION",
    shell_complete=_complete_notion,
    help="Audit in another notion of privacy: pure, approximate, renyi, zcdp, gdp, kl or tv. "
    "--budget is then given in that notion; default: the bound that the stated ε implies.",
)
@click.option(
    "--order", metavar="ALPHA", help="The order of --notion renyi, such as 1, 3/2, 8 or inf."
)
@click.option(
    "--export",
    nargs=2,
    metavar="KIND FILE",
    help="For one mechanism at one size, write a file for an independent checker: certificate "
    "(for certificate_checker.py) or coq (a theorem).",
)
@click.option(
    "--at-delta",
    metavar="LIST",
    help="Also report the smallest ε at these δ; default without a budget, for a single size: "
    "1e-5. The text also shows it at the δ of the budget, if ε alone is above the budget.",
)
@audit_options(texts=INTERVAL_HELP)
def command(
    mechanisms: tuple[str, ...],
    request: SweepRequest,
    *,
    conformance: bool,
    notion: str | None,
    order: str | None,
    export: tuple[str, str] | None,
) -> int:
    """Audit mechanisms over every pair of neighbouring datasets, both directions, every output.

    Prints the realised ε, and δ at the budget's ε, as intervals that provably contain the truth,
    and the verdict against the stated budget. Numbers are read exactly: 0.8, 4/5, 5e-4, ln(3),
    sqrt(1-pi/4).
    """
    others = {"--notion": notion, "--export": export, "--conformance": conformance}
    code = interval_measure(mechanisms, request, "check", others=others)
    if code is not None:
        return code
    if conformance:
        _refuse_beside_conformance(
            request, {"--notion": notion, "--order": order, "--export": export}
        )
    if export is not None:
        _refuse_beside_export(request, notion)
        return _export(mechanisms, request, *export)
    if notion is not None:
        from dpaudit.questions.notion.measure import notion_name

        return _check_notion(mechanisms, request, notion_name(notion), order)
    if order is not None:
        raise ParameterError("order", "--order applies only to --notion renyi")
    if conformance:
        return _conformance(mechanisms, request)

    def asked_epsilons(tasks: list[Task], data: Column | None) -> list[Task]:
        if request.at_eps:
            return tasks
        return [
            replace(task, plan=with_epsilon_at(task.mechanism, task.sizes, task.plan))
            for task in tasks
        ]

    drawn = request.parameters.get("only") == DRAWN
    if drawn and len(mechanisms) != 1:
        raise ParameterError("only", "--only drawn audits one function at a time; give one")
    if drawn:
        return _drawn(mechanisms[0], request)
    try:
        held = replace(request, held="if stated")
        return measure(
            mechanisms,
            held,
            "check",
            asked_epsilons,
            further=partial(_further, mechanisms, held),
        )
    except LawError as refused:
        if len(mechanisms) != 1:
            raise
        return _drawn(mechanisms[0], request, refused)


def _further(
    names: tuple[str, ...], request: SweepRequest, tasks: Sequence[Task], audits: Sequence[Audit]
) -> list[str]:
    """Return the lines below the table, from modules that few audits need."""
    lines = []
    if any(audit.budget is not None and not audit.budget.is_pure for audit in audits):
        from dpaudit.questions.check.budget_delta import epsilon_at_budget

        lines += epsilon_at_budget(tasks, audits)
    if any(audit.loaded for audit in audits):
        from dpaudit.questions.check.readings import both_readings

        lines += both_readings(names, request, tasks, audits)
    return lines


def _drawn(name: str, request: SweepRequest, refused: LawError | None = None) -> int:
    """Draw from a plain function, where ``refused`` says why no law of it is derived.

    Draws show no budget to be kept: the exit code is 1 where it is exceeded, else that of what is
    undecided.
    """
    from dpaudit.questions.check.drawn import prepared
    from dpaudit.questions.sample.command import draw_and_write

    asked = {word: getattr(request, word) for word in ("at_eps", "at_delta", "adjacency", "at")}
    with quietly():
        subject, settings = prepared(
            name, request.parameters, refused, budget=request.budget, **asked
        )
    if refused is not None:
        click.echo(
            f"dpaudit: the output distribution cannot be derived; {settings.draws} draws of each "
            "input are taken instead, which can show an excess but prove no budget",
            err=True,
        )
    code = draw_and_write(subject, settings, request)
    return Exit.UNDECIDED if code == Exit.WITHIN else code


def _export(names: tuple[str, ...], request: SweepRequest, kind: str, file: str) -> int:
    """Audit, and write what another checker accepts."""
    from dpaudit.kernel.export import EXPORTS, export
    from dpaudit.report.files import check_writable, write_whole

    if kind not in EXPORTS:
        raise ParameterError("export", f"--export {kind}: {nearest(kind, EXPORTS)}")
    path = Path(file)
    check_writable(path)
    written: list[bytes | None] = []

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        if len(tasks) != 1 or len(tasks[0].sizes) != 1:
            raise ParameterError("export", "--export needs one mechanism at one size")
        (task,) = tasks
        written.append(export(kind, task.mechanism, task.sizes[0], task.plan))
        return tasks

    code = measure(names, request, "check", asked)
    if written[0] is None:
        click.echo("dpaudit: the budget is not certified, so no file was written", err=True)
        return code or Exit.UNDECIDED
    write_whole(path, written[0])
    click.echo(f"{kind}: {path}", err=request.form != "text" or request.output is not None)
    return code


def _refuse_beside_export(request: SweepRequest, notion: str | None) -> None:
    others = {"--notion": notion, "--at": request.at, "--data": request.data}
    for flag, value in {**others, "--resume": request.resume}.items():
        if value:
            raise ParameterError(
                "export", f"--export cannot be combined with {flag}; leave one out"
            )


def _check_notion(
    names: tuple[str, ...], request: SweepRequest, notion: str, order: str | None
) -> int:
    """Audit in the notion that is named."""
    from dpaudit.questions.notion.measure import ask

    if request.at_eps:
        raise ParameterError("at_eps", "--at-eps cannot be combined with --notion; leave one out")
    if request.at_delta:
        raise ParameterError(
            "at_delta", "--at-delta cannot be combined with --notion; leave one out"
        )

    def asked(tasks: list[Task], data: Column | None) -> list[Task]:
        return [
            replace(task, measure=ask(task.mechanism, notion, order=order, budget=request.budget))
            for task in tasks
        ]

    # The budget is the measure's, in its notion.
    without = replace(request, budget=None, held="never")
    return measure(names, without, f"check-{notion}", asked)


_OF_AUDITS = {
    "budget": "--budget",
    "at": "--at",
    "at_eps": "--at-eps",
    "at_delta": "--at-delta",
    "adjacency": "--adjacency",
    "resume": "--resume",
    "plots": "--plot",
    "data": "--data",
    "jobs": "--jobs",
    "dask": "--dask",
}
"""Options about an audit, which a check of conformance would ignore."""


def _refuse_beside_conformance(request: SweepRequest, others: Mapping[str, object]) -> None:
    of_request = {flag: getattr(request, name) for name, flag in _OF_AUDITS.items()}
    for flag, value in {**others, **of_request}.items():
        if value:
            raise ParameterError(
                "conformance",
                "--conformance computes no privacy loss, so it cannot be combined with "
                f"{flag}; leave one out",
            )


def _conformance(names: tuple[str, ...], request: SweepRequest) -> int:
    from dpaudit.audit.conformance import conformance
    from dpaudit.results import ConformanceReport

    cap = current_cap() or float(CONFORMANCE_CAP)
    with quietly():
        found = tuple(
            conformance(mechanism, conformance_sizes(mechanism, request.sizes), cap)
            for mechanism in read_mechanisms(names, request)
        )
        report = ConformanceReport(
            schema="dpaudit.conformance/1",
            version=__version__,
            conforms=all(one.conforms for one in found),
            mechanisms=found,
        )
        text = render([report], request.form)
    Destination.read(replace(request, plots=())).write(text, None)
    return Exit.WITHIN if report.conforms else Exit.EXCEEDS
