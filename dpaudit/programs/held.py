"""What a function holds from outside of it: variables of its closure, defaults, globals it names.

A sub-sampler is a function of its arguments and its draws.  Its law is derived once for what it
holds, and one that changes what it holds is refused: it would leave there what the derivation did,
and not what a run does.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from dpaudit.numbers.real import Real
from dpaudit.programs.guards import is_program
from dpaudit.programs.lazy import Lazy
from dpaudit.programs.refusal import Refused

__all__ = ["changing_nothing", "held_by"]

_PLAIN = (bool, int, float, complex, str, bytes, Fraction, Real, type(None))
_DEEPEST, _MOST = 6, 1_000


def held_by(function: Any) -> Hashable:
    """Return how all looks that a function holds, its changes included.

    >>> kept = []
    >>> def sampler(source): kept.append(source)
    >>> before = held_by(sampler)
    >>> kept.append(1)
    >>> held_by(sampler) == before
    False
    """
    return _look(function, 0, set())


def changing_nothing(
    sampler: Callable[..., Any], given: tuple[Any, ...], held: Hashable
) -> Callable[[Any], Any]:
    """Return a sub-sampler as a program of a source that may change nothing of what is ``held``."""

    def body(source: Any) -> Any:
        found = sampler(source, *given)
        if held_by(sampler) != held:
            raise Refused(
                "a sub-sampler changes what is kept outside of it; it is a function of its "
                "arguments and its draws"
            )
        return found

    return body


def _look(value: Any, depth: int, seen: set[int]) -> Hashable:
    kind = type(value)
    if kind in _PLAIN:
        return kind, repr(value) if kind is float else value
    if depth > _DEEPEST or id(value) in seen or issubclass(kind, (Lazy, ModuleType)):
        return kind, id(value)
    seen = seen | {id(value)}

    def all_of(parts: Any) -> Hashable:
        listed = list(parts)
        few = listed if len(listed) <= _MOST else [*listed[: _MOST // 2], *listed[-_MOST // 2 :]]
        return len(listed), tuple(_look(one, depth + 1, seen) for one in few)

    if isinstance(value, FunctionType):
        return id(value.__code__), all_of(_of_function(value)) if _is_own(value) else 0
    if isinstance(value, BuiltinMethodType):
        return kind, value.__name__, _look(value.__self__, depth + 1, seen)
    if isinstance(value, MethodType):
        return all_of((value.__func__, value.__self__))
    if isinstance(value, partial):
        return all_of((value.func, value.args, value.keywords))
    if issubclass(kind, (list, tuple)):
        return kind, id(value) if issubclass(kind, list) else 0, all_of(value)
    if issubclass(kind, (set, frozenset)):
        return kind, len(value), frozenset(_look(one, depth + 1, seen) for one in value)
    if issubclass(kind, dict):
        return kind, all_of(part for item in value.items() for part in item)
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        return kind, str(value.dtype), value.tobytes()
    if hasattr(value, "__next__"):
        return kind, _look(_rest_of(value), depth + 1, seen)
    own = value.__module__ if isinstance(value, type) else kind.__module__
    if str(own).startswith(("dpaudit.", "builtins")):
        return kind, id(value)
    slots = [name for one in kind.__mro__ for name in getattr(one, "__slots__", ())]
    held = [getattr(value, name, None) for name in slots if not name.startswith("__")]
    variables = getattr(value, "__dict__", {})
    held += [one for name, one in variables.items() if not name.startswith("__")]
    return kind, id(value), all_of(one for one in held if not isinstance(one, FunctionType))


def _rest_of(iterator: Any) -> Any:
    """Return what an iterator is made of, as far as it has come; refuse one that does not say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python 3.12 warns that some will say no more
            return iterator.__reduce__()
    except TypeError:
        raise Refused("a sub-sampler holds a generator; it may hold lists and numbers") from None


def _is_own(function: FunctionType) -> bool:
    return is_program(function.__code__.co_filename)


def _of_function(function: FunctionType) -> list[Any]:
    found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not bound yet
            found.append(None)
    names = sorted(_names(function.__code__))
    known = function.__globals__
    return [*found, function.__dict__, *(known[name] for name in names if name in known)]


def _names(code: CodeType) -> set[str]:
    inside = (one for one in code.co_consts if isinstance(one, CodeType))
    return set(code.co_names).union(*map(_names, inside))
