"""Functions that tell what differs from process to process: where an object lies, or its hash.

dpaudit replaces ``id`` and ``hash`` in the modules of a program.  Compiled code that a program
gives one of them, such as ``map``, then calls the replacement.  Texts that show an address are
refused where they are made (:mod:`dpaudit.programs.guarding.slots`).
"""

from __future__ import annotations

import datetime
import enum
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

__all__ = ["IN_A_TEXT", "REFUSING", "STAND_INS"]

REFUSING: list[Callable[[str], Any] | None] = [None]
"""Functions that refuse what a program uses, each of an exploration inside of the one before.

None where nothing is watched."""
IN_A_TEXT = "the address of an object, in its text"
_IN_A_HASH = "the address of an object, in its hash"
_OF_A_TEXT = "the hash of a text, which is another in each process (hashlib has hashes that stay)"
_PARTS = (tuple, frozenset)


def _id(one: object, /) -> int:
    refuse = REFUSING[-1]
    if refuse is not None:
        refuse("id")
    return id(one)


_HASHED: list[object] = []
"""Objects whose hash a program computes by name."""


def _hash(one: object, /) -> int:
    # A method __hash__ serves dictionaries, whose order does not depend on it.
    refuse = REFUSING[-1]
    if refuse is None or (not _HASHED and sys._getframe(1).f_code.co_name == "__hash__"):
        return hash(one)
    differs = _what_differs(one)
    if differs is not None:
        refuse(differs)
    _HASHED.append(one)
    try:
        return hash(one)
    finally:
        _HASHED.pop()


_BY_ADDRESS = (types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType, weakref.ref)
_BY_TEXT = (str, bytes, memoryview, datetime.date, datetime.time, enum.Enum)


def _what_differs(one: object) -> str | None:
    """Return what makes the hash of an object another in each process; None if nothing does."""
    kind = type(one)
    if kind in _PARTS:
        parts = map(_what_differs, one)  # type: ignore[call-overload]
        return next((what for what in parts if what is not None), None)
    if isinstance(one, _BY_TEXT):
        return _OF_A_TEXT if one or not isinstance(one, (str, bytes)) else None
    by_address = kind.__hash__ is object.__hash__ or isinstance(one, _BY_ADDRESS)
    return _IN_A_HASH if by_address or (one is None and _NONE_BY_ADDRESS) else None


_NONE_BY_ADDRESS = sys.version_info < (3, 12)

STAND_INS: dict[Any, Any] = {id: _id, hash: _hash}
"""Each function of Python, with what replaces it in the modules of a program."""
for _real, _own in STAND_INS.items():
    _own.__name__ = _real.__name__
