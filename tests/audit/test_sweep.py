"""Sweeps: any number of workers, the same result; what is finished is kept."""

import json
import math
import os
import signal
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from dpaudit import check, curve
from dpaudit.api.plans import make_plan, mechanism
from dpaudit.audit import runner
from dpaudit.audit.certify import EpsilonDelta, audit_size
from dpaudit.audit.curve import Curves
from dpaudit.audit.plan import Plan, read_sizes
from dpaudit.audit.runner import Task
from dpaudit.audit.sweep import (
    sweep,
    useful_workers,
)
from dpaudit.audit.workers import executor_for, executors_for, worthwhile_jobs
from dpaudit.data.adjacency import Adjacency, Substitution
from dpaudit.data.histograms import Counts
from dpaudit.errors import DomainError, PrecisionError, SizeError
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.notes.hellinger_exponential import EHDS, MH
from dpaudit.numbers.ball import ball
from dpaudit.numbers.real import ZERO, real
from dpaudit.results import Verdict
from dpaudit.screens.exponents import extremes, part_count, screen_losses


@dataclass(frozen=True)
class Degenerate(Mechanism[Counts]):
    """Uniform over two outputs; at n = 4 by weights that no precision tells from infinity."""

    name = "Degenerate"
    stated = Budget(real(1), ZERO)

    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        return Substitution(2)

    def laws(self) -> "Degenerate":
        return self

    def law(self, dataset: Counts) -> WeightedLaw:
        zero = ball(1).exp() - ball(1).exp()
        weight = 1 / zero if sum(dataset) == 4 else zero
        return WeightedLaw("ab", [weight, weight])


@pytest.mark.parametrize(
    ("name", "sizes", "parameters"),
    [
        ("MH", "5..25..4", {"divisor": 1}),
        ("EHDS", "5,30,6000", {"prior": "1/2,3"}),  # the last is shared among the workers
        ("EHDS", "50", {"k": 3}),
        ("LSHist", "4..8", {}),
    ],
)
def test_the_result_does_not_depend_on_the_number_of_workers(
    name: str, sizes: str, parameters: dict[str, Any]
) -> None:
    documents = {check(name, sizes, jobs=jobs, **parameters).to_json() for jobs in (1, 2, 4)}
    assert len(documents) == 1


def test_a_size_is_shared_where_the_others_would_leave_workers_idle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism = EHDS.build({})
    plan = Plan(mechanism.nominal)
    assert useful_workers(EpsilonDelta(), mechanism, (10, 20), plan, 4) == 2
    assert useful_workers(EpsilonDelta(), mechanism, (20_000,), plan, 4) == 4
    assert (
        useful_workers(EpsilonDelta(), mechanism, (20_000,), replace(plan, engine="ball"), 4) == 1
    )
    monkeypatch.setattr("dpaudit.audit.sweep._SECONDS_WORTH_SHARING", 0.0)
    ticks: list[int] = []
    with executor_for(2) as executor:
        (shared,) = sweep(
            EpsilonDelta(),
            mechanism,
            (3000,),
            plan,
            executor=executor,
            workers=2,
            progress=ticks.append,
        )
    assert len(ticks) > 1
    assert sum(ticks) == 3000
    assert shared == audit_size(mechanism, 3000, plan)


@pytest.mark.parametrize("wrong", ["missing", "twice", "out of order"])
def test_parts_of_a_screen_that_are_not_all_there_are_refused(wrong: str) -> None:
    """A missing part would be a missing output: the screen must not conclude from the others."""
    laws = EHDS.build({}).screen(3000)
    parts = [extremes(laws, part) for part in range(part_count(laws))]
    assert len(parts) >= 3
    given = {
        "missing": parts[:-1],
        "twice": [*parts, parts[-1]],
        "out of order": [parts[1], parts[0], *parts[2:]],
    }
    with pytest.raises(ValueError, match="part"):
        screen_losses(laws, given[wrong])
    assert (screen_losses(laws, parts).upper == screen_losses(laws).upper).all()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_size_that_cannot_be_enclosed_does_not_end_the_sweep(jobs: int) -> None:
    found = check(Degenerate(), (3, 4, 5), jobs=jobs)
    assert [result.n for result in found.results] == [3, 5]
    (undecided,) = found.audit.undecided
    assert undecided.n == 4
    assert "cannot be distinguished from 0 at this precision (1024 bits)" in undecided.reason
    assert found.audit.missing == ()
    assert found.verdict is Verdict.UNDECIDED
    assert {result.verdict for result in found.results} == {Verdict.WITHIN}
    assert undecided.reason in str(found)
    assert json.loads(found.to_json())["undecided"] == [{"n": 4, "reason": undecided.reason}]
    curves = curve(Degenerate(), (3, 4, 5), jobs=jobs)
    assert [one.n for one in curves.curves] == [3, 5]
    assert [size.n for size in curves.audit.undecided] == [4]
    with pytest.raises(PrecisionError, match="cannot be distinguished from 0"):
        _ = check(Degenerate(), 4).epsilon


