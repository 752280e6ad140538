"""An interrupt counts whenever it comes, also at a moment at which Python drops exceptions."""

import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from dpaudit.cli.exits import Exit
from dpaudit.cli.main import main
from tests.cli.long_commands import LONG, SHORT
from tests.interrupts import heeding_interrupts
from tests.processes import those_in

PROGRAM = """
import signal, sys, time, weakref
import dpaudit.cli.main as main

class Held:
    pass

class Finalised:
    def __del__(self):
        signal.raise_signal(signal.{signal})

def command(arguments):
    {moment}
    for _ in range(600):
        time.sleep(0.1)
    return 0

main._invoke = command
main.run()
"""

MOMENTS = {
    "in a finaliser": "Finalised()",
    "in a weak reference's callback": (
        "held = Held(); ref = weakref.ref(held, lambda r: signal.raise_signal(signal.SIGINT)); "
        "del held"
    ),
    "in a function in C": (
        'raise SystemError("returned a result with an exception set") from KeyboardInterrupt()'
    ),
    "anywhere else": "signal.raise_signal(signal.SIGINT)",
}


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interrupt_is_never_lost(moment: str, number: str) -> None:
    program = PROGRAM.format(moment=MOMENTS[moment], signal=number).replace("SIGINT", number)
    with heeding_interrupts():
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False
        )
    assert (done.returncode, done.stdout) == (Exit.INTERRUPTED, "")
    assert done.stderr == "dpaudit: interrupted; nothing was finished\n"


def test_a_closed_terminal_that_is_not_heard_of_ends_nothing() -> None:
    program = PROGRAM.format(moment="signal.raise_signal(signal.SIGHUP); return 0", signal="SIGHUP")
    ignoring = f"import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n{program}"
    done = subprocess.run(
        [sys.executable, "-c", ignoring], capture_output=True, text=True, timeout=50, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


WITHIN = 2.0
"""Seconds in which a command ends after a signal."""
_NOTHING = "dpaudit: interrupted; nothing was finished"
_FINISHED = ("is reported", "is kept", "are reported")


def test_every_command_is_interrupted_or_short() -> None:
    """A new command needs a row: a line that takes long, or why none does."""
    commands = set(
        main.list_commands(main.make_context("dpaudit", ["--help"], resilient_parsing=True))
    )
    assert {one.command for one in LONG.values()} | set(SHORT) == commands
    assert not {one.command for one in LONG.values()} & set(SHORT)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["int", "term"])
@pytest.mark.parametrize("name", LONG)
def test_every_long_command_ends_in_time(name: str, number: signal.Signals, tmp_path: Path) -> None:
    """It ends with 130 and a line, leaves no process, and prints what it says is finished."""
    command = LONG[name]
    for file, content in command.files.items():
        (tmp_path / file).write_text(content)
    program = [sys.executable, "-m", "dpaudit"]
    if command.report:
        words = [*shlex.split(command.report), "--format", "json", "--output", "report.json"]
        subprocess.run([*program, *words], cwd=tmp_path, check=False)
    with (
        heeding_interrupts(),
        subprocess.Popen(
            [*program, *shlex.split(command.words)],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        try:
            time.sleep(4.0)  # it has loaded what it needs, and is at work
            assert process.poll() is None, "it is over already: this line is no long one"
            began = time.monotonic()
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            took = time.monotonic() - began
        finally:
            process.kill()
    assert took < WITHIN
    assert process.returncode == Exit.INTERRUPTED
    said = err.strip().splitlines()[-1]
    kept = out + "".join(path.read_text() for path in tmp_path.glob("saved.json"))
    assert said == _NOTHING or said.endswith(_FINISHED), err
    assert bool(kept.strip()) is (said != _NOTHING)
    assert those_in(tmp_path) == []


def capped() -> list[str]:
    """Return the rows of commands with a time cap."""
    context = main.make_context("dpaudit", ["--help"], resilient_parsing=True)
    return [
        name
        for name, one in LONG.items()
        if any("--time-cap" in p.opts for p in command_called(one.command, context).params)
    ]


def command_called(name: str, context: click.Context) -> click.Command:
    command = main.get_command(context, name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", capped())
def test_every_time_cap_ends_as_its_help_says(name: str, tmp_path: Path) -> None:
    """It is a cap in every word, and no interrupt: exit code 3, or 1 for a violation of a hunt."""
    command = LONG[name]
    for file, content in command.files.items():
        (tmp_path / file).write_text(content)
    program = [sys.executable, "-m", "dpaudit"]
    if command.report:
        words = [*shlex.split(command.report), "--format", "json", "--output", "report.json"]
        subprocess.run([*program, *words], cwd=tmp_path, check=False)
    words = [*shlex.split(command.words.replace("--time-cap 600", "")), "--time-cap", "3"]
    began = time.monotonic()
    done = subprocess.run(
        [*program, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert time.monotonic() - began < 3 + 2 + 8  # the start of the interpreter, on a busy machine
    assert done.returncode in ((1, 3) if command.command == "hunt" else (3,))
    said = " ".join((done.stdout + done.stderr).split())
    assert re.search(r"time cap|time was used up|in time|after 3 s", said), said
    assert "interrupted" not in said
    assert those_in(tmp_path) == []
