"""Search for clocks, addresses and generators that a program holds outside of any module.

Modules hold what refuses a program's calls while it is explored
(:mod:`dpaudit.programs.guarding.sources`).  A default argument, a closure, a list or an object
still holds the function itself, and compiled code may call it there.  So all that a program can
reach is searched, once.
"""

from __future__ import annotations

import _random
import gc
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    CodeType,
    FrameType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
)
from typing import Any

from dpaudit.errors import LawError
from dpaudit.programs.as_run.live import AtRest, Generators
from dpaudit.programs.guarding.devices import is_device
from dpaudit.programs.guarding.guards import forbidden_name, is_own
from dpaudit.programs.guarding.libraries import PICKLING
from dpaudit.programs.guarding.sources import METHODS, stand_ins
from dpaudit.programs.guarding.state import LEFT_OUT

__all__ = ["check_held_sources", "held_among", "held_source", "may_hold"]

_MOST = 1_000_000
"""So many objects are looked at; a program that reaches more is refused, for what was not seen."""
_ATOMS = frozenset({bool, int, float, complex, str, bytes, bytearray, type(None), range, CodeType,
                    FrameType})  # fmt: skip
_LIBRARIES = ("ctypes", "_ctypes", "cffi", "_cffi_backend")
"""Modules that call any compiled function, and read any place of the memory."""


_LOOKUPS = frozenset({"__builtins__", "__dict__", "__globals__", "__import__", "__subclasses__",
                      "builtins", "eval", "exec", "gc", "globals", "import_module", "importlib",
                      "inspect", "modules", "sys"})  # fmt: skip
"""Names in code that may get at objects which the code does not name."""
_WITHOUT_GENERATORS = sys.stdlib_module_names | {"dateutil", "dpaudit", "numpy", "pandas", "pytz"}
"""Libraries that keep no generator of their own, nor one that was given to them."""
_OUT_OF_SIGHT = frozenset({"_contextvars", "_thread", "_weakref", "contextvars", "dpaudit",
                           "threading", "weakref"})  # fmt: skip
"""Modules of classes whose instances refer to objects that are not listed."""


def check_held_sources(function: Callable[..., Any]) -> None:
    """Refuse a program that holds what it must not use.

    Raises:
        LawError: for a clock, an address or a generator that compiled code could call.
    """
    source = held_source(function)
    if source is not None:
        raise LawError(
            f"it holds {source} where compiled code could use it without dpaudit noticing; remove "
            "it, or draw from a module inside the function"
        )


def held_source(function: Callable[..., Any]) -> str | None:
    """Return what a program holds that it must not use; None if there is nothing."""
    for count, one in enumerate(_reached([function])):
        if count == _MOST:
            return f"more than {_MOST} objects"
        source = _source(one)
        if source is not None:
            return source
    return None


def held_among(wanted: Collection[int], holders: Sequence[Any]) -> set[int]:
    """Return those of some objects, all by identity, that a program finds in what it holds."""
    found = set[int]()
    for count, one in enumerate(_reached(holders)):
        if id(one) in wanted:
            found.add(id(one))
        if count == _MOST or len(found) == len(wanted):
            break
    return found


def may_hold(wanted: Collection[int], holders: Iterable[Any]) -> bool:
    """Tell whether a program may get at one of some objects, by identity.

    It may where the search ends early, or meets what it does not look into: a library that may keep
    such an object, or code that looks names up.
    """
    return any(
        count == _MOST or id(one) in wanted or _is_opaque(one)
        for count, one in enumerate(_reached(holders))
    )


def _is_opaque(one: Any) -> bool:
    """Tell whether an object may give a program others than those that it refers to."""
    if isinstance(one, FunctionType):
        if not is_own(one.__code__.co_filename):  # a wrapper may bear the name of another module
            return not _is_of(_WITHOUT_GENERATORS, one.__globals__.get("__name__"))
        names = _names_in(one.__code__)
        imported = [
            sys.modules[name]
            for name in names
            if name in sys.modules and one.__globals__.get(name) is not sys.modules[name]
        ]
        return not names.isdisjoint(_LOOKUPS) or not all(map(_is_without_generators, imported))
    if isinstance(one, ModuleType):
        return not (_is_own_module(one) or _is_without_generators(one))
    if isinstance(one, type):
        module = sys.modules.get(str(one.__module__))
        return module is None or not (_is_own_module(module) or _is_without_generators(module))
    if isinstance(one, BuiltinFunctionType) or _is_compiled(one):
        return not _is_of(_WITHOUT_GENERATORS, one.__module__)
    return _is_of(_OUT_OF_SIGHT, type(one).__module__)