def test_every_pair_is_ticked_once() -> None:
    mechanism = EHDS.build({})
    ticks: list[int] = []
    list(
        sweep(EpsilonDelta(), mechanism, (5, 9, 40), Plan(mechanism.nominal), progress=ticks.append)
    )
    assert sum(ticks) == 5 + 9 + 40
    ticks.clear()
    with executor_for(2) as executor:
        plan = Plan(mechanism.nominal)
        list(sweep(Curves(), mechanism, (5, 9), plan, executor=executor, progress=ticks.append))
    assert sum(ticks) == 5 + 9


def test_a_sweep_that_stops_early_keeps_what_it_finished() -> None:
    mechanism = MH.build({})
    plan = Plan(mechanism.nominal)
    results = sweep(EpsilonDelta(), mechanism, (4, 5, 6), plan)
    audit = EpsilonDelta().report(mechanism, (4, 5, 6), plan, [next(results)])
    assert [result.n for result in audit.results] == [4]
    assert audit.missing == (5, 6)
    assert audit.results[0].verdict is Verdict.WITHIN
    assert audit.verdict is Verdict.UNDECIDED


def test_a_worker_that_fails_fails_the_sweep() -> None:
    def sweep_with_a_failure() -> None:
        with executor_for(2) as executor:
            assert executor is not None
            executor.submit(divmod, 1, 0).result()

    with pytest.raises(ZeroDivisionError):
        sweep_with_a_failure()


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("7", (7,)),
        ("3..6", (3, 4, 5, 6)),
        ("10..180..85", (10, 95, 180)),
        ("40,10,20,10", (10, 20, 40)),
        ("1..3, 9", (1, 2, 3, 9)),
    ],
)
def test_sizes(text: str, sizes: tuple[int, ...]) -> None:
    assert tuple(read_sizes(text)) == sizes


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "0",
            "-3",
            "5..",
            "..5",
            "9..3",
            "1..9..0",
            "1.5",
            "1e3",
            "a",
            "1..2..3..4",
            "10,,20",
        ),
        *("99999999999", "1..99999999"),
    ],
)
def test_bad_sizes(text: str) -> None:
    with pytest.raises(SizeError) as caught:
        read_sizes(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sizes", [0, -1, [], [3, 0], [2.5], [True], "  "])
def test_bad_sizes_from_python(sizes: object) -> None:
    with pytest.raises(SizeError):
        read_sizes(sizes)  # type: ignore[arg-type]


def test_workers_are_started_only_for_work_that_pays() -> None:
    mechanism = EHDS.build({})
    plan = Plan(mechanism.nominal)
    sizes = range(10, 181)
    assert worthwhile_jobs(sum(EpsilonDelta().seconds(mechanism, n, plan) for n in sizes)) == 1
    balls = replace(plan, engine="ball")
    assert sum(EpsilonDelta().seconds(mechanism, n, balls) for n in sizes) > 2
    assert worthwhile_jobs(1e9) == worthwhile_jobs(math.inf) >= 1


def test_a_long_size_ticks_while_it_is_screened() -> None:
    mechanism = EHDS.build({})
    ticks: list[int] = []
    audit_size(mechanism, 4000, Plan(mechanism.nominal), ticks.append)
    assert len(ticks) >= 4
    assert max(ticks) < 2000
    assert sum(ticks) == 4000


def test_more_jobs_than_sense_are_refused() -> None:
    for jobs in (0, -1, True, 10**6):
        with pytest.raises(DomainError), executor_for(jobs):
            pass


def test_nothing_that_is_started_for_workers_answers_an_interrupt() -> None:
    """The server that they are forked from did so with a traceback, until it had loaded all."""
    with executor_for(2) as executor:
        assert executor is not None
        server = executor.submit(os.getppid).result()
        status = Path(f"/proc/{server}/status").read_text()
    blocked = next(line for line in status.splitlines() if line.startswith("SigBlk:"))
    assert int(blocked.split()[1], 16) & (1 << (signal.SIGINT - 1))


@pytest.mark.parametrize("jobs", [executor_for, executors_for])
def test_workers_that_are_ended_leave_no_thread_to_the_end_of_python(jobs: Any) -> None:
    """Python wakes such a thread at exit, and fails where it just closed the pipe for that."""

    def interrupted() -> None:
        with jobs(2) as entered:
            for executor in entered if isinstance(entered, list) else [entered]:
                executor.submit(time.sleep, 60)
            raise KeyboardInterrupt

    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert set(threading.enumerate()) <= before


def test_no_more_workers_than_sizes_or_than_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    real = executor_for

    def noted(jobs: int) -> Any:
        started.append(jobs)
        return real(1)

    monkeypatch.setattr(runner, "executor_for", noted)
    audited = Task(mechanism("EHDS"), [5], make_plan(mechanism("EHDS")))
    several = replace(audited, sizes=[5, 6, 7, 8, 9])
    for task, jobs in ((audited, 3), (several, 2)):
        runner.prepare([task], runner.Workers(jobs)).collected()
    assert started == [1, 2]
