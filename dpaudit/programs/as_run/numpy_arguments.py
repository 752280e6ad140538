"""The arguments of NumPy's calls: a real generator is given them before a stand-in answers.

So what NumPy raises is raised, of sizes, types, axes and weights as well, by its own tolerances,
and arrays have the shape that it gives them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any

from dpaudit.programs.guarding.guards import unheard
from dpaudit.programs.unknowns.kinds import FAILS_CLOSED, numpy_numbers
from dpaudit.programs.unknowns.lazy import Lazy

__all__ = ["asking_first", "remember_the_real_ones"]

_REAL: dict[str, Callable[[], Any]] = {}
"""Makers of NumPy's own generators, by kind, for checks of arguments alone."""
_MOST_KEPT = 1 << 12
_LARGEST = 1 << 17
"""An array of more bytes is asked for anew each time."""
_MOST_CONTENTS = 64
"""Largest number of calls whose arguments are remembered with all their contents."""
_NUMBERS: frozenset[type] = frozenset({bool, int, float})
_TOLD_BY_TEXT: frozenset[type] = frozenset({bool, int, float, str, type(None)})
_COPIED: frozenset[type] = _TOLD_BY_TEXT | {list, tuple, bytes, bytearray, range, dict, set}
"""Types that may be shuffled besides arrays: a copy is shuffled, to see what it raises."""


class _NotAskedError(Exception):
    """A call that a real generator is not given."""


def remember_the_real_ones() -> None:
    """Keep NumPy's own generators, while nothing stands in for them."""
    from numpy.random import PCG64, Generator, RandomState

    # Nothing is seen of what they draw: of either kind the bits come from what is made fastest.
    _REAL.update(Generator=lambda: Generator(PCG64(0)), RandomState=lambda: RandomState(PCG64(0)))


def _key(name: str, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return what tells arguments from others; None for those that may change.

    What is asked of weights and of what is chosen from is the same for equal ones.
    """
    if _TOLD_BY_TEXT.issuperset(map(type, given)) and _TOLD_BY_TEXT.issuperset(
        map(type, named.values())
    ):
        return repr(given), repr(named)
    told = _contents if name == "choice" else _told
    parts = [told(one) for one in (*given, *named.values())]
    return None if None in parts else (len(given), *named, *parts)


def _told(one: Any) -> tuple[Any, ...] | None:
    if type(one) is tuple:
        parts = tuple(map(_told, one))
        return None if None in parts else parts
    kind = type(one)
    if kind in _TOLD_BY_TEXT:
        return kind, repr(one)
    numbers = numpy_numbers()
    if kind in numbers:
        return kind, one.tobytes()
    # Other classes may compare as they like.
    return ("a type", one) if kind is type and one in _TOLD_BY_TEXT | numbers else None


def _is_plain(one: Any) -> bool:
    """Tell whether an argument is of a type whose methods run no code of the program."""
    kind = type(one)
    if kind in _TOLD_BY_TEXT:
        return True
    if kind is list or kind is tuple:
        return _NUMBERS.issuperset(map(type, one))
    import numpy as np

    numbers = numpy_numbers()
    if kind is np.ndarray:
        return not one.dtype.hasobject
    return kind in numbers or (kind is type and one in numbers)


def _contents(one: Any) -> tuple[Any, ...] | None:
    """Return what tells an array or a list of numbers from others, or anything else."""
    import numpy as np

    if type(one) is np.ndarray and one.dtype.kind in "biuf" and one.nbytes <= _LARGEST:
        return one.dtype.str, one.shape, one.tobytes()
    if type(one) is list and len(one) * 8 <= _LARGEST and _NUMBERS.issuperset(map(type, one)):
        return "a list", tuple(one)
    return _told(one)


def _asked(kind: str, name: str, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the shape of what a method of NumPy's gives for these arguments; raise what it does.

    ``_NotAskedError`` for what cannot be asked.
    """
    if not _REAL:
        remember_the_real_ones()
    method = getattr(_REAL[kind](), name, None)
    if method is None:
        raise _NotAskedError("by this class")
    if name == "shuffle" and given:
        given = _copied(given[0]), *given[1:]
    elif name == "shuffle" and "x" in named:
        named = {**named, "x": _copied(named["x"])}
    return tuple(getattr(method(*given, **named), "shape", ()))


def _copied(one: Any) -> Any:
    """Return a copy to be shuffled in place of a program's own list or array."""
    kind: Any = type(one)
    if kind in _COPIED:
        return copy(one)
    if (kind.__module__, kind.__name__) != ("numpy", "ndarray"):
        raise _NotAskedError(f"of a {kind.__name__}")
    found = one.copy()
    found.flags.writeable = one.flags.writeable
    return found


def asking_first(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that follows one of NumPy's only where that takes the same arguments."""
    signature = inspect.signature(own)
    known: dict[Any, tuple[int, ...]] = {}  # the shapes for arguments that were taken
    most = _MOST_CONTENTS if name == "choice" else _MOST_KEPT

    @wraps(own)
    def called(calls: Any, *given: Any, **named: Any) -> Any:
        if not FAILS_CLOSED:
            return own(calls, *given, **named)
        if all(map(_is_plain, given)) and all(map(_is_plain, named.values())):
            return unheard(followed, calls, *given, **named)
        return followed(calls, *given, **named)

    def followed(calls: Any, *given: Any, **named: Any) -> Any:
        asked, key = calls._name_of(name), _key(name, given, named)
        shape = None if key is None else known.get((asked, key))
        if shape is None:
            given = tuple(map(_decided, given))
            named = {word: _decided(one) for word, one in named.items()}
            try:
                shape = _asked(calls.kind, asked, given, named)
                _bound(signature, calls, given, named)
            except _NotAskedError as error:
                return calls._refuse(f"dpaudit cannot follow {name} {error}")
            if key is not None:
                if len(known) >= most:
                    known.clear()
                known[asked, key] = shape
        calls._shape = shape
        return own(calls, *given, **named)

    return called


def _bound(
    signature: inspect.Signature, calls: Any, given: tuple[Any, ...], named: dict[str, Any]
) -> None:
    try:
        signature.bind(calls, *given, **named)
    except TypeError:
        raise _NotAskedError("with such arguments") from None


def _decided(one: Any) -> Any:
    """Return an argument as a number that is known."""
    return one._value() if isinstance(one, Lazy) else one
