"""Commands that run a user's code do so in a process of their own, with a time cap."""

from __future__ import annotations

import functools
import os
import shlex
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.workers import current_cap, is_contained
from dpaudit.cli.exits import Exit, Invocation
from dpaudit.cli.programs import with_programs
from dpaudit.errors import NumberSyntaxError, ParameterError, TimeCapError, TimeCapReached
from dpaudit.machine import available, memory_cap, read_memory_cap
from dpaudit.mechanisms.registry import is_built_in
from dpaudit.numbers.real import real

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dpaudit.audit.isolated import Ending

__all__ = [
    "CONFORMANCE_CAP",
    "DEFAULT_CAP",
    "DEFAULT_MEMORY",
    "MEMORY_CAP_HELP",
    "TIME_CAP_HELP",
    "contained",
    "contained_one",
    "contained_run",
    "contained_search",
    "out_of_time",
    "quietly",
    "read_time_cap",
    "run_words",
    "with_memory_cap",
]

DEFAULT_CAP = 600
"""Seconds that a mechanism of a user's has, if nothing else is said."""

DEFAULT_MEMORY = 4096
"""Megabytes that a recheck has, if nothing else is said."""

CONFORMANCE_CAP = 60
"""Seconds that a check of conformance has."""

TIME_CAP_HELP = (
    f"Stop after SECONDS; default: no limit for built-in mechanisms, {DEFAULT_CAP} for others."
)
"""Help of the option for commands that write nothing unless they finish."""

MEMORY_CAP_HELP = (
    "Memory limit in MB, all processes together: refuse what is estimated to need more, and stop "
    "if more is used; default: the free memory of the machine."
)
"""Help of the option for commands that estimate their memory."""

_MOST = 30 * 86_400
_STANDARD_OUTPUT = 1


