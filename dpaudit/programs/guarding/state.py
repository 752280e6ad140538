"""State that a call may leave for later ones: whatever the code of a program can reach and change.

The objects that code reaches are listed once, from its globals, defaults, closures, attributes and
caches on.  All that they refer to is then compared by identity, in a few calls of C functions;
what the collector does not see (the numbers of an array, how far an iterator has come) is read by
a row of a table.  Library modules, loggers and generators of random numbers are left out: the first
keep caches, and draws are followed elsewhere.
"""

from __future__ import annotations

import dis
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from operator import is_
from pathlib import Path
from types import (
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    ModuleType,
)
from typing import Any, NamedTuple
from zlib import crc32

from dpaudit.programs.guarding.addresses import STAND_INS
from dpaudit.programs.guarding.guards import is_generator, is_own
from dpaudit.programs.guarding.process_settings import ProcessSettings

__all__ = ["LEFT_OUT", "Change", "State"]

_HAVE_GC, _HEAP_TYPE = 1 << 14, 1 << 9
"""``Py_TPFLAGS_HAVE_GC`` and ``Py_TPFLAGS_HEAPTYPE`` of CPython's object.h."""
_MOST = 20_000
"""Largest number of objects that are listed."""
_ATOMS = frozenset({bool, int, float, complex, str, bytes, type(None), range})
LEFT_OUT = frozenset(
    "IPython _abc _pytest _weakref dpaudit ipykernel logging pytest re traitlets typing".split()  # noqa: SIM905
)
"""Libraries whose objects keep caches, or belong to whoever runs the audit."""
_CACHED = type(lru_cache(len))
_UNHEEDED = {"__warningregistry__", "__annotations__", "__builtins__"}


class Change(NamedTuple):
    """A difference between two states."""

    name: str
    """Name of the variable, as code would write it."""
    where: str
    """File and line of the code that sets or uses it."""

    def __str__(self) -> str:
        """Name the variable and its place."""
        return f"{self.name} ({self.where})" if self.where else self.name


class State:
    """The objects that a function can reach, and what they referred to when they were listed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Take the function whose calls may leave something."""
        self._function = function
        self.take()

    def take(self) -> None:
        """List what can be reached now; later states are compared with this one."""
        self._listing = _Listing()
        self._listing.add_all(self._function)
        listing = self._listing
        self._read = [read(one) for one, read, _ in listing.read]  # a generator has a frame then
        self._parts = [gc.get_referents(one) for one in listing.nodes]
        self._flat = list(chain.from_iterable(self._parts))
        self._dicts = list(map(dict, listing.dicts))
        self._keys = self._keys_now()
        self._sizes = list(map(len, listing.sized))
        self._settings = ProcessSettings()

    def _keys_now(self) -> list[Any]:
        return list(chain.from_iterable(map(dict.__iter__, self._listing.dicts)))

    def is_same(self) -> bool:
        """Tell whether nothing that was listed refers to anything else than before."""
        listing = self._listing
        flat = gc.get_referents(*listing.nodes)
        if len(flat) != len(self._flat) or not all(map(is_, flat, self._flat)):
            return False
        keys = self._keys_now()
        if len(keys) != len(self._keys) or not all(map(is_, keys, self._keys)):
            return False
        return all(
            _equal(read(one), before)
            for (one, read, _), before in zip(listing.read, self._read, strict=True)
        )

    def change(self) -> Change | None:
        """Return what is otherwise than before, if anything is; begin with the state now."""
        if self.is_same() and self._surroundings() is None:
            return None
        name = self._changed() or self._surroundings()
        found = None if name is None else Change(name, _place_of(name, self._listing.codes))
        self.take()
        return found

    def _surroundings(self) -> str | None:
        """Return what changed of the process, and of the modules that the code names."""
        setting = self._settings.changed()
        if setting is not None:
            return setting
        for names, size in zip(self._listing.sized, self._sizes, strict=True):
            if len(names) != size:
                last = next(reversed(names))
                if not isinstance(names[last], ModuleType) and not last.startswith("_"):
                    return f"{names.get('__name__', 'a module')}.{last}"
        return None

    def _changed(self) -> str | None:
        listing = self._listing
        for number, names, known in zip(listing.spaces, listing.dicts, self._dicts, strict=True):
            for key in _changed_keys(names, known):
                return listing.name_of(number, key)
        for number, node, before in zip(listing.places, listing.nodes, self._parts, strict=True):
            if isinstance(node, dict):
                continue
            now = gc.get_referents(node)
            if len(now) != len(before) or not all(map(_equal, now, before)):
                return listing.name_of(number)
        for (one, read, number), before in zip(listing.read, self._read, strict=True):
            if not _equal(read(one), before):
                return listing.name_of(number)
        return None


