"""The runner of every sweep: room, time, workers, and results handed on as they are finished."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.measure import Measure, Stopped, ignore
from dpaudit.audit.room import check_room, workers_that_fit
from dpaudit.audit.sweep import seconds_in_all, sweep, useful_workers
from dpaudit.audit.workers import executor_for, worthwhile_jobs
from dpaudit.errors import LoadError, TooLargeError
from dpaudit.machine import amount
from dpaudit.mechanisms.loading import spec_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Executor

    from dpaudit.audit.measure import Progress
    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.spec import Spec


__all__ = ["Task", "Work", "Workers", "prepare"]


@dataclass(frozen=True)
class Task:
    """One measure of one mechanism at some sizes."""

    mechanism: Mechanism[Any]
    sizes: Sequence[int]
    plan: Plan
    measure: Measure[Any, Any] = EpsilonDelta()  # noqa: RUF009  (it is immutable)

    def as_measured(self) -> Task:
        """Return the task with the subject of its measure in place of the mechanism."""
        return replace(self, mechanism=self.measure.subject(self.mechanism, self.plan))

    def report(self, results: Sequence[Any]) -> Any:
        """Return the report made of the results of its sizes."""
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


@dataclass(frozen=True)
class Work:
    """Tasks for which there is room, before any of them begins; made by :func:`prepare`."""

    tasks: Sequence[Task]
    """Every task, at the sizes that have no result yet; some may have no size left."""
    workers: Workers
    bytes: int
    """The memory that each process takes, estimated; 0 where that is not known beforehand."""
    specs: Sequence[Spec | None]
    """References to the mechanisms, where they were looked up already."""

    @cached_property
    def seconds(self) -> float:
        """The time that one process takes, estimated; it may ask mechanisms for laws."""
        return sum(seconds_in_all(t.measure, t.mechanism, t.sizes, t.plan) for t in self._todo)

    def pairs(self) -> int:
        """Return how many pairs there are in all, before any restriction."""
        return sum(map(Task.pairs, self.tasks))

    @contextmanager
    def executor(self) -> Iterator[tuple[Executor | None, int]]:
        """Give an executor, None for this process, and how many workers it has.

        Leaving ends the workers.

        Raises:
            TooLargeError: where there is no memory for so many processes, or a worker of a
                cluster may not take enough.
            ClusterError: where a cluster does not answer.
        """
        if not self._todo:
            yield None, 1
        elif self.workers.dask is not None:
            with self._cluster(self.workers.dask) as cluster:
                yield cluster
        else:
            jobs = self._useful_jobs()
            with executor_for(jobs) as executor:
                yield executor, jobs

    def results(
        self, executor: Executor | None = None, count: int = 1, progress: Progress = ignore
    ) -> Iterator[tuple[int, Any]]:
        """Yield the index of a task and the result of one of its sizes, as they are finished.

        Whoever iterates may stop at any time.  An interrupt is raised after the incomplete result
        that it leaves, if any.

        Args:
            executor: where the sizes are worked at, as :meth:`executor` gives it.
            count: the number of its workers.
            progress: is told how many pairs have been covered since it was last called.
        """
        # All sweeps begin before the first result is waited for.
        sweeps = [
            (
                index,
                sweep(
                    task.measure,
                    task.mechanism,
                    task.sizes,
                    task.plan,
                    executor=executor,
                    workers=count,
                    progress=progress,
                    spec=spec,
                ),
            )
            for index, (task, spec) in enumerate(zip(self.tasks, self.specs, strict=True))
            if task.sizes
        ]
        for index, finished in sweeps:
            try:
                for result in finished:
                    yield index, result
            except Stopped as stopped:
                yield index, stopped.found
                raise

    def collected(self) -> list[list[Any]]:
        """Return the results of each task, worked at by the workers that were asked for."""
        found: list[list[Any]] = [[] for _ in self.tasks]
        with self.executor() as (executor, count):
            for index, result in self.results(executor, count):
                found[index].append(result)
        return found

    @property
    def _todo(self) -> list[Task]:
        return [task for task in self.tasks if task.sizes]

    def _useful_jobs(self) -> int:
        """Return in how many processes to work, of those that were asked for or pay off."""
        asked = self.workers.jobs
        jobs = worthwhile_jobs(self.seconds) if asked is None else asked
        if jobs == 1:
            return 1
        each = (useful_workers(t.measure, t.mechanism, t.sizes, t.plan, jobs) for t in self._todo)
        useful = min(jobs, sum(each))
        # Nobody asked for so many, so fewer are taken where memory is short.
        if asked is None:
            return workers_that_fit(self.bytes, useful)
        # These were asked for: what does not fit is refused, and not quietly reduced.
        for task in self._todo if useful > 1 else ():
            _room(task, useful)
        return useful

    @contextmanager
    def _cluster(self, address: str) -> Iterator[tuple[Executor, int]]:
        from dpaudit.audit.cluster import cluster_executor

        with cluster_executor(address) as cluster:
            if 0 < cluster.memory < self.bytes:
                may = (
                    f"{amount(self.bytes)} are needed and a worker may take "
                    f"{amount(cluster.memory)}"
                )
                raise TooLargeError(self.bytes, cluster.memory, f"Dask at {address}: about {may}")
            yield cluster, cluster.workers


def prepare(tasks: Sequence[Task], workers: Workers, *, kept: Sequence[Sequence[Any]] = ()) -> Work:
    """Return the work of some tasks, after making sure that there is memory for it.

    Args:
        tasks: worked at side by side.
        workers: the processes that work at them.
        kept: for each task its results that are known already, whose sizes are not computed again.

    Raises:
        TooLargeError: before anything is allocated, for what there is no memory for.
        LawError: where what a mechanism gives is no law, or changes when it is asked for again.
    """
    left = [task.without(known) for task, known in zip(tasks, kept, strict=True)] if kept else tasks
    several = workers.jobs is not None and workers.jobs > 1
    # Before laws are asked for: an object may count that, and is then another one.
    specs = [_reference(task.mechanism) if several and task.sizes else None for task in left]
    elsewhere = workers.dask is not None
    needed = [_room(task, elsewhere=elsewhere) for task in left if task.sizes]
    return Work(left, workers, max(needed, default=0), specs)


def _room(task: Task, workers: int = 1, *, elsewhere: bool = False) -> int:
    """Return how many bytes a process takes for a task, 0 where that is not known beforehand."""
    needed = check_room(
        task.measure, task.mechanism, task.sizes, task.plan, workers, elsewhere=elsewhere
    )
    return 0 if needed is None else needed.bytes


def _reference(mechanism: Mechanism[Any]) -> Spec | None:
    with suppress(LoadError):  # the sweep says so
        return spec_of(mechanism)
    return None
