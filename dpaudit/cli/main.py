"""The ``dpaudit`` command: a group whose commands are imported only when they are run."""

from __future__ import annotations

import _thread
import atexit
import errno
import io
import os
import signal
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn, TextIO

import click

from dpaudit.cli.completion import with_files
from dpaudit.cli.exits import ARGUMENTS, Exit, Invocation, epilogue
from dpaudit.cli.mistakes import explained, remedies_of
from dpaudit.errors import DpauditError, UsageError, nearest, one_line
from dpaudit.notices import notices_on_stderr
from dpaudit.version import __version__

__all__ = ["invoke", "main", "run"]

_OTHERS = {
    "reproduce": (
        "dpaudit.notes.reproduce.command:command",
        "Recompute the tables, captions and figures of the notes.",
    ),
    "gate": (
        "dpaudit.cli.gate_command:command",
        "Check mechanisms and claims against their budgets and verdicts, for CI.",
    ),
    "verify": (
        "dpaudit.cli.verify_command:command",
        "Recheck a report from the definitions, with independent arithmetic.",
    ),
    "diff": (
        "dpaudit.cli.diff_command:command",
        "Compare two reports: changed numbers and verdicts.",
    ),
    "prove": (
        "dpaudit.cli.prove_command:command",
        "Decide the claims of the notes, and your own, by evidence.",
    ),
    "new": (
        "dpaudit.cli.new_command:command",
        "Write a mechanism, program, gate or claim to start from, with its test.",
    ),
    "list": (
        "dpaudit.cli.catalogue:list_command",
        "List the mechanisms.",
    ),
    "show": (
        "dpaudit.cli.catalogue:show_command",
        "Show a mechanism: definition, source, parameters, and the reason for each default.",
    ),
    "schema": (
        "dpaudit.cli.catalogue:schema_command",
        "Print the JSON Schema of a report.",
    ),
}
"""Commands that ask nothing of a mechanism: the place as ``module:attribute``, and the line in the
help. Those that do are in the table of questions."""

_COMPLETION = "_DPAUDIT_COMPLETE"
_NOT_WRITTEN = (errno.EBADF, errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT)
"""Error numbers of a standard output that cannot be written to."""

_AGAIN_AFTER = 0.05
"""Seconds until an interrupt that was dropped is repeated."""

_LONGEST, _HEAD, _TAIL = 1000, 600, 300
"""Largest length of a message, and lengths of the two ends that are kept of a longer one."""


