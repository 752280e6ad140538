"""Worker processes for sweeps: as many as are worth starting, and gone when they are not needed.

Processes, not threads: the screen is a stream of NumPy calls of some 20 microseconds each, and
threads spend their time handing the interpreter's lock around (measured at n = 8000: two threads
are 1.2 times as fast as one, four slower than one, four processes 3.5 times as fast as one).
Balls hold that lock throughout.  A process also knows here whether it has a time cap, and whether
its time is up.
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import ExitStack, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from dpaudit.errors import DomainError
from dpaudit.machine import wait_beside

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from concurrent.futures import Executor, ProcessPoolExecutor
    from multiprocessing.context import BaseContext

__all__ = [
    "MAX_JOBS",
    "check_jobs",
    "current_cap",
    "executor_beside",
    "executor_for",
    "executors_for",
    "is_contained",
    "processors",
    "set_time_cap",
    "set_time_up",
    "time_is_up",
    "worthwhile_jobs",
]


_SECONDS_WORTH_A_WORKER = 0.6  # starting one takes about half of that
_SECONDS_TO_LEAVE = 1.0  # a signal ends a command within two
_PRELOADED = ["dpaudit.audit.sweep", "dpaudit.audit.screen"]

MAX_JOBS = 1024
"""More worker processes than this are a mistake."""


def worthwhile_jobs(seconds: float) -> int:
    """Return how many processes a sweep is worth that takes one process so many ``seconds``."""
    # The time may be infinite, which no whole number is.
    worth = int(min(seconds, 1e6) / _SECONDS_WORTH_A_WORKER)
    return max(1, min(processors(), MAX_JOBS, worth))


def processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        # A container may have fewer than the machine.
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_jobs(jobs: object) -> int:
    """Return a number of processes that makes sense; ``DomainError`` for anything else."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= MAX_JOBS:
        raise DomainError("jobs", jobs, f"must be a whole number from 1 to {MAX_JOBS}")
    return jobs


@contextmanager
def executor_for(jobs: int, *, apart: bool = False) -> Iterator[Executor | None]:
    """Give an executor of ``jobs`` processes, or None for one; leaving early ends the workers.

    With ``apart`` one is a process of its own as well: for long calls of libraries, in which Python
    heeds no signal.
    """
    if check_jobs(jobs) == 1 and not apart:
        yield None
        return
    with _pool(jobs, _server(jobs)) as executor:
        yield executor


def _server(jobs: int) -> BaseContext:
    """Return a context that forks workers from a process which has loaded all that they need."""
    # A sweep in this process alone does without.
    from dpaudit.audit.processes import ForkServer, allow_more

    allow_more(2 * jobs)
    context = ForkServer()
    context.set_forkserver_preload(_PRELOADED)
    return context


@contextmanager
def executors_for(jobs: int) -> Iterator[list[Executor]]:
    """Give ``jobs`` executors of one process each, none for one, so that it is known who does what.

    Leaving early ends the workers.
    """
    if check_jobs(jobs) == 1:
        yield []
        return
    context = _server(jobs)
    with ExitStack() as stack:
        yield [stack.enter_context(_pool(1, context)) for _ in range(jobs)]


@contextmanager
def executor_beside(*modules: str) -> Iterator[Executor | None]:
    """Give an executor of one process, which imports ``modules`` while this one goes on.

    It gives None where that gains nothing, or may not be: on one processor, within a time cap, and
    where other threads run here, whose locks a fork would take along.
    """
    if processors() < 2 or is_contained() or _threads() != 1:
        yield None
        return
    from multiprocessing import get_context

    with _pool(1, get_context("fork")) as executor:  # what is imported here it need not import
        for module in modules:
            executor.submit(import_module, module)
        yield executor


def _threads() -> int | None:
    """Return how many threads this process has, those of libraries too; None if nobody can say."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return None


@contextmanager
def _pool(jobs: int, context: BaseContext) -> Iterator[Executor]:
    """Give an executor, shut down at the end; at an exception its workers are ended at once."""
    from concurrent.futures import ProcessPoolExecutor

    executor = ProcessPoolExecutor(jobs, mp_context=context, initializer=_leave_interrupts)
    try:
        yield executor
    except BaseException:
        _end(executor)
        raise
    # A worker would finish its size first, however long that takes.
    if time_is_up():
        _end(executor)
    else:
        executor.shutdown()


def _end(executor: ProcessPoolExecutor) -> None:
    """End the workers of an executor, whatever they do."""
    workers = list((executor._processes or {}).values())  # a shut executor forgets both
    manager: threading.Thread | None = getattr(executor, "_executor_manager_thread", None)
    executor.shutdown(wait=False, cancel_futures=True)
    for worker in workers:
        worker.kill()
    if manager is not None:
        # Python 3.11 wakes this thread at exit without a lock, by a pipe that the thread closes.
        manager.join(_SECONDS_TO_LEAVE)


def _leave_interrupts() -> None:
    """Let the parent alone answer Ctrl-C: it decides what is kept, and ends the workers.

    What a user's mechanism prints in a worker is no part of the report.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    wait_beside(_leave_with_parent)


def _leave_with_parent() -> None:
    """End this worker when the process that it works for is gone, however that ended."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


_cap: list[float] = []
_over: list[bool] = []


def set_time_cap(seconds: float) -> None:
    """Note that this process is a contained one, which has so many ``seconds``."""
    _cap[:] = [seconds]


def set_time_up() -> None:
    """Note that the time of this process is up."""
    _over[:] = [True]


def is_contained() -> bool:
    """Tell whether this process is one that :mod:`dpaudit.audit.isolated` started."""
    return bool(_cap)


def current_cap() -> float | None:
    """Return the time cap of this process in seconds; None if it has none."""
    return _cap[0] if _cap else None


def time_is_up() -> bool:
    """Tell whether the time cap of this process has been reached."""
    return bool(_over)
