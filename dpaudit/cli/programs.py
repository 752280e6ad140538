"""The options that say which program is explored, and how."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from dpaudit.errors import ParameterError
from dpaudit.subjects import CALL, COMMAND, DRAWN, DRAWS, RUNGS

__all__ = [
    "COMMAND_OPTIONS",
    "PROGRAM_OPTIONS",
    "MechanismsOrCall",
    "SamplerOrCommand",
    "commanded",
    "with_programs",
]

PROGRAM_OPTIONS = (
    click.option(
        "--call",
        metavar="CALL",
        is_eager=True,
        help="Audit a callable as it runs, in place of a mechanism: "
        '"package.module:Class(epsilon=1, d=4).method"; it is imported and run. Its datasets are '
        "given as --inputs 0..3 or --inputs a,b,c, and which of them are neighbours by a name as "
        "--neighbours; default all.",
    ),
    click.option(
        "--as-run",
        is_flag=True,
        help="Explore a program as it runs, with the floats and integers of Python's own random.",
    ),
    click.option(
        "--only",
        type=click.Choice((*RUNGS, DRAWN)),
        help="How to read a plain function: as-run, the law of its floats; ideal, its draws as "
        "exact distributions and floats as real numbers; drawn (check alone), only draws from it. "
        "Default: the first that can be derived.",
    ),
    click.option(
        "--paths",
        metavar="N",
        help="How many paths a program may have at one dataset; what it says itself, or 100000. "
        "One that seems to have more says so after the first thousand.",
    ),
    click.option(
        "--real-runs",
        "real_runs",
        metavar="N",
        help="How many real runs with random draws check the law of a program at each "
        "dataset; what it says itself, or 16384 for all datasets together, as far as half of the "
        "time of exploring goes.",
    ),
)
"""The options, for commands about several mechanisms."""


COMMAND_OPTIONS = (
    click.option(
        "--command",
        "line",
        metavar="COMMAND",
        is_eager=True,
        help="Audit a command that prints one output a line, in place of a sampler: "
        '"prog {data} {draws} {seed}"; it is run without a shell, with the dataset, how many lines '
        "are wanted, and a seed, which may be left out.",
    ),
    click.option(
        "--inputs",
        metavar="LIST",
        help="The datasets of --command, or of a plain function, as 0..3, a,b,c, or a file.",
    ),
    click.option(
        "--neighbours",
        metavar="NAME",
        help="Which of them are neighbours, by a name as in Python.",
    ),
)
"""The options of a command that is a sampler."""


class SamplerOrCommand(click.Argument):
    """The sampler of a command; none is needed beside ``--command``."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the sampler."""
        if isinstance(ctx.params.get("line"), str) and self.value_is_missing(value):
            return None
        return super().process_value(ctx, value)


def commanded(function: Callable[..., int]) -> Callable[..., int]:
    """Let a command of one ``mechanism`` take :data:`COMMAND_OPTIONS`."""

    @wraps(function)
    def command(
        mechanism: str | None,
        line: str | None,
        inputs: str | None,
        neighbours: str | None,
        **options: Any,
    ) -> int:
        texts = {"inputs": inputs, "neighbours": neighbours}
        settings = [f"{name}={value}" for name, value in texts.items() if value is not None]
        if line is None and inputs is not None:
            line, mechanism = DRAWS + str(mechanism), None
        elif line is not None:
            line = COMMAND + line
        if line is None:
            if settings:
                raise ParameterError("neighbours", "--neighbours goes with --inputs")
            return function(mechanism, **options)
        if mechanism is not None:
            raise ParameterError("command", "--command stands in place of a sampler; give one")
        if inputs is None:
            raise ParameterError("inputs", "--command needs --inputs: its datasets, 0..3 or a,b,c")
        return function(line, **{**options, "settings": (*options["settings"], *settings)})

    return command


class MechanismsOrCall(click.Argument):
    """The mechanisms of a command; none is needed beside ``--call``."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the mechanisms."""
        if isinstance(ctx.params.get("call"), str) and self.value_is_missing(value):
            return ()
        return super().process_value(ctx, value)


def with_programs(
    mechanisms: tuple[str, ...], options: dict[str, Any]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the mechanisms to audit, and the options with those about programs as settings.

    Raises ``ParameterError`` for options that do not go together.
    """
    if "call" not in options:
        return mechanisms, options
    rest = dict(options)
    call, as_run = rest.pop("call"), rest.pop("as_run")
    counts = {name: rest.pop(name) for name in ("paths", "real_runs", "only")}
    # They are parameters of some mechanisms too, and are options as theirs.
    texts = {name: rest.get(f"p_{name}") for name in ("inputs", "neighbours")}
    settings = [f"{name}={value}" for name, value in texts.items() if value is not None]
    if call is None:
        settings = ["as_run=true"] if as_run else []
    elif mechanisms:
        raise ParameterError("call", "--call stands in place of a mechanism; give one of the two")
    elif texts["inputs"] is None:
        raise ParameterError("inputs", "--call needs --inputs: its datasets, as 0..3 or a,b,c")
    else:
        mechanisms = (CALL + call,)
        rest["p_inputs"] = rest["p_neighbours"] = None
    settings += [f"{name}={value}" for name, value in counts.items() if value is not None]
    rest["settings"] = (*rest["settings"], *settings)
    return mechanisms, rest
