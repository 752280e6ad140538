"""``dpaudit verify``: look at a report a second time, from the definitions alone."""

from __future__ import annotations

import click

from dpaudit.cli.destination import said_to, status_line
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.isolated import DEFAULT_CAP, DEFAULT_MEMORY, contained_run, out_of_time, quietly
from dpaudit.cli.options import OUTPUT_FILE, form_option, memory_cap_option, time_cap_option
from dpaudit.errors import TimeCapReached
from dpaudit.machine import memory_cap as memory_allowed
from dpaudit.report.fitting import folded

__all__ = ["command"]


def _print_schemas(context: click.Context, parameter: click.Parameter, requested: bool) -> None:
    """Print the schemas that are rechecked, and end."""
    if requested and not context.resilient_parsing:
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
@click.option("--all-pairs", is_flag=True, help="Also recompute the maxima over all pairs.")
@click.option(
    "--own",
    metavar="REF",
    multiple=True,
    help="Load your mechanism that the report is about: path.py:name or module:name.",
)
@click.option(
    "--budget",
    metavar="EPS[,DELTA]",
    help="The budget that the report must have; verify rejects a report with another one.",
)
@click.option(
    "--n", metavar="SIZES", help="The sizes that the report must have, such as 10..20 or 5,7."
)
@click.option(
    "--config", metavar="FILE", help="The configuration that the gate's report must cover."
)
@form_option(text="The form of the result.", show_default=False)
@time_cap_option(
    f"Stop after SECONDS; default: {DEFAULT_CAP}. Whatever is left is unconfirmed, exit code 3."
)
@memory_cap_option(
    f"Memory limit in MB; default: {DEFAULT_MEMORY}. Parts that are estimated to need more, or "
    "do, are unconfirmed.",
    default=DEFAULT_MEMORY,
)
@click.option(
    "--schemas",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schemas,
    help="List the reports that can be rechecked, and the numbers that are recomputed.",
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

    Reports of check (in any notion, over intervals too), curve, calibrate, accuracy, hunt, sample,
    canaries, account, tradeoff and gate can be rechecked, and lists of them; --schemas lists
    what is recomputed. The recheck shares no arithmetic with the audit.

    A report proves its numbers, not that its mechanism, budget and sizes are the ones you mean:
    --budget, --n and --config check that. verify cannot notice a question that was removed together
    with its answers, a difference below 10^-(digits + 30), or a changed message. It lists what it
    takes from the report unchecked. With --own it checks the SHA-256 of the mechanism's file, not
    of what the file imports.
    """
    seconds = str(DEFAULT_CAP) if time_cap is None else time_cap
    ending = contained_run(own, seconds, memory=memory_cap)
    if ending is not None:
        return ending
    from dpaudit.api.rechecks import verify

    try:
        with memory_allowed(memory_cap), quietly(), status_line() as progress:
            outcome = verify(
                report,
                own,
                budget=budget,
                n=n,
                config=config,
                all_pairs=all_pairs,
                progress=progress,
            )
    except TimeCapReached:
        raise out_of_time() from None
    click.echo(outcome.rendered(form), nl=False)
    return {"accepted": Exit.WITHIN, "rejected": Exit.EXCEEDS}.get(outcome.verdict, Exit.UNDECIDED)
