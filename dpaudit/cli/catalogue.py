"""``dpaudit list``, ``show`` and ``schema``: what there is, and what it is."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.destination import said_to
from dpaudit.cli.isolated import contained_run, quietly
from dpaudit.cli.options import OUTPUT_FILE, complete_mechanism, form_option
from dpaudit.errors import ParameterError
from dpaudit.mechanisms import registry
from dpaudit.mechanisms.arguments import parameters_of
from dpaudit.report.fitting import aligned_table, folded
from dpaudit.report.table import csv_table, markdown_table
from dpaudit.results import catalogue
from dpaudit.results.documents import OTHERS, documents, encode, full_name, published

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dpaudit.data.adjacency import Adjacency
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.loading import Loaded
    from dpaudit.mechanisms.parameters import Parameter

__all__ = ["list_command", "schema_command", "show_command"]


@click.command("list")
@form_option(text="The form of the list.")
@OUTPUT_FILE
@said_to
def list_command(form: str) -> int:
    """List the mechanisms with their definitions; json, csv and markdown have sources and claims.

    Mechanisms of installed packages follow, each with its package; they are not imported.
    """
    header = ["mechanism", "source", "stated", "law"]
    offered = registry.offers()
    groups = registry.mechanism_groups()
    described = {
        group: [[cls.name, cls.source, cls.guarantee, cls.definition] for cls in classes.values()]
        for group, classes in groups.items()
    }
    if form == "json":
        listed = [
            catalogue.ListedMechanism(**dict(zip(header, row, strict=True)), group=group)
            for group, rows in described.items()
            for row in rows
        ]
        installed = [catalogue.Offered(**asdict(offer)) for offer in offered]
        document = catalogue.MechanismList("dpaudit.mechanisms/1", tuple(listed), tuple(installed))
        _say(document, list, form)
    elif form == "csv":
        everything = [(group, *row) for group, rows in described.items() for row in rows]
        everything += [("installed", *row, "", "") for row in _offers(offered)]
        click.echo(csv_table(["group", *header], everything), nl=False)
    else:
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
        documents = [f"{bullet}{key}: {text}" for key, text in cited.items()]
        click.echo("\n" + "\n".join(documents if form == "markdown" else map(folded, documents)))
    return 0


def _offers(offered: list[registry.Offer]) -> list[list[str]]:
    """Return a row for each mechanism offered; a built-in name stands for the built-in one."""
    hidden = " (hidden by the built-in one)"
    return [
        [offer.name + hidden * registry.is_built_in(offer.name), offer.package, offer.target]
        for offer in offered
    ]


@click.command("show")
@click.argument("mechanism", required=False, shell_complete=complete_mechanism)
@click.option(
    "--trust",
    is_flag=True,
    help="Show the assumptions of every certificate: libraries, arithmetic, versions.",
)
@form_option(text="The form of the description.")
@OUTPUT_FILE
@said_to
def show_command(mechanism: str | None, trust: bool, form: str) -> int:
    """Show a mechanism: definition, source, parameters, and the reason for each default.

    With --trust, show instead the assumptions of certificates: libraries, arithmetic, versions.
    """
    if (mechanism is None) != trust:
        raise ParameterError("mechanism", "give either the name of a mechanism or --trust")
    if mechanism is None:
        from dpaudit.claims.discover import discover
        from dpaudit.kernel.record import recorded
        from dpaudit.report.trust import trust as trusted
        from dpaudit.report.trust import trust_text

        registered = discover()
        page = trusted(recorded(registered, registered.values()))
        _say(page, lambda: [trust_text(page)], form)
    elif registry.is_built_in(mechanism):
        cls = registry.mechanism_class(mechanism)
        _say(_document(cls), lambda: _lines(cls), form)
    else:
        from dpaudit.mechanisms.loading import find_mechanism

        ended = contained_run((mechanism,), None)  # its code is run in a process of its own
        if ended is not None:
            return ended
        with quietly():
            document = _loaded_document(find_mechanism(mechanism))
        _say(document, lambda: _loaded_lines(document), form)
    return 0


def _say(document: Any, lines: Callable[[], list[str]], form: str) -> None:
    if form == "json":
        click.echo(encode(document), nl=False)
    elif form == "csv":
        click.echo(csv_table(_FIELDS, _fields(document)), nl=False)
    elif form == "markdown":
        click.echo(markdown_table(_FIELDS, _fields(document)))
    else:
        click.echo("\n".join(folded(line) for text in lines() for line in text.split("\n")))


_FIELDS = ("field", "value")


def _fields(document: Any) -> list[list[str]]:
    """Return every text of a description with its path in the JSON form."""

    def walk(way: str, value: Any) -> Iterator[list[str]]:
        if isinstance(value, list):
            value = {
                part.get("name", place) if isinstance(part, dict) else place: part
                for place, part in enumerate(value, start=1)
            }
        if isinstance(value, dict):
            for name, part in value.items():
                yield from walk(f"{way}.{name}" if way else str(name), part)
        elif value not in (None, ""):
            yield [way, str(value)]

    return list(walk("", json.loads(encode(document))))


def _loaded_document(loaded: Loaded) -> catalogue.LoadedMechanism:
    """Describe a mechanism of a user's; fields that depend on missing parameters are left out."""
    arguments = {} if loaded.parameter_names() == [] else parameters_of(loaded.found) or {}
    needed = [name for name, p in arguments.items() if p.default is p.empty]
    instance = None if needed else loaded.build({})
    text = inspect.getdoc(
        getattr(instance, "law", None) if instance is loaded.found else loaded.found
    )
    stated = None if instance is None or instance.stated is None else str(instance.stated)
    return catalogue.LoadedMechanism(
        schema="dpaudit.loaded/1",
        name=loaded.title if instance is None else instance.name,
        summary=(text or "").partition("\n")[0],
        reference=loaded.reference,
        file_sha256=loaded.sha256,
        stated=stated,
        neighbours=None if instance is None else _relation(instance.adjacency()),
        parameters=tuple(
            catalogue.LoadedParameter(
                name, _kind(p), None if p.default is p.empty else str(p.default)
            )
            for name, p in arguments.items()
        ),
    )


