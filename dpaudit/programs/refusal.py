"""What the engine cannot follow is refused, in one line that names the program's own line.

A refusal is no ``Exception``: a program's ``except`` does not turn it into an output, and one that
is caught all the same is remembered by the run and raised again when the program ends.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["NoEnd", "Refused", "frame_of_program", "line_of_program"]

_EXPLORER = str(Path("programs") / "explorer.py")
_LIBRARY = str(Path(os.__file__).resolve().parent)
_HOME = str(Path(__file__).resolve().parent)


class Refused(BaseException):
    """Something that a program does has no law here; the message is one line."""

    def __init__(self, reason: str, *, inside: bool = True, final: bool = False) -> None:
        """Say why, and, ``inside`` a run, at which line of the program.

        A ``final`` one is about the program itself, in whatever way it is followed.
        """
        self.final = final
        where = line_of_program() if inside else ""
        super().__init__(f"{where}: {reason}" if where else reason)


class NoEnd(Refused):
    """A path seems to have no end."""


def frame_of_program() -> FrameType | None:
    """Return the innermost frame of the program; None outside of it."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if _name(file):
            return frame
        if file.endswith(_EXPLORER):
            return None
        frame = frame.f_back
    return None


def line_of_program() -> str:
    """Return file:line of the innermost frame of the program; empty outside of it."""
    frame = frame_of_program()
    return "" if frame is None else _line(frame.f_code.co_filename, frame.f_lineno)


@lru_cache(maxsize=1 << 10)
def _line(file: str, number: int) -> str:
    return f"{_name(file)}:{number}"


@lru_cache(maxsize=1 << 10)
def _name(file: str) -> str:
    """Return the name of a file; empty for the engine's own, and for those of Python's library."""
    own = file.startswith((_HOME, "<frozen"))
    library = file.startswith(_LIBRARY) and "site-packages" not in file
    return "" if own or library else Path(file).name
