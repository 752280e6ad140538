"""The runner of every sweep: room, workers, the work itself, and what is kept of it."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.measure import Measure, Stopped
from dpaudit.audit.room import check_room, workers_that_fit
from dpaudit.audit.sweep import seconds_in_all, sweep, useful_workers
from dpaudit.audit.workers import executor_for, worthwhile_jobs
from dpaudit.errors import LoadError, TooLargeError
from dpaudit.machine import amount
from dpaudit.mechanisms.loading import spec_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from dpaudit.audit.measure import Progress
    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec


__all__ = ["Task", "Work", "Workers", "run"]


@dataclass(frozen=True)
class Task:
    """One measure of one mechanism at some sizes."""

    mechanism: Mechanism[Any]
    sizes: Sequence[int]
    plan: Plan
    measure: Measure[Any, Any] = EpsilonDelta()  # noqa: RUF009  (it is immutable)

    def as_measured(self) -> Task:
        """Return the task with what its measure looks at in place of the mechanism."""
        return replace(self, mechanism=self.measure.subject(self.mechanism, self.plan))

    def report(self, results: Sequence[Any]) -> Any:
        """Return the report made of what was found at each size."""
        return self.measure.report(self.mechanism, self.sizes, self.plan, results)

    def pairs(self) -> int:
        """Return how many pairs there are at its sizes, before any restriction."""
        relation = self.mechanism.adjacency(self.plan.adjacency)
        return sum(relation.expected_pairs(n)[0] for n in self.sizes)

    def without(self, results: Sequence[Any]) -> Task:
        """Return the task at those of its sizes that have no result."""
        done = {result.n for result in results}
        return replace(self, sizes=[n for n in self.sizes if n not in done]) if done else self


@dataclass(frozen=True)
class Workers:
    """The workers that were asked for."""

    jobs: int | None = None
    """Number of processes on this machine; None for as many as pay off."""
    dask: str | None = None
    """The address of a Dask scheduler."""

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


@dataclass(frozen=True)
class Work:
    """The work that is about to begin, for whoever shows its progress."""

    tasks: Sequence[Task]
    seconds: float
    """The time that one process takes, estimated."""
    bytes: int
    """The memory that each process takes, estimated; 0 where that is not known beforehand."""


def run(
    tasks: Sequence[Task],
    workers: Workers,
    *,
    results: list[list[Any]] | None = None,
    ready: Callable[[], None] = lambda: None,
    finished: Callable[[], None] = lambda: None,
    shown: Callable[[Work], AbstractContextManager[Progress]] | None = None,
) -> list[list[Any]]:
    """Return what each task found, size by size.

    Args:
        tasks: the tasks, worked at side by side.
        workers: the processes that work at them.
        results: what is known of each task already, which is not computed again; what is found is
            appended to it, so that it is there when an error or an interrupt ends the run.
        ready: called when there is room for all, before the work begins.
        finished: called after each size.
        shown: gives, for the work, what is told how many pairs have been covered.

    Raises:
        TooLargeError: before anything is allocated, for what there is no memory for.
    """
    found = [[] for _ in tasks] if results is None else results
    left = [task.without(known) for task, known in zip(tasks, found, strict=True)]
    todo = [task for task in left if task.sizes]
    if not todo:
        return found
    several = workers.jobs is not None and workers.jobs > 1
    # Before laws are asked for: an object may count that, and is then another one.
    specs = [_reference(task.mechanism) if several else None for task in left]
    held = max(_room(task, elsewhere=workers.dask is not None) for task in todo)
    ready()
    seconds = 0.0  # is asked of laws, and only wanted by these
    if shown is not None or workers.jobs is None:
        seconds = sum(seconds_in_all(t.measure, t.mechanism, t.sizes, t.plan) for t in todo)

    def useful(jobs: int) -> int:
        if jobs == 1:
            return 1
        each = (useful_workers(t.measure, t.mechanism, t.sizes, t.plan, jobs) for t in todo)
        count = min(jobs, sum(each))
        if workers.jobs is None:  # nobody asked for so many
            return workers_that_fit(held, count)
        for task in todo if count > 1 else ():
            _room(task, count)
        return count

    with (
        workers.executor(seconds, useful, held) as (executor, count),
        nullcontext(_ignored) if shown is None else shown(Work(todo, seconds, held)) as progress,
    ):
        # All are begun before the first is waited for.
        sweeps = [
            sweep(
                task.measure,
                task.mechanism,
                task.sizes,
                task.plan,
                executor=executor,
                workers=count,
                progress=progress,
                spec=spec,
            )
            if task.sizes
            else ()
            for task, spec in zip(left, specs, strict=True)
        ]
        for one, known in zip(sweeps, found, strict=True):
            try:
                for result in one:
                    known.append(result)
                    finished()
            except Stopped as stopped:
                known.append(stopped.found)
                raise
    return found


def _ignored(pairs: int) -> None:
    """Ignore how many pairs have been covered."""


def _room(task: Task, workers: int = 1, *, elsewhere: bool = False) -> int:
    """Return how many bytes a process takes for a task, 0 where that is not known beforehand."""
    needed = check_room(
        task.measure, task.mechanism, task.sizes, task.plan, workers, elsewhere=elsewhere
    )
    return 0 if needed is None else needed.bytes


def _reference(mechanism: Mechanism[Any]) -> Spec | None:
    with suppress(LoadError):  # which is said where it matters
        return spec_of(mechanism)
    return None
