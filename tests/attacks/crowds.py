"""Processes that start others without end, each held to some 300 so that no test harms anybody.

What is held to a number says so in one shared count; the code under test knows nothing of it.
"""

import mmap
import os
import subprocess
import time
from collections.abc import Callable

__all__ = ["CROWDS", "MANY", "nothing"]

Send = Callable[[bytes], None]
MANY = 300


def nothing() -> None:
    """Prepare nothing beyond this module, for processes that are forked."""


def _forks(send: Send, then: Callable[[], object]) -> None:
    """Fork in every copy, at every step, as code does that forks at each call."""
    count = mmap.mmap(-1, 8)
    while True:
        if int.from_bytes(count[:8], "little") < MANY:
            count[:8] = (int.from_bytes(count[:8], "little") + 1).to_bytes(8, "little")
            if not os.fork():
                then()
        time.sleep(0.05)


def copies(send: Send) -> None:
    _forks(send, lambda: None)


def copies_in_groups(send: Send) -> None:
    _forks(send, os.setpgrp)


def copies_in_sessions(send: Send) -> None:
    _forks(send, os.setsid)


def orphans(send: Send) -> None:
    """Each copy leaves its parent, which ends: only the one above all of them is left."""

    def leave() -> None:
        os.setsid()
        if os.fork():
            os._exit(0)

    _forks(send, leave)


def programs(send: Send) -> None:
    """No forks of Python's, and each leads a session of its own."""
    for _ in range(MANY):
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    time.sleep(600)


def forgetful_programs(send: Send) -> None:
    """Programs that have lost the environment that would mark them."""
    for _ in range(MANY):
        subprocess.Popen(["sleep", "600"], start_new_session=True, env={})
    time.sleep(600)


CROWDS = {
    "copies": copies,
    "copies in groups": copies_in_groups,
    "copies in sessions": copies_in_sessions,
    "orphans": orphans,
    "programs": programs,
    "programs without an environment": forgetful_programs,
}
