"""Functions that tell where an object lies in memory: its address, its hash, its text.

The address of an object differs from run to run.  dpaudit replaces ``id``, ``hash``, ``repr``,
``ascii``, ``format`` and ``str`` in the modules of a program.  Compiled code that a program gives
one of them, such as ``map``, then calls the replacement.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable
from typing import Any

__all__ = ["ADDRESS", "OF_TEXTS", "REFUSING", "STAND_INS", "Text", "refuse_address"]

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{4,}")
"""An address in the text of an object, as Python writes it."""
REFUSING: list[Callable[[str], Any] | None] = [None]
"""Functions that refuse what a program uses, each of an exploration inside of the one before.

None where nothing is watched."""
_IN_A_TEXT = "the address of an object, in its text"
_IN_A_HASH = "the address of an object, in its hash"
_PARTS = (tuple, frozenset)


def refuse_address(text: str, of: object) -> str:
    """Return a text made of an object; refuse one that shows an address."""
    refuse = REFUSING[-1]
    if refuse is not None and type(of) is not str and ADDRESS.search(text):
        refuse(_IN_A_TEXT)
    return text


def _id(one: object, /) -> int:
    refuse = REFUSING[-1]
    if refuse is not None:
        refuse("id")
    return id(one)


_ASKED: list[object] = []
"""Objects whose hash a program asks for by name."""


def _hash(one: object, /) -> int:
    # A method __hash__ serves dictionaries, whose order does not depend on it.
    refuse = REFUSING[-1]
    if refuse is None or (not _ASKED and sys._getframe(1).f_code.co_name == "__hash__"):
        return hash(one)
    if _has_address(one):
        refuse(_IN_A_HASH)
    _ASKED.append(one)
    try:
        return hash(one)
    finally:
        _ASKED.pop()


_BY_ADDRESS = (types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)


def _has_address(one: object) -> bool:
    """Tell whether the hash of an object is made of an address."""
    if type(one) in _PARTS:
        return any(map(_has_address, one))  # type: ignore[call-overload]
    kind = type(one)
    return (kind.__hash__ is object.__hash__ and one is not None) or isinstance(one, _BY_ADDRESS)


def _repr(one: object, /) -> str:
    return refuse_address(repr(one), one)


def _ascii(one: object, /) -> str:
    return refuse_address(ascii(one), one)


def _format(one: object, specification: str = "", /) -> str:
    return refuse_address(format(one, specification), one)


class _TextKind(type):
    """Metaclass that makes :class:`Text` do what ``str`` does."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        if cls is not Text:
            return super().__call__(*given, **named)
        text = str(*given, **named)
        return refuse_address(text, given[0]) if given else text

    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, str) if cls is Text else super().__instancecheck__(one)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, str) if cls is Text else super().__subclasscheck__(kind)

    def __eq__(cls, other: object) -> bool:
        return other is cls or (cls is Text and other is str)

    def __hash__(cls) -> int:
        return hash(str) if cls is Text else super().__hash__()

    @property
    def dtype(cls) -> Any:
        """Type of an array's elements if the class is given to NumPy as one."""
        import numpy as np

        return np.dtype(str)


class Text(str, metaclass=_TextKind):
    """Stands for ``str`` in the modules of a program."""

    __slots__ = ()


Text.__name__ = Text.__qualname__ = "str"
Text.__module__ = "builtins"

OF_TEXTS: dict[Any, Any] = {
    id: _id, hash: _hash, repr: _repr, ascii: _ascii, format: _format, str: Text
}  # fmt: skip
"""Each function of Python, with what replaces it in the modules of a program."""
for _real, _own in OF_TEXTS.items():
    if _own is not Text:
        _own.__name__ = _real.__name__
STAND_INS = frozenset(OF_TEXTS.values())
"""The replacements."""
