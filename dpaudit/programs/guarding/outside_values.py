"""Outside values that a function holds: variables of its closure, defaults, globals it names.

A sub-sampler is a function of its arguments and its draws.  Its law is derived once for what it
holds, and one that changes what it holds is refused: it would leave there what the derivation did,
and not what a run does.
"""

from __future__ import annotations

import warnings
from array import array
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from functools import partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from dpaudit.numbers.real import Real
from dpaudit.programs.guarding.guards import is_program
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.unknowns.lazy import Lazy

__all__ = ["FEW", "MANY", "changing_nothing", "held_by"]

_PLAIN = frozenset({bool, int, float, complex, str, bytes, Fraction, Real, type(None)})
_DEEPEST = 6
FEW = 200
"""Largest number of parts that are read when a sub-sampler is called."""
MANY = 2_000
"""Largest number of parts that are read when its law is derived."""


def held_by(function: Any, most: int = FEW) -> Hashable:
    """Return how all looks that a function holds, its changes included.

    So many parts are looked at; of more, plain ones are all seen, and others counted.

    >>> kept = []
    >>> def sampler(source): kept.append(source)
    >>> before = held_by(sampler)
    >>> kept.append(1)
    >>> held_by(sampler) == before
    False
    """
    return _Look(most).of(function, 0)


def changing_nothing(sampler: Callable[..., Any], given: tuple[Any, ...]) -> Callable[[Any], Any]:
    """Return a sub-sampler as a program of a source that may change nothing of what it holds."""

    def body(source: Any) -> Any:
        held = held_by(sampler, MANY)
        found = sampler(source, *given)
        if held_by(sampler, MANY) != held:
            raise Refused(
                "a function of random.sub changes something outside itself; it may only depend "
                "on its arguments and draws, so return the value instead"
            )
        return found

    return body


class _Look:
    """Looks at values, at so many parts."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._open: set[int] = set()

    def of(self, value: Any, depth: int) -> Hashable:
        kind = type(value)
        if kind in _PLAIN:
            return kind, repr(value) if kind is float else value
        self._left -= 1
        opaque = kind, id(value), len(value) if hasattr(kind, "__len__") else 0
        if isinstance(value, (Lazy, ModuleType)):
            return kind, id(value)
        if depth > _DEEPEST or self._left < 0 or id(value) in self._open:
            return opaque
        self._open.add(id(value))
        found = self._of_parts(value, kind, depth)
        self._open.discard(id(value))
        return found

    def _all(self, parts: Iterable[Any], depth: int) -> Hashable:
        listed = tuple(parts)
        if len(listed) > FEW and _PLAIN.issuperset(map(type, listed)):
            self._left -= len(listed) // FEW
            return len(listed), hash(listed) if self._left >= 0 else 0
        if len(listed) > max(self._left, 0):
            self._left -= FEW
            return len(listed), hash(tuple(map(id, listed)))
        return len(listed), tuple(self.of(one, depth + 1) for one in listed)

    def _of_parts(self, value: Any, kind: type, depth: int) -> Hashable:
        if isinstance(value, FunctionType):
            own = is_program(value.__code__.co_filename)
            return id(value.__code__), self._all(_of_function(value), depth) if own else 0
        if isinstance(value, BuiltinMethodType):
            return kind, value.__name__, self.of(value.__self__, depth + 1)
        if isinstance(value, MethodType):
            return self._all((value.__func__, value.__self__), depth)
        if isinstance(value, partial):
            return self._all((value.func, value.args, value.keywords), depth)
        if issubclass(kind, (list, tuple, deque)):
            return kind, self._all(value, depth)
        if issubclass(kind, (bytearray, memoryview, array)):
            return kind, bytes(value)
        if issubclass(kind, (set, frozenset)):
            return kind, len(value), frozenset(self.of(one, depth + 1) for one in value)
        if issubclass(kind, dict):
            return kind, self._all(value.keys(), depth), self._all(value.values(), depth)
        if hasattr(value, "tobytes") and hasattr(value, "dtype"):
            return kind, str(value.dtype), hash(value.tobytes())
        if hasattr(value, "__next__"):
            return kind, self.of(_rest_of(value), depth + 1)
        home = value.__module__ if isinstance(value, type) else kind.__module__
        if str(home).startswith(("dpaudit.", "builtins")):
            return kind, id(value)
        slots = [name for one in kind.__mro__ for name in getattr(one, "__slots__", ())]
        held = [getattr(value, name, None) for name in slots if not name.startswith("__")]
        variables = getattr(value, "__dict__", {})
        held += [one for name, one in variables.items() if not name.startswith("__")]
        return kind, id(value), self._all(held, depth)


def _rest_of(iterator: Any) -> Any:
    """Return what an iterator is made of, as far as it has come; refuse one that does not say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.12 warns that some will say no more
            return iterator.__reduce__()
    except TypeError:
        raise Refused(
            "a function of random.sub holds a random generator; draw only from the source that "
            "it receives"
        ) from None


def _of_function(function: FunctionType) -> list[Any]:
    found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not bound yet
            found.append(None)
    names = sorted(_names(function.__code__))
    known = _named(names, function.__globals__)
    own = (one for one in known if isinstance(one, ModuleType) and _is_own(one))
    inside = (one for module in own for one in _named(names, vars(module)))
    return [*found, function.__dict__, *known, *inside]


def _named(names: list[str], known: dict[str, Any]) -> list[Any]:
    return [known[name] for name in names if name in known]


def _is_own(module: ModuleType) -> bool:
    """Tell whether a module is a program's, whose variables may change."""
    return is_program(str(getattr(module, "__file__", None) or ""))


def _names(code: CodeType) -> set[str]:
    inside = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(_names, inside))
