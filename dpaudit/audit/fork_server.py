"""Processes that are forked from one that has imported what they need.

An interpreter takes much longer to start, and to import an audit, than a small audit takes.  Here
one process, the *parent*, does that once.  It runs no user's code, has one thread, and forks when
it is told to.  What it forks is as a fresh interpreter is: it has its own seeds, its own mark in
the environment and the descriptors that were sent for it.  The parent reads nothing from its
children.  It is told what to do through a socket that has no name, and that no child keeps.

A child's number stays its own until whoever started it has the parent reap it, so that no signal
can reach another process.  A parent that is killed, or stopped, is lost: its children go on, since
whoever started it holds them, and others have to be started in another way.
"""

from __future__ import annotations

import gc
import os
import pickle
import secrets
import select
import signal
import socket
import struct
import sys
from contextlib import contextmanager, suppress
from multiprocessing import parent_process, resource_tracker
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.audit.processes import (
    Spawned,
    change_mark,
    kill_marked,
    kill_started,
    marked,
    stay_parent,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Forked", "Parent", "parent_of"]

_FORK, _REAP = 1, 2
_REQUEST = struct.Struct("!BQQ")
"""Kind of the request, its number, and the length of what follows or the number of a process."""
_REPLY = struct.Struct("!Qq")
"""Number of the request, and a process or an exit code, which is negative for a signal."""
_MOST_FILES = 4
_LOADING, _PATIENCE = 60.0, 10.0
"""Seconds for the first answer, before which the parent prepares, and for every other."""
_UNMARKED = "0" * 32
_NONE = -(1 << 32)
"""Answer where there is neither."""


class Parent:
    """A process that has prepared itself, and forks others; see :func:`parent_of`."""

    def __init__(self, prepare: Callable[[], None]) -> None:
        """Start it, and let it call ``prepare``, a function of a module."""
        self._socket, theirs = socket.socketpair()
        self._mark = secrets.token_hex(16)
        self._number = 0
        self._patience = _LOADING
        self.lost = False
        """True if it does not answer any more."""
        # As bytes: the module of the function is imported when the parent has settled.
        self._process = Spawned(target=_serve, args=(theirs, pickle.dumps(prepare)))
        resource_tracker.ensure_running()  # it serves every process: none's mark is on it
        # Ctrl-C reaches it as well until it leads a group of its own.
        held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with marked(f"{self._mark} {_UNMARKED}"):
                self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
            theirs.close()

    def fork(
        self, mark: str, target: Callable[..., None], arguments: tuple[Any, ...], *files: int
    ) -> Forked | None:
        """Start ``target(*files, *arguments)`` in a forked process; None if that cannot be.

        Args:
            mark: its mark in the environment, and that of all processes that it starts.
            target: what is done there; a function of a module.
            arguments: what it is given after the descriptors.
            files: descriptors, which get other numbers there.
        """
        said = bytes(ForkingPickler.dumps((mark, target, arguments)))
        # The child lives while ``held`` is open here: ``life`` ends when this process does.
        life, held = os.pipe()
        pid = None
        try:
            pid = self._ask(_FORK, len(said), said, (life, *files))
        finally:
            os.close(life)
            if pid is None:
                os.close(held)
        return None if pid is None else Forked(self, pid, held)

    def reap(self, pid: int) -> int | None:
        """Wait for a forked process that is ending; return its exit code, None if nobody knows."""
        return self._ask(_REAP, pid)

    def close(self) -> None:
        """End it, and all that was started by what it forked."""
        pid = self._process.pid
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)  # it forks nothing more, and stays the parent
            kill_started(pid)
            self._process.kill()
            kill_marked(self._mark)
            self._process.join()
        self._socket.close()

    def _ask(
        self, kind: int, size: int, said: bytes = b"", files: Sequence[int] = ()
    ) -> int | None:
        """Return the answer to a request; None if there is none."""
        if self.lost:
            return None
        self.lost = True  # until it has answered: what is interrupted is out of step
        self._number += 1
        self._socket.settimeout(self._patience)
        try:
            socket.send_fds(self._socket, [_REQUEST.pack(kind, self._number, size)], files)
            self._socket.sendall(said)
            number, value = _REPLY.unpack(_received(self._socket, _REPLY.size))
        except (OSError, EOFError):
            return None
        self.lost = number != self._number
        self._patience = _PATIENCE
        return None if self.lost or value == _NONE else int(value)


