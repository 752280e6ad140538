"""Running tasks with a progress bar, and keeping what is finished when interrupted."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.runner import Workers, prepare
from dpaudit.audit.workers import MAX_JOBS, time_is_up
from dpaudit.cli.bars import progress_bar
from dpaudit.cli.exits import Exit
from dpaudit.errors import ParameterError
from dpaudit.machine import amount, duration

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from dpaudit.audit.runner import Task, Work

__all__ = [
    "NowAndThen",
    "exit_when_stopped",
    "file_name",
    "plot_name",
    "read_jobs",
    "read_workers",
    "run_tasks",
]

_SECONDS_WORTH_A_BAR = 0.5
_SECONDS_BETWEEN_SAVES = 2.0


def read_workers(jobs: str | None, dask: str | None) -> Workers:
    """Return the workers asked for; ``ParameterError`` for nonsense."""
    if jobs is not None and dask is not None:
        raise ParameterError("jobs", "--jobs and --dask contradict each other; give one of them")
    return Workers(read_jobs(jobs), dask)


def run_tasks(
    tasks: Sequence[Task],
    workers: Workers,
    *,
    finished: Sequence[Sequence[Any]] = (),
    save: Callable[[list[list[Any]]], None] | None = None,
) -> tuple[list[list[Any]], bool]:
    """Return the results of each task, and whether Ctrl-C cut the run short.

    Args:
        tasks: the tasks.
        workers: the processes that share them.
        finished: results of an earlier run, which are not computed again.
        save: called with all results so far every few seconds, and before an error ends the run.
    """
    collected = [list(results) for results in finished] or [[] for _ in tasks]

    def save_any(results: list[list[Any]]) -> None:
        if save is not None and any(results):
            save(results)

    work = prepare(tasks, workers, kept=finished)
    bar = _bar(work)
    saving = NowAndThen(save_any)
    try:
        with work.executor() as (executor, count), bar as progress:
            for index, result in work.results(executor, count, lambda n: progress(advance=n)):
                collected[index].append(result)
                saving.when_due(lambda: collected)
    except KeyboardInterrupt:
        if not any(collected):  # there is nothing to report: end as an interrupt does
            raise
        return collected, True
    except Exception:
        save_any(collected)
        raise
    return collected, False


def _bar(work: Work) -> AbstractContextManager[Callable[..., None]]:
    """Show on a terminal how many of the pairs of some work have been covered."""
    names = dict.fromkeys(task.mechanism.name for task in work.tasks)
    return progress_bar(
        f"{', '.join(names)}, {duration(work.seconds)}, {amount(work.bytes)} a process",
        "pairs",
        work.pairs,
        worth_it=work.seconds >= _SECONDS_WORTH_A_BAR,
    )


class NowAndThen:
    """Saves results every few seconds, and spends at most a twentieth of the time on it."""

    def __init__(self, save: Callable[[Any], None]) -> None:
        """Take the function that saves."""
        self.save = save
        self.due = time.monotonic() + _SECONDS_BETWEEN_SAVES

    def when_due(self, results: Callable[[], Any]) -> None:
        """Save the results, if the last time is long enough ago."""
        start = time.monotonic()
        if start >= self.due:
            self.save(results())
            end = time.monotonic()
            # A report that takes long to write is written less often.
            self.due = end + max(_SECONDS_BETWEEN_SAVES, 20 * (end - start))


def exit_when_stopped(code: Exit) -> Exit:
    """Say why a run was cut short; return its exit code, ``code`` where the time was up."""
    if time_is_up():
        click.echo("dpaudit: time cap reached; what was finished is reported", err=True)
        return code
    click.echo("dpaudit: interrupted; what was finished is reported", err=True)
    return Exit.INTERRUPTED


def read_jobs(text: str | None) -> int | None:
    """Return the number of workers asked for, None if left open; ``ParameterError`` for others."""
    if text is None:
        return None
    if not text.isdecimal() or not text.isascii() or not 1 <= int(text[:9]) <= MAX_JOBS:
        raise ParameterError("jobs", f"jobs = {text}: must be a whole number from 1 to {MAX_JOBS}")
    return int(text)


def file_name(text: str) -> str:
    """Return ``text`` as a part of a file's name."""
    return re.sub(r"[^\w.+-]+", "_", text)[:100]


def plot_name(command: str, tasks: Sequence[Task]) -> str:
    """Return a default file name, without ending, as ``check-EHDS-n10-180``."""
    names = dict.fromkeys(file_name(task.mechanism.name) for task in tasks)
    mechanisms = "-".join(names)[:100]
    first = min(task.sizes[0] for task in tasks)
    last = max(task.sizes[-1] for task in tasks)
    sizes = f"n{first}" if first == last else f"n{first}-{last}"
    return f"{command}-{mechanisms}-{sizes}"
