"""Exit codes, the same for every command, and what a Click context holds."""

from __future__ import annotations

import enum
import textwrap
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.results import CanaryVerdict, GateVerdict, Verdict

__all__ = ["ARGUMENTS", "OPTIONS", "Exit", "Invocation", "epilogue", "exit_for"]


class Exit(enum.IntEnum):
    """Exit codes of every command."""

    WITHIN = 0
    EXCEEDS = 1
    USAGE = 2
    UNDECIDED = 3
    INTERNAL = 70
    INTERRUPTED = 130


_WIDTH = 78
"""Of help on a terminal of 80 columns; Click does not fold these lines."""


def epilogue(
    *,
    within: str = "every budget is kept",
    exceeds: str | None = "a budget is exceeded",
    usage: str = "bad usage or bad input",
    undecided: str | None = "undecided, or nothing was checked",
    interrupted: str = "interrupted; what was finished is kept",
    internal: str = "internal error",
) -> str:
    """Return what the exit codes of a command mean, for the end of its help."""
    texts = {
        Exit.WITHIN: within,
        Exit.EXCEEDS: exceeds,
        Exit.USAGE: usage,
        Exit.UNDECIDED: undecided,
        Exit.INTERRUPTED: interrupted,
        Exit.INTERNAL: internal,
    }
    lines = [
        textwrap.fill(
            text, _WIDTH, initial_indent=f"  {code.value:<3}  ", subsequent_indent=" " * 7
        )
        for code, text in texts.items()
        if text is not None
    ]
    return "\n".join(["\b", "Exit codes:", *lines])


def exit_for(verdict: Verdict | GateVerdict | CanaryVerdict) -> Exit:
    """Return the exit code of a verdict; anything that is not there is a failure."""
    codes = {"within": Exit.WITHIN, "not refuted": Exit.WITHIN, "exceeds": Exit.EXCEEDS}
    return codes.get(verdict.value, Exit.UNDECIDED)


class Invocation(NamedTuple):
    """The object of the outermost context: a command runs itself again in another process by it."""

    run: Callable[[list[str]], int]
    """Function that runs a command line; it belongs to a module, where another process finds it."""
    arguments: list[str]
    """The command line."""


ARGUMENTS = "dpaudit.arguments"
"""The words after the name of the command."""

OPTIONS = "dpaudit.options"
"""The options of parameters that the command has for them."""
