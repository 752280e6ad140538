"""``dpaudit verify``: look at a report a second time, from the definitions alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dpaudit.cli.contained import DEFAULT_CAP, contained_run, out_of_time, quietly
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.errors import LoadError, TimeCapReached

if TYPE_CHECKING:
    from dpaudit.recheck.definition import Definition

__all__ = ["command"]

_TIME_CAP_HELP = f"End after so long; default: never, but with --own after {DEFAULT_CAP}."


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
@click.option("--config", metavar="FILE", help="The configuration that a gate's report answers.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    help="The form of the answer.",
)
@click.option("--time-cap", metavar="SECONDS", help=_TIME_CAP_HELP)
def command(
    report: str,
    *,
    all_pairs: bool,
    own: tuple[str, ...],
    config: str | None,
    form: str,
    time_cap: str | None,
) -> int:
    """Recheck a JSON report from the definitions, in mpmath.

    Reports of check, in any notion, curve, tradeoff, calibrate, account and gate can be rechecked.
    Shares no arithmetic with the audit.
    """
    ending = contained_run(own, time_cap)
    if ending is not None:
        return ending
    from dpaudit.recheck.text import verification_text
    from dpaudit.recheck.verify import verify

    def tick(what: str) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r\x1b[K{what}", nl=False, err=True)

    definitions: dict[str, Definition] = {}
    try:
        with quietly():
            for reference in own:
                definitions |= _own(reference)
            found = verify(
                Path(report),
                definitions,
                None if config is None else Path(config),
                all_pairs=all_pairs,
                tick=tick,
            )
    except TimeCapReached:
        raise out_of_time() from None
    finally:
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", nl=False, err=True)
    if form == "json":
        from dpaudit.report.documents import encode

        click.echo(encode(found), nl=False)
    else:
        click.echo(verification_text(found), nl=False)
    return {"accepted": Exit.WITHIN, "rejected": Exit.EXCEEDS}.get(found.verdict, Exit.UNDECIDED)


def _own(reference: str) -> dict[str, Definition]:
    """Return the definition of a user's mechanism, by its name and by how it is referred to."""
    from dpaudit.mechanisms.loading import load_mechanism
    from dpaudit.mechanisms.own import FiniteMechanism
    from dpaudit.recheck.written_out import WrittenOut

    mechanism = load_mechanism(reference, {}, Path())
    if not isinstance(mechanism, FiniteMechanism):
        raise LoadError(reference, "it is no mechanism written out as a function")
    stated, relation = mechanism.stated, mechanism.relation
    definition = WrittenOut(
        mechanism.law,
        relation.listing if relation.defaulted else relation.datasets,
        (relation.name, relation.adjacent),
        None if stated is None else (str(stated.epsilon), str(stated.delta)),
        normalised=mechanism.normalised,
        defaulted=relation.defaulted,
    )
    return {mechanism.title: definition, reference: definition}
