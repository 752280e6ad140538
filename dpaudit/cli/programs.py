"""The options that say which program is explored, and how."""

from __future__ import annotations

from typing import Any

import click

from dpaudit.errors import ParameterError
from dpaudit.mechanisms.references import CALL

__all__ = ["PROGRAM_OPTIONS", "MechanismsOrCall", "with_programs"]

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
        "--paths",
        metavar="N",
        help="How many paths a program may have at one dataset; what it says itself, or 100000. "
        "One that seems to have more says so after the first thousand.",
    ),
)
"""The options, for commands about several mechanisms."""


class MechanismsOrCall(click.Argument):
    """The mechanisms of a command; none is needed beside ``--call``."""

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        """Return the mechanisms."""
        if isinstance(ctx.params.get("call"), str) and self.value_is_missing(value):
            return ()
        return super().process_value(ctx, value)


def with_programs(
    mechanisms: tuple[str, ...], given: dict[str, Any]
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the mechanisms that are meant, and the other options with what these say of them.

    Raises ``ParameterError`` for options that do not go together.
    """
    if "call" not in given:
        return mechanisms, given
    rest = dict(given)
    call, as_run, paths = rest.pop("call"), rest.pop("as_run"), rest.pop("paths")
    # They are parameters of some mechanisms too, and are options as theirs.
    told = {name: rest.get(f"p_{name}") for name in ("inputs", "neighbours")}
    settings = [f"{name}={value}" for name, value in told.items() if value is not None]
    if call is None:
        settings = ["as_run=true"] if as_run else []
    elif mechanisms:
        raise ParameterError("call", "--call stands in place of a mechanism; give one of the two")
    elif told["inputs"] is None:
        raise ParameterError("inputs", "--call needs --inputs: its datasets, as 0..3 or a,b,c")
    else:
        mechanisms = (CALL + call,)
        rest["p_inputs"] = rest["p_neighbours"] = None
    settings += [] if paths is None else [f"paths={paths}"]
    rest["settings"] = (*rest["settings"], *settings)
    return mechanisms, rest