def contained(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command with ``mechanisms`` and ``--time-cap`` run in a process of its own.

    It does if any of the mechanisms is not built in, or a time cap is given.
    """

    @functools.wraps(function)
    def command(
        mechanisms: tuple[str, ...],
        time_cap: str | None = None,
        memory_cap: str | None = None,
        **options: Any,
    ) -> int:
        conformance = bool(options.get("conformance"))
        if conformance and time_cap is None:
            time_cap = str(CONFORMANCE_CAP)
        capped = Exit.EXCEEDS if conformance else Exit.UNDECIDED
        mechanisms, options = with_programs(mechanisms, options)
        return _run(
            lambda: function(mechanisms, **options), mechanisms, time_cap, memory_cap, capped
        )

    return command


def contained_one(function: Callable[..., Any]) -> Callable[..., Any]:
    """Do the same for a command of one ``mechanism``."""

    @functools.wraps(function)
    def command(
        mechanism: str, time_cap: str | None = None, memory_cap: str | None = None, **options: Any
    ) -> int:
        names = (mechanism, *(run_words(text)[0] for text in options.get("then") or ()))
        return _run(lambda: function(mechanism, **options), names, time_cap, memory_cap)

    return command


def run_words(text: str) -> list[str]:
    """Return the words of ``--then``, the name of a mechanism first."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ParameterError("then", f"then = {text!r}: {error}") from None
    if not words:
        raise ParameterError("then", f"then = {text!r}: the name of a mechanism is missing")
    return words


def contained_search(function: Callable[..., Any]) -> Callable[..., Any]:
    """Do the same for a command whose ``time_cap`` ends a search that looks at the clock itself.

    A mechanism that is not built in has twice as long for everything, what follows included.
    """

    @functools.wraps(function)
    def command(
        mechanism: str, time_cap: str, memory_cap: str | None = None, **options: Any
    ) -> int:
        whole = None if is_built_in(mechanism) else time_cap
        if whole is not None:
            with suppress(NumberSyntaxError, OverflowError):
                whole = repr(2 * float(real(time_cap)))
        return _run(
            lambda: function(mechanism, time_cap=time_cap, **options),
            (mechanism,),
            whole,
            memory_cap,
        )

    return command


def with_memory_cap(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command that runs no code of a user's be held to ``--memory-cap``."""

    @functools.wraps(function)
    def command(memory_cap: str | None = None, **options: Any) -> int:
        return _run(lambda: function(**options), (), None, memory_cap)

    return command


def _run(
    run: Callable[[], Any],
    mechanisms: tuple[str, ...],
    time_cap: str | None,
    memory: str | None = None,
    capped: Exit = Exit.UNDECIDED,
) -> int:
    with memory_cap(memory):
        ending = contained_run(mechanisms, time_cap, memory=memory, capped=capped)
        if ending is not None:
            return ending
        try:
            return int(run())
        except TimeCapReached:
            raise out_of_time() from None


def out_of_time() -> TimeCapError:
    """Return the error that says that nothing was finished in time."""
    return TimeCapError(_out_of_time(current_cap() or DEFAULT_CAP))


def contained_run(
    mechanisms: tuple[str, ...],
    time_cap: str | None,
    *,
    memory: str | None = None,
    capped: Exit = Exit.UNDECIDED,
) -> int | None:
    """Run this command again in a process of its own; return its exit code, or None if it need not.

    The process may not take more memory than there is, so that it harms nobody else.

    Args:
        mechanisms: names of the mechanisms; a user's runs in a process of its own.
        time_cap: seconds that it has; one that is given needs such a process as well.
        memory: megabytes that it has; likewise.
        capped: the exit code if the time is up before anything is finished.
    """
    cap, most = read_time_cap(time_cap), None if memory is None else read_memory_cap(memory)
    foreign = not all(map(is_built_in, mechanisms))
    if is_contained() or (cap is None and memory is None and not foreign):
        return None
    from dpaudit.audit.isolated import run_contained

    invocation = click.get_current_context().find_root().obj
    if not isinstance(invocation, Invocation):  # run by Click's own main
        return None
    cap = cap or (float(DEFAULT_CAP) if foreign else float(_MOST))
    most = available() if most is None else min(most, available())
    return _said(run_contained(*invocation, cap, most), cap, capped)


def _said(ending: Ending, cap: float, capped: Exit) -> int:
    if ending.code is not None and ending.code in [*Exit]:
        return ending.code
    if ending.timed_out:
        click.echo(f"dpaudit: {_out_of_time(cap)}", err=True)
        return capped
    if ending.interrupted:
        click.echo("dpaudit: interrupted; nothing was finished", err=True)
        return Exit.INTERRUPTED
    died = ending.died or (
        f"the process of the audit ended with {ending.code}, which is not an exit code of dpaudit"
    )
    click.echo(f"dpaudit: {died}", err=True)
    return Exit.USAGE


def _out_of_time(cap: float) -> str:
    return f"time cap: nothing was finished after {cap:g} s; a larger --time-cap allows more"


def read_time_cap(text: str | None) -> float | None:
    """Return a number of seconds; ``ParameterError`` for anything else."""
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = float("nan")
    if not 0 < seconds <= _MOST:
        raise ParameterError(
            "time-cap", f"--time-cap {text}: must be seconds, more than 0 and at most {_MOST}"
        )
    return seconds


@contextmanager
def quietly() -> Iterator[None]:
    """Send what a user's code prints to stderr: stdout is for the report.

    In a process of its own, what its libraries and its own processes write goes there as well.
    """
    import sys

    if not is_contained() or sys.stdout is None or sys.stderr is None:
        with redirect_stdout(sys.stderr):
            yield
        return
    sys.stdout.flush()
    # Python's redirection does not reach C libraries and child processes: descriptor 1 moves too.
    standard_output = os.dup(_STANDARD_OUTPUT)
    os.dup2(sys.stderr.fileno(), _STANDARD_OUTPUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        os.dup2(standard_output, _STANDARD_OUTPUT)
        os.close(standard_output)
