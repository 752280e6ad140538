"""Worker processes for sweeps: as many as are worth starting, and gone when they are not needed."""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dpaudit.errors import DomainError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

__all__ = ["MAX_JOBS", "executor_for", "worthwhile_jobs"]

_ENTRIES_WORTH_A_WORKER = 400_000  # under half a second of work: starting a worker costs as much
MAX_JOBS = 1024
"""More worker processes than this are a mistake."""


def worthwhile_jobs(work: int, sizes: int) -> int:
    """Return how many processes a sweep of ``work`` (pair, output) entries is worth."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(available or 1, sizes, work // _ENTRIES_WORTH_A_WORKER))


@contextmanager
def executor_for(jobs: int) -> Iterator[Executor | None]:
    """Give an executor of ``jobs`` processes, or None for one; leaving early ends the workers."""
    if isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= MAX_JOBS:
        raise DomainError("jobs", jobs, f"must be a whole number from 1 to {MAX_JOBS}")
    if jobs == 1:
        yield None
        return
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    executor = ProcessPoolExecutor(jobs, mp_context=context, initializer=_leave_interrupts)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in list((executor._processes or {}).values()):
            process.terminate()
        raise
    executor.shutdown()


def _leave_interrupts() -> None:
    """Let the parent alone answer Ctrl-C: it decides what is kept, and ends the workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
