"""What a process has started, how all of it is ended, and processes without the script.

Processes that are started here do not import the script of the one that starts them, and never need
it: a mechanism of a script or notebook is audited where it is.  They would carry the script out
again, and one without ``if __name__ == "__main__":`` would start others in its turn.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import ForkServerContext, ForkServerProcess, SpawnProcess
from pathlib import Path
from types import ModuleType

from dpaudit.mechanisms.references import check_nothing_is_loaded

__all__ = ["ForkServer", "Spawned", "kill_marked", "kill_started", "marked", "stay_parent"]

_MARK = "DPAUDIT_CONTAINED"
_SET_CHILD_SUBREAPER = 36  # of prctl(2), on Linux
_ROUNDS = 100


def _started_by(pid: int) -> list[int]:
    """Return the processes that ``pid`` and they themselves have started, where that is known.

    One that leads a group or a session of its own is not in the group of ``pid``.
    """
    found: list[int] = []
    waiting = [pid]
    while waiting:
        tasks = Path(f"/proc/{waiting.pop()}/task")
        with suppress(OSError):
            for listed in tasks.glob("*/children"):
                waiting += (children := [int(one) for one in listed.read_text().split()])
                found += children
    return found


def kill_started(pid: int) -> None:
    """Kill what a process has started, and what that starts meanwhile."""
    _kill_all(lambda: _started_by(pid))


def kill_marked(mark: str) -> None:
    """Kill what has a mark in its environment: what lost its parents when those died."""

    def found() -> Iterator[int]:
        for place in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if mark.encode() in place.read_bytes():
                    yield int(place.parent.name)

    _kill_all(found)


def _kill_all(listed: Callable[[], Iterable[int]]) -> None:
    """Kill all that is listed, until there is nothing new: they may start others as they go."""
    killed: set[int] = set()
    for _ in range(_ROUNDS):
        new = set(listed()) - killed
        if not new:
            return
        for one in new:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        killed |= new


@contextmanager
def marked(mark: str) -> Iterator[None]:
    """Give what is started meanwhile a mark in its environment, beside those there are."""
    before = os.environ.get(_MARK)
    os.environ[_MARK] = mark if before is None else f"{before} {mark}"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_MARK]
        else:
            os.environ[_MARK] = before


def stay_parent() -> None:
    """Become the parent of descendants whose own parents end, where the system has that."""
    if sys.platform != "linux":
        return
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


@contextmanager
def _without_main() -> Iterator[None]:
    check_nothing_is_loaded()
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class Spawned(SpawnProcess):
    """A process with an interpreter of its own."""

    def start(self) -> None:
        with _without_main():
            super().start()


class _Forked(ForkServerProcess):
    def start(self) -> None:
        # The first starts the server, which answers Ctrl-C with a traceback until it has loaded.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with _without_main():
                super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)


class ForkServer(ForkServerContext):
    """Processes that are forked from one that has loaded some modules, and does nothing else."""

    Process = _Forked
