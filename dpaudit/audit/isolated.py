"""Work that may never end, or lie, in a process of its own that is ended with all it started.

The process leads a group of its own and says what it has to say through one pipe, as bytes.  Who
started it reads them without ever waiting for more, up to a limit, and believes nothing but what
they are found to be.  Whatever becomes of it, all that it started is killed in the end: its group,
its descendants, to which it stays the parent when those between have gone, and, if it died itself,
what bears its mark in the environment.  It ends itself when whoever started it is gone.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import re
import secrets
import signal
import sys
import time
from array import array
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from dpaudit.audit.fork_server import Forked
from dpaudit.audit.processes import (
    MOST_STARTED,
    Spawned,
    hold_number,
    kill_marked,
    kill_started,
    living,
    marked,
    stay_parent,
)
from dpaudit.audit.workers import MAX_JOBS, set_time_cap, set_time_up
from dpaudit.errors import TimeCapReached
from dpaudit.machine import wait_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from dpaudit.audit.fork_server import Parent

    Send = Callable[[bytes], None]

__all__ = ["GRACE", "MOST_BYTES", "Child", "Ending", "hold_to_memory", "run_contained"]

GRACE = 5.0
"""Seconds that a process has to report what is finished when it is to end."""

MOST_BYTES = 1 << 26
"""A process that says more than this is not listened to."""

_POLL, _PART = 0.2, 1 << 16
_COUNTS = [0, MOST_STARTED, 0, 0]
_EXIT_CODE = re.compile(rb"\d{1,3}\n")


@dataclass
class Child:
    """A process that was started, and what it has said so far."""

    process: BaseProcess | Forked
    pipe: Connection
    deadline: float
    """Time at which the child is ended, on the monotonic clock."""
    mark: str
    """Mark in the environment of the child and of all processes that it starts."""
    said: bytearray = field(default_factory=bytearray)
    """Bytes read from the child's pipe and not yet taken as messages."""
    over: bool = False
    """True if nothing more will be read: the child's end of the pipe is closed, or it is gone."""
    heard: int = 0
    ended: bool = False
    counts: Any = None
    """Of what it has started; see :func:`dpaudit.audit.processes.hold_number`."""
    counted: float = 0.0
    crowded: bool = False
    """True if it has started more processes than are allowed."""

    @staticmethod
    def start(
        work: Callable[..., None],
        arguments: tuple[Any, ...],
        seconds: float,
        *,
        quiet: bool = True,
        parent: Parent | None = None,
    ) -> Child:
        """Start ``work(send, *arguments)`` in a process that has so many ``seconds``.

        Args:
            work: what is done there; a function of a module.
            arguments: what it is given after ``send``, which takes the bytes it has to say.
            seconds: how long it has, from now.
            quiet: whether what it prints goes to the standard error, as stdout is for a report.
            parent: the process that forks it, if it can; else it has an interpreter of its own.
        """
        ours, theirs = multiprocessing.Pipe(duplex=False)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        # Nobody can guess it: what bears the mark was started here.
        mark = secrets.token_hex(16)
        given = (work, arguments, quiet)
        process, counts = _forked(parent, mark, theirs, given) or _spawned(mark, theirs, given)
        # While a copy of this end is open here, the pipe would not end with the child.
        theirs.close()
        # A child that says half a message must not make whoever reads it wait.
        os.set_blocking(ours.fileno(), False)
        return Child(process, ours, time.monotonic() + seconds, mark, counts=counts)

    def listen(self, seconds: float) -> None:
        """Wait until it says something or ends, for ``seconds`` at most; read what there is."""
        if self.over:
            return
        wait([self.pipe, self.process.sentinel], timeout=min(seconds, _POLL))
        gone = self.gone  # looked up before the last of it is read
        self._read()
        self._count()
        self.over = self.over or gone or self.crowded

    def _count(self) -> None:
        """Note whether more processes live than it may have started, whatever it says of that."""
        if not self.crowded and (now := time.monotonic()) >= self.counted + _POLL:
            self.counted = now
            # The child can write to these numbers: it gets no more than any audit may have.
            most = min(self.counts[1], MOST_STARTED + 2 * MAX_JOBS)
            self.crowded = self.counts[2] != 0 or len(living(self.process.pid or 0)) > most

    def _read(self) -> None:
        while not self.too_much:
            try:
                part = os.read(self.pipe.fileno(), _PART)
            except BlockingIOError:
                return
            except OSError:
                part = b""
            if not part:
                self.over = True
                return
            self.said += part
            self.heard += len(part)
        self.over = True

    def lines(self) -> Iterator[bytes]:
        """Take the whole lines that it has said."""
        while (end := self.said.find(b"\n")) >= 0:
            line = bytes(self.said[:end])
            del self.said[: end + 1]
            yield line

    @property
    def gone(self) -> bool:
        """True if the process has ended; a process it forked may hold its end of the pipe open."""
        if isinstance(self.process, Forked):
            return self.process.gone
        if not hasattr(os, "waitid"):
            return not self.process.is_alive()
        peek = os.WEXITED | os.WNOHANG | os.WNOWAIT  # its number is not given to another yet
        try:
            return os.waitid(os.P_PID, self.process.pid or 0, peek) is not None
        except ChildProcessError:
            return True

    @property
    def too_much(self) -> bool:
        """True if it has sent more bytes than are accepted."""
        return self.heard > MOST_BYTES

    @property
    def late(self) -> bool:
        """True if its time is up."""
        return time.monotonic() > self.deadline

    def end(self) -> None:
        """End the process and all it started, whatever they are doing."""
        if not self.ended:
            self.ended = True  # from here on its number may be that of another
            pid = self.process.pid
            if pid is not None:
                _end_group(pid)
            self.process.kill()
            # What lost its parents when those were killed is known by the mark alone.
            kill_marked(self.mark)
            self.process.join()
        self.pipe.close()

    def how_it_ended(self) -> str:
        """Return in words how the process ended, or that it did not; for after :meth:`end`."""
        if self.crowded:
            return f"it started more than {MOST_STARTED} processes"
        code = self.process.exitcode
        if code is None:
            return "nobody knows how"
        return f"signal {-code}" if code < 0 else f"code {code}"


