"""Files of devices and of the system, whose content is another in each run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from dpaudit.programs.guarding.guards import is_own, is_program

__all__ = ["is_called_by", "is_device", "opened_by_program"]

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


def opened_by_program(path: object, frame: FrameType) -> str | None:
    """Return the name of a file that is opened in a frame and that no program may open, or None."""
    name = _name_of(path)
    if not name.startswith(_OF_THE_SYSTEM) or name.startswith(_LASTING):
        return None
    return name if is_called_by(frame, is_program if is_device(path) else is_own) else None


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


_NO_PROGRAM = (str(Path(__file__).resolve().parents[2]), "<frozen importlib")
