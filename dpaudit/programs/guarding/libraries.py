"""Refusal of what methods of libraries tell that is another in each run.

They are folders and times of files by ``pathlib``, draws of polars and SQLite, memory that NumPy
does not set, and pickles of sets.  Each is replaced in its class, or in all modules.
"""

from __future__ import annotations

import _io
import _pickle
import io
import marshal
import pathlib
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from threading import get_ident
from typing import Any

from dpaudit.programs.guarding.addresses import REFUSING
from dpaudit.programs.guarding.devices import is_called_by
from dpaudit.programs.guarding.guards import is_own, is_program
from dpaudit.programs.guarding.orders import check_order

__all__ = ["PICKLING", "methods_of_libraries", "stand_ins_of_libraries"]

Row = tuple[type, str, Callable[..., Any]]

_OF_POLARS = {
    "PyExpr": ("sample_n", "sample_frac", "shuffle", "list_sample_n", "list_sample_fraction"),
    "PyDataFrame": ("sample_n", "sample_frac"),
}
"""Methods that draw from generators of polars, by their class."""
_OF_FOLDERS = ("stat", "lstat", "iterdir", "glob", "rglob", "walk")
_OF_FILES = ("FileIO", "TextIOWrapper", "BufferedReader", "BufferedWriter", "BufferedRandom")
_OF_THREADS = ("ident", "native_id")
_OF_MODULES = {
    "numpy.lib._array_utils_impl": ("byte_bounds",),
    "pyarrow.compute": ("random",),
    "tracemalloc": ("get_traced_memory", "get_tracemalloc_memory", "take_snapshot"),
}
"""Functions of other modules that tell an address or a time, or draw."""
_NOW = ("now", "today")
_OF_SQLITE = {"random", "randomblob", "current_time", "current_date", "current_timestamp"}
_TIMES = {"date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff"}
_FUNCTION = 31
"""``SQLITE_FUNCTION`` of SQLite's authorizer."""
PICKLING = (_pickle.dumps, _pickle.dump, marshal.dumps, marshal.dump)
"""Functions that read a set without asking its slots."""


def _refusing(thread: int, title: str, whose: Callable[[str], bool]) -> Callable[[], None]:
    """Return what refuses if a program called the function in the frame above."""

    def check() -> None:
        refuse = REFUSING[-1]
        if refuse is None or get_ident() != thread:
            return
        frame = sys._getframe(2)
        by_program = whose is is_program and is_called_by(frame, is_program)
        if by_program or is_own(frame.f_code.co_filename):
            refuse(title)

    return check


def _named(title: str, whose: Callable[[str], bool]) -> Callable[..., Any]:
    """Return what makes the replacement of a method that a program must not call."""

    def make(real: Any, thread: int) -> Any:
        check = _refusing(thread, title, whose)

        def method(*given: Any, **named: Any) -> Any:
            check()
            return real(*given, **named)

        method.__name__ = title.rpartition(".")[2]
        return method

    return make


def _pickling(real: Callable[..., Any], thread: int) -> Callable[..., Any]:
    """Return what pickles, and looks at the sets that it is given first."""

    def dump(self: Any, value: Any, /) -> Any:
        _check_sets(value, sys._getframe(1), thread)
        return real(self, value)

    return dump


class _Looking(_pickle.Pickler):
    """Pickles to nowhere, and looks at every set that it meets."""

    def __init__(self, frame: Any) -> None:
        super().__init__(io.BytesIO())
        self._frame = frame

    def persistent_id(self, value: Any) -> None:
        """Look at a value."""
        if isinstance(value, (set, frozenset)) and len(value) > 1:
            check_order(value, self._frame)


_ATOMS = (int, float, str, bytes, bool, type(None))


def _check_sets(value: Any, frame: Any, thread: int) -> None:
    if REFUSING[-1] is None or get_ident() != thread or type(value) in _ATOMS:
        return
    if is_called_by(frame, is_program):
        with suppress(Exception):  # which the real one raises
            _REAL_DUMP(_Looking(frame), value)


_REAL_DUMP = _pickle.Pickler.dump


def _without_memory(real: Any, thread: int) -> Callable[..., Any]:
    """Return what begins an array of NumPy's that is made by its class."""
    del real
    check = _refusing(thread, "numpy.ndarray without a buffer, whose memory is not set", is_own)

    def __init__(self: Any, *given: Any, **named: Any) -> None:  # noqa: N807  (it is the method)
        made = type(self).__new__ is _ARRAYS[0].__new__ or type(self).__name__ in _WITH_MEMORY
        buffer = [*given[2:], named.get("buffer"), named.get("buf")]
        if made and all(one is None for one in buffer) and _is_unset(self):
            check()

    return __init__


_ARRAYS: list[Any] = []
_WITH_MEMORY = ("recarray", "chararray")
"""Classes of arrays of NumPy's that are made of a shape alone."""


def _without_time(real: Any, thread: int) -> Callable[..., Any]:
    """Return what begins a date of NumPy's, which asks for the time for some texts."""
    del real
    check = _refusing(thread, "numpy.datetime64('now')", is_program)

    def __init__(self: Any, *given: Any) -> None:  # noqa: N807  (it is the method)
        if given and isinstance(given[0], (str, bytes)):
            text = given[0] if isinstance(given[0], str) else given[0].decode(errors="replace")
            if text.strip().lower() in _NOW:
                check()

    return __init__


