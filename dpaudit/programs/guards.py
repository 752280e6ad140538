"""What a program must not use while it is explored: randomness and time from elsewhere.

Calls are watched by a profiling hook, which sees every built-in function that Python code calls,
under whatever name it was imported, and by the state of the generators that Python keeps.  Neither
sees what compiled code does on its own; a program that then takes other decisions, or gives another
output, is found out when every path is run again.
"""

from __future__ import annotations

import _random
import _thread
import datetime
import gc
import os
import random
import sys
import threading
import time
from contextlib import contextmanager
from fractions import Fraction
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dpaudit.programs.refusal import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dpaudit.programs.run import Run

__all__ = ["PLAIN_NUMBERS", "guarded", "unwatched"]

MethodT = TypeVar("MethodT", bound="Callable[..., Any]")

_CLOCKS = [
    function
    for name, function in vars(time).items()
    if callable(function) and not isinstance(function, type) and name not in ("mktime", "strftime")
]
_FORBIDDEN: dict[Any, str] = {
    os.urandom: "os.urandom",
    **({os.getrandom: "os.getrandom"} if hasattr(os, "getrandom") else {}),
    **{clock: f"time.{clock.__name__}" for clock in _CLOCKS},
    _thread.start_new_thread: "a thread",
    os.getpid: "os.getpid",
    **({os.fork: "os.fork"} if hasattr(os, "fork") else {}),
}
_HARMLESS = {int, str, bytes, list, tuple, dict, set, frozenset}
_NOW = {"now", "utcnow", "today"}


def _named(function: Any) -> str | None:
    """Return what a built-in function that is not allowed is called; None for any other."""
    try:
        if function in _FORBIDDEN:
            return _FORBIDDEN[function]
    except TypeError:
        return None
    owner = getattr(function, "__self__", None)
    if isinstance(owner, _random.Random):
        return f"random.{function.__name__}"
    if isinstance(owner, type) and issubclass(owner, datetime.date) and function.__name__ in _NOW:
        return f"{owner.__name__}.{function.__name__}"
    module = getattr(function, "__module__", None) or type(owner).__module__
    if isinstance(module, str) and module.startswith("numpy.random"):
        return f"numpy.random.{getattr(function, '__name__', 'generator')}"
    return None


def _states() -> list[Any]:
    """Return the state of the generators that Python and NumPy keep for everyone."""
    found: list[Any] = [random.getstate()]
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        kind, keys, *rest = numpy_random.get_state()
        found.append((kind, keys.tobytes(), *rest))
    return found


def unwatched(known: frozenset[type], method: MethodT) -> MethodT:
    """Return a method of the engine that is not watched: it calls much, and draws nothing.

    Only arguments of the ``known`` types run no code of the program; others are watched.
    """

    @wraps(method)
    def called(self: Any, *given: Any, **named: Any) -> Any:
        watching = sys.getprofile()
        if watching is None or named or not known.issuperset(map(type, given)):
            return method(self, *given, **named)
        sys.setprofile(None)
        try:
            return method(self, *given)
        finally:
            sys.setprofile(watching)

    return cast("MethodT", called)


PLAIN_NUMBERS: frozenset[type] = frozenset({int, float, bool, Fraction})
"""Types of numbers whose arithmetic is Python's own."""


@contextmanager
def guarded(run: Callable[[], Run]) -> Iterator[None]:
    """Refuse, inside the block, what a program must not use; ``run`` is the one that goes on.

    Raises ``Refused`` at the end of the block where a generator for everyone was used unseen.
    """

    def seen(frame: Any, event: str, argument: Any) -> None:
        if event == "c_call" and type(getattr(argument, "__self__", None)) not in _HARMLESS:
            name = _named(argument)
            if name is not None:
                caller = frame.f_code.co_filename
                if "importlib" not in caller:
                    run().refuse(f"it uses {name}; draw from the source that it is given")

    before = _states()
    previous, threads = sys.getprofile(), threading.active_count()
    collecting = gc.isenabled()
    gc.disable()  # whoever is told of collections may ask for the time, and is no program
    sys.setprofile(seen)
    try:
        yield
    finally:
        sys.setprofile(previous)
        if collecting:
            gc.enable()
    if _states() != before:
        raise Refused(
            "it uses Python's or NumPy's own generator; draw from the source it is given",
            inside=False,
        )
    if threading.active_count() > threads:
        raise Refused("it starts a thread", inside=False)
