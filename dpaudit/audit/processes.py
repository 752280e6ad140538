"""Processes: those a process has started, ways to end them all, and starts without the script.

Processes that are started here do not import the script of the one that starts them, and never need
it: a mechanism of a script or notebook is audited where it is.  They would carry the script out
again, and one without ``if __name__ == "__main__":`` would start others in its turn.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import ForkServerContext, ForkServerProcess, SpawnProcess
from pathlib import Path
from types import ModuleType
from typing import Any

from dpaudit.mechanisms.references import check_nothing_is_loaded

__all__ = [
    "MOST_STARTED",
    "ForkServer",
    "Spawned",
    "allow_more",
    "change_mark",
    "hold_number",
    "kill_marked",
    "kill_started",
    "living",
    "marked",
    "stay_parent",
]

_MARK = "DPAUDIT_CONTAINED"
_SET_CHILD_SUBREAPER = 36  # of prctl(2), on Linux
MOST_STARTED = 128
"""So many processes, and those that work for an audit, may live at once."""
_PATIENCE = 60.0
"""Seconds in which all that was started is to be gone: the system may be slow to end it."""
_PAUSE = 0.001
_held: list[Any] = []


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
                with suppress(OSError):  # one that ends meanwhile says nothing of the others
                    waiting += (children := [int(one) for one in listed.read_text().split()])
                    found += children
    return found


def _group_of(pid: int) -> int | None:
    """Return the group of a process; None for one that has ended, or is nowhere."""
    try:
        # The name of a program may have spaces and brackets: the last one ends it.
        state, _, group, *_ = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return None
    return None if state in "ZX" else int(group)


def living(pid: int) -> list[int]:
    """Return what a process has started, and what that has, of all that has not ended."""
    return [one for one in _started_by(pid) if _group_of(one) is not None]


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
    """Kill all that is listed until nothing of it is alive: they may start others as they go.

    One round kills all that it lists, faster than they can start as many.  A group that one of them
    leads is killed at once, with those that it starts in that moment.
    """
    patience = time.monotonic() + _PATIENCE
    while time.monotonic() < patience:
        groups = [(pid, group) for pid in listed() if (group := _group_of(pid)) is not None]
        if not groups:
            return
        for pid, group in groups:
            with suppress(ProcessLookupError, PermissionError):
                (os.killpg if pid == group else os.kill)(pid, signal.SIGKILL)
        time.sleep(_PAUSE)


def hold_number(counts: Any) -> None:
    """Hold what this process starts to a number: a fork that is too many ends all others.

    Forks of forks grow faster than whoever started this process could count them, and leave it no
    processor to do so.  Programs that are started otherwise are counted there.

    Args:
        counts: shared numbers: how many forks there were since all were counted, how many
            processes there may be, whether there were more, and whether one counts them.
    """
    leader, before = os.getpid(), _tasks()

    def count() -> None:
        counts[0] += 1
        if counts[0] <= counts[1]:
            return
        if _tasks() - before < counts[1] // 2:  # what was forked before has ended
            counts[0] = 0
            return
        if counts[3]:  # another counts; it must not have to count this one as well
            os._exit(1)
        counts[3] = 1
        present = _started_by(leader)
        if len(present) > counts[1]:
            counts[2] = 1
            while present:
                for pid in set(present) - {os.getpid()}:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
                present = [pid for pid in living(leader) if pid != os.getpid()]
            os._exit(1)
        counts[0], counts[3] = len(present), 0

    _held[:] = [counts]
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=count)


def _tasks() -> int:
    """Return how many threads the system has; 0 where it does not say."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0


def allow_more(number: int) -> None:
    """Let this process start so many processes beyond what it may, where it is held to a number."""
    for counts in _held:
        counts[1] += number


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


def change_mark(before: str, after: str) -> None:
    """Change a mark of this process, and of what it starts, to another of the same length.

    What is started without another program has the environment that this one was started with.
    That lies in its memory, where the system reads it.
    """
    import ctypes

    value = os.environ[_MARK]
    place = value.encode().find(before.encode())
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_void_p
    address = getenv(_MARK.encode())
    if place < 0 or len(before) != len(after) or not address:
        raise ValueError(f"{before} is no mark of this process")
    # ``os.environ`` would write to new memory, and the system reads the old.
    ctypes.memmove(address + place, after.encode(), len(after))
    os.environ[_MARK] = value.replace(before, after)


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
    # An empty module says nothing of a script that a child should import.
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
