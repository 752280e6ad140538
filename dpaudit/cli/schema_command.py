"""``dpaudit schema``: the JSON Schemas of the reports."""

from __future__ import annotations

import click

from dpaudit.errors import ParameterError, nearest
from dpaudit.report.schemas import schemas
from dpaudit.results.documents import encode, json_schema

__all__ = ["command"]


@click.command("schema")
@click.argument("name", required=False)
def command(name: str | None) -> int:
    """Print the JSON Schema of the report called NAME; without a name, list the names.

    ``gate-config`` is the schema of a gate's configuration file.
    """
    from dpaudit.gate.config import GateConfig
    from dpaudit.recheck.findings import VerificationDocument
    from dpaudit.results.accounts import AccountDocument
    from dpaudit.results.gates import GateDocument

    known = {
        **schemas(),
        "dpaudit.account/1": AccountDocument,
        "dpaudit.gate/1": GateDocument,
        "dpaudit.gate-config/1": GateConfig,
        "dpaudit.verification/1": VerificationDocument,
    }
    if name is None:
        click.echo("\n".join(known))
        return 0
    matching = [full for full in known if name in (full, full.removeprefix("dpaudit.")[:-2])]
    if not matching:
        raise ParameterError("schema", f"no report has the schema {name!r}; {nearest(name, known)}")
    document = json_schema(known[matching[0]])
    click.echo(
        encode({"$schema": "https://json-schema.org/draft/2020-12/schema", **document}), nl=False
    )
    return 0
