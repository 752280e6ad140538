"""``dpaudit hunt``: search the parameters of a mechanism for where it is least private."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.workers import time_is_up
from dpaudit.cli import options
from dpaudit.cli.bars import progress_bar
from dpaudit.cli.destination import Destination
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import contained_search, quietly
from dpaudit.cli.pages import pages_of
from dpaudit.cli.parameter_options import CommandWithParameters, parameter_options
from dpaudit.cli.request import requested
from dpaudit.errors import ParameterError, SizeError, TimeCapReached
from dpaudit.questions.hunt.request import HuntRequest
from dpaudit.report.files import check_distinct, check_writable
from dpaudit.report.render import AUDIT_FORMS

if TYPE_CHECKING:
    from dpaudit.questions.hunt.function import Hunt

__all__ = ["command"]

_EPILOGUE = epilogue(
    within="no violation was found, which is no proof that there is none",
    exceeds="a certified violation was found",
    undecided="undecided, or no point could be evaluated",
    interrupted="interrupted; the worst point found until then is certified and reported",
)


@click.command("hunt", cls=CommandWithParameters, epilog=_EPILOGUE)
@options.with_options(
    click.argument("mechanism", metavar="MECHANISM", shell_complete=options.complete_mechanism),
    click.option(
        "--over",
        multiple=True,
        required=True,
        metavar="NAME=VALUES",
        help="The parameters to search: prior=1/100..1 (every rational between), n=2..300 and "
        "k=2,3 (whole numbers), gamma=1..9..1/2 (steps), divisor=1,2 (a list); may be repeated. "
        "A single number for the prior means a symmetric one.",
    ),
    click.option("--n", "size", metavar="SIZE", help="The size, unless --over searches it."),
    click.option("--k", metavar="NUMBER", help="Number of categories, unless --over searches it."),
    parameter_options(several_of=()),
    options.SETTINGS,
    click.option(
        "--budget",
        metavar="EPS[,DELTA]",
        help="The budget to search against; default: what the mechanism states.",
    ),
    options.at_option(),
    options.ADJACENCY,
    options.digits_option(of="intervals of the certified audit"),
    options.engine_option(
        "screen: search with fast floats that have proved error bounds, where possible; ball: "
        "with interval arithmetic throughout."
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="Seed of the search.",
    ),
    click.option(
        "--evaluations",
        type=int,
        default=1000,
        show_default=True,
        help="The largest number of points to evaluate.",
    ),
    click.option(
        "--time-cap",
        metavar="SECONDS",
        default="60",
        show_default=True,
        help="The time cap of the search; points expected to take longer are skipped. A "
        "mechanism of your own gets twice this time for the whole command.",
    ),
    options.memory_cap_option(
        "Skip points that are estimated to need more memory than MB megabytes, and stop if the "
        "search itself exceeds it; default: the free memory of the machine."
    ),
    options.form_option(text="The form of the report; csv lists every point."),
    click.option("--points", "table", metavar="FILE", help="Write every point to FILE as CSV."),
    options.OUTPUT_FILE,
    options.report_option(*AUDIT_FORMS),
    options.plot_options("landscape"),
)
@contained_search
@requested(HuntRequest)
def command(mechanism: str, request: HuntRequest) -> int:
    """Search the parameters of a mechanism for the largest realised ε, or δ, relative to a budget.

    The search bounds each point quickly, and audits the worst point in full: a violation that it
    reports is certified. Finding none proves nothing, for it does not try every point.
    """
    from dpaudit.questions.hunt.function import prepare

    parameters: dict[str, Any] = {**request.parameters}
    for name in parameters.keys() & {"n", "k"}:
        raise ParameterError(
            name, f"--set {name}={parameters[name]}: give --{name} {parameters[name]}"
        )
    n, k = _whole("n", request.size), _whole("k", request.k)
    with quietly():
        hunt = prepare(
            mechanism,
            request.over,
            n=n,
            k=k,
            budget=request.budget,
            adjacency=request.adjacency,
            at=request.at,
            digits=request.digits,
            engine=request.engine,
            seed=request.seed,
            evaluations=request.evaluations,
            time_cap=request.time_cap,
            **parameters,
        )
    destination = Destination.read(request, f"hunt-{_file_name(mechanism)}", AUDIT_FORMS)
    table = _table_file(request.table, destination)
    unit = "points; worst {task.fields[worst]:.6g} of the budget"
    with (
        quietly(),
        progress_bar(mechanism, unit, lambda: request.evaluations, worst=0.0) as progress,
    ):
        found = hunt(lambda evaluated, worst: progress(completed=evaluated, worst=worst))
    return _report(found, destination, table)


def _report(found: Hunt, destination: Destination, table: Path | None) -> int:
    from dpaudit.questions.hunt.global_search import Stopped
    from dpaudit.results import HuntVerdict

    result = found.result
    interrupted = result.stopped is Stopped.INTERRUPTED
    if interrupted and not result.evaluated:
        raise TimeCapReached if time_is_up() else KeyboardInterrupt
    figure = found.figure if result.evaluated else None
    further = pages_of(
        destination, [(result.mechanism, found.report)], lambda form: found.rendered(form).encode()
    )
    if table is not None:
        further.append((table, found.to_csv().encode()))
    destination.write(found.rendered(destination.form).encode(), figure, further=further)
    if interrupted and time_is_up():
        click.echo("dpaudit: time cap reached; the worst point found is reported", err=True)
        return Exit.EXCEEDS if result.finding is HuntVerdict.EXCEEDS else Exit.UNDECIDED
    if interrupted:
        click.echo("dpaudit: interrupted; the worst point found is reported", err=True)
        return Exit.INTERRUPTED
    return {
        HuntVerdict.EXCEEDS: Exit.EXCEEDS,
        HuntVerdict.NONE: Exit.WITHIN,
        HuntVerdict.UNDECIDED: Exit.UNDECIDED,
    }[result.finding]


def _whole(name: str, given: str | None) -> int | None:
    if given is None:
        return None
    if not re.fullmatch(r"\d{1,12}", given, re.ASCII):
        hint = f"; to search, give --over {name}={given}" if ".." in given or "," in given else ""
        raise SizeError(f"{name} = {given}: must be one whole number{hint}")
    return int(given)


def _table_file(given: str | None, destination: Destination) -> Path | None:
    if given is None:
        return None
    path = Path(given)
    check_writable(path)
    check_distinct((*destination.files, path))
    return path


def _file_name(mechanism: str) -> str:
    return re.sub(r"[^\w.-]+", "-", Path(mechanism).name)
