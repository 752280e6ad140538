"""Sweeps: any number of workers, the same result; what is finished is kept."""

import pytest

from dpaudit import check
from dpaudit.audit.plan import Plan
from dpaudit.audit.result import Verdict
from dpaudit.audit.sizes import read_sizes
from dpaudit.audit.sweep import assemble, estimated_work, sweep, sweep_curves
from dpaudit.audit.workers import executor_for, worthwhile_jobs
from dpaudit.errors import DomainError, SizeError
from dpaudit.mechanisms.hellinger_exponential import EHDS, MH


def test_the_result_does_not_depend_on_the_number_of_workers() -> None:
    documents = {check("MH", "5..25..4", divisor=1, jobs=jobs).to_json() for jobs in (1, 2, 3)}
    assert len(documents) == 1


def test_every_pair_is_ticked_once() -> None:
    mechanism = EHDS.build({})
    ticks: list[int] = []
    list(sweep(mechanism, (5, 9), Plan(mechanism.nominal), tick=ticks.append))
    assert sum(ticks) == 5 + 9
    ticks.clear()
    with executor_for(2) as executor:
        plan = Plan(mechanism.nominal)
        list(sweep_curves(mechanism, (5, 9), plan, executor=executor, tick=ticks.append))
    assert sum(ticks) == 5 + 9


def test_a_sweep_that_stops_early_keeps_what_it_finished() -> None:
    mechanism = MH.build({})
    plan = Plan(mechanism.nominal)
    results = sweep(mechanism, (4, 5, 6), plan)
    audit = assemble(mechanism, (4, 5, 6), plan, [next(results)])
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
    assert read_sizes(text) == sizes


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
    assert worthwhile_jobs(estimated_work(mechanism, [10], plan), 1) == 1
    assert worthwhile_jobs(10**9, 1) == 1
    assert worthwhile_jobs(10**9, 10**6) >= 1
    for jobs in (0, -1, True, 10**6):
        with pytest.raises(DomainError), executor_for(jobs):
            pass
