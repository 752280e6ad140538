"""Running tasks with a progress bar, and keeping what is finished when interrupted."""

from __future__ import annotations

import re
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.measure import Measure, Stopped
from dpaudit.audit.room import check_room, workers_that_fit
from dpaudit.audit.sweep import seconds_in_all, sweep, useful_workers
from dpaudit.audit.workers import MAX_JOBS, executor_for, time_is_up, worthwhile_jobs
from dpaudit.cli.bars import progress_bar
from dpaudit.cli.exits import Exit
from dpaudit.errors import ParameterError, TooLargeError
from dpaudit.machine import amount, duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism


__all__ = [
    "NowAndThen",
    "Task",
    "WorkerPool",
    "exit_when_stopped",
    "file_name",
    "plot_name",
    "read_jobs",
    "run_tasks",
]

_SECONDS_WORTH_A_BAR = 0.5
_SECONDS_BETWEEN_SAVES = 2.0


@dataclass(frozen=True)
class Task:
    """One measure of one mechanism at some sizes."""

    mechanism: Mechanism[Any]
    sizes: Sequence[int]
    plan: Plan
    measure: Measure[Any, Any] = EpsilonDelta()  # noqa: RUF009  (it is immutable)

    def report(self, found: Sequence[Any]) -> Any:
        """Return the report made of what was found."""
        return self.measure.report(self.mechanism, self.sizes, self.plan, found)

    def pairs(self, sizes: Sequence[int]) -> int:
        """Return how many pairs there are at ``sizes``, before any restriction."""
        relation = self.mechanism.adjacency(self.plan.adjacency)
        return sum(relation.expected_pairs(n)[0] for n in sizes)


@dataclass(frozen=True)
class WorkerPool:
    """Workers for the tasks of a command."""

    jobs: int | None
    """Number of processes on this machine; None for as many as pay off."""
    dask: str | None
    """The address of a Dask scheduler."""

    @staticmethod
    def read(given: Mapping[str, Any]) -> WorkerPool:
        """Return the workers asked for; ``ParameterError`` for nonsense."""
        if given["jobs"] is not None and given["dask"] is not None:
            raise ParameterError("jobs", "--jobs and --dask contradict each other; give one")
        return WorkerPool(read_jobs(given["jobs"]), given["dask"])

    @contextmanager
    def executor(
        self, seconds: float, useful: Callable[[int], int], held: int = 0
    ) -> Iterator[tuple[Executor | None, int]]:
        """Give an executor and how many workers it has, for work of so many ``seconds``.

        Each worker will hold so many bytes.  Raises ``TooLargeError`` where those of a cluster
        may not.
        """
        if self.dask is not None:
            from dpaudit.audit.cluster import cluster_executor

            with cluster_executor(self.dask) as cluster:
                if 0 < cluster.memory < held:
                    may = (
                        f"{amount(held)} are needed and a worker may take {amount(cluster.memory)}"
                    )
                    raise TooLargeError(held, cluster.memory, f"Dask at {self.dask}: about {may}")
                yield cluster, cluster.workers
            return
        jobs = useful(self.jobs or worthwhile_jobs(seconds))
        with executor_for(jobs) as executor:
            yield executor, jobs


def run_tasks(
    tasks: Sequence[Task],
    pool: WorkerPool,
    *,
    kept: Sequence[Sequence[Any]] = (),
    save: Callable[[list[list[Any]]], None] | None = None,
) -> tuple[list[list[Any]], bool]:
    """Return what each task found, and whether Ctrl-C cut the run short.

    What has been ``kept`` of an earlier run is not computed again.  ``save`` is called with what
    is finished every few seconds, and before an error ends the run.
    """
    found = [list(results) for results in kept] or [[] for _ in tasks]
    left = [_left(task, results) for task, results in zip(tasks, found, strict=True)]
    todo = [(task, sizes) for task, sizes in zip(tasks, left, strict=True) if sizes]
    if not todo:
        return found, False
    needed = [
        check_room(task.measure, task.mechanism, sizes, task.plan, elsewhere=pool.dask is not None)
        for task, sizes in todo
    ]
    seconds = sum(
        seconds_in_all(task.measure, task.mechanism, sizes, task.plan) for task, sizes in todo
    )
    held = max((one.bytes for one in needed if one is not None), default=0)

    def useful(jobs: int) -> int:
        each = (
            useful_workers(task.measure, task.mechanism, sizes, task.plan, jobs)
            for task, sizes in todo
        )
        workers = min(jobs, sum(each))
        if pool.jobs is None:  # nobody asked for so many
            return workers_that_fit(held, workers)
        for task, sizes in todo if workers > 1 else ():
            check_room(task.measure, task.mechanism, sizes, task.plan, workers)
        return workers

    def save_any(found: list[list[Any]]) -> None:
        if save is not None and any(found):
            save(found)

    saving = NowAndThen(save_any)
    try:
        with (
            pool.executor(seconds, useful, held) as (executor, workers),
            progress_bar(
                f"{', '.join(dict.fromkeys(task.mechanism.name for task in tasks))}, "
                f"{duration(seconds)}, {amount(held)} a process",
                "pairs",
                lambda: sum(map(Task.pairs, tasks, left)),
                worth_it=seconds >= _SECONDS_WORTH_A_BAR,
            ) as progress,
        ):
            sweeps = [
                (
                    sweep(
                        task.measure,
                        task.mechanism,
                        sizes,
                        task.plan,
                        executor=executor,
                        workers=workers,
                        progress=lambda pairs: progress(advance=pairs),
                    ),
                    results,
                )
                for task, sizes, results in zip(tasks, left, found, strict=True)
                if sizes
            ]
            for one, results in sweeps:
                try:
                    for result in one:
                        results.append(result)
                        saving.when_due(lambda: found)
                except Stopped as stopped:
                    results.append(stopped.found)
                    raise
    except KeyboardInterrupt:
        if not any(found):
            raise
        return found, True
    except Exception:
        save_any(found)
        raise
    return found, False


def _left(task: Task, results: Sequence[Any]) -> Sequence[int]:
    if not results:
        return task.sizes
    done = {result.n for result in results}
    return tuple(n for n in task.sizes if n not in done)


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
