"""Work that may never end, in a process of its own that is ended with everything it started.

The process has a group of its own.  It is told of Ctrl-C, and of the time cap, by one signal, which
it can answer by reporting what is finished; if it does not within a few seconds, or Ctrl-C comes
again, the whole group is killed.  It ends itself when whoever started it is gone.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

from dpaudit.audit.time_cap import set_time_cap, set_time_up
from dpaudit.errors import TimeCapReached

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

__all__ = ["GRACE", "Ending", "run_contained"]

GRACE = 5.0
"""Seconds that a process has to report what is finished when it is to end."""

_POLL, _LEAVE = 0.2, 1.0


@dataclass(frozen=True)
class Ending:
    """How a contained run ended."""

    code: int | None
    """What the run returned; None if its process was ended from outside, or ended itself."""
    timed_out: bool = False
    """Whether the time cap was reached."""
    interrupted: bool = False
    """Whether Ctrl-C was pressed."""
    died: str = ""
    """How the process died of itself, in words; empty if it did not."""


def run_contained(function: Callable[[list[str]], int], arguments: list[str], cap: float) -> Ending:
    """Run ``function(arguments)`` in a process of its own, for ``cap`` seconds at most.

    Its standard output and error are those of this process.  ``TimeCapReached`` is raised in it
    when the time is up, ``KeyboardInterrupt`` when Ctrl-C is pressed here.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(theirs, function, arguments, cap))
    sys.stdout.flush()
    sys.stderr.flush()
    process.start()
    theirs.close()
    try:
        return _watch(process, ours, cap)
    finally:
        _kill(process)
        ours.close()


def _watch(process: BaseProcess, said: Connection, cap: float) -> Ending:
    # The cap counts from when the process is up; starting it takes part of a second.
    hard = time.monotonic() + cap + GRACE
    interrupted = False
    while True:
        try:
            if wait([process.sentinel, said], timeout=_POLL):
                with suppress(EOFError):
                    code: int = said.recv()
                    # All is written; workers that do not come to an end are not waited for.
                    wait([process.sentinel], timeout=_LEAVE)
                    return Ending(code, interrupted=interrupted)
                return _died(process, interrupted=interrupted)
            if time.monotonic() > hard:
                return Ending(None, timed_out=not interrupted, interrupted=interrupted)
        except KeyboardInterrupt:
            if interrupted:
                return Ending(None, interrupted=True)
            interrupted = True
            hard = min(hard, time.monotonic() + GRACE)
            with suppress(ProcessLookupError):
                os.kill(process.pid or 0, signal.SIGTERM)


def _died(process: BaseProcess, *, interrupted: bool) -> Ending:
    """Return how a process ended that said nothing."""
    wait([process.sentinel], timeout=GRACE)
    _kill(process)
    if interrupted:
        return Ending(None, interrupted=True)
    code = process.exitcode or 0
    how = f"signal {-code}" if code < 0 else f"code {code}"
    return Ending(None, died=f"the process of the audit was ended from inside ({how})")


def _kill(process: BaseProcess) -> None:
    """End the process and all it started."""
    if process.pid is None:
        return
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.join()


def _work(
    results: Connection, function: Callable[[list[str]], int], arguments: list[str], cap: float
) -> None:
    """Run the function: what the process is for."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    set_time_cap(cap)
    timed = hasattr(signal, "setitimer")
    if timed:
        signal.signal(signal.SIGALRM, _time_is_up)
        signal.setitimer(signal.ITIMER_REAL, cap)
    code = function(arguments)
    if timed:
        signal.setitimer(signal.ITIMER_REAL, 0)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    results.send(code)
    for worker in multiprocessing.active_children():  # they may never come to an end
        worker.kill()


def _time_is_up(number: int, frame: object) -> None:
    set_time_up()
    raise TimeCapReached


def _leave_with_parent() -> None:
    """End this process, and all it started, when the one that started it is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        if hasattr(os, "killpg"):
            os.killpg(os.getpgid(0), signal.SIGKILL)
        os._exit(1)
