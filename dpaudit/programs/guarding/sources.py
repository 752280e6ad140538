"""Replacement of clocks, addresses and generators, so that their calls from compiled code are seen.

A profiling hook sees what Python code calls.  ``next(map(methodcaller("time_ns"), [time]))`` calls
the clock in C, and the hook does not see it.  While a program is explored, dpaudit therefore
replaces each of these functions in every module, and each such method in its class, by a function
of Python that refuses, whoever calls it.
"""

from __future__ import annotations

import _random
import datetime
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import get_ident
from types import FrameType, MethodDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.programs.guarding.addresses import IN_A_TEXT, REFUSING
from dpaudit.programs.guarding.devices import is_called_by
from dpaudit.programs.guarding.guards import CERTAIN, FORBIDDEN, is_program, may_call
from dpaudit.programs.guarding.holders import held_by_modules
from dpaudit.programs.guarding.libraries import stand_ins_of_libraries
from dpaudit.programs.guarding.printing import is_logged, is_printed
from dpaudit.programs.guarding.slots import MODIFIED, addresses_refused, names_of

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

__all__ = ["METHODS", "methods_refused", "sources_refused", "stand_ins"]

_STACK = (sys._getframe, sys.getprofile, sys.setprofile)
"""Functions that count frames, or that the engine itself needs: they are seen by the hook alone."""
_LATER = {"_ssl": "RAND_", "_uuid": "generate_", "resource": "getrusage"}
"""Modules that a program may import first, and the beginning of the names of their sources."""


_LOGGED = {"time.time", "time.time_ns", "time.localtime", "time.strftime", "os.getpid"}
"""Sources that a record of logging has, which no program reads if it goes to the terminal."""


class _Method(NamedTuple):
    """A method that is replaced in its class."""

    cls: type
    name: str
    title: str
    """Its name in a refusal."""


METHODS = (
    *(
        _Method(_random.Random, name, f"random.{name}")
        for name in ("random", "getrandbits", "seed", "getstate", "setstate")
    ),
    *(_Method(datetime.datetime, name, f"datetime.{name}") for name in ("now", "utcnow")),
    _Method(datetime.date, "today", "date.today"),
)
"""Methods of compiled classes that no program may call."""