def _is_compiled(one: Any) -> bool:
    return type(one).__name__ == "cython_function_or_method"


def _is_without_generators(module: ModuleType) -> bool:
    return _is_of(_WITHOUT_GENERATORS, module.__name__) and not _is_own_module(module)


def _is_of(libraries: Collection[str], name: object) -> bool:
    return name is None or str(name).partition(".")[0] in libraries


def _reached(holders: Iterable[Any]) -> Iterator[Any]:
    """Yield all that a program can reach from what it holds, each object once."""
    in_modules = frozenset(stand_ins()) | {id(os.urandom)}
    looked_at = set[int]()
    waiting: list[Any] = [*holders]
    kept: list[Any] = []  # what is made only to be looked at keeps its identity to itself
    while waiting:
        one = waiting.pop()
        if id(one) in looked_at:
            continue
        looked_at.add(id(one))
        kept.append(one)
        yield one
        parts, of_module = _parts(one)
        if not _ATOMS.issuperset(map(type, parts)):
            waiting += [
                part
                for part in parts
                if type(part) not in _ATOMS and not (of_module and id(part) in in_modules)
            ]
        if isinstance(one, FunctionType):
            waiting += [part for part in _globals_of(one) if id(part) not in in_modules]


def _source(one: Any) -> str | None:
    """Return the name of what a program must not hold."""
    kind = type(one)
    if kind in (AtRest, Generators):
        return "a list of dpaudit's own with other generators"
    if isinstance(one, _random.Random):
        return "a generator of the class _random.Random" if kind is _random.Random else None
    if isinstance(one, (MethodDescriptorType, ClassMethodDescriptorType)):
        titles = (row.title for row in METHODS if (row.cls, row.name) == _place(one))
        return next(titles, None)
    if isinstance(one, ModuleType):
        return one.__name__ if one.__name__.partition(".")[0] in _LIBRARIES else None
    home = str(kind.__module__)
    if home.partition(".")[0] in _LIBRARIES:
        return f"an object of {home}"
    if home == "_io" and is_device(getattr(one, "name", None)):
        return str(one.name)
    if not isinstance(one, BuiltinFunctionType):
        return None
    if one in PICKLING:
        return f"{one.__module__.lstrip('_')}.{one.__name__}"
    name = forbidden_name(one)
    # The state of other generators is compared.
    return None if name is None or name.startswith(("random.", "numpy.random.")) else name


def _place(method: Any) -> tuple[type, str]:
    return method.__objclass__, method.__name__


def _parts(one: Any) -> tuple[Sequence[Any], bool]:
    """Return what an object refers to, and whether it is a module that does."""
    if isinstance(one, FunctionType):
        held = (one.__defaults__, one.__kwdefaults__, one.__closure__, one.__dict__)
        return [part for part in held if part], False
    if isinstance(one, ModuleType):
        own = _is_own_module(one)
        values = list(vars(one).values()) if own else []
        return [
            value for value in values if not isinstance(value, ModuleType) or _is_own_module(value)
        ], True
    module = sys.modules.get(str(one.get("__name__"))) if type(one) is dict else None
    if module is not None and getattr(module, "__dict__", None) is one:  # met without its module
        return _parts(module)
    if isinstance(one, type):
        own = _is_own_module(sys.modules.get(str(one.__module__)))
        return [*vars(one).values(), *one.__mro__[1:]] if own else [], False
    if str(type(one).__module__).partition(".")[0] in LEFT_OUT:
        return [], False
    if isinstance(one, BuiltinFunctionType):
        return [] if isinstance(one.__self__, ModuleType) else [one.__self__], False
    if hasattr(type(one), "tobytes") and hasattr(type(one), "dtype"):
        return one.ravel().tolist() if one.dtype.hasobject else [], False
    return gc.get_referents(one), False


def _globals_of(function: FunctionType) -> list[Any]:
    """Return the global variables that a program's own code names, and the modules it imports."""
    code, known = function.__code__, function.__globals__
    if not is_own(code.co_filename):
        return []
    names = _names_in(code)
    imported = [sys.modules[name] for name in names if name in _LIBRARIES and name in sys.modules]
    return [*(known[name] for name in names if name in known), *imported]


def _names_in(code: CodeType) -> set[str]:
    inside = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(_names_in, inside))


def _is_own_module(module: ModuleType | None) -> bool:
    if module is None:
        return False
    return module.__name__ == "__main__" or is_own(str(getattr(module, "__file__", None) or ""))
