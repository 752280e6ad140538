"""``dpaudit list``: the mechanisms."""

from __future__ import annotations

import click

from dpaudit.mechanisms.notes import NOTES
from dpaudit.mechanisms.registry import mechanism_classes

__all__ = ["command"]


@click.command("list")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
    help="The form of the list.",
)
def command(form: str) -> int:
    """List the mechanisms with their sources and what is stated about them."""
    classes = list(mechanism_classes().values())
    header = ["mechanism", "source", "stated", "law"]
    rows = [[cls.name, cls.source, cls.guarantee, cls.definition] for cls in classes]
    if form == "json":
        from dpaudit.report.documents import encode

        listed = [dict(zip(header, row, strict=True)) for row in rows]
        click.echo(encode({"schema": "dpaudit.mechanisms/1", "mechanisms": listed}), nl=False)
    else:
        from dpaudit.report.text import aligned_table, markdown_table

        click.echo((markdown_table if form == "markdown" else aligned_table)(header, rows))
        bullet = "- " if form == "markdown" else ""
        click.echo("\n" + "\n".join(f"{bullet}{key}: {text}" for key, text in NOTES.items()))
    return 0