def _refuses(real: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return what refuses calls of a program, and calls ``real`` for anyone else."""
    thread = get_ident()

    def source(*given: Any, **named: Any) -> Any:
        refuse = REFUSING[-1]
        if refuse is None or get_ident() != thread:
            return real(*given, **named)
        if name == "id" and _is_in_a_text(sys._getframe(1)):
            return refuse(IN_A_TEXT)
        if may_call(sys._getframe(1).f_code.co_filename, name) or (
            name in _LOGGED and is_logged(sys._getframe(1))
        ):
            return real(*given, **named)
        return refuse(name)

    source.__name__ = name.rpartition(".")[2]
    return source


def _is_in_a_text(frame: FrameType) -> bool:
    """Tell whether a library makes a text of an address, for a program that may read it."""
    if frame.f_code.co_name not in ("__repr__", "__str__"):
        return False
    return is_called_by(frame, is_program) and not is_printed(_asking(frame))


def _asking(frame: FrameType) -> FrameType:
    """Return the frame whose code asks for a text."""
    while frame.f_code.co_name in ("__repr__", "__str__") and frame.f_back is not None:
        frame = frame.f_back
    return frame


_STAND_INS: dict[int, tuple[Any, Any]] = {}


def stand_ins() -> dict[int, tuple[Any, Any]]:
    """Return, by identity, the functions that no program may call, each with what refuses it."""
    for real, name in FORBIDDEN.items():
        if id(real) not in _STAND_INS and real not in _STACK:
            _STAND_INS[id(real)] = real, _refuses(real, name)
    for real, own in stand_ins_of_libraries():
        _STAND_INS.setdefault(id(real), (real, own))
    for module, beginning in _LATER.items():
        if module in sys.modules:
            for real, own in _of_module(sys.modules[module], beginning):
                _STAND_INS.setdefault(id(real), (real, own))
    return _STAND_INS


def _of_module(module: ModuleType, beginning: str) -> list[tuple[Any, Any]]:
    """Return the sources of a module, each with what refuses it."""
    return [
        (real, _refuses(real, f"{module.__name__.lstrip('_')}.{key}"))
        for key, real in vars(module).items()
        if key.startswith(beginning) and type(real) is type(len) and id(real) not in _STAND_INS
    ]


@contextmanager
def sources_refused() -> Iterator[None]:
    """Refuse a program's calls of clocks, addresses and generators inside the block."""
    functions = stand_ins()
    held = held_by_modules(functions)
    try:
        for namespace, key, real in held:
            namespace[key] = functions[id(real)][1]
        with methods_refused():
            yield
    finally:
        for namespace, key, real in held:
            namespace[key] = real


@contextmanager
def methods_refused() -> Iterator[None]:
    """Let methods of compiled classes refuse a program's calls inside the block.

    So do texts that show an address, and functions of modules that it is the first to import there.
    """
    _keep_for_the_engine()
    finder = _Finder()
    before = [(names_of(cls), cls, name, own) for cls, name, own in _STAND_IN_METHODS]
    reals = [names[name] for names, _, name, _ in before]
    sys.meta_path.insert(0, finder)
    try:
        for names, cls, name, own in before:
            names[name] = own
            MODIFIED(cls)
        with addresses_refused():
            yield
    finally:
        with suppress(ValueError):
            sys.meta_path.remove(finder)
        for (names, cls, name, _), real in zip(before, reals, strict=True):
            names[name] = real
            MODIFIED(cls)
        finder.restore()


def _method(row: _Method) -> Any:
    """Return what stands for a method in its class."""
    real = vars(row.cls)[row.name]
    refusing = _refuses_method(real, row.title)
    return refusing if isinstance(real, MethodDescriptorType) else classmethod(refusing)


def _refuses_method(real: Any, title: str) -> Callable[..., Any]:
    thread = get_ident()

    def source(own: Any, /, *given: Any, **named: Any) -> Any:
        refuse = REFUSING[-1]
        if (
            refuse is None
            or get_ident() != thread
            or may_call(sys._getframe(1).f_code.co_filename, title)
            or (not isinstance(own, type) and own in CERTAIN)
        ):
            return _bound(real, own)(*given, **named)
        return refuse(title)

    source.__name__ = title.rpartition(".")[2]
    return source


def _bound(real: Any, own: Any) -> Any:
    return real.__get__(None, own) if isinstance(own, type) else real.__get__(own)


_STAND_IN_METHODS = [(row.cls, row.name, _method(row)) for row in METHODS]


def _keep_for_the_engine() -> None:
    """Let the engine's own modules hold ``id``, so that they do not ask what stands for it."""
    if [len(sys.modules)] != _KEPT:
        _KEPT[:] = [len(sys.modules)]
        for name, module in list(sys.modules.items()):
            if name.startswith("dpaudit."):
                vars(module)["id"] = _ID


_KEPT: list[int] = []
_ID = id
"""The function itself: in builtins stands what refuses it, while a program is explored."""


class _Finder:
    """Replaces the sources of modules that are first imported while it is there."""

    def __init__(self) -> None:
        self._held: list[tuple[dict[str, Any], str, Any]] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the specification of a module with sources, whose loader replaces these."""
        if name not in _LATER:
            return None
        others = (one for one in sys.meta_path if one is not self)
        found = (one.find_spec(name, path, target) for one in others)
        spec = next((one for one in found if one is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self)  # type: ignore[assignment]
        return spec

    def replace(self, module: ModuleType) -> None:
        """Replace the sources of a module."""
        sources = dict(_of_module(module, _LATER[module.__name__]))
        for key, real in list(vars(module).items()):
            if type(real) is type(len) and real in sources:
                self._held.append((vars(module), key, real))
                vars(module)[key] = sources[real]

    def restore(self) -> None:
        """Give the modules back what was theirs."""
        for namespace, key, real in self._held:
            namespace[key] = real


class _Loader:
    """Loads a module, and replaces its sources."""

    def __init__(self, loader: Any, finder: _Finder) -> None:
        self._loader, self._finder = loader, finder

    def create_module(self, spec: ModuleSpec) -> Any:
        """Create the module as its own loader does."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, and replace its sources."""
        self._loader.exec_module(module)
        self._finder.replace(module)
