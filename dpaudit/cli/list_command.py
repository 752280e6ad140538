"""``dpaudit list``: the mechanisms."""

from __future__ import annotations

from dataclasses import asdict

import click

from dpaudit.mechanisms.registry import Offer, is_built_in, mechanism_groups, offers

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
    """List the mechanisms with their laws; all but the text form have sources and claims, too.

    Those that installed packages offer follow with where they come from; they are not imported.
    """
    header = ["mechanism", "source", "stated", "law"]
    offered = offers()
    groups = mechanism_groups()
    described = {
        group: [[cls.name, cls.source, cls.guarantee, cls.definition] for cls in classes.values()]
        for group, classes in groups.items()
    }
    if form == "json":
        from dpaudit.results.documents import encode

        listed = [
            {**dict(zip(header, row, strict=True)), "group": group}
            for group, rows in described.items()
            for row in rows
        ]
        document = {
            "schema": "dpaudit.mechanisms/1",
            "mechanisms": listed,
            "installed": [asdict(offer) for offer in offered],
        }
        click.echo(encode(document), nl=False)
    else:
        from dpaudit.report.table import aligned_table, markdown_table

        table = markdown_table if form == "markdown" else aligned_table
        titled = "### {}\n\n{}" if form == "markdown" else "{}\n\n{}"
        # A terminal is no wider than name and law; `show` and the other forms have the rest.
        columns = range(len(header)) if form == "markdown" else (0, 3)
        click.echo(
            "\n\n".join(
                titled.format(
                    f"{group[0].upper()}{group[1:]}",
                    table(
                        [header[c] for c in columns], [[row[c] for c in columns] for row in rows]
                    ),
                )
                for group, rows in described.items()
            )
        )
        if offered:
            click.echo()
            click.echo(table(["installed", "package", "loaded from"], _offers(offered)))
        bullet = "- " if form == "markdown" else ""
        cited = {
            letter: title
            for classes in groups.values()
            for cls in classes.values()
            for letter, title in cls.documents.items()
        }
        click.echo("\n" + "\n".join(f"{bullet}{key}: {text}" for key, text in cited.items()))
    return 0


def _offers(offered: list[Offer]) -> list[list[str]]:
    """Return a row for each mechanism offered; a built-in name stands for the built-in one."""
    hidden = " (hidden by the built-in one)"
    return [
        [offer.name + hidden * is_built_in(offer.name), offer.package, offer.target]
        for offer in offered
    ]
