"""Processes that can be slow, crash or hang alone: what they report, and how they are ended."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

__all__ = ["Child", "serve"]

_CONTEXT = multiprocessing.get_context("spawn")


@dataclass
class Child:
    """A process that was started, and where its messages arrive."""

    process: multiprocessing.process.BaseProcess
    messages: Connection
    deadline: float
    closed: bool = False
    """Whether the other end of ``messages`` is known to be gone."""

    @staticmethod
    def start(target: Callable[..., None], arguments: tuple[Any, ...], seconds: float) -> Child:
        """Start ``target(connection, *arguments)`` in a process that has so many ``seconds``."""
        ours, theirs = _CONTEXT.Pipe(duplex=False)
        process = _CONTEXT.Process(target=target, args=(theirs, *arguments), daemon=True)
        process.start()
        theirs.close()
        return Child(process, ours, time.monotonic() + seconds)

    def message(self) -> bytes | None:
        """Return the next message, or None if there is none now."""
        if self.messages.poll():
            try:
                return self.messages.recv_bytes()
            except EOFError:
                self.closed = True
        return None

    @property
    def ended(self) -> bool:
        """Whether the process is gone and has said all that it had to say."""
        return not self.process.is_alive() and (self.closed or not self.messages.poll())

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return time.monotonic() > self.deadline

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.join()
        self.messages.close()


def serve(connection: Connection, work: Callable[[Callable[[bytes], None]], None]) -> None:
    """Do ``work``, which is given what sends a message: what such a process is for."""
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    if sys.stdout is not None and sys.stderr is not None:
        with suppress(OSError, ValueError):  # stdout is for the report of the gate
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with suppress(KeyboardInterrupt):
        work(connection.send_bytes)
        connection.close()


def _leave_with_parent() -> None:
    """End this process when the gate that started it is gone, whatever it is doing."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
