"""Commands that sweep one measure and have nothing else to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import click

from dpaudit.cli.exits import epilogue
from dpaudit.cli.measuring import Ask, measure
from dpaudit.cli.options import Option, audit_options, with_options
from dpaudit.cli.parameter_options import CommandWithParameters

if TYPE_CHECKING:
    from dpaudit.api.plans import Held
    from dpaudit.cli.request import SweepRequest
    from dpaudit.question import Question

__all__ = ["command_of", "sweeps"]


def sweeps(
    *options: Option,
    without: Sequence[str] = (),
    texts: Mapping[str, str] | None = None,
    held: Held = "always",
    over: Callable[..., int | None] | None = None,
    **ends: Any,
) -> Callable[[Callable[..., Ask]], click.Command]:
    """Make a command of a function that reads the options, and of its docstring.

    Args:
        options: options that no other command has.
        without: names of the shared options that mean nothing here.
        texts: help of shared options, where it differs.
        held: whether there has to be a budget.
        over: answers in its place where an interval of ε is given; returns None otherwise.
        ends: meanings of exit codes, where they differ.
    """

    def decorate(ask: Callable[..., Ask]) -> click.Command:
        name = ask.__name__

        @click.command(name, cls=CommandWithParameters, epilog=epilogue(**ends), help=ask.__doc__)
        @with_options(*options)
        @audit_options(without=without, texts=texts)
        def command(mechanisms: tuple[str, ...], request: SweepRequest, **own: Any) -> int:
            if over is not None and (code := over(mechanisms, request, **own)) is not None:
                return code
            ask_measure = ask(request, **own)
            return measure(mechanisms, replace(request, held=held), name, ask_measure)

        return command

    return decorate


def command_of(question: Question) -> click.Command:
    """Return the command of a question: its own, or the one that is made of its measure."""
    if question.sweep is None or question.command:
        command: click.Command = resolve_name(question.command)
        return command
    sweep = question.sweep
    options = [
        click.option(
            f"--{option.name.replace('_', '-')}",
            metavar=option.metavar,
            default=option.default,
            show_default=option.default is not None,
            help=option.help,
        )
        for option in sweep.options
    ]

    def ask(request: SweepRequest, **own: str) -> Ask:
        measure_of = resolve_name(sweep.measure)(**own)
        return lambda tasks, data: [replace(task, measure=measure_of) for task in tasks]

    ask.__name__, ask.__doc__ = question.name, sweep.help
    made = sweeps(
        *options,
        without=sweep.without,
        held=sweep.held,
        within=sweep.within,
        exceeds=None,
        undecided=sweep.undecided,
    )
    return made(ask)
