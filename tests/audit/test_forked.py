"""A forked process is like one with an interpreter of its own, and harms no other."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpaudit.audit import fork_server
from dpaudit.audit.fork_server import Parent, parent_of
from dpaudit.audit.isolated import Child
from tests.processes import those_in

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forked on Linux alone")

Send = Callable[[bytes], None]
COUNTS = ("/memfd", "/dev/shm/pym-", "/tmp/pymp-")


@pytest.fixture
def parent() -> Iterator[Parent]:
    with parent_of(nothing) as found:
        assert found is not None
        yield found


def nothing() -> None:
    """Prepare nothing beyond this module."""


def heard(child: Child) -> bytes:
    """All that a process says until it is over, which it has to be."""
    try:
        while not child.over and not child.late:
            child.listen(0.05)
        assert child.over
    finally:
        child.end()
    return bytes(child.said)


def described(send: Send) -> None:
    """Say what a process can see of the way in which it was started."""
    import multiprocessing

    above = multiprocessing.parent_process()
    assert above is not None
    files = [Path("/proc/self/fd", number) for number in os.listdir("/proc/self/fd")]
    files = [file.readlink() for file in files if os.path.lexists(file)]  # not of the list itself
    said = {
        "group": os.getpgid(0) == os.getpid(),
        "session": os.getsid(0),
        "signals": [str(signal.getsignal(number)) for number in signal.valid_signals()],
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "limits": [resource.getrlimit(kind) for kind in range(16)],
        "threads": threading.active_count(),
        "method": multiprocessing.get_start_method(),
        "main": sorted(vars(sys.modules["__main__"])),
        "folder": str(Path.cwd()),
        "path": sys.path,
        "words": sys.argv,
        "umask": os.umask(0o22),
        "nice": os.nice(0),
        "files": sorted(str(file).partition(":")[0] for file in files),
        "input": os.readlink("/proc/self/fd/0"),
        "outputs": [os.readlink(f"/proc/self/fd/{number}") for number in (1, 2)],
    }
    send(json.dumps(said).encode())


def test_it_is_as_one_with_an_interpreter_of_its_own(parent: Parent) -> None:
    fresh = json.loads(heard(Child.start(described, (), 60)))
    found = json.loads(heard(Child.start(described, (), 60, parent=parent)))
    assert not parent.lost
    for said in (fresh, found):  # the memory of its counts, of one kind or another
        said["files"] = [name for name in said["files"] if not name.startswith(COUNTS)]
    assert found == fresh


def test_others_have_no_file_of_it(parent: Parent) -> None:
    """Neither has the parent, which could hold a pipe open that is to end."""
    first = Child.start(_waits, (), 60, parent=parent)
    try:
        second = json.loads(heard(Child.start(described, (), 60, parent=parent)))
        third = json.loads(heard(Child.start(described, (), 60, parent=parent)))
    finally:
        first.end()
    assert second["files"] == third["files"]


def _waits(send: Send) -> None:
    time.sleep(600)


def draws(send: Send) -> None:
    send(json.dumps([random.random(), float(np.random.random()), os.urandom(8).hex()]).encode())


def test_nothing_random_is_shared(parent: Parent) -> None:
    drawn = [json.loads(heard(Child.start(draws, (), 60, parent=parent))) for _ in range(3)]
    assert all(len(set(column)) == 3 for column in zip(*drawn, strict=True))


def changes(send: Send) -> None:
    send(json.dumps(getattr(sys, "_changed", 0)).encode())
    setattr(sys, "_changed", 1)  # noqa: B010
    os.environ["CHANGED"] = "1"


def test_what_one_changes_no_other_sees(parent: Parent) -> None:
    for _ in range(2):
        assert heard(Child.start(changes, (), 60, parent=parent)) == b"0"


def marks(send: Send) -> None:
    """Say the environment as the system reads it, of this process, a fork and a program."""
    said = [Path("/proc/self/environ").read_text(), os.environ["DPAUDIT_CONTAINED"]]
    shown = subprocess.run(["env"], capture_output=True, text=True, check=True).stdout
    reads, writes = os.pipe()
    if not os.fork():
        os.write(writes, Path("/proc/self/environ").read_bytes())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, "rb") as pipe:
        said.append(pipe.read().decode())
    send(json.dumps([*said, shown]).encode())


def test_each_bears_a_mark_of_its_own(parent: Parent) -> None:
    children = [Child.start(marks, (), 60, parent=parent) for _ in range(2)]
    first, second = (json.loads(heard(child)) for child in children)
    assert all(children[0].mark in said and children[1].mark not in said for said in first)
    assert all(children[1].mark in said and children[0].mark not in said for said in second)


def leaves(send: Send, code: int) -> None:
    send(b"0\n")
    os._exit(code)


def dies(send: Send) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def raises(send: Send) -> None:
    raise RuntimeError("no result")


@pytest.mark.parametrize("way", ["fresh", "forked"])
def test_it_is_told_how_one_ended(way: str, parent: Parent) -> None:
    above = parent if way == "forked" else None
    cases: list[tuple[Any, tuple[Any, ...], str]] = [
        (leaves, (7,), "code 7"),
        (dies, (), "signal 9"),
        (raises, (), "code 1"),
    ]
    for work, given, told in cases:
        child = Child.start(work, given, 60, parent=above)
        heard(child)
        assert child.how_it_ended() == told


def attacks(send: Send, number: int) -> None:
    """Do to the parent what can be done to any process of the same user."""
    os.kill(os.getppid(), number)
    send(b"done\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_the_parent_does_not_heed_a_signal(number: int, parent: Parent) -> None:
    assert heard(Child.start(attacks, (number,), 60, parent=parent)) == b"done\n"
    assert heard(Child.start(leaves, (0,), 60, parent=parent)) == b"0\n"
    assert not parent.lost


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_parent_that_is_lost_costs_the_others_nothing(
    number: int, parent: Parent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fork_server, "_PATIENCE", 2.0)
    sibling = Child.start(waits_for_a_word, (), 60, parent=parent)
    assert heard(Child.start(attacks, (number,), 60, parent=parent)) == b"done\n"
    assert heard(Child.start(leaves, (0,), 60, parent=parent)) == b"0\n"
    assert parent.lost
    assert heard(sibling) == b"word\n"
    assert sibling.how_it_ended() == "nobody knows how"


def waits_for_a_word(send: Send) -> None:
    time.sleep(5)
    send(b"word\n")


def forgets(send: Send, where: str) -> None:
    """Start a program without the mark, in a session of its own, and die before it is killed."""
    program = subprocess.Popen(
        ["sleep", "600"], start_new_session=True, env={}, cwd=where, stdout=-3, stderr=-3
    )
    send(b"%d\n" % program.pid)
    os.kill(os.getpid(), signal.SIGKILL)


def test_what_lost_its_mark_and_its_parent_is_ended_in_the_end(tmp_path: Path) -> None:
    with parent_of(nothing) as parent:
        assert parent is not None
        heard(Child.start(forgets, (str(tmp_path),), 60, parent=parent))
    assert those_in(tmp_path) == []


def starts_a_thread() -> None:
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def test_a_parent_with_threads_forks_nothing() -> None:
    with parent_of(starts_a_thread) as parent:
        assert parent is not None
        assert parent.fork("0" * 32, _waits, ()) is None
        assert heard(Child.start(leaves, (0,), 60, parent=parent)) == b"0\n"


def fails() -> None:
    raise RuntimeError("not prepared")


def test_a_parent_that_fails_forks_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    with parent_of(fails) as parent:
        assert parent is not None
        assert heard(Child.start(leaves, (0,), 60, parent=parent)) == b"0\n"
    assert "not prepared" in capfd.readouterr().err


def test_without_a_way_to_hold_a_process_there_is_no_parent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(pid: int) -> int:
        raise OSError("no such call")

    monkeypatch.setattr(os, "pidfd_open", refuse)
    with parent_of(nothing) as parent:
        assert parent is None


@contextmanager
def killed(program: str, folder: Path) -> Iterator[None]:
    """Run a program until it says something, and kill it."""
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
        process.wait()
        yield


ORPHANS = """
import os, sys
sys.path.insert(0, {root!r})
from dpaudit.audit.fork_server import parent_of
from dpaudit.audit.isolated import Child
from tests.processes import those_in
from tests.audit.test_forked import _waits, nothing
with parent_of(nothing) as parent:
    children = [Child.start(_waits, (), 600, parent=parent) for _ in range(3)]
    {before}
    print("started", flush=True)
    _waits(None)
"""


@pytest.mark.parametrize("before", ["pass", "os.kill(parent._process.pid, 9)"])
def test_nothing_outlives_who_started_it(before: str, tmp_path: Path) -> None:
    root = str(Path(__file__).resolve().parents[2])
    with killed(ORPHANS.format(root=root, before=before), tmp_path):
        for _ in range(200):
            if not those_in(tmp_path):
                return
            time.sleep(0.1)
    raise AssertionError(f"left: {those_in(tmp_path)}")
