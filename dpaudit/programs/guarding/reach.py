"""Randomness and clocks that a program hands on as values, for compiled code to call unseen.

``next(map(os.urandom, [2]))`` calls nothing that a profiling hook sees, and a run that is repeated
shows a draw only where it comes out differently.  So the code of the program, and of what it calls,
is read: what it names as a value, and does not call itself, must draw from nowhere.
"""

from __future__ import annotations

import dis
import functools
import itertools
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError
from dpaudit.programs.guarding.guards import forbidden_name, is_generator, is_own

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["check_handed_on", "handed_on", "steps_of"]

_MISSING = object()
_MOST = 100_000
"""So many objects are looked at; a program that names more is refused, for what was not seen."""
_ATOMS = (bool, int, float, complex, str, bytes, Fraction, Decimal, type(None))
"""Types whose values hold no other values and do nothing."""


def check_handed_on(function: Callable[..., Any]) -> None:
    """Refuse a program that hands on what compiled code may draw unseen.

    Raises:
        LawError: for such a program.
    """
    source = handed_on(function)
    if source is not None:
        raise LawError(
            f"it passes {source} on as a value, and compiled code could then call it without "
            "dpaudit noticing; draw only from the random source that the program receives as "
            "an argument"
        )


def handed_on(function: Callable[..., Any]) -> str | None:
    """Return what a function, or what it calls, hands on that a program must not use."""
    seen: dict[int, Any] = {}
    waiting: list[Any] = [function]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or type(one) in _ATOMS:
            continue
        if len(seen) == _MOST:
            return f"more than {_MOST} objects"
        seen[id(one)] = one
        if isinstance(one, functools.partial):
            found = forbidden_name(one.func)
            if found is not None:
                return f"a partial call of {found}"
        found = _draws(one, called=False)
        if found is not None:
            return found
        if isinstance(one, FunctionType) and is_own(one.__code__.co_filename):
            values = list(_values(one))
            for value, called in values:
                found = _draws(value, called=called)
                if found is not None:
                    return found
            waiting += [value for value, called in values if not called or _is_made_of(value)]
        waiting += _held(one)
    return None


def _held(one: Any) -> Iterable[Any]:
    """Return what an object holds, where it may be a program's own."""
    if isinstance(one, functools.partial):
        return [one.func, *one.args, *one.keywords.values()]
    if isinstance(one, MethodType):
        return [one.__func__, one.__self__]
    if isinstance(one, FunctionType):
        more = (one.__defaults__ or (), (one.__kwdefaults__ or {}).values())
        return [*itertools.chain(*more), getattr(one, "__wrapped__", None)]
    if isinstance(one, (list, tuple, set, frozenset)):
        return one
    if isinstance(one, dict):
        return one.values()
    kind = one if isinstance(one, type) else type(one)
    if not is_own(getattr(sys.modules.get(kind.__module__), "__file__", None) or ""):
        return ()
    return [*vars(kind).values(), *(() if one is kind else getattr(one, "__dict__", {}).values())]


def _draws(value: Any, *, called: bool) -> str | None:
    """Return what is wrong with a value that a function names."""
    if isinstance(value, Iterator):
        return "an iterator that was created before the call"
    if called:  # which is watched
        return None
    return "a generator" if is_generator(value) else forbidden_name(value)


def _is_made_of(value: Any) -> bool:
    """Tell whether calling a value runs code that can be read."""
    if forbidden_name(value) is not None:
        return False
    return isinstance(value, (FunctionType, MethodType, functools.partial, type)) or is_own(
        getattr(sys.modules.get(type(value).__module__), "__file__", None) or ""
    )


_BEFORE = "PUSH_NULL" if sys.version_info < (3, 13) else "none: it follows what is called"
"""Instruction before a variable that is called."""


def _values(function: FunctionType) -> Iterator[tuple[Any, bool]]:
    """Yield what the code of a function names, and whether it calls that at once."""
    held: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            held[name] = cell.cell_contents
        except ValueError:  # not bound yet
            continue
    yield from _of_code(function.__code__, function.__globals__, held)


def _of_code(
    code: CodeType, known: dict[str, Any], held: dict[str, Any]
) -> Iterator[tuple[Any, bool]]:
    steps = list(steps_of(code))
    local = {**held, **_imported(steps)}
    place = 0
    while place < len(steps):
        step, before = steps[place], steps[place - 1].opname if place else ""
        place += 1
        if step.opname == "LOAD_GLOBAL":
            value, aside = known.get(step.argval, _MISSING), bool((step.arg or 0) & 1)
        elif step.opname.startswith(("LOAD_FAST", "LOAD_DEREF")):
            value, aside = local.get(step.argval, _MISSING), before == _BEFORE
        else:
            continue
        called = aside  # there is room for what is called
        while place < len(steps) and steps[place].opname in ("LOAD_ATTR", "LOAD_METHOD"):
            step = steps[place]
            of, value = value, _attribute(value, str(step.argval))
            if value is _MISSING and of is not _MISSING:
                yield of, True  # whose own attributes are looked at one by one
            method = sys.version_info >= (3, 12) and bool((step.arg or 0) & 1)
            called = step.opname == "LOAD_METHOD" or method or aside
            place += 1
        called = called or (place < len(steps) and steps[place].opname == "PUSH_NULL")
        if value is not _MISSING:
            yield value, called
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant, known, local)


def steps_of(code: CodeType) -> Iterator[dis.Instruction]:
    """Yield the instructions of code, one where Python 3.13 has two local variables in one."""
    for step in dis.get_instructions(code):
        if step.opname.count("_FAST") == 2 and isinstance(step.argval, tuple):
            for kind, name in zip(step.opname.split("_")[::2], step.argval, strict=True):
                yield step._replace(opname=f"{kind}_FAST", argval=name)
        else:
            yield step


def _imported(steps: list[dis.Instruction]) -> dict[str, Any]:
    """Return what a function's own imports bind, of modules that are there."""
    found: dict[str, Any] = {}
    module: Any = None
    value: Any = _MISSING
    for step in steps:
        if step.opname == "IMPORT_NAME":
            module = value = sys.modules.get(str(step.argval), _MISSING)
        elif step.opname == "IMPORT_FROM":
            value = _attribute(module, str(step.argval))
        elif step.opname.startswith("STORE_") and value is not _MISSING:
            found[str(step.argval)] = value
            value = _MISSING
    return found


def _attribute(value: Any, name: str) -> Any:
    """Return an attribute of a module or a generator; no other object is asked for one."""
    if isinstance(value, ModuleType):
        return vars(value).get(name, _MISSING)
    return getattr(value, name, _MISSING) if is_generator(value) else _MISSING
