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
        options: those that no other command has.
        without: the shared options that mean nothing here.
        texts: what shared options mean here, where that differs.
        held: whether there has to be a budget.
        over: what answers in its place where an interval of ε is given, else None.
        ends: what exit codes mean, where that differs.
    """

    def decorate(ask: Callable[..., Ask]) -> click.Command:
        name = ask.__name__

        @click.command(name, cls=CommandWithParameters, epilog=epilogue(**ends), help=ask.__doc__)
        @with_options(*options)
        @audit_options(without=without, texts=texts)
        def command(mechanisms: tuple[str, ...], request: SweepRequest, **own: Any) -> int:
            if over is not None and (code := over(mechanisms, request, **own)) is not None:
                return code
            asked = ask(request, **own)
            return measure(mechanisms, replace(request, held=held), name, asked)

        return command

    return decorate


def command_of(question: Question) -> click.Command:
    """Return the command of a question: its own, or the one that is made of its measure."""
    if question.sweep is None or question.command:
        found: click.Command = resolve_name(question.command)
        return found
    sweep = question.sweep
    options = [
        click.option(
            f"--{one.name.replace('_', '-')}",
            metavar=one.metavar,
            default=one.default,
            show_default=one.default is not None,
            help=one.help,
        )
        for one in sweep.options
    ]

    def ask(request: SweepRequest, **own: str) -> Ask:
        made = resolve_name(sweep.measure)(**own)
        return lambda tasks, data: [replace(task, measure=made) for task in tasks]

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
