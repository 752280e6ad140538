"""Processes in which a program was never called: what it does there is what its first call does.

One process is forked before the first call, and waits.  Where a call turns out to leave something
for later ones, it forks others, and each of these makes one call.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from hashlib import sha256
from typing import Any
from weakref import finalize

from dpaudit.programs.guarding.refusal import Refused

__all__ = ["Pristine", "digest", "end_forked", "read_message", "stand_alone", "write_message"]

_SECONDS = 10
"""A call that takes longer is ended."""
_LENGTH = 8
_PATIENCE = 5.0
"""Seconds after which the waiting process looks whether the one that asks is still there."""

Answering = Callable[[Any], AbstractContextManager[Callable[[Any], str]]]


class Pristine:
    """A process that was forked before the first call of a program."""

    def __init__(self, answering: Answering) -> None:
        """Fork it.

        Args:
            answering: gives, for a subject, what makes a call and tells in a text what it did.

        Raises:
            OSError: where there can be no such process.
        """
        if not hasattr(os, "fork"):
            raise OSError("this system cannot fork processes")
        asking, self._ask = os.pipe()
        self._answers, answers = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self._pid = os.fork()
        if not self._pid:
            try:
                os.close(self._ask)
                os.close(self._answers)
                _wait(answering, asking, answers)
            finally:
                os._exit(0)
        os.close(asking)
        os.close(answers)
        self.close = finalize(self, end_forked, self._pid, self._ask, self._answers)

    def ask(self, subject: Any, calls: Sequence[Any]) -> Iterator[str]:
        """Yield a digest of what each of some calls did, in a process of its own; empty if it died.

        Raises:
            Refused: for a subject that cannot be sent to another process.
        """
        try:
            said = pickle.dumps((subject, list(calls)))
        except Exception as error:
            raise Refused(
                f"it cannot be called in another process ({error})", inside=False
            ) from None
        write_message(self._ask, said)
        for _ in calls:
            yield read_message(self._answers, _SECONDS + _PATIENCE).decode()


def digest(text: str) -> str:
    """Return the SHA-256 of a text."""
    return sha256(text.encode(errors="backslashreplace")).hexdigest()


def end_forked(pid: int, *files: int) -> None:
    """Close files, and end a process if it was forked from this one."""
    for one in files:
        with suppress(OSError):
            os.close(one)
    with suppress(OSError):  # a process that was forked has no such child
        if os.waitpid(pid, os.WNOHANG)[0] == 0:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def stand_alone() -> None:
    """Leave signals and the terminal to the process that this one was forked from."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for one in (signal.SIGTERM, signal.SIGALRM):
        signal.signal(one, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    sys.setprofile(None)


def _wait(answering: Answering, asking: int, answers: int) -> None:
    """Answer what is asked until nobody is there to ask."""
    stand_alone()
    parent = os.getppid()
    while True:
        while not select.select([asking], [], [], _PATIENCE)[0]:
            if os.getppid() != parent:
                return
        said = read_message(asking, _PATIENCE)
        if not said:
            return
        subject, calls = pickle.loads(said)  # of the process that this was forked from
        with _child() as is_child:
            if is_child:
                _answer_all(answering, subject, calls, answers)


def _answer_all(answering: Answering, subject: Any, calls: Sequence[Any], answers: int) -> None:
    left = len(calls)
    try:
        with answering(subject) as answer:
            for call in calls:
                _answer_apart(answer, call, answers)
                left -= 1
    finally:
        for _ in range(left):
            write_message(answers, b"")


def _answer_apart(answer: Callable[[Any], str], call: Any, answers: int) -> None:
    """Answer one call in a process of its own; what it did is sent as a digest."""
    inside, outside = os.pipe()
    with _child() as is_child:
        if is_child:
            signal.alarm(_SECONDS)
            write_message(outside, digest(answer(call)).encode())
    os.close(outside)
    said = read_message(inside, _SECONDS + 1)
    os.close(inside)
    write_message(answers, said)


@contextmanager
def _child() -> Iterator[bool]:
    """Fork; be True in the child, which ends with the block, and False where it has ended."""
    pid = os.fork()
    if pid:
        yield False
        os.waitpid(pid, 0)
        return
    try:
        yield True
    except BaseException:
        os._exit(1)
    finally:
        os._exit(0)


def write_message(file: int, said: bytes) -> None:
    """Write a message to a pipe."""
    left = memoryview(len(said).to_bytes(_LENGTH, "little") + said)
    while left:
        left = left[os.write(file, left) :]


def read_message(file: int, seconds: float) -> bytes:
    """Return the next message; empty where there comes none."""
    length = _read_so_many(file, _LENGTH, seconds)
    return _read_so_many(file, int.from_bytes(length, "little"), seconds)


def _read_so_many(file: int, count: int, seconds: float) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        if not select.select([file], [], [], seconds)[0]:
            return b""
        part = os.read(file, count - len(parts))
        if not part:
            return b""
        parts += part
    return bytes(parts)