def _relation(relation: Adjacency[Any]) -> str:
    return f"{relation.name}{' (by default)' if relation.defaulted else ''}"


def _kind(parameter: inspect.Parameter) -> str:
    kind = parameter.annotation
    if kind is parameter.empty:
        return ""
    return kind if isinstance(kind, str) else inspect.formatannotation(kind)


def _loaded_lines(mechanism: catalogue.LoadedMechanism) -> list[str]:
    summary = f": {mechanism.summary}" if mechanism.summary else ""
    fields = {
        "reference": mechanism.reference,
        "sha256": mechanism.file_sha256,
        "stated": mechanism.stated,
        "neighbours": mechanism.neighbours,
    }
    lines = [f"{mechanism.name}{summary}", ""]
    lines += [f"  {key:<10}  {value}" for key, value in fields.items() if value]
    if mechanism.parameters:
        lines += ["", "Parameters (--set NAME=VALUE)", ""]
    for parameter in mechanism.parameters:
        kind = f" ({parameter.kind})" if parameter.kind else ""
        default = "needed" if parameter.default is None else f"default {parameter.default}"
        lines.append(f"  {parameter.name}{kind}: {default}")
    return lines


def _lines(cls: type[Mechanism[Any]]) -> list[str]:
    summary = (cls.__doc__ or "").splitlines()[0]
    lines = [f"{cls.name}: {summary}", ""]
    lines += [
        f"  law     {cls.definition}",
        f"  source  {cls.source}",
        f"  stated  {cls.guarantee}",
    ]
    lines += ["", "Parameters"]
    for parameter in cls.accepted():
        lines += ["", *_parameter_lines(parameter)]
    if cls.disagreements:
        # Only mechanisms of the notes have several documents; others have notes on the audit.
        lines += ["", "Where the documents disagree" if cls.documents else "Notes"]
        lines += [f"  - {finding}" for finding in cls.disagreements]
    letters = _cited(cls, "\n".join(lines))
    if letters:
        titles = [f"  {letter}  {cls.documents[letter]}" for letter in letters]
        lines += ["", "The documents", *titles]
    return lines


def _cited(cls: type[Mechanism[Any]], text: str) -> list[str]:
    """Return the letters of the documents that ``text`` cites, in their order."""
    place = r"(?= §| Alg| Fig| Def| Thm| Lemma|,? prints|\)|;|$)"
    return [name for name in cls.documents if re.search(rf"\b{re.escape(name)}{place}", text)]


def _parameter_lines(parameter: Parameter) -> list[str]:
    lines = [
        f"  {parameter.name}: {parameter.meaning}",
        f"    allowed  {parameter.allowed}",
        f"    default  {parameter.default}: {parameter.reason}",
    ]
    width = max((len(name) for name, _ in parameter.described), default=0)
    lines += [f"      {name:<{width}}  {meaning}" for name, meaning in parameter.described]
    return lines


def _document(cls: type[Mechanism[Any]]) -> catalogue.MechanismPage:
    return catalogue.MechanismPage(
        schema="dpaudit.mechanism/1",
        name=cls.name,
        law=cls.definition,
        source=cls.source,
        stated=cls.guarantee,
        parameters=tuple(
            catalogue.ParameterPage(
                name=parameter.name,
                meaning=parameter.meaning,
                allowed=parameter.allowed,
                default=parameter.default,
                reason=parameter.reason,
                readings=dict(parameter.described),
            )
            for parameter in cls.accepted()
        ),
        disagreements=tuple(cls.disagreements),
    )


@click.command("schema")
@click.argument("name", required=False)
@OUTPUT_FILE
@said_to
def schema_command(name: str | None) -> int:
    """Print the JSON Schema of the report called NAME; without a name, list the names.

    ``gate-config`` is the schema of a gate's configuration file.
    """
    if name is None:
        click.echo("\n".join([*documents(), *OTHERS]))
        return 0
    click.echo(published(full_name(name)), nl=False)
    return 0