def _changed_keys(now: dict[Any, Any], before: dict[Any, Any]) -> Iterator[Any]:
    """Yield the keys of entries that changed, but for the engine's own.

    What stands for ``type``, ``int`` and ``float`` is put into modules while their code runs.
    """
    if len(now) == len(before) and all(map(is_, now.values(), before.values())):
        yield from (new for new, old in zip(now, before, strict=True) if not _equal(new, old))
        return
    # By identity, since a key may be a draw that a cache kept: to hash it is refused.
    later = {id(key): value for key, value in now.items()}
    earlier = {id(key): value for key, value in before.items()}
    for place, key in {id(key): key for key in (*now, *before)}.items():
        value = later.get(place, _NONE)
        is_unheeded = type(key) is str and key in _UNHEEDED
        if is_unheeded or _is_stand_in(value) or _equal(value, earlier.get(place, _NONE)):
            continue
        if value is not _NONE or not (
            isinstance(earlier[place], type) or _is_stand_in(earlier[place])
        ):
            yield key


def _is_stand_in(value: Any) -> bool:
    """Tell whether a value stands for one of Python's in a program's module."""
    if isinstance(value, type):
        return value.__module__.startswith("dpaudit.programs.")
    # The engine's own modules hold ``id`` itself (:mod:`dpaudit.programs.guarding.sources`).
    return value is id or (isinstance(value, FunctionType) and value in STAND_INS.values())


_NONE = object()


