"""The numbers that a program's code holds, and whatever it can reach: where it may do otherwise."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from dpaudit.programs.guarding.guards import is_program

__all__ = ["constants_of"]

_MOST_OBJECTS = 20_000
_MOST_NUMBERS = 2_000
_DEEPEST = 8
_WHOLE: frozenset[type] = frozenset({int})


def constants_of(*roots: Any) -> list[int | float | Fraction]:
    """Return the numbers that objects hold: functions with what they name, containers, arrays.

    >>> def body(x): return x in (17, 2.5)
    >>> constants_of(body)
    [2.5, 17]
    """
    found: set[int | float | Fraction] = set()
    seen: set[int] = set()
    waiting: deque[tuple[Any, int]] = deque((root, 0) for root in roots)
    while waiting and len(seen) < _MOST_OBJECTS and len(found) < _MOST_NUMBERS:
        one, depth = waiting.popleft()
        if id(one) in seen or depth > _DEEPEST:
            continue
        if isinstance(one, (int, float, Fraction)):
            if not isinstance(one, bool) and (not isinstance(one, float) or math.isfinite(one)):
                found.add(one)
            continue
        if isinstance(one, (str, bytes, type(None))):
            continue
        seen.add(id(one))
        try:
            parts = list(_parts(one))
            if _WHOLE.issuperset(map(type, parts)):
                parts = list(dict.fromkeys(parts))  # as long arrays of few numbers have
            waiting.extend((part, depth + 1) for part in parts)
        except Exception:  # of an object that raises when it is looked at, nothing is taken
            continue
    return sorted(found)


def _parts(one: Any) -> Iterable[Any]:
    """Return what an object holds, where code of the program may meet it."""
    if isinstance(one, CodeType):
        return one.co_consts
    if isinstance(one, FunctionType):
        return _of_function(one) if is_program(one.__code__.co_filename) else ()
    if isinstance(one, MethodType):
        return one.__func__, one.__self__
    if isinstance(one, ModuleType):
        own = is_program(str(getattr(one, "__file__", None) or ""))
        return list(vars(one).values()) if own and "site-packages" not in str(one) else ()
    if isinstance(one, Mapping):
        return [*list(one.keys())[:_MOST_NUMBERS], *list(one.values())[:_MOST_NUMBERS]]
    if isinstance(one, (list, tuple, set, frozenset, range)):
        return list(one)[:_MOST_NUMBERS]
    if (
        not isinstance(one, type) and hasattr(one, "tolist") and hasattr(one, "dtype")
    ):  # an array, or a column of a frame
        listed = one.tolist()
        return listed[:_MOST_NUMBERS] if isinstance(listed, list) else (listed,)
    kind = one if isinstance(one, type) else type(one)
    if hasattr(one, "func") and hasattr(one, "args"):  # functools.partial
        return one.func, one.args, getattr(one, "keywords", {})
    if kind.__module__ == "builtins" or str(kind.__module__).startswith("dpaudit."):
        return ()
    held = [] if one is kind else list(getattr(one, "__dict__", {}).values())
    return [*held, *vars(kind).values()]


def _of_function(function: FunctionType) -> Iterator[Any]:
    yield function.__code__
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue
    known = function.__globals__
    yield from (known[name] for name in _names(function.__code__) if name in known)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
