"""The way of one command line through the rooms of the package, to a ball and back.

``python -m tests.tracing check EHDS --n 30`` runs a command line under a profiler and prints, as
JSON, the rooms that it calls into, its climbs, the texts that it reads as numbers, and who asks
numbers for their text.

A *climb* is a call of product code in a higher room by product code in a lower one, direct or
through code of others (``str``, Click), the rooms in the order of ``tests/test_architecture.py``.
Each caller and callee counts once, however often the one calls the other.  What another package
offers stands where the interface that it implements stands: ``notes`` with ``mechanisms``.  A
generator function is called by whoever asks it for an item; a generator expression runs where it is
written, whoever asks for its items.  Whoever asks a number for its text shows it, and is listed
apart.  Bodies of modules and classes, which run while modules are imported, are not on the way.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.test_architecture import PACKAGE, ROOMS

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["Way", "main", "traced"]

_BASE = str(PACKAGE) + os.sep
_IMPLEMENTED_IN = {"notes": "mechanisms"}
"""Where plug-ins stand that come with the package."""


@dataclass
class Way:
    """Where a command line went."""

    rooms: Counter[str] = field(default_factory=Counter)
    """How often each room was called into."""
    climbs: Counter[str] = field(default_factory=Counter)
    """``lower room: caller → higher room: callee``, and how often."""
    read: Counter[str] = field(default_factory=Counter)
    """The texts that were read as numbers."""
    shown: Counter[str] = field(default_factory=Counter)
    """``room: function`` that asked a number for its text."""
    _importing: set[FrameType] = field(default_factory=set)

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        """Take note of a call: a function for :func:`sys.setprofile`."""
        if event == "return":
            self._importing.discard(frame)
        if event != "call":
            return
        if frame.f_code.co_name == "<module>":
            self._importing.add(frame)
        here = _room(frame)
        if here is None or self._importing:
            return
        self.rooms[here] += 1
        name = frame.f_code.co_qualname
        if name == "parse_real":
            self.read[frame.f_locals["text"]] += 1
        above = frame.f_back
        while above is not None and _room(above) is None:
            above = above.f_back
        if above is None or frame.f_code.co_name == "<genexpr>":
            return
        there, caller = str(_room(above)), above.f_code.co_qualname
        if name == "Real.__str__":
            self.shown[f"{there}: {caller}"] += 1
        elif _height(here) > _height(there):
            self.climbs[f"{there}: {caller} → {here}: {name}"] += 1


def _room(frame: FrameType) -> str | None:
    path = frame.f_code.co_filename
    if not path.startswith(_BASE) or path == f"{_BASE}__init__.py":
        return None
    parts = path[len(_BASE) :].removesuffix(".py").split(os.sep)
    if parts[0] == "questions":
        return _OF_QUESTIONS.get(parts[-1].rpartition("_")[2], "questions")
    return parts[0]


_OF_QUESTIONS = {
    "command": "cli",
    "figure": "report",
    "function": "api",
    "gate": "gate",
    "request": "cli",
    "view": "report",
}
"""Rooms of the files in a question's folder: the table puts each where others call it."""


def _height(room: str) -> int:
    return ROOMS.index(_IMPLEMENTED_IN.get(room, room))


def traced(words: list[str]) -> Way:
    """Return the way of a command line, run in this process."""
    from dpaudit.cli.main import invoke

    way = Way()
    sys.setprofile(way)
    try:
        code = invoke(words)
    finally:
        sys.setprofile(None)
    assert code == 0, code
    return way


def main() -> None:
    """Trace the command line that is given, and print its way after what it prints."""
    way = traced(sys.argv[1:])
    found = {name: getattr(way, name) for name in ("rooms", "climbs", "read", "shown")}
    print(json.dumps(found, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
