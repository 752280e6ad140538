"""``dpaudit diff``: two reports compared."""

from __future__ import annotations

import click

from dpaudit.cli.destination import said_to
from dpaudit.cli.exits import Exit, epilogue
from dpaudit.cli.options import OUTPUT_FILE, form_option
from dpaudit.results import DifferenceVerdict

__all__ = ["command"]

_EPILOGUE = epilogue(
    within="no verdict got worse, and everything checked before is still checked",
    exceeds="a verdict got worse, or something is no longer checked, or is checked with other "
    "settings",
    undecided=None,
    interrupted="interrupted",
)


@click.command("diff", epilog=_EPILOGUE)
@click.argument("old")
@click.argument("new")
@form_option()
@OUTPUT_FILE
@said_to
def command(old: str, new: str, form: str) -> int:
    """Compare two JSON reports of one kind: changed numbers and verdicts.

    Reports of check (in any notion, over intervals too), curve, calibrate, accuracy, tradeoff,
    account, sample and gate can be compared, and lists of them. They are matched by mechanism,
    parameters and question, results by n, entries of a gate by title.

    A number counts as changed only if its two intervals do not overlap. From best to worst,
    verdicts are: within, tie accepted, not refuted or conforms, undecided and whatever could not be
    checked, exceeds or differs. What only OLD has, and a question that was changed, counts as
    worse. The numbers are taken from the reports, whose SHA-256 is checked; verify recomputes them.
    """
    from dpaudit.api.differences import diff

    found = diff(old, new)
    click.echo(found.rendered(form), nl=False)
    return Exit.EXCEEDS if found.verdict is DifferenceVerdict.WORSE else Exit.WITHIN
