"""``dpaudit schema``: the JSON Schemas of the reports."""

from __future__ import annotations

import click

from dpaudit.errors import ParameterError, nearest
from dpaudit.results.documents import DOCUMENTS, OTHERS, published

__all__ = ["command"]


@click.command("schema")
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Print the JSON Schema of the report called NAME; without a name, list the names.

    ``gate-config`` is the schema of a gate's configuration file.
    """
    known = [*DOCUMENTS, *OTHERS]
    if name is None:
        click.echo("\n".join(known))
        return 0
    matching = [full for full in known if name in (full, full.removeprefix("dpaudit.")[:-2])]
    if not matching:
        raise ParameterError("schema", f"no report has the schema {name!r}; {nearest(name, known)}")
    click.echo(published(matching[0]), nl=False)
    return 0
