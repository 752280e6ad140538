"""Messages for commands that cannot be run: what was given, what is allowed, what can be run.

A message is one line.  Below it are commands to paste, where the error has remedies: the line that
was given, changed in one place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from dpaudit import errors
from dpaudit.cli.exits import Exit

__all__ = ["explained", "remedies_of"]

_RENAMED = {
    **dict.fromkeys(("--epsilon", "-e"), "--eps"),
    **dict.fromkeys(("--out", "-o"), "--output"),
    **dict.fromkeys(("--size", "--sizes", "-n"), "--n"),
    **dict.fromkeys(("--relation", "--neighbors", "--neighbouring"), "--adjacency"),
    **dict.fromkeys(("--workers", "--processes", "-j"), "--jobs"),
    **dict.fromkeys(("--figure", "--save-plot"), "--plot"),
    **dict.fromkeys(("--precision", "--tol"), "--digits"),
    **dict.fromkeys(("--alpha", "--alphas"), "--order"),
    **dict.fromkeys(("--timeout",), "--time-cap SECONDS"),
    **dict.fromkeys(("--runs", "--k-fold"), "--compose"),
    "--json": "--format json",
    "--csv": "--format csv",
    "--markdown": "--format markdown",
    "--param": "--set NAME=VALUE",
}
"""Options by names that other tools have for them, and what they are called here."""

_NO_MECHANISM = (
    "missing argument MECHANISM: a name that `dpaudit list` shows, or path.py:NAME; `dpaudit new "
    "mechanism NAME` writes one to start from"
)
"""Message for a missing mechanism."""

_MISSING = {
    **dict.fromkeys(("mechanism", "mechanisms"), _NO_MECHANISM),
    "sampler": "missing argument SAMPLER: path.py:NAME or module:NAME of a sampler; or give "
    "--command COMMAND",
    "report": "missing argument REPORT: a file that another command wrote with --format json "
    "--output FILE",
    "over": (
        "--over is missing: give the parameters to search, such as --over prior=1/10..10 or "
        "--over n=5..50; `dpaudit show MECHANISM` lists the parameters"
    ),
}
"""Messages for missing arguments, by argument, with how to give them."""


def explained(error: Exception) -> tuple[str, Exit]:
    """Return the one line that says what went wrong, and its exit code."""
    if isinstance(error, click.NoSuchOption) and (name := _new_name(error)) is not None:
        return f"there is no {error.option_name}; here it is {name}", Exit.USAGE
    missing = error.param if isinstance(error, click.MissingParameter) else None
    if missing is not None and str(missing.name) in _MISSING:
        return _MISSING[str(missing.name)], Exit.USAGE
    if isinstance(error, click.ClickException):
        return " ".join(error.format_message().split()) + _allowed(error), Exit.USAGE
    if isinstance(error, MemoryError):
        return _out_of_memory(), Exit.USAGE
    if isinstance(error, errors.PrecisionError):
        return f"undecided: {error}", Exit.UNDECIDED
    if isinstance(error, errors.TimeCapError):
        return str(error), Exit.UNDECIDED
    if isinstance(error, errors.DpauditError):
        return error.brief or str(error), Exit.USAGE
    from concurrent.futures import BrokenExecutor

    if isinstance(error, BrokenExecutor):
        return "a worker process was killed, perhaps because memory ran out", Exit.INTERNAL
    hint = "(set DPAUDIT_TRACEBACK=1 for the traceback)"
    return f"internal error: {type(error).__name__}: {error} {hint}", Exit.INTERNAL


def remedies_of(error: Exception, arguments: Sequence[str]) -> Iterator[str]:
    """Yield the lines below a message: for each remedy its meaning, and the command to paste."""
    from dpaudit.question import question_of_command

    if not arguments or question_of_command(arguments[0]) is None:
        return  # of other commands nobody gives inputs
    for remedy in getattr(error, "remedies", ()):
        words = list(arguments)
        for word, value in remedy.words:
            words = _changed(words, word, value)
        yield f"{remedy.meaning}:"
        yield f"    {_program()} {' '.join(map(_quoted, words))}"


def _changed(words: list[str], word: str, value: str) -> list[str]:
    """Return a command line with another value of an option, or another word for one."""
    if not word.startswith("--"):
        return [_replaced(old, word, value) for old in words]
    for place, old in enumerate(words):
        if old == word:
            return [*words[: place + 1], value, *words[place + 2 :]]
        if old.startswith(f"{word}="):
            return [*words[:place], f"{word}={value}", *words[place + 1 :]]
    return [*words, word, value]


def _replaced(old: str, word: str, value: str) -> str:
    """Return a word of a command line where it is ``word``, or names a file and then ``word``."""
    place, mark, name = old.partition(":")
    if mark and name.strip() == word:
        return f"{place}:{value}"
    return value if old.strip() == word else old


def _program() -> str:
    """Return what a shell calls this program by, as it was called."""
    import shutil  # here and below: the version of dpaudit costs nothing that it does not need

    called = sys.argv[0] if sys.argv else ""
    if Path(called).name == "dpaudit" and shutil.which("dpaudit") is None:
        return _quoted(called)
    return "dpaudit"


def _quoted(word: str) -> str:
    """Return a word as a shell reads it, with nothing in it that moves the cursor."""
    import shlex

    if word.isprintable():
        return shlex.quote(word)
    escaped = word.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{''.join(c if c.isprintable() else ascii(c)[1:-1] for c in escaped)}'"


def _allowed(error: click.ClickException) -> str:
    """Return the usage of a command that was given an argument too many; empty otherwise."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None or "unexpected extra argument" not in error.format_message():
        return ""
    usage = " ".join(context.command.get_usage(context).split())
    options = {name for option in context.command.get_params(context) for name in option.opts}
    takes_a_file = "--config" in options and usage.endswith("[OPTIONS]")
    named = "; a configuration is named by --config FILE" if takes_a_file else ""
    return f"; {usage[0].lower()}{usage[1:]}{named}"


def _new_name(error: click.NoSuchOption) -> str | None:
    """Return the name here of an option of other tools, if the command has it."""
    name = _RENAMED.get(error.option_name)
    if name is None or error.ctx is None:
        return name
    names = {opt for option in error.ctx.command.get_params(error.ctx) for opt in option.opts}
    return name if name.partition(" ")[0] in names else None


def _out_of_memory() -> str:
    from dpaudit.machine import amount, available

    with suppress(MemoryError):
        return f"memory: dpaudit needed more than the {amount(available())} that are free"
    return "memory: dpaudit needed more than the machine has"
