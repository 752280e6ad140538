"""Refusal of what Python reports as an event: files of devices, folders, sockets, identities.

Python reports these to an audit hook (PEP 578), whoever asks for them, compiled code too.  A hook
stays for as long as the process runs, so this one does nothing unless a program is explored.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import get_ident
from types import FrameType
from typing import Any

from dpaudit.programs.guarding.addresses import REFUSING
from dpaudit.programs.guarding.guards import is_own, is_program

__all__ = ["is_called_by", "is_device", "listen"]

_RANDOM = ("/dev/random", "/dev/urandom", "/dev/hwrng", "/proc/sys/kernel/random")
_OF_THE_SYSTEM = ("/proc", "/sys", "/dev")
_LASTING = ("/dev/null", "/dev/zero", "/dev/full", "/dev/shm", "/dev/std", "/dev/tty")
"""Devices that tell nothing, and files that only lie there."""


def _name_of(path: object) -> str:
    if not isinstance(path, (str, bytes, os.PathLike)):
        return ""
    return os.path.normpath("/" + os.fsdecode(path).lstrip("/"))


def is_device(path: object) -> bool:
    """Tell whether a path is that of a file of random bytes."""
    return _name_of(path).startswith(_RANDOM)


def _opened(given: tuple[Any, ...], frame: FrameType) -> str | None:
    name = _name_of(given[0])
    if not name.startswith(_OF_THE_SYSTEM) or name.startswith(_LASTING):
        return None
    return name if is_called_by(frame, is_program if is_device(name) else is_own) else None


def _of_program(name: str) -> Callable[[tuple[Any, ...], FrameType], str | None]:
    return lambda given, frame: name if is_called_by(frame, is_program) else None


def _of_own(name: str) -> Callable[[tuple[Any, ...], FrameType], str | None]:
    return lambda given, frame: name if is_called_by(frame, is_own) else None


def _at_once(name: str) -> Callable[[tuple[Any, ...], FrameType], str | None]:
    """Refuse what a program's own code does, and not what a library does for it."""
    return lambda given, frame: name if is_own(frame.f_code.co_filename) else None


_FILES = "the order of the files in a folder"
_PROCESS = "another process"
_EVENTS: dict[str, Callable[[tuple[Any, ...], FrameType], str | None]] = {
    "open": _opened,
    "os.listdir": _of_own(_FILES),
    "os.scandir": _of_own(_FILES),
    "builtins.id": _at_once("id"),
    "gc.get_objects": _at_once("gc.get_objects"),
    "gc.get_referrers": _at_once("gc.get_referrers"),
    "gc.get_referents": _at_once("gc.get_referents"),
    "sys._current_frames": _at_once("sys._current_frames"),
    "sqlite3.connect": _of_program("a database, which has its own clock and random numbers"),
    "subprocess.Popen": _of_program(_PROCESS),
    "os.system": _of_program(_PROCESS),
    "os.posix_spawn": _of_program(_PROCESS),
    "os.fork": _of_program(_PROCESS),
    "os.forkpty": _of_program(_PROCESS),
}
_GROUPS = {"socket": _of_program("a socket"), "ctypes": _of_own("ctypes")}
"""What is refused, by the part of the name of an event before its point."""


def is_called_by(frame: FrameType | None, whose: Callable[[str], bool]) -> bool:
    """Tell whether code of a program, which is ``whose``, called the library that runs in a frame.

    What is imported, and what the engine does, belongs to no program.
    """
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_NO_PROGRAM):
            return False
        if is_program(file):
            return whose(file)
        frame = frame.f_back
    return False


_NO_PROGRAM = (
    str(Path(__file__).resolve().parents[2]),
    "<frozen importlib",
)


def listen() -> None:
    """Listen to events of this thread, for as long as the process runs."""
    if not _THREAD:
        sys.addaudithook(_heard)
    _THREAD[:] = [get_ident()]


_THREAD: list[int] = []
"""The thread that explores a program."""


def _heard(event: str, given: tuple[Any, ...]) -> None:
    refuse = REFUSING[-1]
    if refuse is None or [get_ident()] != _THREAD:
        return
    told = _EVENTS.get(event) or _GROUPS.get(event.partition(".")[0])
    what = None if told is None else told(given, sys._getframe(1))
    if what is not None:
        refuse(what)
