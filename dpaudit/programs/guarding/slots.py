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
import gc
import re
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar, Token
from threading import get_ident
from typing import Any

from dpaudit.errors import LawError
from dpaudit.programs.guarding.addresses import IN_A_HASH, IN_A_TEXT, REFUSING, has_known_hash
from dpaudit.programs.guarding.devices import is_called_by, opened_by_program
from dpaudit.programs.guarding.guards import is_own, is_program
from dpaudit.programs.guarding.libraries import methods_of_libraries
from dpaudit.programs.guarding.orders import ORDERS
from dpaudit.programs.guarding.printing import is_printed

__all__ = ["MODIFIED", "addresses_refused", "names_of"]

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


MODIFIED = ctypes.pythonapi.PyType_Modified
MODIFIED.argtypes, MODIFIED.restype = [ctypes.py_object], None


def names_of(cls: type) -> dict[str, Any]:
    """Return the namespace of a class, which Python shows only through a proxy."""
    (names,) = gc.get_referents(vars(cls))
    assert type(names) is dict
    return names


_NONE = object()
"""Stands for a method that a class has from another."""


def _set(cls: type, name: str, method: Any) -> None:
    """Give a class another method, and so all classes that inherit it.

    Classes of Python's own are protected from that.
    """
    assert _FLAGS is not None
    flags = ctypes.c_ulong.from_address(id(cls) + _FLAGS)
    protected = flags.value & _IMMUTABLE
    flags.value &= ~_IMMUTABLE
    try:
        if method is _NONE:
            type.__delattr__(cls, name)
        else:
            type.__setattr__(cls, name, method)
    finally:
        flags.value |= protected  # Python has changed others of the flags


def _refusing(real: Callable[[Any], str], thread: int) -> Callable[[Any], str]:
    """Return what makes the text of an object, and refuses to show a program its address."""

    def shown(self: Any) -> str:
        text = real(self)
        refuse = REFUSING[-1]
        if refuse is None or get_ident() != thread or not _ADDRESS.search(text):
            return text
        frame = sys._getframe(1)
        if is_called_by(frame, is_program) and not is_printed(frame):
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
    *ORDERS,
)
"""The methods that are replaced, each with what makes its replacement."""
_Rows = tuple[tuple[type, str, Callable[..., Any]], ...]
_ROWS: dict[int, _Rows] = {}
_FURTHER: dict[int, _Rows] = {}
"""Methods that were replaced in a block inside of the outermost, by the number of modules."""


def _rows() -> _Rows:
    """Return the methods that are replaced, from memory while no module is imported."""
    if len(sys.modules) not in _ROWS:
        _ROWS.clear()
        _ROWS[len(sys.modules)] = (*_SLOTS, *_rows_of_libraries())
    return _ROWS[len(sys.modules)]


def _further_rows() -> _Rows:
    """Return the methods of modules that were imported since the block outside began."""
    if _OPEN[-1] == len(sys.modules):
        return ()
    if len(_OPEN) == 1 and len(sys.modules) in _FURTHER:  # as at the dataset before
        return _FURTHER[len(sys.modules)]
    further = tuple(row for row in _rows_of_libraries() if row[:2] not in _REPLACED)
    if len(_OPEN) == 1:
        _FURTHER[len(sys.modules)] = further
    return further


def _rows_of_libraries() -> _Rows:
    shown = ((cls, "__repr__", _refusing) for cls in _shown_by_libraries())
    return (*shown, *methods_of_libraries())


def _shown_by_libraries() -> Iterator[type]:
    """Yield the classes of compiled libraries that make texts of their own."""
    known = {object, *_SHOWN_BY_ADDRESS}
    waiting: list[type] = [object]
    subclasses: Callable[[type], list[type]] = type.__subclasses__
    while waiting:
        for cls in subclasses(waiting.pop()):
            if cls in known:
                continue
            known.add(cls)
            waiting.append(cls)
            text = vars(cls).get("__repr__")
            if type(text) is _SLOT and not _is_plain(cls):
                yield cls


