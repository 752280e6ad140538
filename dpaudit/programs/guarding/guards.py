"""Guards against randomness and time from elsewhere while a program is explored.

Calls are watched by a profiling hook, which sees every built-in function that Python code calls,
under whatever name it was imported, and by the state of the generators that Python keeps.  Neither
sees what compiled code does on its own; a program that then takes other decisions, or gives another
output, is found out when every path is run again.
"""

from __future__ import annotations

import _random
import _thread
import builtins
import datetime
import gc
import glob
import marshal
import math
import operator
import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache, wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakSet

from dpaudit.machine import uncollected
from dpaudit.programs.guarding.addresses import REFUSING
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.guarding.standins import TypesAskedFor
from dpaudit.programs.unknowns.kinds import numpy_numbers
from dpaudit.progress import profile_again

if TYPE_CHECKING:
    from collections.abc import Iterator, Set

    from dpaudit.programs.exploring.run import Run

__all__ = [
    "CERTAIN",
    "FOLLOWING",
    "FORBIDDEN",
    "PLAIN_NUMBERS",
    "forbidden_name",
    "guarded",
    "is_generator",
    "is_own",
    "is_program",
    "may_call",
    "unheard",
    "unseen",
    "unwatched",
    "unwatching",
]

MethodT = TypeVar("MethodT", bound="Callable[..., Any]")
ReturnedT = TypeVar("ReturnedT")

_CLOCKS = [
    function
    for name, function in vars(time).items()
    if callable(function) and not isinstance(function, type) and name != "mktime"
]
_OF_FILES = (
    *("read", "pread", "readv", "preadv", "open", "dup", "pipe"),
    *("stat", "lstat", "fstat", "statvfs", "fstatvfs", "listdir", "scandir", "walk"),
)
FORBIDDEN: dict[Any, str] = {
    os.urandom: "os.urandom",
    **({os.getrandom: "os.getrandom"} if hasattr(os, "getrandom") else {}),
    **{clock: f"time.{clock.__name__}" for clock in _CLOCKS},
    **{
        getattr(_thread, name): "a thread"
        for name in ("start_new_thread", "start_joinable_thread")  # the second since Python 3.13
        if hasattr(_thread, name)
    },
    os.getpid: "os.getpid",
    os.times: "os.times",
    sys._getframe: "sys._getframe",
    sys.getprofile: "sys.getprofile",
    sys.setprofile: "sys.setprofile",
    **{
        getattr(module, name): "another process"
        for module in (os, *(map(import_module, ["_posixsubprocess"] * (os.name == "posix"))))
        for name in ("fork", "forkpty", "fork_exec", "posix_spawn", "posix_spawnp", "system")
        if hasattr(module, name)
    },
    id: "id",
    operator.is_: "operator.is_",
    operator.is_not: "operator.is_not",
    _thread.get_ident: "threading.get_ident",
    _thread.get_native_id: "threading.get_native_id",
    **{
        getattr(os, name): f"os.{name}"
        for name in ("getppid", "getloadavg", *_OF_FILES)
        if hasattr(os, name)
    },
    sys.getallocatedblocks: "sys.getallocatedblocks",
    sys.getrefcount: "sys.getrefcount",
    **{getattr(os.path, name): f"os.path.{name}" for name in ("getmtime", "getatime", "getctime")},
    gc.get_count: "gc.get_count",
    gc.get_stats: "gc.get_stats",
    gc.get_objects: "gc.get_objects",
    gc.get_referrers: "gc.get_referrers",
    gc.get_referents: "gc.get_referents",
    glob.glob: "glob.glob",
    glob.iglob: "glob.iglob",
    marshal.dumps: "marshal.dumps",
    marshal.dump: "marshal.dump",
    gc.collect: "gc.collect",
    shutil.disk_usage: "shutil.disk_usage",
    **{
        getattr(os, name): f"os.{name}"
        for name in ("fwalk", "sysconf", "openpty")
        if hasattr(os, name)
    },
    sys._current_frames: "sys._current_frames",
    sys._current_exceptions: "sys._current_exceptions",
}
"""Functions that no program may call, each with its name in a refusal."""
_OWN_ALONE = {
    "id", "operator.is_", "operator.is_not", "threading.get_ident", "threading.get_native_id",
    "gc.get_count", "gc.get_stats", "gc.get_objects", "gc.get_referrers", "gc.get_referents",
    "gc.collect", "glob.glob", "glob.iglob", "marshal.dump", "marshal.dumps", "os.fwalk",
    "os.sysconf", "shutil.disk_usage", "sys.getrefcount",
    *(f"os.{name}" for name in _OF_FILES),
}  # fmt: skip
"""Functions that libraries may call: what they do with them does not show in an output."""
_RANDOM = ("random.", "numpy.random.", "ssl.", "os.urandom", "os.getrandom", "/dev/")
_OUTSIDE = ", so its output does not depend on its data and random draws alone; remove the call"
"""End of a message about a clock, a thread, a process or an identity."""
_LIBRARY = str(Path(os.__file__).resolve().parent)
_PACKAGE = str(Path(__file__).resolve().parents[2])
_LOOKING = ("inspect.py", "traceback.py")
_HARMLESS = {int, str, bytes, list, tuple, dict, set, frozenset}
_USUAL = {threading.get_ident} | {
    function
    for module in (builtins, math)
    for function in vars(module).values()
    if type(function) is type(len) and function is not id
}
"""Functions that are called often, and of which none is forbidden."""
_NOW = {"now", "utcnow", "today"}


