"""``dpaudit show``: one mechanism, with its readings and the reasons for its defaults."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.isolated import contained_run, quietly
from dpaudit.cli.options import complete_mechanism
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.arguments import parameters_of
from dpaudit.mechanisms.loading import Loaded, find_mechanism
from dpaudit.mechanisms.parameters import ChoiceParameter, Parameter
from dpaudit.mechanisms.registry import is_built_in, mechanism_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dpaudit.data.adjacency import Adjacency
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["command"]


@click.command("show")
@click.argument("mechanism", required=False, shell_complete=complete_mechanism)
@click.option("--trust", is_flag=True, help="Show what every certificate rests on.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The form of the description.",
)
def command(mechanism: str | None, trust: bool, form: str) -> int:
    """Show a mechanism: definition, source, readings, and each default with its reason.

    With --trust, show instead what certificates rest on: libraries, arithmetic, versions.
    """
    if (mechanism is None) != trust:
        raise ParameterError("mechanism", "give the name of a mechanism, or --trust")
    if mechanism is None:
        _show_trust(form)
        return 0
    if not is_built_in(mechanism):
        return _show_loaded(mechanism, form)
    cls = mechanism_class(mechanism)
    if form == "json":
        from dpaudit.results.documents import encode

        click.echo(encode(_document(cls)), nl=False)
    else:
        click.echo("\n".join(_lines(cls)))
    return 0


def _show_loaded(name: str, form: str) -> int:
    """Show a mechanism that is not built in, from a process of its own."""
    ended = contained_run((name,), None)
    if ended is not None:
        return ended
    with quietly():
        document = _loaded_document(find_mechanism(name))
    if form == "json":
        from dpaudit.results.documents import encode

        click.echo(encode(document), nl=False)
    else:
        click.echo("\n".join(_loaded_lines(document)))
    return 0


def _loaded_document(loaded: Loaded) -> dict[str, Any]:
    """Describe a mechanism as its author wrote it; what parameters decide is left out."""
    known = {} if loaded.parameter_names() == [] else parameters_of(loaded.found) or {}
    needed = [name for name, p in known.items() if p.default is p.empty]
    made = None if needed else loaded.build({})
    text = inspect.getdoc(getattr(made, "law", None) if made is loaded.found else loaded.found)
    stated = None if made is None or made.stated is None else str(made.stated)
    return {
        "schema": "dpaudit.loaded/1",
        "name": loaded.title if made is None else made.name,
        "summary": (text or "").partition("\n")[0],
        "reference": loaded.reference,
        "sha256": loaded.sha256,
        "stated": stated,
        "neighbours": None if made is None else _relation(made.adjacency()),
        "parameters": [
            {
                "name": name,
                "kind": _kind(p),
                "default": None if p.default is p.empty else str(p.default),
            }
            for name, p in known.items()
        ],
    }


def _relation(relation: Adjacency[Any]) -> str:
    return f"{relation.name}{' (by default)' if relation.defaulted else ''}"


def _kind(parameter: inspect.Parameter) -> str:
    kind = parameter.annotation
    if kind is parameter.empty:
        return ""
    return kind if isinstance(kind, str) else inspect.formatannotation(kind)


def _loaded_lines(document: Mapping[str, Any]) -> list[str]:
    summary = f": {document['summary']}" if document["summary"] else ""
    shown = {key: document[key] for key in ("reference", "sha256", "stated", "neighbours")}
    lines = [f"{document['name']}{summary}", ""]
    lines += [f"  {key:<10}  {value}" for key, value in shown.items() if value]
    if document["parameters"]:
        lines += ["", "Parameters (--set NAME=VALUE)", ""]
    for parameter in document["parameters"]:
        kind = f" ({parameter['kind']})" if parameter["kind"] else ""
        default = "needed" if parameter["default"] is None else f"default {parameter['default']}"
        lines.append(f"  {parameter['name']}{kind}: {default}")
    return lines


def _show_trust(form: str) -> None:
    from dpaudit.report.trust import trust, trust_text
    from dpaudit.results.documents import encode

    if form == "json":
        click.echo(encode(trust()), nl=False)
    else:
        click.echo(trust_text())


def _lines(cls: type[Mechanism[Any]]) -> list[str]:
    summary = (cls.__doc__ or "").splitlines()[0]
    lines = [f"{cls.name}: {summary}", ""]
    lines += [
        f"  law     {cls.definition}",
        f"  source  {cls.source}",
        f"  stated  {cls.guarantee}",
    ]
    lines += ["", "Parameters"]
    for parameter in cls.parameters:
        lines += ["", *_parameter_lines(parameter)]
    if cls.disagreements:
        lines += ["", "Where the documents disagree"]
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
    if isinstance(parameter, ChoiceParameter):
        width = max(len(name) for name, _ in parameter.choices)
        lines += [f"      {name:<{width}}  {meaning}" for name, meaning in parameter.choices]
    return lines


def _document(cls: type[Mechanism[Any]]) -> dict[str, Any]:
    return {
        "schema": "dpaudit.mechanism/1",
        "name": cls.name,
        "law": cls.definition,
        "source": cls.source,
        "stated": cls.guarantee,
        "parameters": [
            {
                "name": parameter.name,
                "meaning": parameter.meaning,
                "allowed": parameter.allowed,
                "default": parameter.default,
                "reason": parameter.reason,
                "readings": dict(parameter.choices)
                if isinstance(parameter, ChoiceParameter)
                else {},
            }
            for parameter in cls.parameters
        ],
        "disagreements": list(cls.disagreements),
    }