class Forked:
    """A process that a :class:`Parent` has forked, with what is asked of a process here."""

    def __init__(self, parent: Parent, pid: int, held: int) -> None:
        """Hold a process that has not been reaped; it ends when ``held`` is closed."""
        self._parent = parent
        self._held = held
        self._ended = False
        self.sentinel = os.pidfd_open(pid)
        """Descriptor that can be read when the process has ended."""
        self.exitcode: int | None = None
        self._pid = pid

    @property
    def pid(self) -> int | None:
        """Number of the process; None where it may be that of another by now."""
        return None if self._ended or (self._parent.lost and self.gone) else self._pid

    @property
    def gone(self) -> bool:
        """True if the process has ended."""
        return self._ended or self._waits(0)

    def _waits(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.sentinel, select.POLLIN)
        return bool(poll.poll(1000 * seconds))

    def kill(self) -> None:
        """Kill the process."""
        if not self._ended:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.sentinel, signal.SIGKILL)

    def join(self) -> None:
        """Wait until the process, which was killed, has ended, and let go of it."""
        if not self._ended:
            self.exitcode = self._parent.reap(self._pid)
            self._waits(_PATIENCE)
            self._ended = True
            os.close(self._held)
            os.close(self.sentinel)


@contextmanager
def parent_of(prepare: Callable[[], None]) -> Iterator[Parent | None]:
    """Give a process that forks others; None where there is none.

    In the end it is gone, and so is all that was started by what it forked.

    Args:
        prepare: what it does first, such as to import modules; a function of a module.
    """
    if not _can_be():
        yield None
        return
    parent = Parent(prepare)
    try:
        yield parent
    finally:
        parent.close()


def _can_be() -> bool:
    """Tell whether this system has what it takes."""
    if sys.platform != "linux" or not hasattr(os, "pidfd_open"):
        return False
    try:
        # A sandbox may refuse the call that the module has.
        os.close(os.pidfd_open(os.getpid()))
    except OSError:
        return False
    return Path("/proc/self/task").is_dir()


# What follows runs in the parent.


def _serve(requests: socket.socket, prepare: bytes) -> None:
    """Prepare, and fork when asked to, until nobody is left who could ask."""
    os.setpgid(0, 0)
    stay_parent()  # of what is started by those that end
    ignored = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [(number, signal.signal(number, signal.SIG_IGN)) for number in ignored]
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads would be lost in a fork
    pickle.loads(prepare)()
    gc.collect()
    gc.freeze()  # what is shared with a child is not copied when it collects
    # A fork takes one thread along, and the locks that all others hold.
    may_fork = len(os.listdir("/proc/self/task")) == 1
    living: set[int] = set()
    while True:
        try:
            kind, number, size, files = _request(requests)
            if kind == _REAP:
                answer = _reap(size, living)
            else:
                said = _received(requests, size)
                answer = _fork(requests, files, said, before) if may_fork else _NONE
                living |= {answer} - {_NONE}
            for file in files:
                os.close(file)
            requests.sendall(_REPLY.pack(number, answer))
        except (OSError, EOFError):
            break
    kill_started(os.getpid())
    os._exit(0)


def _request(requests: socket.socket) -> tuple[int, int, int, list[int]]:
    said, files, _, _ = socket.recv_fds(
        requests, _REQUEST.size, _MOST_FILES, socket.MSG_CMSG_CLOEXEC
    )
    said += _received(requests, _REQUEST.size - len(said)) if said else b""
    if not said:
        raise EOFError
    kind, number, size = _REQUEST.unpack(said)
    return kind, number, size, files


def _received(pipe: socket.socket, size: int) -> bytes:
    said = bytearray()
    while len(said) < size:
        part = pipe.recv(min(size - len(said), 1 << 16))
        if not part:
            raise EOFError
        said += part
    return bytes(said)


def _reap(pid: int, living: set[int]) -> int:
    """Return the exit code of a process that is ending; reap what has none to do so as well."""
    answer = _NONE
    # Only a child that was not reaped before still has its number.
    if pid in living:
        living.remove(pid)
        with suppress(ChildProcessError):
            answer = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with suppress(OSError):
        # Orphans come to this process, and would stay zombies.
        for orphan in Path("/proc/self/task", str(os.getpid()), "children").read_text().split():
            if int(orphan) not in living:
                with suppress(ChildProcessError):
                    os.waitpid(int(orphan), os.WNOHANG)
    return answer


def _fork(
    requests: socket.socket, files: list[int], said: bytes, handlers: Sequence[tuple[int, Any]]
) -> int:
    """Return the number of a new process, which does what was said; ``_NONE`` if there is none."""
    try:
        pid = os.fork()
    except OSError:
        return _NONE
    if pid:
        return pid
    # What goes wrong before the work begins ends as a failure.
    code = 1
    try:
        for number, handler in handlers:
            signal.signal(number, handler)
        requests.close()
        above = parent_process()
        if above is not None:
            # It tells when the parent is left alone; a child waits on ``life`` instead.
            os.close(above.sentinel)
        drawn = sys.modules.get("numpy.random")
        if drawn is not None:
            drawn.seed()  # a fork has its state; Python's own generator is seeded anew by itself
        life, *others = files
        mark, target, arguments = pickle.loads(said)
        change_mark(_UNMARKED, mark)
        with suppress(OSError):
            os.close(0)  # which the following opens anew
        process = Spawned(target=target, args=(*others, *arguments))
        code = process._bootstrap(parent_sentinel=life)  # type: ignore[attr-defined]
    finally:
        os._exit(code)
