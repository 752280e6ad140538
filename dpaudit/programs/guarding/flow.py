"""Sequence of the instructions of a program that run.

Whatever tells an unknown number from a known one, by its type, by what compiled code makes of it or
by what is raised and caught, shows in what is done then, also where what is given out is the same
at the numbers that are tried: with both, a path is one sequence of instructions.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dpaudit.programs.guarding.guards import FOLLOWING, is_program
from dpaudit.programs.guarding.instructions import held_slot, tellings
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, FrameType

__all__ = ["Flow", "looked_at", "unfollowed"]

_MADE = ("dpaudit.", "namedtuple_")
"""Prefixes of the modules in which Python's own classes write code, the engine's among others."""
_OF_ARRAYS = re.compile(r"[/\\](site|dist)-packages[/\\](numpy|pandas|polars)[/\\]")
_FROM_THE_SECOND = sys.version_info >= (3, 12)
"""True if Python reports the instructions of a function only from its second call in a trace on."""
_MANY = 1 << 16
"""So many steps are kept before they are made one number."""


_FOLLOWED: dict[int, tuple[int, CodeType]] = {}
"""A number for all code that was met, by its identity; 0 for what is not followed."""


def _number_of(frame: FrameType) -> int:
    """Return a number for code that is a program's.

    NumPy, pandas and polars do otherwise with arrays of objects.
    """
    file, line = frame.f_code.co_filename, frame.f_code.co_firstlineno
    made = file == "<string>" and str(frame.f_globals.get("__name__")).startswith(_MADE)
    if made or not is_program(file) or _OF_ARRAYS.search(file):
        return 0
    return hash((file, line)) or 1


_LOOKED_AT: dict[int, dict[int, Any]] = {}
"""Checks before instructions, by the identity of code and the offset of the instruction."""


class Flow:
    """Follows the instructions of a program while the block runs."""

    def __init__(self, *, idle: bool = False, first: bool = False) -> None:
        """Follow nothing if ``idle``, nor on a ``first`` run if later ones can be followed so."""
        self._idle = idle or (first and not _FROM_THE_SECOND)
        self._steps: list[int] = []
        self._before: Any = None
        self._refusal: Refused | None = None
        self._begun: set[int] = set()
        self.taken = 0
        """One number for all the instructions that ran, in their order."""

    def __enter__(self) -> Flow:
        """Begin to follow."""
        if not self._idle:
            self._before = sys.gettrace()
            FOLLOWING.append(self._tracer())
            sys.settrace(FOLLOWING[-1])
        return self

    def __exit__(self, *raised: object) -> None:
        """Give back what followed before."""
        if not self._idle:
            FOLLOWING.pop()
            sys.settrace(self._before)
            self._fold()
            if self._refusal is not None:
                raise self._refusal

    def _fold(self) -> None:
        self.taken = hash((self.taken, tuple(self._steps)))
        self._steps.clear()

    def _tracer(self) -> Any:
        """Return what is told of every function that begins, which is most of what this costs."""
        steps, step, followed = self._steps, self._steps.append, _FOLLOWED

        def stepped(frame: FrameType, event: str, argument: Any) -> Any:
            step(frame.f_lasti)
            return stepped

        def looking(frame: FrameType, event: str, argument: Any) -> Any:
            step(frame.f_lasti)
            look = _LOOKED_AT[id(frame.f_code)].get(frame.f_lasti)
            if look is not None and event == "opcode":
                self._refuse(look(frame))
            return looking

        def entered(frame: FrameType, event: str, argument: Any) -> Any:
            code = frame.f_code
            known = followed.get(id(code))
            if known is None:
                known = followed[id(code)] = _number_of(frame), code
                _LOOKED_AT[id(code)] = tellings(code) if known[0] else {}
            number = known[0]
            if not number:
                return None
            if id(code) not in self._begun:
                self._begun.add(id(code))
                self._refuse(held_slot(frame))
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
            step(number)
            if len(steps) > _MANY:
                self._fold()
            return looking if _LOOKED_AT[id(code)] and FAILS_CLOSED else stepped

        return entered

    def _refuse(self, what: str | None) -> None:
        """Refuse, now and when the block ends, what tells an unknown number from a known one."""
        if what is not None and FAILS_CLOSED:
            self._refusal = Refused(what)
            raise self._refusal


@contextmanager
def unfollowed() -> Iterator[None]:
    """Follow nothing inside the block."""
    before = sys.gettrace()
    FOLLOWING.append(None)
    sys.settrace(None)
    try:
        yield
    finally:
        FOLLOWING.pop()
        sys.settrace(before)


@contextmanager
def looked_at(refuse: Callable[[str], Any]) -> Iterator[None]:
    """Refuse, inside the block, what tells an unknown number from a known one; follow no more."""
    begun: set[int] = set()
    followed = _FOLLOWED

    def looking(frame: FrameType, event: str, argument: Any) -> Any:
        look = _LOOKED_AT[id(frame.f_code)].get(frame.f_lasti) if event == "opcode" else None
        if look is not None and (what := look(frame)) is not None and FAILS_CLOSED:
            refuse(what)
        return looking

    def entered(frame: FrameType, event: str, argument: Any) -> Any:
        code = frame.f_code
        known = followed.get(id(code))
        if known is None:
            known = followed[id(code)] = _number_of(frame), code
            _LOOKED_AT[id(code)] = tellings(code) if known[0] else {}
        if not known[0]:
            return None
        if id(code) not in begun:
            begun.add(id(code))
            if (what := held_slot(frame)) is not None and FAILS_CLOSED:
                refuse(what)
        if not _LOOKED_AT[id(code)]:
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return looking

    before = sys.gettrace()
    FOLLOWING.append(entered)
    sys.settrace(entered)
    try:
        yield
    finally:
        FOLLOWING.pop()
        sys.settrace(before)
