"""Datasets explored in forked processes: the same laws and refusals as one after another."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dpaudit
from dpaudit.audit.isolated import run_contained
from dpaudit.errors import LawError
from dpaudit.machine import sharing
from dpaudit.programs.output_laws import beside
from dpaudit.programs.output_laws.other_process import accept
from dpaudit.programs.program import Program
from dpaudit.programs.rungs import plain_program

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
INPUTS = range(9)


@pytest.fixture(autouse=True)
def _always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "_SECONDS_WORTH_A_PROCESS", 1e-9)
    monkeypatch.setattr(beside, "_may_fork", lambda: True)  # the tests' own threads are idle


@pytest.fixture
def accepted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many laws each forked process gave that were taken."""
    counts: list[int] = []

    def counting(title: str, explorer: Any, datasets: Any, found: Any) -> None:
        counts.append(sum(one is not None for one in found))
        accept(title, explorer, datasets, found)

    monkeypatch.setattr(beside, "accept", counting)
    return counts


def explored(function: Callable[[int], Any], jobs: int) -> Program:
    with sharing(jobs):
        made = plain_program(function, inputs=INPUTS, neighbours="all", only="as-run")
    assert isinstance(made, Program)
    return made


def coin(row: int) -> int:
    return row % 3 + int(random.random() < 1 / (2 + row))


def picked(row: int) -> int:
    weights = np.exp(np.arange(5) * row / 10)
    return int(np.random.choice(5, p=weights / weights.sum()))


@pytest.mark.parametrize("jobs", [2, 3])
@pytest.mark.parametrize("function", [coin, picked])
def test_laws_are_those_of_one_process(
    function: Callable[[int], Any], jobs: int, accepted: list[int]
) -> None:
    alone, shared = explored(function, 1), explored(function, jobs)
    assert not alone.explorer.refused
    assert len(accepted) == jobs - 1
    assert sum(accepted) >= len(INPUTS) // 2 - 1
    assert shared.explorer.explored == alone.explorer.explored
    assert [shared.explorer(row) for row in INPUTS] == [alone.explorer(row) for row in INPUTS]
    ours, theirs = shared.derivation(1), alone.derivation(1)
    assert {**ours, "real_runs": 0, "unseen_mass": 0} == {
        **theirs, "real_runs": 0, "unseen_mass": 0
    }  # fmt: skip


@pytest.mark.usefixtures("accepted")
@pytest.mark.parametrize("refused", [0, 2, 5, 8])
def test_a_refusal_names_the_first_dataset_that_is_refused(refused: int) -> None:
    def drawn(row: int) -> float:
        if row >= refused:
            return row + np.random.standard_t(row + 2)
        return coin(row)

    messages = []
    for jobs in (1, 2, 3):
        with pytest.raises(LawError) as raised:
            explored(drawn, jobs)
        messages.append(str(raised.value))
    assert len(set(messages)) == 1, messages


def test_calls_that_leave_something_are_not_taken_from_elsewhere(accepted: list[int]) -> None:
    memo: dict[int, int] = {}

    def remembers(row: int) -> int:
        return memo.setdefault(row, row % 3) + int(random.random() < 0.5)

    assert explored(remembers, 2).explorer.explored == explored(remembers, 1).explorer.explored
    assert accepted == []


@pytest.mark.parametrize("place", [0, 1, 4, 7, 8])
def test_what_a_late_call_leaves_is_refused_as_in_one_process(
    place: int, accepted: list[int]
) -> None:
    found = []
    for jobs in (1, 2):
        late: list[int] = []

        def leaves(row: int, late: list[int] = late) -> int:
            if row == INPUTS[place]:
                late.append(row)
            return row % 3 + int(random.random() < (0.5 if len(late) < 2 else 0.25))

        with pytest.raises(LawError) as raised:
            explored(leaves, jobs)
        found.append(str(raised.value))
    assert found[0] == found[1]
    assert sum(accepted) <= place


def test_a_program_that_is_another_in_another_process_is_refused(accepted: list[int]) -> None:
    here = os.getpid()
    stat = os.stat  # reads of the system are not watched

    def looks(row: int) -> int:
        other = stat(f"/proc/{here}/stat").st_uid == stat("/proc/self/stat").st_uid
        elsewhere = stat("/proc/self").st_ino != stat(f"/proc/{here}").st_ino
        return row % 3 + int(random.random() < (0.25 if elsewhere and other else 0.5))

    if not os.path.exists("/proc/self/stat"):
        pytest.skip("needs /proc")
    with pytest.raises(LawError):
        explored(looks, 2)
    assert len(accepted) <= 1


def test_a_process_that_dies_costs_nothing_but_time() -> None:
    here = os.getpid()

    def dies(row: int) -> int:
        if row == INPUTS[-1]:
            os.kill(int(os.readlink("/proc/self")), 0 if here == _pid() else signal.SIGKILL)
        return coin(row)

    def _pid() -> int:
        return int(os.readlink("/proc/self"))

    if not os.path.exists("/proc/self"):
        pytest.skip("needs /proc")
    assert explored(dies, 2).explorer.explored == explored(coin, 1).explorer.explored


def test_one_process_is_used_where_nobody_allows_more(accepted: list[int]) -> None:
    dpaudit.check(coin, inputs=INPUTS, neighbours="all")
    assert accepted == []
    dpaudit.check(coin, inputs=INPUTS, neighbours="all", jobs=2)
    assert len(accepted) == 1


SLOW = """
import numpy as np

def slow(row):
    weights = np.exp(np.arange(2_000) % 7 * row / 100)
    return int(np.random.choice(2_000, p=weights / weights.sum()))
"""


def _with_room_for_more(arguments: list[str]) -> int:
    """Explore in a process as the command line does, with its thread that waits for the parent."""
    number = int(arguments[0])
    answers: list[int] = []

    def counting(title: str, explorer: Any, datasets: Any, found: Any) -> None:
        answers.append(sum(one is not None for one in found))
        accept(title, explorer, datasets, found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beside, "_SECONDS_WORTH_A_PROCESS", 1e-9)
        patch.setattr(beside, "accept", counting)
        explored(coin, number)
    return 10 * len(answers) + sum(answers)


def test_the_process_of_a_command_may_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # it is asked there, and nobody answers for it
    assert run_contained(_with_room_for_more, ["1"], 60).code == 0
    assert run_contained(_with_room_for_more, ["2"], 60).code == 14  # four of nine elsewhere


def test_laws_that_fill_a_pipe_are_taken(accepted: list[int]) -> None:
    def many(row: int) -> str:
        return random.choice("ab") + str(row) * 40_000

    shared = explored(many, 2)
    assert sum(accepted) >= len(INPUTS) // 2 - 1
    assert shared.explorer.explored == explored(many, 1).explorer.explored


def test_a_signal_ends_all_processes(tmp_path: Any) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    command = [sys.executable, "-m", "dpaudit", "check", "slow.py:slow", "--inputs", "0..40",
               "--neighbours", "all", "--jobs", "2"]  # fmt: skip
    running = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    while _alive(running.pid) < 5:  # the command, a tracker, the audit, a clean process, a part
        assert running.poll() is None
        time.sleep(0.05)
    began = time.monotonic()
    running.send_signal(signal.SIGTERM)
    assert running.wait(10) != 0
    assert time.monotonic() - began < 2
    while _alive(running.pid):
        assert time.monotonic() - began < 10
        time.sleep(0.05)


def _alive(session: int) -> int:
    """Return how many processes of a session there are."""
    command = ["ps", "-s", str(session), "-o", "stat="]
    states = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return sum(not state.startswith("Z") for state in states.split())