def is_generator(value: Any) -> bool:
    """Tell whether an object is a source of randomness of Python's or NumPy's."""
    kind = type(value)
    return isinstance(value, _random.Random) or kind.__module__.startswith("numpy.random")


def is_own(file: str) -> bool:
    """Tell whether a file is neither the package's, nor Python's, nor of an installed library."""
    return bool(file) and not (
        file.startswith((_PACKAGE, _LIBRARY, "<frozen")) or "site-packages" in file
    )


@lru_cache(maxsize=1 << 10)
def is_program(file: str) -> bool:
    """Tell whether a file may be a program's: it is neither the package's nor Python's own."""
    return is_own(file) or "site-packages" in file.removeprefix(_PACKAGE)


def forbidden_name(function: Any) -> str | None:
    """Return what a built-in function that is not allowed is called; None for any other."""
    try:
        if function in FORBIDDEN:
            return FORBIDDEN[function]
    except TypeError:
        return None
    owner = getattr(function, "__self__", None)
    if isinstance(owner, _random.Random) and owner in CERTAIN:
        return None
    if isinstance(owner, _random.Random):
        return f"random.{function.__name__}"
    if isinstance(owner, type) and issubclass(owner, datetime.date) and function.__name__ in _NOW:
        return f"{owner.__name__}.{function.__name__}"
    module = getattr(function, "__module__", None) or type(owner).__module__
    if module == "_ssl" and str(getattr(function, "__name__", "")).startswith("RAND_"):
        return f"ssl.{function.__name__}"
    if isinstance(module, str) and module.startswith("numpy.random"):
        return f"numpy.random.{getattr(function, '__name__', 'generator')}"
    return None


def may_call(caller: str, name: str) -> bool:
    """Tell whether a file may call what programs must not: imports, and the engine's own, may."""
    if "importlib" in caller or caller.startswith(_PACKAGE):
        return True
    if name in _OWN_ALONE:  # where something lies in memory is left to chance
        return not is_own(caller)
    # What looks at the stack for other reasons than to look at it is no program.
    own = "site-packages" in caller or not caller.startswith(_LIBRARY)
    return name == "sys._getframe" and not own and not caller.endswith(_LOOKING)


def python_state(generator: _random.Random) -> Any:
    """Return the state of a generator of Python's, with what ``gauss`` kept of its last pair."""
    return _random.Random.getstate(generator), getattr(generator, "gauss_next", None)


def _states() -> list[Any]:
    """Return the state of the generators that Python and NumPy keep for everyone."""
    found: list[Any] = [python_state(random._inst)]
    numpy_random = sys.modules.get("numpy.random.mtrand")
    if numpy_random is not None:
        kind, keys, *rest = numpy_random._rand.get_state()
        found.append((kind, keys.tobytes(), *rest))
    return found


def _changed(before: list[Any]) -> bool:
    """Tell whether a generator that was there before has another state."""
    return any(now != then for now, then in zip(_states(), before, strict=False))


def unwatched(known: Set[type], method: MethodT) -> MethodT:
    """Return a method of the engine that is not watched: it calls much, and draws nothing.

    Only arguments of the ``known`` types, and NumPy's numbers, run no code of the program; others
    are watched.
    """

    @wraps(method)
    def called(self: Any, *given: Any, **named: Any) -> Any:
        # Each call of a built-in function here would be reported, to no purpose.
        if _WATCHING[-1] is None or named:
            return method(self, *given, **named)
        for one in given:
            kind = type(one)
            if kind not in known and kind not in _NUMBERS_OF_NUMPY:
                return method(self, *given)
        return unheard(method, self, *given)

    return cast("MethodT", called)


def unheard(function: Callable[..., ReturnedT], *given: Any, **named: Any) -> ReturnedT:
    """Call a function of the engine that is not watched, and runs no code of the program."""
    watching = _WATCHING[-1]
    if watching is None:
        return function(*given, **named)
    _WATCHING[-1] = None
    following = FOLLOWING[-1]
    sys.setprofile(None)  # first, that the hook does not hear of the other calls
    if following is not None:
        sys.settrace(None)
    try:
        return function(*given, **named)
    finally:
        _WATCHING[-1] = watching
        if following is not None:
            sys.settrace(following)
        sys.setprofile(watching)


