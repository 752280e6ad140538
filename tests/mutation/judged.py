"""A plug-in of pytest: after collection, every mutant is tried by the tests that run its function.

A mutant is tried in a copy of this process, made after all tests were collected: the code of the
changed functions is replaced in it, and the file is changed for the processes that tests start.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from tests.mutation.sites import ROOT, Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator


__all__ = ["PASSED", "WORK"]

PASSED = "passed"
WORK = "DPAUDIT_MUTANTS"
"""The variable of the environment that names the file of what is to be done."""


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a module and of all functions in it, in order."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno


def _replace(path: Path, content: bytes) -> None:
    """Give the functions of a file that are loaded the code of its changed content.

    A function is told by its name and line.  Where two share both, as two generators of a line do,
    the one that they are in makes them anew.
    """
    codes = list(_codes(compile(content, str(path), "exec", dont_inherit=True)))
    places = Counter(map(_place, codes))
    changed = {place: code for code in codes if places[place := _place(code)] == 1}
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__code__.co_filename == str(path):
            after = changed.get(_place(function.__code__))
            if after is not None and after != function.__code__:
                function.__code__ = after


def _run(items: list[pytest.Item], told: int) -> None:
    """Run tests until one fails, write its name, and end this process."""
    failed: list[str] = []

    class Watch:
        @staticmethod
        def pytest_runtest_logreport(report: pytest.TestReport) -> None:
            if report.failed and not failed:
                failed.append(report.nodeid)

    items[0].config.pluginmanager.register(Watch())
    for item, after in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        if failed:
            break
    os.write(told, (failed[0] if failed else PASSED).encode())
    os._exit(0)


def _tried(items: list[pytest.Item], change: tuple[Path, bytes] | None, seconds: float) -> str:
    """Return the name of the test that fails, ``PASSED``, or what else became of the process."""
    here, there = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        try:
            if change is not None:
                _replace(*change)
                change[0].write_bytes(change[1])
            _run(items, there)
        finally:
            os.write(there, b"the process raised")
            os._exit(1)
    os.close(there)
    end = time.monotonic() + seconds
    while time.monotonic() < end and os.waitpid(pid, os.WNOHANG) == (0, 0):
        time.sleep(0.02)
    over = time.monotonic() >= end
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    if over:
        os.waitpid(pid, 0)
    os.set_blocking(here, False)
    answer = b""
    with contextlib.suppress(BlockingIOError):  # what tests started may hold the other end
        answer = os.read(here, 10_000)
    os.close(here)
    return answer.decode() or ("does not end" if over else "the process ended")


@pytest.hookimpl(tryfirst=True)  # instead of the loop of pytest itself
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Try every mutant, and write a line for each."""
    work: dict[str, Any] = json.loads(Path(os.environ[WORK]).read_text())
    items = {item.nodeid: item for item in session.items}
    with Path(work["answers"]).open("a") as answers:
        for number, told, names, seconds in work["mutants"]:
            chosen = [items[name] for name in names if name in items]
            path, start = ROOT, time.monotonic()
            change = None
            if told is not None:
                mutant = Mutant(*told)
                path = ROOT / mutant.file
                content = path.read_bytes()
                change = path, mutant.applied(content)
            try:
                found = _tried(chosen, change, seconds) if chosen else PASSED
            finally:
                if told is not None:
                    path.write_bytes(content)
            row = [number, len(chosen), found, round(time.monotonic() - start, 2)]
            answers.write(json.dumps(row) + "\n")
            answers.flush()
            print(row, file=sys.stderr, flush=True)
    return True
