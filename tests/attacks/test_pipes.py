"""Line 9: a process is listened to without waiting and up to a limit, and ended with its group."""

import time
from pathlib import Path

import pytest

from dpaudit.audit import isolated as contained
from dpaudit.audit.fork_server import parent_of
from dpaudit.audit.isolated import Child
from tests.attacks.pipes import HOSTILE, honest, mutants, nothing, passes

GIVEN = 60.0
"""Seconds for those that hang; the others end by themselves, however slow the machine is."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_pipe_is_heard_out_and_closed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contained, "MOST_BYTES", 1 << 22)
    heard_out(Child.start(HOSTILE[name][0], (), _seconds(name)), name)


def test_those_of_forked_processes_are_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """One parent forks them all, and is none the worse for any."""
    monkeypatch.setattr(contained, "MOST_BYTES", 1 << 22)
    with parent_of(nothing) as parent:
        for name, (work, *_) in HOSTILE.items():
            heard_out(Child.start(work, (), _seconds(name), parent=parent), name)
        assert parent is None or not parent.lost


def _seconds(name: str) -> float:
    return 600 if HOSTILE[name][2] else GIVEN


def heard_out(child: Child, name: str) -> None:
    _, heard, ends = HOSTILE[name]
    try:
        longest = 0.0
        while not child.over and not child.late:
            began = time.monotonic()
            child.listen(0)
            if not ends and child.said and heard in (None, bytes(child.said)):
                child.deadline = min(child.deadline, began + 1)  # it says nothing new
            longest = max(longest, time.monotonic() - began)
    finally:
        child.end()
    assert child.over is ends
    assert child.too_much is (name == "pours")
    if heard is not None:
        assert bytes(child.said) == heard
    assert len(child.said) <= (1 << 22) + (1 << 16)
    assert child.process.exitcode is not None


def test_no_changed_message_makes_an_excess_pass(tmp_path: Path) -> None:
    message, entry = honest(tmp_path.resolve())
    changed = list(mutants(message, 1000))
    assert not [said for said in changed if passes(said, entry, tmp_path.resolve())]
