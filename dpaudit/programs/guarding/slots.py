"""Refusal of texts that show where an object lies in memory, whoever makes the text.

``repr``, ``str``, ``%``, f-strings, ``pprint`` and ``json`` all ask the class of an object for its
text, through a slot of the class.  So these slots are replaced while a program is explored: in
``object``, from which most classes inherit theirs, and in classes of Python's whose own texts show
an address.
"""

from __future__ import annotations

import _thread
import ctypes
import re
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from threading import get_ident
from typing import Any

from dpaudit.programs.guarding.addresses import IN_A_TEXT, REFUSING
from dpaudit.programs.guarding.events import is_called_by
from dpaudit.programs.guarding.guards import is_program

__all__ = ["addresses_refused"]

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}")
"""An address in the text of an object, as Python writes it."""
_IMMUTABLE = 1 << 8
"""``Py_TPFLAGS_IMMUTABLETYPE`` of CPython's object.h."""
_MOST = 400
"""Bytes of a class that has no parts of a heap type, at most."""


async def _coroutine() -> None:
    """Have a type."""


def _type_of_coroutines() -> type:
    coroutine = _coroutine()
    coroutine.close()
    return type(coroutine)


_SHOWN_BY_ADDRESS: tuple[type, ...] = (
    object,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.GeneratorType,
    _type_of_coroutines(),
    types.AsyncGeneratorType,
    types.FrameType,
    types.CodeType,
    types.CellType,
    weakref.ref,
    weakref.ProxyType,
    weakref.CallableProxyType,
    memoryview,
    _thread.LockType,
    type(_thread.RLock()),
    ContextVar,
    Token,
)
"""Classes with a text of their own that shows an address, and ``object``."""


def _place_of_flags() -> int:
    """Return at what distance from its address a class has its flags."""
    word = ctypes.sizeof(ctypes.c_ulong)
    kinds = (object, int, dict, list, str, type)
    places = [
        place
        for place in range(0, _MOST, word)
        if all(ctypes.c_ulong.from_address(id(one) + place).value == one.__flags__ for one in kinds)
    ]
    assert len(places) == 1, places
    return places[0]


_FLAGS = _place_of_flags()


def _set(cls: type, text: Callable[[Any], str]) -> None:
    """Give a class another ``__repr__``, and so all classes that inherit it.

    Classes of Python's own are protected from that.
    """
    flags = ctypes.c_ulong.from_address(id(cls) + _FLAGS)
    protected = flags.value & _IMMUTABLE
    flags.value &= ~_IMMUTABLE
    try:
        cls.__repr__ = text  # type: ignore[assignment]
    finally:
        flags.value |= protected  # Python has changed others of the flags


def _refusing(real: Callable[[Any], str], thread: int) -> Callable[[Any], str]:
    """Return what makes the text of an object, and refuses to show a program its address."""

    def shown(self: Any) -> str:
        text = real(self)
        refuse = REFUSING[-1]
        if refuse is None or get_ident() != thread or not _ADDRESS.search(text):
            return text
        if is_called_by(sys._getframe(1), is_program):
            refuse(IN_A_TEXT)
        return text

    shown.__name__ = "__repr__"
    return shown


_OPEN: list[bool] = []
"""An entry for each block that goes on, inside of the one before."""


@contextmanager
def addresses_refused() -> Iterator[None]:
    """Refuse, inside the block, texts made for a program that show an address."""
    reals = [] if _OPEN else [(cls, vars(cls)["__repr__"]) for cls in _SHOWN_BY_ADDRESS]
    thread = get_ident()
    _OPEN.append(True)
    try:
        for cls, real in reals:
            _set(cls, _refusing(real, thread))
        yield
    finally:
        for cls, real in reals:
            _set(cls, real)
        _OPEN.pop()
