"""An option for every parameter of any mechanism, made when a command line asks for it; help.

A command line that names its mechanisms, and gives none but their parameters, needs no others:
their modules are not imported.

Help is in groups: ``dpaudit check --help`` has a line for each option that most people need, and
names the others; ``dpaudit check EHDS --help`` explains all of them, and the parameters of EHDS.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.exits import ARGUMENTS, OPTIONS
from dpaudit.mechanisms.parameters import ChoiceParameter, Parameter
from dpaudit.mechanisms.registry import (
    built_in_name,
    mechanism_class,
    mechanism_classes,
    mechanism_names,
)

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism


__all__ = [
    "OPTION_NAMES",
    "SEVERAL",
    "CommandWithParameters",
    "described_parameters",
    "parameter_options",
    "write_options",
]

_GROUPS = {
    "Mechanism and data": (
        *(
            "call",
            "as_run",
            "only",
            "paths",
            "real_runs",
            "sizes",
            "size",
            "k",
            "settings",
            "adjacency",
        ),
        *("at", "data", "column", "categories", "missing", "pairs"),
    ),
    "Question": (),  # all that has no other place
    "Output": (
        *(
            "digits",
            "form",
            "rows",
            "output",
            "reports",
            "plots",
            "plot_width",
            "no_plot",
            "resume",
        ),
        *("export", "as_json", "as_csv", "table"),
    ),
    "Time and memory": (
        *("engine", "jobs", "dask", "discretisation", "time_cap", "memory_cap", "help"),
    ),
}
"""The groups, and the arguments of their options."""

_COMMON = {
    *("call", "sizes", "size", "settings", "adjacency", "data", "p_epsilon"),
    *("digits", "form", "rows", "output", "plots", "resume", "jobs", "time_cap", "help"),
}
"""Options explained before a mechanism is named, beside those of the command's own."""

_OWN = "Question"


def write_options(
    command: click.Command,
    context: click.Context,
    formatter: click.HelpFormatter,
    parameters: Sequence[click.Parameter],
    named: Sequence[str],
) -> None:
    """Write the options of a command in groups.

    Args:
        command: the command.
        context: its context.
        formatter: receives the text.
        parameters: the options of mechanisms' parameters.
        named: the mechanisms that are named on the command line; without any, the options of
            parameters are left out, and of others each has a line.
    """
    places = {name: group for group, names in _GROUPS.items() for name in names}
    grouped: dict[str, list[click.Parameter]] = {group: [] for group in _GROUPS}
    also: list[str] = []
    brief = not named
    for option in command.get_params(context):
        if not isinstance(option, click.Option) or option.hidden:
            continue
        name = "help" if "--help" in option.opts else str(option.name)
        if option in parameters and name != "p_epsilon":
            continue
        group = places.get(name, "Mechanism and data" if name == "p_epsilon" else _OWN)
        if option in parameters and not brief:
            continue
        if brief and name not in _COMMON and group != _OWN:
            also += option.opts[:1]
        else:
            grouped[group].append(option)
    if not brief and parameters:
        _section(formatter, context, f"Parameters of {', '.join(named)}", parameters, brief=False)
    for group, options in grouped.items():
        _section(formatter, context, group, options, brief=brief)
    if brief:
        formatter.write_paragraph()
        others = f"Also {', '.join(also)}. " if also else ""
        where = f"{context.command_path} MECHANISM --help"
        text = f"{others}{where} explains all, and a mechanism's own parameters."
        # Not Click's own: it breaks the names of options.
        formatter.write(f"{textwrap.fill(text, formatter.width, break_on_hyphens=False)}\n")


def _section(
    formatter: click.HelpFormatter,
    context: click.Context,
    title: str,
    options: Sequence[click.Parameter],
    *,
    brief: bool,
) -> None:
    records = [record for option in options if (record := option.get_help_record(context))]
    if not records:
        return
    with formatter.section(title):
        if not brief:
            formatter.write_dl(records)
            return
        width = min(26, max(len(name) for name, _ in records))
        for name, text in records:
            room = formatter.width - formatter.current_indent - width - 2
            formatter.write(f"{'':>{formatter.current_indent}}{name:<{width}}  ")
            formatter.write(f"{_clause(text, room - max(0, len(name) - width))}\n")


def _clause(text: str, room: int) -> str:
    """Return the first clause of a text, or as much of it as there is room for."""
    clause = re.split(r"[;:] |\. |\.$| \[|\s{2,}", text, maxsplit=1)[0]
    return clause if len(clause) <= room else f"{clause[: room - 1].rstrip()}…"


OPTION_NAMES = {"epsilon": "eps"}
"""Names of the options of parameters, if not the parameter's name."""

_MOST_LISTED = 8

SEVERAL = ("epsilon", "delta", "gamma")
"""Parameters that are given as lists, joined by commas."""


def described_parameters(
    classes: Iterable[type[Mechanism[Any]]] | None = None,
) -> dict[str, dict[str, Parameter]]:
    """Return every parameter of ``classes`` (default: all), as each of them describes it."""
    described: dict[str, dict[str, Parameter]] = {}
    for cls in mechanism_classes().values() if classes is None else classes:
        for parameter in (*cls.parameters, *cls.shorthands):
            described.setdefault(parameter.name, {})[cls.name] = parameter
    return described


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
        options: list[click.Parameter] = []
        for parameter in super().get_params(ctx):
            if isinstance(parameter, _Placeholder):
                if OPTIONS not in ctx.meta:
                    ctx.meta[OPTIONS] = self._options(parameter, ctx)
                options += ctx.meta[OPTIONS]
            else:
                options.append(parameter)
        return options

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in groups, those of the mechanisms that are named first."""
        self.get_params(ctx)
        words = ctx.meta.get(ARGUMENTS) or []
        named = [word for word in words if built_in_name(word) or re.match(r"[^-].*:", word)]
        names = [built_in_name(word) or word for word in named]
        classes = [mechanism_class(word) for word in named if built_in_name(word)]
        own = set(described_parameters(classes)) if classes else set()
        of_parameters = ctx.meta.get(OPTIONS, [])
        mine = [option for option in of_parameters if str(option.name).removeprefix("p_") in own]
        write_options(self, ctx, formatter, mine if named else of_parameters, names)

    def _options(self, placeholder: _Placeholder, ctx: click.Context) -> list[click.Parameter]:
        words: list[str] | None = ctx.meta.get(ARGUMENTS)
        if words is None:
            return placeholder.options()
        named = dict.fromkeys(name for name in map(built_in_name, words) if name is not None)
        asks = {"-h", "--help"} & set(words)
        if named and asks:
            return placeholder.options(map(mechanism_class, named))
        if asks:  # ε alone is explained then, and all have it
            named = dict.fromkeys(mechanism_names()[:1])
        options = placeholder.options(map(mechanism_class, named))
        accepted = {
            text for parameter in (*self.params, *options) for text in parameter.opts
        } | asks
        written = {word.partition("=")[0] for word in words if word.startswith("-")}
        return options if named and written <= accepted else placeholder.options()


def _help(owners: Mapping[str, Parameter], *, several: bool, whole: bool) -> str:
    """Return what the option of a parameter means, for each of the mechanisms that have it."""
    described: dict[tuple[str, str], list[str]] = {}
    for owner, parameter in owners.items():
        described.setdefault((parameter.meaning, parameter.default), []).append(owner)
    also = "; of several values, joined by commas, each is audited" if several else ""
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
