"""An option for every parameter of any mechanism, made when a command line asks for it.

A command line that names its mechanisms, and gives none but their parameters, needs no others:
their modules are not imported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.exits import ARGUMENTS, OPTIONS
from dpaudit.cli.grouped_help import write_options
from dpaudit.mechanisms.parameters import ChoiceParameter, Parameter
from dpaudit.mechanisms.registry import (
    built_in_name,
    mechanism_class,
    mechanism_classes,
    mechanism_names,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "OPTION_NAMES",
    "SEVERAL",
    "CommandWithParameters",
    "described_parameters",
    "parameter_options",
]

OPTION_NAMES = {"epsilon": "eps"}
"""What the options of parameters are called, where that is not the parameter's name."""

_MOST_LISTED = 8

SEVERAL = ("epsilon", "delta", "gamma")
"""Parameters that are given as lists, joined by commas."""


def described_parameters(
    classes: Iterable[type[Mechanism[Any]]] | None = None,
) -> dict[str, dict[str, Parameter]]:
    """Return every parameter of ``classes`` (default: all), as each of them describes it."""
    found: dict[str, dict[str, Parameter]] = {}
    for cls in mechanism_classes().values() if classes is None else classes:
        for parameter in cls.parameters:
            found.setdefault(parameter.name, {})[cls.name] = parameter
    return found


class _Placeholder(click.Option):
    """Stands where the options of the parameters belong."""

    def __init__(self, several_of: Sequence[str], texts: Mapping[str, str]) -> None:
        super().__init__(["--parameters"], hidden=True)
        self.several_of = several_of
        self.texts = texts

    def options(
        self, classes: Iterable[type[Mechanism[Any]]] | None = None
    ) -> list[click.Parameter]:
        """Return an option for every parameter of ``classes`` (default: all) but k."""
        return [
            click.Option(
                [f"--{OPTION_NAMES.get(name, name)}", f"p_{name}"],
                metavar=_metavar(name, owners),
                help=(
                    self.texts.get(f"p_{name}")
                    or _help(owners, several=name in self.several_of, whole=classes is None)
                )
                + self.texts.get(f"more_{name}", ""),
            )
            for name, owners in described_parameters(classes).items()
            if name != "k"
        ]


def parameter_options(
    several_of: Sequence[str] = SEVERAL, texts: Mapping[str, str] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the options of all parameters but k, for a :class:`CommandWithParameters`.

    ``several_of`` take a list; ``texts`` are other descriptions, by the name of the argument, and
    what is added to one as ``more_`` and the name of its parameter.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        placeholder = _Placeholder(several_of, texts or {})
        # as Click's own decorators do: the last one comes first
        function.__dict__.setdefault("__click_params__", []).append(placeholder)
        return function

    return decorate


class CommandWithParameters(click.Command):
    """A command that puts the options of parameters in the place that is kept for them."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters of the command, those of the mechanisms that it needs included."""
        found: list[click.Parameter] = []
        for one in super().get_params(ctx):
            if isinstance(one, _Placeholder):
                if OPTIONS not in ctx.meta:
                    ctx.meta[OPTIONS] = self._options(one, ctx)
                found += ctx.meta[OPTIONS]
            else:
                found.append(one)
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups, those of the mechanisms that are named first."""
        self.get_params(ctx)
        words = ctx.meta.get(ARGUMENTS) or []
        named = [word for word in words if built_in_name(word) or re.match(r"[^-].*:", word)]
        shown = [built_in_name(word) or word for word in named]
        classes = [mechanism_class(word) for word in named if built_in_name(word)]
        own = set(described_parameters(classes)) if classes else set()
        of_parameters = ctx.meta.get(OPTIONS, [])
        mine = [one for one in of_parameters if str(one.name).removeprefix("p_") in own]
        write_options(self, ctx, formatter, mine if named else of_parameters, shown)

    def _options(self, kept: _Placeholder, ctx: click.Context) -> list[click.Parameter]:
        words: list[str] | None = ctx.meta.get(ARGUMENTS)
        if words is None:
            return kept.options()
        named = dict.fromkeys(name for name in map(built_in_name, words) if name is not None)
        if named and {"-h", "--help"} & set(words):
            return kept.options(map(mechanism_class, named))
        options = kept.options(map(mechanism_class, named))
        known = {text for one in (*self.params, *options) for text in one.opts}
        given = {word.partition("=")[0] for word in words if word.startswith("-")}
        return options if named and given <= known else kept.options()


def _help(owners: Mapping[str, Parameter], *, several: bool, whole: bool) -> str:
    """Return what the option of a parameter means, for each of the mechanisms that have it."""
    described: dict[tuple[str, str], list[str]] = {}
    for owner, parameter in owners.items():
        described.setdefault((parameter.meaning, parameter.default), []).append(owner)
    also = "; several, joined by commas, are audited each" if several else ""
    texts = []
    for (meaning, default), names in described.items():
        of_all = whole and len(names) == len(mechanism_names())
        whose = "" if of_all else f" [{_listed(names)}]"
        texts.append(f"{meaning[0].upper()}{meaning[1:]}{also}{whose}; default {default}.")
    return " ".join(texts)


def _listed(names: Sequence[str]) -> str:
    if len(names) <= _MOST_LISTED:
        return ", ".join(names)
    first = names[: _MOST_LISTED - 1]
    return f"{', '.join(first)} and {len(names) - len(first)} more"


def _metavar(name: str, owners: Mapping[str, Parameter]) -> str:
    """Return what the option of a parameter takes."""
    choices = dict.fromkeys(
        choice
        for parameter in owners.values()
        if isinstance(parameter, ChoiceParameter)
        for choice, _ in parameter.choices
    )
    return f"[{'|'.join(choices)}]" if choices else {"prior": "A,B,..."}.get(name, "NUMBER")