def _end_group(pid: int) -> None:
    """Kill what a process has started, and its group."""
    if hasattr(signal, "SIGSTOP"):  # it starts nothing more, and stays the parent
        for stop in (os.kill, os.killpg):  # all of its group stop in one moment
            with suppress(ProcessLookupError, PermissionError):
                stop(pid, signal.SIGSTOP)
    kill_started(pid)
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def _spawned(mark: str, pipe: Connection, given: tuple[Any, ...]) -> tuple[BaseProcess, Any]:
    """Return a process with an interpreter of its own that does what is given, and its counts."""
    counts = multiprocessing.RawArray("q", _COUNTS)
    process = Spawned(target=_work_spawned, args=(pipe, counts, *given))
    resource_tracker.ensure_running()  # it serves every process: none's mark is on it
    with marked(mark):
        process.start()
    return process, counts


def _forked(
    parent: Parent | None, mark: str, pipe: Connection, given: tuple[Any, ...]
) -> tuple[Forked, Any] | None:
    """Return a forked process that does what is given, and its counts; None if it cannot be."""
    if parent is None:
        return None
    from fcntl import F_ADD_SEALS, F_SEAL_SHRINK, fcntl  # which not every system has

    shared = os.memfd_create("counts", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)  # of these two alone
    try:
        os.ftruncate(shared, 8 * len(_COUNTS))
        fcntl(shared, F_ADD_SEALS, F_SEAL_SHRINK)  # else reading it here could be fatal
        counts = _counts_in(shared)
        counts[:] = memoryview(array("q", _COUNTS))
        process = parent.fork(mark, _work_forked, given, pipe.fileno(), shared)
        return None if process is None else (process, counts)
    finally:
        os.close(shared)


def _counts_in(file: int) -> memoryview:
    return memoryview(mmap.mmap(file, 8 * len(_COUNTS))).cast("q")


def _work_forked(
    pipe: int, shared: int, work: Callable[..., None], arguments: tuple[Any, ...], quiet: bool
) -> None:
    """Do the work in a process that was forked."""
    counts = _counts_in(shared)
    os.close(shared)
    _work(pipe, counts, work, arguments, quiet)


def _work_spawned(pipe: Connection, *given: Any) -> None:
    """Do the work in a process with an interpreter of its own."""
    _work(pipe.fileno(), *given)


@dataclass(frozen=True)
class Ending:
    """Outcome of a contained run."""

    code: int | None
    """Return code of the run; None if its process was ended from outside, or ended itself."""
    timed_out: bool = False
    """True if the time cap was reached."""
    interrupted: bool = False
    """True if Ctrl-C was pressed."""
    died: str = ""
    """Cause of the process's own death, in words; empty if it did not die."""


