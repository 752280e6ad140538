"""The options that say which program is explored, and how."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource

from dpaudit.errors import ParameterError
from dpaudit.subjects import CALL, COMMAND, DRAWN, DRAWS, RUNGS

__all__ = [
    "COMMAND_OPTIONS",
    "PROGRAM_OPTIONS",
    "MechanismsOrCall",
    "SamplerOrCommand",
    "commanded",
    "option_of_programs",
    "with_programs",
]


_READINGS = (*RUNGS, DRAWN)


def _reading(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return the name of a reading with a hyphen; reports and the gate write it with a space."""
    if value is None:
        return None
    found = value.replace(" ", "-")
    if found not in _READINGS:
        allowed = ", ".join(map(repr, _READINGS))
        raise click.BadParameter(f"{value!r} is not one of {allowed}.", ctx, param)
    return found


def _completed(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the readings whose names begin with what was typed."""
    return [name for name in _READINGS if name.startswith(incomplete)]


PROGRAM_OPTIONS = (
    click.option(
        "--call",
        metavar="CALL",
        is_eager=True,
        help="Audit a method or a function of a package, instead of a mechanism: "
        '"package.module:Class(epsilon=1, d=4).method"; dpaudit imports and runs it. Give its '
        "datasets as --inputs 0..3 or --inputs a,b,c, and name the neighbouring relation with "
        "--neighbours; default: all.",
    ),
    click.option(
        "--as-run",
        is_flag=True,
        help=(
            "Audit a program as the computer runs it, with the floats and integers of "
            "Python's own random, instead of with exact noise."
        ),
    ),
    click.option(
        "--only",
        callback=_reading,
        shell_complete=_completed,
        metavar=f"[{'|'.join(_READINGS)}]",
        help="The reading of a plain function: as-run, with its floats; ideal, with exact noise "
        "and real numbers; drawn (check alone), only draws from it. Default: the first that "
        "works.",
    ),
    click.option(
        "--paths",
        metavar="N",
        help="Largest number of paths at one dataset. Default: the number in the program's "
        "decorator, otherwise 100000. If dpaudit expects more, it says so, follows these, and "
        "then refuses a program that has more.",
    ),
    click.option(
        "--real-runs",
        "real_runs",
        metavar="N",
        help="Number of random runs of the real code at each dataset, which check the derived "
        "output distribution. Default: the number in the program's decorator; otherwise "
        "about 16384 (8192 with ideal noise) for all datasets together, and fewer if "
        "they would take more than a quarter of the time of exploring.",
    ),
)
"""The options, for commands about several mechanisms."""


COMMAND_OPTIONS = (
    click.option(
        "--command",
        "line",
        metavar="COMMAND",
        is_eager=True,
        help='Audit a command that prints one output on each line, instead of a sampler: "prog '
        '{data} {draws} {seed}". dpaudit runs it without a shell, and fills in the '
        "dataset, the number of lines to print, and a seed, which may be left out.",
    ),
    click.option(
        "--inputs",
        metavar="LIST",
        help="The datasets of --command, or of a plain function, such as 0..3, a,b,c, or a file.",
    ),
    click.option(
        "--neighbours",
        metavar="NAME",
        help="The neighbouring relation of these datasets, such as all, adjacent or one-entry.",
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
                raise ParameterError("neighbours", "--neighbours needs --inputs too")
            return function(mechanism, **options)
        if mechanism is not None:
            raise ParameterError("command", "--command replaces the sampler; give only one of them")
        if inputs is None:
            raise ParameterError(
                "inputs", "--command needs its datasets: --inputs 0..3 or --inputs a,b,c"
            )
        return function(line, **{**options, "settings": (*options["settings"], *settings)})

    return command


class MechanismsOrCall(click.Argument):
    """The mechanisms of a command; none is needed beside ``--call``."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the mechanisms."""
        if isinstance(ctx.params.get("call"), str) and self.value_is_missing(value):
            return ()
        return super().process_value(ctx, value)


_COUNTS = ("paths", "real_runs", "only")
"""Options of functions that become settings."""


def option_of_programs(name: str) -> str | None:
    """Return the option by which the user gave a setting of functions; None for ``--set``."""
    context = click.get_current_context(silent=True)
    if context is None or name not in (*_COUNTS, "as_run"):
        return None
    typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    return f"--{name.replace('_', '-')}" if typed else None


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
    counts = {name: rest.pop(name) for name in _COUNTS}
    # They are parameters of some mechanisms too, and are options as theirs.
    texts = {name: rest.get(f"p_{name}") for name in ("inputs", "neighbours")}
    settings = [f"{name}={value}" for name, value in texts.items() if value is not None]
    if call is None:
        settings = ["as_run=true"] if as_run else []
    elif mechanisms:
        raise ParameterError("call", "--call replaces the mechanism; give only one of them")
    elif texts["inputs"] is None:
        raise ParameterError("inputs", "--call needs its datasets: --inputs 0..3 or --inputs a,b,c")
    else:
        mechanisms = (CALL + call,)
        rest["p_inputs"] = rest["p_neighbours"] = None
    settings += [f"{name}={value}" for name, value in counts.items() if value is not None]
    rest["settings"] = (*rest["settings"], *settings)
    return mechanisms, rest
