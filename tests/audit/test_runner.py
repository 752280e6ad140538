"""The runner of every sweep: what is kept, handed on, left behind and refused."""

from dataclasses import dataclass
from typing import Any

import pytest

from dpaudit import machine
from dpaudit.api.plans import make_plan, mechanism
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.measure import Progress, Stopped
from dpaudit.audit.plan import Plan
from dpaudit.audit.runner import Task, Workers, prepare
from dpaudit.errors import TooLargeError
from dpaudit.mechanisms.base import Mechanism
from dpaudit.results import SizeResult

EHDS = mechanism("EHDS")


@dataclass(frozen=True)
class StoppedAt(EpsilonDelta):
    """An audit that is interrupted at one size, with an incomplete result."""

    size: int = 6

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> SizeResult:
        found = super().at_size(mechanism, n, plan, progress)
        if n == self.size:
            raise Stopped(found)
        return found


def task(*sizes: int, measure: EpsilonDelta = EpsilonDelta()) -> Task:  # noqa: B008
    return Task(EHDS, sizes, make_plan(EHDS), measure)


def test_results_are_handed_on_one_by_one_with_the_index_of_their_task() -> None:
    ticks: list[int] = []
    results = prepare([task(5, 6), task(7)], Workers(1)).results(progress=ticks.append)
    assert not ticks
    assert [(index, result.n) for index, result in [next(results)]] == [(0, 5)]
    assert sum(ticks) == 5
    assert [(index, result.n) for index, result in results] == [(0, 6), (1, 7)]


@pytest.mark.parametrize("jobs", [1, 2, None])
def test_what_is_kept_is_not_computed_again(jobs: int | None) -> None:
    tasks = [task(5, 6), task(7), task(8, 9)]
    whole = prepare(tasks, Workers(1)).collected()
    work = prepare(tasks, Workers(jobs), kept=[whole[0][:1], whole[1], []])
    assert [list(left.sizes) for left in work.tasks] == [[6], [], [8, 9]]
    assert work.pairs() == sum(left.pairs() for left in (task(6), task(8, 9)))
    found = [sorted(results, key=lambda result: result.n) for results in work.collected()]
    assert found == [whole[0][1:], [], whole[2]]


def test_where_nothing_is_left_no_worker_is_asked_for() -> None:
    kept = prepare([task(5)], Workers(1)).collected()
    work = prepare([task(5)], Workers(dask="tcp://127.0.0.1:1"), kept=kept)
    assert (work.seconds, work.bytes, work.collected()) == (0, 0, [[]])


def test_an_interrupt_hands_on_the_incomplete_result_first() -> None:
    results = prepare([task(5, 6, 7, measure=StoppedAt())], Workers(1)).results()
    assert [next(results)[1].n, next(results)[1].n] == [5, 6]
    with pytest.raises(Stopped):
        next(results)


def test_leaving_early_ends_the_workers() -> None:
    work = prepare([task(*range(5, 15))], Workers(2))
    with work.executor() as (executor, count):
        assert executor is not None
        next(work.results(executor, count))
    with pytest.raises(RuntimeError):
        executor.submit(int)


def test_memory_is_looked_at_before_there_is_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available", lambda: 1)
    monkeypatch.setattr(EpsilonDelta, "at_size", None)
    with pytest.raises(TooLargeError):
        prepare([task(5)], Workers(1))
