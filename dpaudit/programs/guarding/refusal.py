"""Refusals of what the engine cannot follow, in one line that names the program's own line.

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
    from collections.abc import Iterable, Iterator
    from types import FrameType, TracebackType

__all__ = [
    "PAST_ITS_MODULE",
    "NoEnd",
    "Refused",
    "frame_of_program",
    "line_of_program",
    "line_where_raised",
]

PAST_ITS_MODULE = (
    " through a reference that dpaudit cannot replace; call it through its module, as "
    "random.random(), inside the function"
)
"""End of a message about a random function that the engine does not see called."""
_BOUNDARY = str(Path("programs", "exploring", "outputs.py")), "outcome"
"""The file and function of the engine that run a program: what is outside is not the program."""
_STANDARD = str(Path(os.__file__).resolve().parent)
_PACKAGE = str(Path(__file__).resolve().parents[2])
_INSTALLED = ("site-packages", "dist-packages")


class Refused(BaseException):
    """Something that a program does has no law here; the message is one line."""

    def __init__(
        self, reason: str, *, inside: bool = True, final: bool = False, where: str | None = None
    ) -> None:
        """Say why, and, ``inside`` a run, at which line of the program: ``where``, or here.

        A ``final`` one is about the program itself, in whatever way it is followed.
        """
        self.final = final
        if where is None:
            where = line_of_program() if inside else ""
        super().__init__(f"{where}: {reason}" if where else reason)


class NoEnd(Refused):
    """A path seems to have no end."""


def frame_of_program() -> FrameType | None:
    """Return the innermost frame of the user's own code; None outside of a run.

    Frames of libraries are passed over, unless the program is in a library itself.
    """
    frame: FrameType | None = sys._getframe(1)
    others: list[FrameType] = []
    kind_of = _kind
    while frame is not None:
        kind = kind_of(frame.f_code.co_filename)
        if kind == "engine":  # as most are
            frame = frame.f_back
            continue
        if kind == "own":
            return frame
        if kind == "boundary" and frame.f_code.co_name == _BOUNDARY[1]:
            break
        if kind == "text" and _is_written(frame):
            return frame
        if kind in ("library", "text"):
            others.append(frame)
        frame = frame.f_back
    else:
        return None  # no run is on the stack
    return _of_library(others)


def line_of_program() -> str:
    """Return file:line of :func:`frame_of_program`; empty outside of a run."""
    frame = frame_of_program()
    return "" if frame is None else _line(frame.f_code.co_filename, frame.f_lineno)


def line_where_raised(error: BaseException) -> str:
    """Return file:line of the user's own code where an exception came from; empty if nowhere."""
    frames = list(_frames(error.__traceback__))[::-1]
    lines = {id(frame): line for frame, line in frames[::-1]}  # of a frame met twice the outer one
    own = (one for one, _ in frames if _kind(one.f_code.co_filename) == "own" or _is_written(one))
    frame = next(own, None) or _of_library(one for one, _ in frames)
    return "" if frame is None else _line(frame.f_code.co_filename, lines[id(frame)])


def _frames(trace: TracebackType | None) -> Iterator[tuple[FrameType, int]]:
    while trace is not None:
        yield trace.tb_frame, trace.tb_lineno
        trace = trace.tb_next


def _of_library(frames: Iterable[FrameType]) -> FrameType | None:
    """Return the innermost frame of the library whose code is the outermost of ``frames``."""
    found = [one for one in frames if _kind(one.f_code.co_filename) in ("library", "text")]
    if not found:
        return None
    whose = _library_of(found[-1].f_code.co_filename)
    return next(one for one in found if _library_of(one.f_code.co_filename) == whose)


def _is_written(frame: FrameType) -> bool:
    """Tell whether code without a file was written by the user, as in a notebook.

    Other such code is what classes of Python's own, a dataclass or a named tuple, have made.
    """
    file, names = frame.f_code.co_filename, frame.f_globals
    if _kind(file) != "text":
        return False
    made = "__file__" in names or str(names.get("__name__", "")).startswith("namedtuple_")
    return not made or file.startswith("<ipython")


@lru_cache(maxsize=1 << 10)
def _line(file: str, number: int) -> str:
    cell = Path(file).parent.name.startswith("ipykernel_")
    return f"{'cell' if cell else Path(file).name}:{number}"


@lru_cache(maxsize=1 << 10)
def _library_of(file: str) -> str:
    """Return what an installed file belongs to: the part of its path after ``site-packages``."""
    parts = Path(file).parts
    place = max((parts.index(one) for one in _INSTALLED if one in parts), default=-1)
    return parts[place + 1] if 0 <= place < len(parts) - 1 else file


@lru_cache(maxsize=1 << 10)
def _kind(file: str) -> str:
    """Return whose code a file is: the user's ``own``, text without a file, or another's."""
    if file.endswith(_BOUNDARY[0]) and file.startswith(_PACKAGE):
        return "boundary"
    if file.startswith((_PACKAGE, "<frozen", "<__array_function__")):
        return "engine"
    if file.startswith("<"):
        return "text"
    if any(one in Path(file).parts for one in _INSTALLED):
        return "library"
    return "standard" if file.startswith(_STANDARD) else "own"