class _LazyGroup(click.Group):
    """Commands by name; each is found where it is defined when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_lines())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        # First what needs no table of questions, which takes milliseconds.
        if cmd_name in _OTHERS:
            module, _, attribute = _OTHERS[cmd_name][0].partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            return with_files(command)
        from dpaudit.question import question_of_command

        question = question_of_command(cmd_name)
        if question is None:
            raise UsageError(f"no command is called {cmd_name!r}; {nearest(cmd_name, _lines())}")
        from dpaudit.cli.sweeping import command_of  # here: the version needs no command

        return with_files(command_of(question))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta[ARGUMENTS] = list(rest)  # Click takes the words away as it reads them
        if command is not None and not ctx.resilient_parsing:
            _refuse_repeated(command, ctx, rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_lines().items()))


def _lines() -> dict[str, str]:
    """Return the line in the help of every command."""
    from dpaudit.question import questions

    of_questions = {
        question.name: question.line for question in questions() if question.has_command
    }
    return of_questions | {name: line for name, (_, line) in _OTHERS.items()}


def _refuse_repeated(command: click.Command, above: click.Context, rest: list[str]) -> None:
    """Refuse an option of one value that is given twice; Click would forget the first."""
    context = click.Context(command, parent=above, info_name=command.name)
    given: list[click.Parameter] = []
    for option in command.make_parser(context).parse_args(list(rest))[2]:
        if isinstance(option, click.Option) and not (option.multiple or option.is_flag):
            if option in given:
                raise UsageError(f"{option.opts[0]} is given twice; give it once")
            given.append(option)


@click.group(
    cls=_LazyGroup,
    epilog=epilogue(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="dpaudit")
def main() -> None:
    """Certified two-sided audits of differentially private mechanisms.

    check gives intervals that provably contain ε and δ, over every pair of neighbouring datasets,
    with the worst pair and output as a witness. sample and canaries give statistical lower bounds.
    """


def run() -> None:
    """Run the command line and exit with the code that ``--help`` documents."""
    _open_what_is_closed()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # keep what is finished there too
    if getattr(signal, "SIGHUP", None) and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(
            signal.SIGHUP, signal.default_int_handler
        )  # a closed terminal; nohup ignores it
    sys.unraisablehook = _unraisable
    if _COMPLETION in os.environ:
        with suppress(DpauditError):  # a line that is none completes to nothing
            main.main(prog_name="dpaudit", complete_var=_COMPLETION)
        sys.exit(0)
    _leave(invoke(sys.argv[1:]))


def _unraisable(dropped: sys.UnraisableHookArgs) -> None:
    """Interrupt once more where the first interrupt came at a moment that drops exceptions.

    Python runs the handler of a signal between any two instructions, those of a finaliser or of a
    weak reference's callback among them, and what is raised there goes no further.
    """
    if dropped.exc_type is KeyboardInterrupt:
        again = threading.Timer(_AGAIN_AFTER, _thread.interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(dropped)


def _leave(code: int) -> NoReturn:
    """Exit; where nothing else is running, without taking the interpreter apart.

    That takes a tenth of a second where a plot was drawn, and the operating system does as well.
    """
    if threading.active_count() == 1:
        atexit._run_exitfuncs()
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    sys.exit(code)


def invoke(arguments: list[str]) -> int:
    """Run the command line on ``arguments`` and return its exit code."""
    if sys.stdout is sys.__stdout__ and sys.stdout is not None:
        sys.stdout = _lasting(sys.stdout)
    try:
        return _invoke(arguments)
    except (KeyboardInterrupt, click.Abort):
        return _interrupted()
    except SystemError as error:
        # Of an interrupt that comes inside of some functions in C, Python makes this error.
        if isinstance(error.__cause__, KeyboardInterrupt):
            return _interrupted()
        if os.environ.get("DPAUDIT_TRACEBACK"):
            raise
        return _complain(*explained(error))
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None and error.errno in _NOT_WRITTEN:
            _drop_stdout()
            reason = "it is closed" if error.errno == errno.EBADF else error.strerror
            return _complain(f"cannot write to the standard output: {reason}", Exit.USAGE)
        if not isinstance(error, (click.ClickException, DpauditError)) and os.environ.get(
            "DPAUDIT_TRACEBACK"
        ):
            raise
        return _complain(*explained(error), remedies_of(error, arguments))
    except SystemExit:
        raise
    except BaseException as error:  # of a file that is not ours
        return _complain(f"a file that was loaded raised {one_line(error)}", Exit.USAGE)


def _interrupted() -> int:
    """Say that nothing was finished, and return the exit code."""
    if sys.stderr.isatty():
        click.echo(err=True)  # after the ^C
    from dpaudit.audit.workers import current_cap, time_is_up

    if time_is_up():  # before, or after, what a command itself does
        cap = current_cap() or 0
        return _complain(f"time cap: nothing was finished after {cap:g} s", Exit.UNDECIDED)
    return _complain("interrupted; nothing was finished", Exit.INTERRUPTED)


def _invoke(arguments: list[str]) -> int:
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    try:
        # Not Click's own main: it ends with 1, which is a finding here, when the reader went away.
        invocation = Invocation(invoke, arguments)
        context = main.make_context("dpaudit", list(arguments), obj=invocation)
        # Here and above, as the context answers --version, which needs none of it.
        from dpaudit.cli.bars import progress_on_stderr

        with context, notices_on_stderr(), progress_on_stderr():
            return int(main.invoke(context) or 0)
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.exceptions.NoArgsIsHelpError as help_wanted:
        click.echo(help_wanted.format_message())
        return Exit.USAGE


def _open_what_is_closed() -> None:
    """Put something where standard input, output or error is closed.

    Else the next file that is opened takes its place.  What is put in place of the output cannot be
    written to: a report that would be lost is an error.
    """
    for descriptor, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, mode), True)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w")


class _Lasting(io.FileIO):
    """A standard output whose reader may go away (… | head): the exit code stays the verdict's."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            return memoryview(data).nbytes


def _lasting(stream: TextIO) -> TextIO:
    stream.flush()
    raw = io.BufferedWriter(_Lasting(stream.fileno(), "wb", closefd=False))
    return io.TextIOWrapper(
        raw, stream.encoding, stream.errors, line_buffering=bool(stream.line_buffering)
    )


def _drop_stdout() -> None:
    """Point the standard output at nothing, so that no flush complains at the end."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def _complain(message: str, code: Exit, further: Iterable[str] = ()) -> Exit:
    with suppress(OSError):  # nobody may be there to read it
        click.echo(f"dpaudit: {_one_line(message)}", err=True)
        for line in further:  # whole: a command without its middle is another command
            click.echo(line, err=True)
    return code


def _one_line(message: str) -> str:
    """Return a message on one line that is safe to print, without the middle of a long one."""
    text = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
    return text if len(text) <= _LONGEST else f"{text[:_HEAD]} … {text[-_TAIL:]}"
