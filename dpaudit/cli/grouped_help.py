"""Help in groups: common options on one screen, everything once a mechanism is named.

``dpaudit check --help`` has a line for each option that most people need, and names the others;
``dpaudit check EHDS --help`` explains all of them, and the parameters of EHDS.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["write_options"]

_GROUPS = {
    "What is looked at": (
        *("call", "as_run", "paths", "sizes", "size", "k", "settings", "adjacency"),
        *("at", "data", "column", "categories", "missing", "pairs"),
    ),
    "What is asked": (),  # all that has no other place
    "What is written": (
        *("digits", "form", "rows", "output", "plots", "plot_width", "no_plot", "resume", "export"),
        *("as_json", "as_csv", "table"),
    ),
    "How it is worked at": ("engine", "jobs", "dask", "time_cap", "memory_cap", "help"),
}
"""The groups, and the arguments of their options."""

_COMMON = {
    *("call", "sizes", "size", "settings", "adjacency", "data", "p_epsilon"),
    *("digits", "form", "rows", "output", "plots", "resume", "jobs", "time_cap", "help"),
}
"""What is explained before a mechanism is named, beside what is the command's own."""

_OWN = "What is asked"


def write_options(
    command: click.Command,
    context: click.Context,
    formatter: click.HelpFormatter,
    parameters: Sequence[click.Parameter],
    named: Sequence[str],
) -> None:
    """Write the options of a command in groups.

    Args:
        command: whose options they are.
        context: its context.
        formatter: where they are written.
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
        group = places.get(name, "What is looked at" if name == "p_epsilon" else _OWN)
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
        told = f"Also {', '.join(also)}. " if also else ""
        where = f"{context.command_path} MECHANISM --help"
        text = f"{told}{where} explains all, and a mechanism's own parameters."
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
