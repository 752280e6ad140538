"""``dpaudit verify``: look at a report a second time, from the definitions alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpaudit.cli.destination import said_to, status_line
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import DEFAULT_CAP, DEFAULT_MEMORY, contained_run, out_of_time, quietly
from dpaudit.cli.options import OUTPUT_FILE, form_option, memory_cap_option, time_cap_option
from dpaudit.errors import LoadError, TimeCapReached, UsageError
from dpaudit.machine import memory_cap as memory_allowed
from dpaudit.report.fitting import folded
from dpaudit.report.table import csv_table, markdown_table, markdown_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.findings import VerificationDocument
    from dpaudit.recheck.user_mechanisms import OwnMechanism

__all__ = ["command", "own_mechanisms"]


def _print_schemas(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    """Print the schemas that are rechecked, and end."""
    if wanted and not context.resilient_parsing:
        from dpaudit.recheck.verify import schemas_text

        click.echo("\n".join(map(folded, schemas_text().split("\n"))), nl=False)
        context.exit()


_EPILOGUE = epilogue(
    within="everything that can be rechecked holds",
    exceeds="something is contradicted",
    undecided="a part could not be rechecked",
    interrupted="interrupted",
)


@click.command("verify", epilog=_EPILOGUE)
@click.argument("report")
@click.option("--all-pairs", is_flag=True, help="Compute the maxima over all pairs again as well.")
@click.option(
    "--own",
    metavar="REF",
    multiple=True,
    help="Load a mechanism of yours, path.py:name or module:name, that the report is about.",
)
@click.option(
    "--budget", metavar="EPS[,DELTA]", help="The budget that you mean; another one is contradicted."
)
@click.option("--n", metavar="SIZES", help="The sizes that you mean (10..20, 5,7).")
@click.option("--config", metavar="FILE", help="The configuration that a gate's report answers.")
@form_option(text="The form of the answer.", show_default=False)
@time_cap_option(
    f"End after so long; default: {DEFAULT_CAP}. What is left then is unconfirmed, exit code 3."
)
@memory_cap_option(
    f"Refuse what is estimated to take more megabytes; default: {DEFAULT_MEMORY}. What takes more "
    "all the same is unconfirmed.",
    default=DEFAULT_MEMORY,
)
@click.option(
    "--schemas",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schemas,
    help="List the schemas of the reports that are rechecked, and what is computed again.",
)
@OUTPUT_FILE
@said_to
def command(
    report: str,
    *,
    all_pairs: bool,
    own: tuple[str, ...],
    budget: str | None,
    n: str | None,
    config: str | None,
    form: str,
    time_cap: str | None,
    memory_cap: str,
) -> int:
    """Recheck a JSON report from the definitions, in mpmath.

    Reports of check, in any notion, curve, tradeoff, calibrate, account, gate, hunt and accuracy
    can be rechecked (--schemas lists them). Shares no arithmetic with the audit.

    A report proves its numbers, not that its mechanism, budget and sizes are the ones you mean:
    --budget, --n and --config hold it to those. Not seen are a question that is left out with all
    its answers, differences below 10^-(digits + 30), messages in words and what is listed as taken
    from the report. A mechanism given with --own is held to the SHA-256 of its file, not of what
    the file imports.
    """
    seconds = str(DEFAULT_CAP) if time_cap is None else time_cap
    ending = contained_run(own, seconds, memory=memory_cap)
    if ending is not None:
        return ending
    from dpaudit.recheck.binding import Meant
    from dpaudit.recheck.findings import verification_text
    from dpaudit.recheck.verify import verify

    meant = Meant(budget, n, None if config is None else Path(config))
    try:
        with memory_allowed(memory_cap), quietly(), status_line() as progress:
            found = verify(
                Path(report), own_mechanisms(own), meant, all_pairs=all_pairs, progress=progress
            )
    except TimeCapReached:
        raise out_of_time() from None
    if form == "text":
        click.echo("\n".join(map(folded, verification_text(found).split("\n"))), nl=False)
    else:
        click.echo(_WRITERS[form](found), nl=False)
    return {"accepted": Exit.WITHIN, "rejected": Exit.EXCEEDS}.get(found.verdict, Exit.UNDECIDED)


def _json(found: VerificationDocument) -> bytes:
    from dpaudit.results.documents import encode

    return encode(found)


def _csv(found: VerificationDocument) -> bytes:
    from dpaudit.recheck.findings import verification_rows

    return csv_table(("what", "where", "count", "message"), verification_rows(found))


def _markdown(found: VerificationDocument) -> str:
    from dpaudit.recheck.findings import UNBOUND, verification_rows

    title = f"**{markdown_text(found.report)}: {found.verdict}**"
    table = markdown_table(("what", "where", "count", "message"), verification_rows(found))
    return f"{title}\n\n{table}\n\n- {UNBOUND}\n"


_WRITERS: dict[str, Callable[[VerificationDocument], str | bytes]] = {
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
}


def own_mechanisms(references: Sequence[str]) -> list[OwnMechanism]:
    """Return mechanisms of users by what they are called, to be made as reports show them.

    Raises ``UsageError`` for what cannot be loaded.
    """
    return [_own(reference) for reference in references]


def _own(reference: str) -> OwnMechanism:
    from dpaudit.mechanisms.loading import find_mechanism
    from dpaudit.mechanisms.parameters import parameter_text
    from dpaudit.mechanisms.user import FiniteMechanism
    from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
    from dpaudit.recheck.registry import same_parameter
    from dpaudit.recheck.user_mechanisms import OwnMechanism, TabulatedMechanism

    loaded = find_mechanism(reference)
    if loaded.built_in:
        raise LoadError(reference, "it is a mechanism of the package, which needs no --own")

    def define(name: str, parameters: Mapping[str, Any]) -> Definition:
        try:
            mechanism = loaded.build(parameters)
        except UsageError as error:
            raise NotAReportError(f"it has a mechanism that cannot be: {error}") from None
        if not isinstance(mechanism, FiniteMechanism):
            raise UnknownDefinitionError(f"{name} is no mechanism written out as a function")
        made = {key: parameter_text(value) for key, value in mechanism.values().items()}
        same = made.keys() == parameters.keys() and all(
            same_parameter(parameters[key], text) for key, text in made.items()
        )
        if mechanism.title != name or not same:
            given = ", ".join(f"{key} = {value}" for key, value in made.items()) or "no parameters"
            raise UnknownDefinitionError(
                f"{reference} makes {mechanism.title} with {given}, which is not what is reported"
            )
        stated, relation = mechanism.stated, mechanism.relation
        return TabulatedMechanism(
            mechanism.law,
            relation.listing if relation.defaulted else relation.datasets,
            (relation.name, relation.adjacent),
            None if stated is None else (str(stated.epsilon), str(stated.delta)),
            normalised=mechanism.normalised,
            defaulted=relation.defaulted,
        )

    def shown(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            values = loaded.build(parameters).values()
        except UsageError as error:
            raise NotAReportError(f"{reference} cannot be made as asked: {error}") from None
        return {key: parameter_text(value) for key, value in values.items()}

    return OwnMechanism(reference, loaded.sha256, define, shown)