def run_contained(
    function: Callable[[list[str]], int],
    arguments: list[str],
    cap: float,
    memory: int | None = None,
) -> Ending:
    """Run ``function(arguments)`` in a process of its own, for ``cap`` seconds at most.

    With ``memory``, it gets a ``MemoryError`` where it asks for more than so many bytes, on systems
    that can hold it to that.

    Its standard output and error are those of this process.  ``TimeCapReached`` is raised in it
    when the time is up, ``KeyboardInterrupt`` when Ctrl-C is pressed here.
    """
    child = Child.start(_run, (function, arguments, cap, memory), cap + GRACE, quiet=False)
    try:
        return _watch(child)
    finally:
        child.end()


def _watch(child: Child) -> Ending:
    interrupted = False
    while True:
        try:
            child.listen(_POLL)
            if child.over:
                break
            if child.late:
                return Ending(None, timed_out=not interrupted, interrupted=interrupted)
        except KeyboardInterrupt:
            if interrupted:
                return Ending(None, interrupted=True)
            interrupted = True
            child.deadline = min(child.deadline, time.monotonic() + GRACE)
            with suppress(ProcessLookupError):
                os.kill(child.process.pid or 0, signal.SIGTERM)
    # A whole line of digits is a code; whatever else it said is not believed.
    if not child.crowded and _EXIT_CODE.fullmatch(child.said):
        return Ending(int(child.said), interrupted=interrupted)
    if child.crowded:
        return Ending(None, died=f"the audit was ended: its code {child.how_it_ended()[3:]}")
    patience = time.monotonic() + GRACE
    # Its pipe has ended before it did: wait for what tells how it ended.
    while not child.gone and time.monotonic() < patience:
        wait([child.process.sentinel], timeout=_POLL)
    child.end()
    if interrupted:
        return Ending(None, interrupted=True)
    how = child.how_it_ended()
    return Ending(None, died=f"the audited code ended the process of the audit ({how})")


def _run(
    send: Send,
    function: Callable[[list[str]], int],
    arguments: list[str],
    cap: float,
    memory: int | None,
) -> None:
    """Run a function that is told of Ctrl-C and of its time cap by a signal, and say its code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    set_time_cap(cap)
    if memory is not None:
        hold_to_memory(memory)
    timed = hasattr(signal, "setitimer")
    if timed:
        signal.signal(signal.SIGALRM, _time_is_up)
        signal.setitimer(signal.ITIMER_REAL, cap)
    code = function(arguments)
    if timed:
        # An alarm between here and the end would lose the code.
        signal.setitimer(signal.ITIMER_REAL, 0)
    for stream in (sys.stdout, sys.stderr):  # before whoever waits for the code goes on
        with suppress(OSError, ValueError):
            stream.flush()
    send(b"%d\n" % code)


def hold_to_memory(most: int) -> None:
    """Hold this process to so many bytes of data of its own; where that cannot be, to nothing.

    It gets a ``MemoryError`` where it asks for more.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread would set memory aside
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (allowed, hard))


def _work(
    pipe: int,
    counts: Any,
    work: Callable[..., None],
    arguments: tuple[Any, ...],
    quiet: bool,
) -> None:
    """Do the work: what such a process is for."""
    if hasattr(os, "setpgid"):
        # So that all it starts is ended as one group.
        os.setpgid(0, 0)
    stay_parent()
    hold_number(counts)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it decides what that means
    wait_beside(_leave_with_parent)
    if quiet and sys.stdout is not None and sys.stderr is not None:
        with suppress(OSError, ValueError):
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(said: bytes) -> None:
        left = memoryview(said)
        while left:
            # A pipe takes as much as it has room for.
            left = left[os.write(pipe, left) :]

    work(send, *arguments)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    kill_started(os.getpid())  # while it is known whose they are
    os._exit(0)  # threads that were left behind are not waited for


def _time_is_up(number: int, frame: object) -> None:
    set_time_up()
    raise TimeCapReached


def _leave_with_parent() -> None:
    """End this process, and all it started, when the one that started it is gone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        kill_started(os.getpid())
        if hasattr(os, "killpg"):
            os.killpg(os.getpgid(0), signal.SIGKILL)
        os._exit(1)
