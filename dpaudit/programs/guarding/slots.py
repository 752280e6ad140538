"""Refusal of texts that show where an object lies in memory, and of devices, whoever asks for them.

``repr``, ``str``, ``%``, f-strings, ``pprint`` and ``json`` all ask the class of an object for its
text, through a slot of the class.  So these slots are replaced while a program is explored: in
``object``, from which most classes inherit theirs, and in classes of Python's whose own texts show
an address.  So is the slot with which every file and every socket begins.
"""

from __future__ import annotations

import _io
import _socket
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

from dpaudit.errors import LawError
from dpaudit.programs.guarding.addresses import IN_A_TEXT, REFUSING
from dpaudit.programs.guarding.devices import is_called_by, opened_by_program
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


def _place_of_flags() -> int | None:
    """Return at what distance from its address a class has its flags; None if it is not known."""
    word = ctypes.sizeof(ctypes.c_ulong)
    kinds = (object, int, dict, list, str, type)
    places = [
        place
        for place in range(0, _MOST, word)
        if all(ctypes.c_ulong.from_address(id(one) + place).value == one.__flags__ for one in kinds)
    ]
    return places[0] if len(places) == 1 else None


_FLAGS = _place_of_flags()


def _set(cls: type, name: str, method: Any) -> None:
    """Give a class another method, and so all classes that inherit it.

    Classes of Python's own are protected from that.
    """
    assert _FLAGS is not None
    flags = ctypes.c_ulong.from_address(id(cls) + _FLAGS)
    protected = flags.value & _IMMUTABLE
    flags.value &= ~_IMMUTABLE
    try:
        setattr(cls, name, method)
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


def _opening(real: Callable[..., None], thread: int) -> Callable[..., None]:
    """Return what opens a file or a socket, and refuses a program those of the system."""

    def begun(self: Any, *given: Any, **named: Any) -> None:
        refuse = REFUSING[-1]
        if refuse is not None and get_ident() == thread:
            frame = sys._getframe(1)
            if isinstance(self, _io.FileIO):
                what = opened_by_program([*given, *named.values(), ""][0], frame)
            else:
                what = "a socket" if is_called_by(frame, is_program) else None
            if what is not None:
                refuse(what)
        real(self, *given, **named)

    begun.__name__ = "__init__"
    return begun


_SLOTS: tuple[tuple[type, str, Callable[..., Any]], ...] = (
    *((cls, "__repr__", _refusing) for cls in _SHOWN_BY_ADDRESS),
    (_io.FileIO, "__init__", _opening),
    (_socket.socket, "__init__", _opening),
)
"""The methods that are replaced, each with what makes its replacement."""
_OPEN: list[bool] = []
"""An entry for each block that goes on, inside of the one before."""


@contextmanager
def addresses_refused() -> Iterator[None]:
    """Refuse, inside the block, a program's texts of addresses, and files of the system.

    Raises:
        LawError: in a Python whose classes dpaudit cannot watch.
    """
    if _FLAGS is None:
        raise LawError("dpaudit cannot watch the texts of objects in this Python; use CPython 3.11")
    reals = [] if _OPEN else [vars(cls)[name] for cls, name, _ in _SLOTS]
    thread = get_ident()
    _OPEN.append(True)
    try:
        for (cls, name, make), real in zip(_SLOTS, reals, strict=False):
            _set(cls, name, make(real, thread))
        yield
    finally:
        _OPEN.pop()  # first: an interrupt may end what follows
        for (cls, name, _), real in zip(_SLOTS, reals, strict=False):
            _set(cls, name, real)
