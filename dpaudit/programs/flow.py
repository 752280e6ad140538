"""Which instructions of a program run, one after the other.

Whatever tells an unknown number from a known one, by its type, by what compiled code makes of it or
by what is raised and caught, shows in what is done then, also where what is given out is the same
at the numbers that are tried: with both, a path is one sequence of instructions.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dpaudit.programs.guards import is_program

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

__all__ = ["Flow", "unfollowed"]

_MADE = ("dpaudit.", "namedtuple_")
"""Where code is from that Python's own classes write, of the engine among others."""
_FROM_THE_SECOND = sys.version_info >= (3, 12)
"""Whether Python tells the instructions of a function from its second call in a trace on."""
_MANY = 1 << 16
"""So many steps are kept before they are made one number."""


@lru_cache(maxsize=1 << 10)
def _is_followed(file: str) -> bool:
    """Tell whether a file's instructions count: NumPy does otherwise with arrays of objects."""
    return is_program(file) and "/numpy/" not in file.replace("\\", "/")


class Flow:
    """Follows the instructions of a program while the block runs."""

    def __init__(self, *, idle: bool = False, first: bool = False) -> None:
        """Follow nothing if ``idle``, nor on a ``first`` run if later ones can be followed so."""
        self._idle = idle or (first and not _FROM_THE_SECOND)
        self._steps: list[int] = []
        self._before: Any = None
        self.taken = 0
        """One number for all the instructions that ran, in their order."""

    def __enter__(self) -> Flow:
        """Begin to follow."""
        if not self._idle:
            self._before = sys.gettrace()
            sys.settrace(self._entered)
        return self

    def __exit__(self, *raised: object) -> None:
        """Give back what followed before."""
        if not self._idle:
            sys.settrace(self._before)
            self._fold()

    def _fold(self) -> None:
        self.taken = hash((self.taken, tuple(self._steps)))
        self._steps.clear()

    def _entered(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Begin to follow a function, where it is a program's."""
        code = frame.f_code
        file = code.co_filename
        made = file == "<string>" and str(frame.f_globals.get("__name__")).startswith(_MADE)
        if made or not _is_followed(file):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        self._steps += (hash(file), code.co_firstlineno)
        return self._stepped

    def _stepped(self, frame: FrameType, event: str, argument: Any) -> Any:
        self._steps.append(frame.f_lasti)
        if len(self._steps) > _MANY:
            self._fold()
        return self._stepped


@contextmanager
def unfollowed() -> Iterator[None]:
    """Follow nothing inside the block."""
    before = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(before)