def _of_objects(real: Callable[..., Any], thread: int) -> Callable[..., Any]:
    """Return what gives the bytes of an array: of objects they are addresses."""
    check = _refusing(thread, "the addresses of objects, by tobytes", is_own)

    def tobytes(self: Any, *given: Any, **named: Any) -> Any:
        if self.dtype.hasobject:
            check()
        return real(self, *given, **named)

    return tobytes


def _property(title: str) -> Callable[..., Any]:
    """Return what makes the replacement of a property that a program must not read."""

    def make(real: Any, thread: int) -> Any:
        check = _refusing(thread, title, is_own)

        def value(self: Any) -> Any:
            check()
            return real.__get__(self, type(self))

        return property(value)

    return make


def _is_unset(array: Any) -> bool:
    return bool(getattr(array, "size", 0)) and not array.dtype.hasobject


def _asking(real: Any, thread: int) -> Callable[..., Any]:
    """Return what runs SQL, and refuses a program's draws and times in it."""

    def execute(self: Any, *given: Any) -> Any:
        refuse = REFUSING[-1]
        if refuse is None or get_ident() != thread:
            return real(self, *given)
        connection = getattr(self, "connection", self)
        uses: list[str] = []

        def authorize(action: int, _: Any, name: str | None, *more: Any) -> int:
            if action == _FUNCTION and str(name).lower() in _OF_SQLITE | _TIMES:
                uses.append(str(name))
            return 0

        connection.set_authorizer(authorize)
        try:
            return real(self, *given)
        finally:
            connection.set_authorizer(None)
            if uses and is_called_by(sys._getframe(1), is_program):
                refuse(f"{uses[0]} of SQLite, which draws or may ask for the time")

    return execute


def methods_of_libraries() -> tuple[Row, ...]:
    """Return the methods of loaded libraries that are replaced, each with what replaces it."""
    rows: list[Row] = [
        (pathlib.Path, name, _named(f"pathlib.Path.{name}", is_own))
        for name in _OF_FOLDERS
        if name in vars(pathlib.Path)
    ]
    rows.append((_pickle.Pickler, "dump", _pickling))
    rows += [
        (getattr(_io, name), "fileno", _named("fileno, the number of a file", is_own))
        for name in _OF_FILES
    ]
    rows += [
        (threading.Thread, name, _property(f"threading.Thread.{name}")) for name in _OF_THREADS
    ]
    rows += [
        (Context, name, _named("the order of a context", is_own))
        for name in ("__iter__", "keys", "values", "items")
    ]
    rows.append((threading.Thread, "__repr__", _named("the number of a thread", is_own)))
    buffer = getattr(sys.modules.get("pyarrow.lib"), "Buffer", None)
    if buffer is not None:
        rows.append((buffer, "address", _property("pyarrow.Buffer.address")))
    polars = sys.modules.get("polars._plr")
    for kind, names in _OF_POLARS.items():
        cls = getattr(polars, kind, None)
        rows += [
            (cls, name, _named(f"polars' {name.partition('_')[0]}, which draws", is_program))
            for name in names
            if cls is not None and name in vars(cls)
        ]
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "ndarray"):
        _ARRAYS[:] = [numpy.ndarray]
        rows += [
            (numpy.ndarray, "__init__", _without_memory),
            (numpy.ndarray, "tobytes", _of_objects),
            (numpy.datetime64, "__init__", _without_time),
        ]
    sqlite = sys.modules.get("_sqlite3")
    for kind in ("Connection", "Cursor") if sqlite is not None else ():
        cls = getattr(sqlite, kind)
        rows += [(cls, f"execute{end}", _asking) for end in ("", "many", "script")]
    return tuple(rows)


def _unset(real: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return what makes an array, and refuses a program one whose memory is not set."""
    thread = get_ident()
    check = _refusing(thread, f"{name}, whose memory is not set (numpy.zeros sets it)", is_own)

    def made(*given: Any, **named: Any) -> Any:
        array = real(*given, **named)
        if _is_unset(array):
            check()
        return array

    made.__name__ = name.rpartition(".")[2]
    return made


def _looking(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what pickles a value, and looks at its sets."""
    thread = get_ident()

    def dumps(*given: Any, **named: Any) -> Any:
        if given:
            _check_sets(given[0], sys._getframe(1), thread)
        return real(*given, **named)

    dumps.__name__ = real.__name__
    return dumps


def stand_ins_of_libraries() -> list[tuple[Any, Any]]:
    """Return functions that any module may hold, each with what replaces it."""
    numpy = sys.modules.get("numpy")
    names = ("empty", "empty_like") if numpy is not None and hasattr(numpy, "empty_like") else ()
    arrays = [
        (getattr(numpy, name), _unset(getattr(numpy, name), f"numpy.{name}")) for name in names
    ]
    masked = sys.modules.get("numpy.ma.core")
    arrays += [
        (getattr(masked, name), _unset(getattr(masked, name), f"numpy.ma.{name}"))
        for name in (names if hasattr(masked, "empty_like") else ())
    ]
    others = [
        (getattr(sys.modules[module], name), f"{module.partition('._')[0]}.{name}")
        for module, functions in _OF_MODULES.items()
        for name in functions
        if hasattr(sys.modules.get(module), name)
    ]
    refused = [(real, _named(title, is_own)(real, get_ident())) for real, title in others]
    return [*arrays, *refused, *((one, _looking(one)) for one in PICKLING[:2])]
