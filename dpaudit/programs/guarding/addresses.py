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
from decimal import Decimal
from fractions import Fraction
from typing import Any

__all__ = ["IN_A_HASH", "IN_A_TEXT", "REFUSING", "STAND_INS", "has_known_hash"]

REFUSING: list[Callable[[str], Any] | None] = [None]
"""Functions that refuse what a program uses, each of an exploration inside of the one before.

None where nothing is watched."""
IN_A_TEXT = "the address of an object, in its text"
IN_A_HASH = "the address of an object, in its hash"
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
    if kind.__hash__ is object.__hash__ or isinstance(one, _BY_ADDRESS):
        return IN_A_HASH
    # A method of the program asks for other hashes itself, where each is looked at.
    if has_known_hash(one) or (type(kind.__hash__) is types.FunctionType and _is_asked(kind)):
        return None
    return _OF_OTHERS


def _is_asked(kind: type) -> bool:
    """Tell whether the method of a class asks for the hashes of its parts where dpaudit hears."""
    if kind.__hash__.__module__.startswith("dpaudit."):  # it stands for one of Python's
        return False
    file = kind.__hash__.__code__.co_filename
    home = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return not (_OF_LIBRARIES[0] in file + home or (file + home).startswith(_OF_LIBRARIES[1]))


_OF_OTHERS = "the hash of an object, which may be another in each process"
_OF_LIBRARIES = ("site-packages", str(sys.modules["os"].__file__).removesuffix("os.py"))


_BY_VALUE = frozenset({bool, int, Fraction})


def has_known_hash(one: object) -> bool:
    """Tell whether the hash of an object is the same in each process."""
    kind = type(one)
    if kind in _BY_VALUE or kind.__module__.startswith("dpaudit."):
        return True
    if isinstance(one, (float, complex, Decimal)) and kind.__module__ in _OF_NUMBERS:
        return one == one  # noqa: PLR0124  (the hash of nan is its address)
    if kind in (str, bytes):
        return not one
    if kind.__module__ == "numpy":
        return getattr(getattr(one, "dtype", None), "kind", "") in _WHOLE_KINDS or (
            getattr(getattr(one, "dtype", None), "kind", "") in "fc" and bool(one == one)  # noqa: PLR0124
        )
    return kind in _PARTS and all(map(has_known_hash, _frozen_entries(one)))


def _frozen_entries(one: Any) -> Any:
    return _ENTRIES(one) if type(one) is frozenset else one


_ENTRIES = frozenset.__iter__
_WHOLE_KINDS = ("b", "i", "u")
_OF_NUMBERS = ("builtins", "decimal", "numpy")


STAND_INS: dict[Any, Any] = {id: _id, hash: _hash}
"""Each function of Python, with what replaces it in the modules of a program."""
for _real, _own in STAND_INS.items():
    _own.__name__ = _real.__name__
