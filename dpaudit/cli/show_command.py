"""``dpaudit show``: one mechanism, with its readings and the reasons for its defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dpaudit.errors import ParameterError
from dpaudit.mechanisms.notes import NOTES, letters_in
from dpaudit.mechanisms.parameters import ChoiceParameter, Parameter
from dpaudit.mechanisms.registry import mechanism_class

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["command"]


@click.command("show")
@click.argument("mechanism", required=False)
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
    cls = mechanism_class(mechanism)
    if form == "json":
        from dpaudit.report.documents import encode

        click.echo(encode(_document(cls)), nl=False)
    else:
        click.echo("\n".join(_lines(cls)))
    return 0


def _show_trust(form: str) -> None:
    from dpaudit.report.documents import encode
    from dpaudit.report.trust import trust, trust_text

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
    letters = letters_in("\n".join(lines))
    if letters:
        lines += ["", "The documents", *(f"  {letter}  {NOTES[letter]}" for letter in letters)]
    return lines


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