class _Listing:
    """Objects that can be reached from a function."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        """Objects whose referents are compared."""
        self.dicts: list[dict[Any, Any]] = []
        self.spaces: list[int] = []
        """The number of each of :attr:`dicts`."""
        self.sized: list[dict[str, Any]] = []
        """Namespaces of library modules, of which names are counted."""
        self.read: list[tuple[Any, Callable[[Any], Any], int]] = []
        """Objects with parts that the collector does not see, how these are read, and numbers."""
        self.codes: list[CodeType] = []
        self.numbers: dict[int, int] = {}
        self._parents: list[tuple[int, str]] = []
        """For each object, the number of what it was reached from, and its name there."""
        self._all: list[Any] = []
        self._waiting: list[int] = []
        self.places: list[int] = []
        """The number of each of :attr:`nodes`."""

    def add_all(self, function: Any) -> None:
        """List all that can be reached from a function."""
        environment = getattr(os.environ, "_data", None)
        self._add(function, -1, "")
        self._add(environment, -1, "os.environ")
        while self._waiting and len(self._all) < _MOST:
            number = self._waiting.pop()
            self._open(self._all[number], number)

    def _add(self, value: Any, parent: int, name: str) -> None:
        kind = type(value)
        if kind in _ATOMS or id(value) in self.numbers:
            return
        read = _reader_of(value, kind)
        if read is None and not kind.__flags__ & _HAVE_GC:
            return
        if kind in (CodeType, FrameType, MappingProxyType) or is_generator(value):
            return
        number = len(self._all)
        self.numbers[id(value)] = number
        self._all.append(value)
        self._parents.append((parent, name))
        if read is not None:
            self.read.append((value, read, number))
        if kind.__flags__ & _HAVE_GC or read is _objects_of:
            self._waiting.append(number)

    def _open(self, value: Any, number: int) -> None:
        """List what an object refers to."""
        kind = type(value)
        if kind is ModuleType:
            self._open_module(value, number)
            return
        if _is_left_out(value):
            return
        if not isinstance(value, type) and kind.__dictoffset__:
            names = getattr(value, "__dict__", None)  # what is inside is listed by it from now on
            if isinstance(names, dict):
                self._add(names, number, "")
        if kind is not _CACHED:  # whose entries have another order after each call
            self.places.append(number)
            self.nodes.append(value)
        if isinstance(value, dict):
            self.dicts.append(value)
            self.spaces.append(number)
            for key, part in dict.items(value):
                self._add(part, number, key if type(key) is str else "")
                self._add(key, number, "")
        elif isinstance(value, FunctionType):
            self._open_function(value, number)
        else:
            parts = _parts_of(value, kind)
            if not _ATOMS.issuperset(map(type, parts)):
                for part in parts:
                    self._add(part, number, "")

    def _open_module(self, module: ModuleType, number: int) -> None:
        names = vars(module)
        if not _is_own_module(module):
            self.sized.append(names)
            return
        self._open_names(names, number, list(names))

    def _open_names(self, space: dict[str, Any], number: int, names: Iterable[str]) -> None:
        """List a namespace as a whole, and what some of its names stand for."""
        if id(space) not in self.numbers:
            self.numbers[id(space)] = len(self._all)
            self._all.append(space)
            self._parents.append((number, ""))
            self.places.append(self.numbers[id(space)])
            self.nodes.append(space)
            self.dicts.append(space)
            self.spaces.append(self.numbers[id(space)])
        for name in names:
            if name in space and not name.startswith("__"):
                self._add(space[name], self.numbers[id(space)], name)

    def _open_function(self, function: FunctionType, number: int) -> None:
        title = function.__name__
        defaults, code = function.__defaults__ or (), function.__code__
        names = code.co_varnames[: code.co_argcount][-len(defaults) :] if defaults else ()
        for name, value in zip(names, defaults, strict=True):
            self._add(value, number, f"the default {name} of {title}")
        for name, value in (function.__kwdefaults__ or {}).items():
            self._add(value, number, f"the default {name} of {title}")
        own = is_own(code.co_filename)
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._add(cell, number, name if own else "")
        if own or not number:
            self.codes.append(code)
            self._open_names(function.__globals__, number, _names_in(code))

    def name_of(self, number: int, key: Any = None) -> str:
        """Return the name of an object, or of an entry of a dictionary, as code would write it."""
        value = self._all[number]
        parts: list[str] = []
        if isinstance(key, str) and self._is_space(value, number):
            parts.append(key)
            if self._is_global(number):
                return key
        while number >= 0:
            value, (parent, name) = self._all[number], self._parents[number]
            if name:
                parts.append(name)
            elif isinstance(value, (FunctionType, type)):
                parts.append(value.__name__)
            known = (
                parent < 0 or self._is_global(parent) or isinstance(self._all[parent], ModuleType)
            )
            if name and (known or name.startswith("the default")):
                break
            if isinstance(value, CellType) or (not name and isinstance(value, (ModuleType, type))):
                break
            number = parent
        shown = [part for part in parts[::-1] if part]
        return ".".join(dict.fromkeys(shown)) or "a variable"

    def _is_global(self, number: int) -> bool:
        """Tell whether an object is the namespace of a function."""
        parent, name = self._parents[number]
        above = self._all[parent] if parent >= 0 else None
        names = getattr(above, "__globals__", None)
        return isinstance(above, FunctionType) and not name and self._all[number] is names

    def _is_space(self, value: Any, number: int) -> bool:
        """Tell whether the keys of a dictionary are names: of a module, an object or a class."""
        parent = self._parents[number][0]
        if not isinstance(value, dict) or parent < 0 or self._parents[number][1]:
            return False
        return not isinstance(self._all[parent], (dict, list, tuple, CellType))


def _names_in(code: CodeType) -> set[str]:
    inside = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(_names_in, inside))


def _is_own_module(module: ModuleType) -> bool:
    return is_own(str(getattr(module, "__file__", None) or ""))


def _is_own_class(cls: type) -> bool:
    home = sys.modules.get(str(cls.__module__))
    return home is not None and (home.__name__ == "__main__" or _is_own_module(home))


def _is_left_out(value: Any) -> bool:
    if isinstance(value, type):
        return not _is_own_class(value)
    return str(type(value).__module__).partition(".")[0] in LEFT_OUT


def _equal(now: Any, before: Any) -> bool:
    """Tell whether two values are one object, or plain values that are the same."""
    if now is before:
        return True
    if type(now) is not type(before):
        return False
    if type(now) in _ATOMS:
        return bool(now == before) or repr(now) == repr(before)
    if type(now) in (tuple, list):
        return len(now) == len(before) and all(map(_equal, now, before))
    return False


# What the collector does not see


def _reader_of(value: Any, kind: type) -> Callable[[Any], Any] | None:
    """Return what reads the parts of an object that the collector does not see, if it has any."""
    if kind is GeneratorType:
        return _place_in
    if _is_array(value):
        return _objects_of if value.dtype.hasobject else _numbers_of
    module = str(kind.__module__)
    if kind is bytearray:
        return bytes
    if module == "array":
        return bytes
    if module == "_io":
        return _place_in_file
    if module == "_contextvars" and kind.__name__ == "ContextVar":
        return _set_to
    if module == "_hashlib" or module in ("_md5", "_sha1", "_sha256", "_sha512", "_blake2"):
        return _digest
    if not kind.__flags__ & _HEAP_TYPE and hasattr(kind, "__next__"):
        return _rest_of
    return None


def _is_array(value: Any) -> bool:
    kind = type(value)
    return hasattr(kind, "tobytes") and hasattr(kind, "dtype") and hasattr(kind, "__array__")


def _numbers_of(array: Any) -> Any:
    return array.shape, str(array.dtype), crc32(array.tobytes())


def _parts_of(value: Any, kind: type) -> list[Any]:
    """Return what an object refers to."""
    if _is_array(value):
        return list(_objects_of(value)) if value.dtype.hasobject else []
    if str(kind.__module__) == "_thread" and kind.__name__ == "_local":
        return [vars(value)]
    return gc.get_referents(value)


def _objects_of(array: Any) -> Any:
    return array.ravel().tolist()


def _place_in(generator: Any) -> Any:
    frame = generator.gi_frame
    return None if frame is None else frame.f_lasti


def _place_in_file(file: Any) -> Any:
    """Return the place in an open file that can be read: one that is only written is no state."""
    try:
        if file.closed or not file.readable():
            return bool(file.closed)
        return file.tell(), file.getvalue() if hasattr(file, "getvalue") else ""
    except (OSError, ValueError):
        return None


def _set_to(variable: Any) -> Any:
    return variable.get(None)


def _digest(hashed: Any) -> Any:
    return hashed.hexdigest() if hasattr(hashed, "hexdigest") else None


def _rest_of(iterator: Any) -> Any:
    try:
        return iterator.__reduce__()[1:]
    except TypeError:
        return None


# Names and lines


def _place_of(name: str, codes: Iterable[CodeType]) -> str:
    """Return file and line of the code that sets a variable, or else of that which uses it."""
    last = name.rpartition(".")[2].removesuffix(")").split(" ")
    wanted = last[2] if last[:2] == ["the", "default"] else last[-1]
    words = {wanted, *name.split(".")[:1]}
    stored = "STORE_ATTR" if "." in name else ("STORE_GLOBAL", "STORE_NAME", "STORE_DEREF")
    uses = [
        (
            not step.opname.startswith(stored) or step.argval != wanted,
            not step.opname.startswith("STORE") or step.argval != wanted,
            code.co_filename,
            line,
        )
        for code in chain.from_iterable(map(_all_codes, codes))
        for step, line in _steps(code)
        if step.argval in words
    ]
    if not uses:
        return ""
    *_, file, line = min(uses, key=lambda use: use[:2])
    return f"{Path(file).name}:{line}"


def _all_codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _all_codes(one)


def _steps(code: CodeType) -> Iterator[tuple[dis.Instruction, int]]:
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = step.starts_line or line
        yield step, line