CERTAIN: WeakSet[Any] = WeakSet()
"""Generators that a run made from a seed it knows: what they give is no draw."""
FOLLOWING: list[Any] = [None]
"""Trace functions of :mod:`dpaudit.programs.guarding.flow`, each inside of the one before."""
_WATCHING: list[Any] = [None]
"""The hooks that watch, each inside of the one before; None where nothing watches now."""


def unseen(function: MethodT) -> MethodT:
    """Return a function of the engine that is not watched: it runs no code of the program."""

    @wraps(function)
    def called(*given: Any) -> Any:
        with unwatching():
            return function(*given)

    return cast("MethodT", called)


@contextmanager
def unwatching() -> Iterator[None]:
    """Stop watching inside the block, if anything is watched."""
    watching, _WATCHING[-1] = _WATCHING[-1], None
    REFUSING.append(None)
    if watching is not None:
        sys.setprofile(None)
    try:
        yield
    finally:
        REFUSING.pop()
        _WATCHING[-1] = watching
        if watching is not None:
            sys.setprofile(watching)


_CALLED, _UNHEARD = unwatched(frozenset(), lambda self: self).__code__, unheard.__code__
"""Code that turns the watching off and on again; all that it calls is the engine's."""
_NUMBERS_OF_NUMPY: set[type] = set()
"""NumPy's types of numbers, once it is loaded."""
PLAIN_NUMBERS: frozenset[type] = frozenset({int, float, bool, Fraction})
"""Types of numbers whose arithmetic is Python's own."""


def _of_numpy() -> set[type]:
    """Return NumPy's types of arrays, functions and numbers, whose methods are not forbidden."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "ufunc"):
        return set()
    _NUMBERS_OF_NUMPY.update(numpy_numbers())
    return {getattr(numpy, name) for name in ("ndarray", "ufunc", "float64", "int64")}


@contextmanager
def _quietly_dropped() -> Iterator[None]:
    """Say nothing, inside the block, of a refusal that a finaliser drops: the run remembers it."""
    before = sys.unraisablehook

    def dropped(unraisable: sys.UnraisableHookArgs) -> None:
        if not isinstance(unraisable.exc_value, Refused):
            before(unraisable)

    sys.unraisablehook = dropped
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextmanager
def guarded(
    run: Callable[[], Run],
    advice: str = "; draw only from the random source that it receives as an argument",
    *,
    calls: bool = True,
) -> Iterator[None]:
    """Refuse, inside the block, what a program must not use; ``run`` is the one that goes on.

    ``advice`` ends the message about a random function.  Without ``calls`` these are not watched
    one by one: code that was read to the end, and only calculates, makes none that are refused.

    Raises ``Refused`` at the end of the block where a generator for everyone was used unseen.
    """

    types = TypesAskedFor()
    harmless = _HARMLESS | _of_numpy()

    def seen(frame: Any, event: str, argument: Any) -> None:
        if event == "call":
            if is_program(frame.f_code.co_filename):
                names = frame.f_globals
                # The method that a dataclass of the package writes for itself has the file
                # "<string>".
                file = names.get("__file__") or frame.f_code.co_filename
                if is_program(file):
                    types.entered(names, own=is_own(file))
            return
        if event != "c_call" or argument in _USUAL:
            return
        code = frame.f_code
        if code is _CALLED or code is _UNHEARD:
            return
        owner = getattr(argument, "__self__", None)
        if type(owner) in harmless:
            return
        name = forbidden_name(argument)
        if name is not None:
            caller = frame.f_code.co_filename
            if not may_call(caller, name):
                refuse(name)

    def refuse(what: str) -> None:
        is_random = what.startswith(_RANDOM)
        run().refuse(f"it uses {what}{advice if is_random else _OUTSIDE}", final=True)

    def drawn_unseen() -> Refused:
        return Refused(
            f"it uses Python's or NumPy's own generator{advice}", inside=False, final=True
        )

    before = _states()
    previous, threads = sys.getprofile(), threading.active_count()
    # Whoever is told of collections may ask for the time, and is no program.
    with uncollected(), _quietly_dropped():
        _WATCHING.append(seen if calls else None)
        REFUSING.append(refuse)
        if calls:
            sys.setprofile(seen)
        try:
            yield
        except Refused as refusal:
            # Draws that no hook hears of make runs differ, which other refusals report first.
            if refusal.final or not _changed(before):
                raise
            raise drawn_unseen() from None
        finally:
            if calls:
                profile_again(previous)
            REFUSING.pop()
            _WATCHING.pop()
            types.left()
    if _states() != before:
        raise drawn_unseen()
    if threading.active_count() > threads:
        raise Refused(
            "it starts a thread, which dpaudit cannot follow; do all work in the thread that "
            "calls the function",
            inside=False,
            final=True,
        )
