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
        raise ParameterError("jobs", "--jobs and --dask contradict each other; give one")
    return Workers(read_jobs(jobs), dask)


def run_tasks(
    tasks: Sequence[Task],
    workers: Workers,
    *,
    kept: Sequence[Sequence[Any]] = (),
    save: Callable[[list[list[Any]]], None] | None = None,
) -> tuple[list[list[Any]], bool]:
    """Return what each task found, and whether Ctrl-C cut the run short.

    What has been ``kept`` of an earlier run is not computed again.  ``save`` is called with what
    is finished every few seconds, and before an error ends the run.
    """
    found = [list(results) for results in kept] or [[] for _ in tasks]

    def save_any(found: list[list[Any]]) -> None:
        if save is not None and any(found):
            save(found)

    work = prepare(tasks, workers, kept=kept)
    bar = _bar(work)
    saving = NowAndThen(save_any)
    try:
        with work.executor() as (executor, count), bar as progress:
            for index, result in work.results(executor, count, lambda n: progress(advance=n)):
                found[index].append(result)
                saving.when_due(lambda: found)
    except KeyboardInterrupt:
        if not any(found):
            raise
        return found, True
    except Exception:
        save_any(found)
        raise
    return found, False


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
    """Saves what is found now and then, and spends little time on it."""

    def __init__(self, save: Callable[[Any], None]) -> None:
        """Take what saves."""
        self.save = save
        self.due = time.monotonic() + _SECONDS_BETWEEN_SAVES

    def when_due(self, found: Callable[[], Any]) -> None:
        """Save what is found, if the last time is long enough ago."""
        start = time.monotonic()
        if start >= self.due:
            self.save(found())
            end = time.monotonic()
            self.due = end + max(_SECONDS_BETWEEN_SAVES, 20 * (end - start))


def exit_when_stopped(code: Exit) -> Exit:
    """Say why a run was cut short; return its exit code, ``code`` where the time was up."""
    if time_is_up():
        click.echo("dpaudit: time cap reached; what was finished is reported", err=True)
        return code
    click.echo("dpaudit: interrupted; what was finished is reported", err=True)
    return Exit.INTERRUPTED


def read_jobs(given: str | None) -> int | None:
    """Return the number of workers asked for, None if left open; ``ParameterError`` for others."""
    if given is None:
        return None
    if not given.isdecimal() or not given.isascii() or not 1 <= int(given[:9]) <= MAX_JOBS:
        raise ParameterError("jobs", f"jobs = {given}: must be a whole number from 1 to {MAX_JOBS}")
    return int(given)


def file_name(text: str) -> str:
    """Return a part of the name of a file that says what ``text`` does."""
    return re.sub(r"[^\w.+-]+", "_", text)[:100]


def plot_name(command: str, tasks: Sequence[Task]) -> str:
    """Return a file name, without ending, that says what was run: ``check-EHDS-n10-180``."""
    names = dict.fromkeys(file_name(task.mechanism.name) for task in tasks)
    mechanisms = "-".join(names)[:100]
    first = min(task.sizes[0] for task in tasks)
    last = max(task.sizes[-1] for task in tasks)
    sizes = f"n{first}" if first == last else f"n{first}-{last}"
    return f"{command}-{mechanisms}-{sizes}"