_SLOT = type(object.__repr__)
_OF_PYTHON = {
    "int", "float", "complex", "bool", "str", "bytes", "bytearray", "list", "tuple", "dict", "set",
    "frozenset", "range", "slice", "type", "NoneType", "ellipsis", "NotImplementedType",
    "BaseException", "dict_keys", "dict_values", "dict_items", "mappingproxy", "module",
}  # fmt: skip
_PLAIN_MODULES = ("decimal", "datetime", "collections", "posix", "sys", "time", "re", "dpaudit.")
_OF_NUMPY = {"_ArrayFunctionDispatcher", "_BoundArrayMethod", "ufunc"}


def _is_plain(cls: type) -> bool:
    """Tell whether the texts of a class show what it holds, and are asked for often."""
    home, name = str(cls.__module__), cls.__name__
    if home == "builtins" and name in _OF_PYTHON:
        return True
    if home.partition(".")[0] == "numpy":
        return not home.startswith("numpy.random") and name not in _OF_NUMPY
    return home.startswith(_PLAIN_MODULES)


_OPEN: list[int] = []
"""Number of modules at the beginning of each block that goes on, inside of the one before."""
_REPLACED: set[tuple[type, str]] = set()
"""The methods that are replaced now."""


def _hashed_by_name(real: Callable[[Any], int], cls: type, thread: int) -> Callable[[Any], int]:
    """Return what hashes an object for code that calls the method by its name.

    Dictionaries and sets ask the slot of the class.  Only that of a class made in the block, after
    the method was replaced, comes here.
    """
    slot = _slot_of(cls)

    def __hash__(self: Any) -> int:  # noqa: N807  (it is the method)
        refuse = REFUSING[-1]
        if refuse is not None and get_ident() == thread and _slot_of(type(self)) == slot:
            frame = sys._getframe(1)
            named = frame.f_code.co_name == "__hash__"
            if is_own(frame.f_code.co_filename) and not named and not has_known_hash(self):
                refuse(IN_A_HASH)
        return real(self)

    return __hash__


def _slot_of(cls: type) -> int:
    """Return where the function lies that hashes objects of a class."""
    return ctypes.c_size_t.from_address(id(cls) + _HASH_AT).value


_HASH_AT = 15 * ctypes.sizeof(ctypes.c_void_p)
"""Distance of ``tp_hash`` from the address of a class (CPython's object.h)."""
_HASHED = (object, str, bytes, tuple, frozenset, types.CodeType, weakref.ref)
"""Classes whose hash is called by name."""


@contextmanager
def _hashes_refused() -> Iterator[None]:
    """Refuse, inside the block, hashes that differ between processes, if they are called by name.

    The methods are replaced in the namespaces of their classes, and the slots stay as they are.
    """
    held = [(names_of(cls), cls, vars(cls)["__hash__"]) for cls in _HASHED]
    thread = get_ident()
    try:
        for names, cls, real in held:
            names["__hash__"] = _hashed_by_name(real, cls, thread)
            MODIFIED(cls)
        yield
    finally:
        for _, cls, real in held:
            _set(cls, "__hash__", real)  # and in classes that were made in the block


@contextmanager
def addresses_refused() -> Iterator[None]:
    """Refuse, inside the block, a program's texts of addresses, and files of the system.

    Raises:
        LawError: in a Python whose classes dpaudit cannot watch.
    """
    if _FLAGS is None:
        raise LawError("dpaudit cannot watch the texts of objects in this Python; use CPython 3.11")
    outermost = not _OPEN
    if outermost:
        _FURTHER.clear()
    rows = _rows() if outermost else _further_rows()
    reals = [vars(cls).get(name, _NONE) for cls, name, _ in rows]
    thread = get_ident()
    _OPEN.append(len(sys.modules))
    try:
        for (cls, name, make), real in zip(rows, reals, strict=True):
            _REPLACED.add((cls, name))
            _set(cls, name, make(real, thread))
        with _hashes_refused() if outermost else nullcontext():
            yield
    finally:
        _OPEN.pop()  # first: an interrupt may end what follows
        for (cls, name, _), real in zip(rows, reals, strict=True):
            if real is not _NONE or name in vars(cls):
                _set(cls, name, real)
            _REPLACED.discard((cls, name))
