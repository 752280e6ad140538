"""A process that starts others without end is held to a number, and ended with every one."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dpaudit.audit.fork_server import Parent, parent_of
from dpaudit.audit.isolated import Child
from dpaudit.audit.processes import MOST_STARTED, living
from tests.attacks.crowds import CROWDS, MANY, nothing
from tests.processes import those_in

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells who started whom")

_BOMB = """
import os

class Bomb:
    budget, datasets, neighbours = "1", list(range(40)), "all"

    def law(self, x):
        os.fork()
        return {0: "1/2", 1: "1/2"}
"""


@pytest.fixture(params=["fresh", "forked"])
def above(request: pytest.FixtureRequest) -> Iterator[Parent | None]:
    """What forks the processes of a test; none for those with interpreters of their own."""
    if request.param == "fresh":
        yield None
        return
    with parent_of(nothing) as parent:
        assert parent is not None
        yield parent
        assert not parent.lost


@pytest.mark.parametrize("name", CROWDS)
def test_a_crowd_is_bounded_and_ended(name: str, above: Parent | None) -> None:
    child = Child.start(CROWDS[name], (), 60, parent=above)
    pid, most = child.process.pid or 0, 0
    started: set[int] = set()
    try:
        while not child.over and not child.late:
            child.listen(0.05)
            present = living(pid)
            started |= set(present)
            most = max(most, len(present))
        began = time.monotonic()
    finally:
        child.end()
    assert child.crowded
    assert not child.late
    assert time.monotonic() - began < 30
    # Forks are counted as they happen.  Programs are counted from outside, a few times a second:
    # on a busy processor all that the test allows may be started before the first count.
    assert most <= (MANY if "programs" in name else 3 * MOST_STARTED)
    assert not [one for one in started if _is_of(one, child.mark)]


def _is_of(pid: int, mark: str) -> bool:
    """Whether a number still is that of a process which bears the mark, and no other's by now."""
    try:
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False


def test_a_process_that_starts_a_few_is_left_alone(above: Parent | None) -> None:
    child = Child.start(_a_few, (), 60, parent=above)
    try:
        while not child.over and not child.late:
            child.listen(0.05)
    finally:
        child.end()
    assert not child.crowded
    assert bytes(child.said) == b"done\n"


def _a_few(send: Callable[[bytes], None]) -> None:
    """Fork far more often than may live at once, one at a time."""
    for _ in range(3 * MOST_STARTED):
        pid = os.fork()
        if not pid:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    send(b"done\n")


def test_a_fork_at_every_call_of_a_law_ends_with_its_time_cap(tmp_path: Path) -> None:
    (tmp_path / "bomb.py").write_text(_BOMB)
    words = ["check", "bomb.py:Bomb", "--n", "1", "--no-plot", "--time-cap", "20"]
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "dpaudit", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert time.monotonic() - began < 55
    last = done.stderr.strip().splitlines()[-1]
    crowded = "dpaudit: the audit was ended: its code started more than 128 processes"
    late = "dpaudit: time cap: nothing was finished after 20 s; a larger --time-cap allows more"
    assert (done.returncode, last) in ((2, crowded), (3, late))
    assert those_in(tmp_path) == []
