"""Mechanisms from what names or makes them, and by reference from one process to another.

What is named may be a mechanism, a ``Mechanism`` class, a class or an object that describes one
(see :mod:`dpaudit.mechanisms.user`), or a function that makes one from parameters.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.errors import DpauditError, LawError, LoadError, UsageError, one_line
from dpaudit.mechanisms import registry
from dpaudit.mechanisms.arguments import lacking, parameters_of, read_arguments
from dpaudit.mechanisms.base import HistogramMechanism, Mechanism
from dpaudit.mechanisms.references import file_sha256, named
from dpaudit.mechanisms.spec import Spec

__all__ = ["Loaded", "find_mechanism", "load", "load_mechanism", "spec_of"]


_NOT_IMPORTABLE = {"__main__", "__mp_main__", "builtins"}


@dataclass(frozen=True)
class Loaded:
    """Class, object or function that makes a mechanism from parameters."""

    reference: str
    """The name, as given."""
    found: Any
    """The class, object or function."""
    sha256: str = ""
    """The SHA-256 of the file that defines it; empty for a built-in mechanism."""
    folder: str = ""
    """Folder that a path is relative to; empty for a mechanism that is built in or has no name."""
    built_in: bool = False
    """True if it is a mechanism of the package."""
    made: Mechanism[Any] | None = None
    """The mechanism itself where it was not named but given, made with parameters already."""

    @property
    def title(self) -> str:
        """Name used in messages."""
        name = getattr(self.found, "name", None) or getattr(self.found, "__name__", None)
        return name if isinstance(name, str) else self.reference

    @property
    def named(self) -> bool:
        """True if the command line can find it by its reference."""
        return self.built_in or bool(self.folder)

    @property
    def is_class(self) -> bool:
        """True if it is a ``Mechanism`` class, which declares its own parameters."""
        return isinstance(self.found, type) and issubclass(self.found, Mechanism)

    @property
    def has_prior(self) -> bool:
        """True if its parameters include a prior over categories."""
        return self.is_class and issubclass(self.found, HistogramMechanism)

    def parameter_names(self) -> list[str] | None:
        """Return the names of its parameters; None if it takes any."""
        if self.is_class:
            return [p.name for p in (*self.found.parameters, *self.found.shorthands)]
        if not self._makes():
            return []
        parameters = parameters_of(self.found)
        if parameters is None:
            return None
        return ["epsilon" if name == self._epsilon() else name for name in parameters]

    def build(self, parameters: Mapping[str, object]) -> Mechanism[Any]:
        """Return the mechanism with ``parameters``; ``UsageError`` for what is not allowed.

        Whatever a user's code raises is one line.
        """
        if self.is_class and not self.folder:
            built: Mechanism[Any] = self.found.build(parameters)
            return built
        own = {self._epsilon() if n == "epsilon" else n: v for n, v in parameters.items()}
        if self.made is not None:
            if not own:
                return self._as_own(self.made, {})
            own = {**dict(getattr(self.made, "given", ())), **own}
        mechanism = self._called(functools.partial(self._build, own))
        if self.folder:
            spec = Spec.of(self.reference, parameters, sha256=self.sha256, folder=self.folder)
            object.__setattr__(mechanism, "_spec", spec)
        return mechanism

    def _epsilon(self) -> str:
        """Return what it calls ε: a user's mechanism may call it ``eps``."""
        parameters = parameters_of(self.found) if callable(self.found) else None
        return (
            "eps"
            if parameters and "eps" in parameters and "epsilon" not in parameters
            else "epsilon"
        )

    def _makes(self) -> bool:
        """Tell whether it is called to make a mechanism, not one itself."""
        return isinstance(self.found, type) or not (
            isinstance(self.found, Mechanism) or not lacking(self.found)
        )

    def _build(self, parameters: Mapping[str, object]) -> Mechanism[Any]:
        name, found = self.reference, self.found
        if not self._makes():
            if parameters:
                given = ", ".join(parameters)
                reason = f"it is already a mechanism, so it takes no parameters ({given})"
                raise LoadError(name, reason)
            return self._as_own(found, {})
        if self.is_class:
            return found.build(parameters)  # type: ignore[no-any-return]
        if not callable(found):
            raise LoadError(name, f"{_kind(found)} is not a mechanism")
        arguments = read_arguments(self.title, found, parameters, name)
        returned = found(**arguments)
        if not isinstance(returned, Mechanism) and lacking(returned):
            lacks = f"not a mechanism: it has no {' and no '.join(lacking(returned))}"
            what = "it is" if isinstance(found, type) else f"it returned {_kind(returned)},"
            raise LoadError(name, f"{what} {lacks}")
        return self._as_own(returned, {key: _hashable(value) for key, value in arguments.items()})

    def _as_own(self, returned: Any, given: dict[str, Hashable]) -> Mechanism[Any]:
        """Return a mechanism of its own: what is made may be named by two references."""
        if isinstance(returned, Mechanism):
            twin: Mechanism[Any] = object.__new__(type(returned))
            vars(twin).update(vars(returned))
            if given and vars(twin).get("given") == ():  # it does not say what it is made with
                vars(twin)["given"] = tuple(given.items())
            return twin
        from dpaudit.mechanisms.user import own_mechanism  # what no built-in mechanism needs

        name = getattr(returned, "name", None) or self.reference.rpartition(":")[2]
        return own_mechanism(returned, str(name), given)

    def _called(self, make: Callable[[], Mechanism[Any]]) -> Mechanism[Any]:
        """Return what ``make`` returns, and make one line of whatever a user's code raises."""
        try:
            return make()
        except LoadError:
            raise
        except (UsageError, LawError) as error:
            again = LoadError(self.reference, str(error))
            raise again.remedied(*error.remedies, brief=error.brief) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise LoadError(self.reference, f"it raised {one_line(error)}") from error


def find_mechanism(given: str | Callable[..., Any], folder: Path | None = None) -> Loaded:
    """Return what stands for a mechanism.

    Args:
        given: a built-in name, an entry point, ``package.module:name`` or ``path.py:name``; or a
            ``Mechanism`` class or a function that makes a mechanism.
        folder: what a path is relative to, and modules are imported from as well; by default the
            working directory.

    Returns:
        What makes the mechanism, once it is given its parameters.

    Raises:
        UnknownMechanismError: for an unknown name.
        LoadError: for what cannot be loaded.
    """
    if not isinstance(given, str):
        maker, made = _maker(given), given if isinstance(given, Mechanism) else None
        return Loaded(str(getattr(given, "__name__", type(given).__name__)), maker, made=made)
    folder = folder or Path.cwd()
    found = named(given, folder)
    if registry.is_built_in(given):
        return Loaded(found.value.name, found.value, built_in=True)
    return Loaded(given, _maker(found.value), found.sha256, str(folder.resolve()))


def _maker(found: Any) -> Any:
    """Return what makes a mechanism of parameters, where it is more than the mechanism itself."""
    is_mechanism = isinstance(found, Mechanism)
    return getattr(found, "with_parameters", found) if is_mechanism else found


def load_mechanism(
    name: str, parameters: Mapping[str, object], folder: Path | None = None
) -> Mechanism[Any]:
    """Return the mechanism that ``name`` stands for, with ``parameters``.

    Raises ``UsageError`` with one line that says what is wrong, whatever a user's module does.
    """
    return find_mechanism(name, folder).build(parameters)


@functools.lru_cache(maxsize=64)
def load(spec: Spec) -> Mechanism[Any]:
    """Return the mechanism of ``spec``, in whatever process; the same one when asked again.

    Raises:
        LoadError: for a file with another SHA-256, and for parameters that are not all told.
        UsageError: for whatever else is not allowed.
    """
    if spec.untold:
        names = ", ".join(spec.untold)
        raise LoadError(
            spec.reference,
            "a worker process cannot recreate it, because these parameters cannot be written as "
            f"text: {names}",
        )
    loaded = find_mechanism(spec.reference, Path(spec.folder) if spec.folder else None)
    if spec.sha256 and loaded.sha256 != spec.sha256:
        raise LoadError(
            spec.reference,
            "its file has changed, or is a different one: the SHA-256 is "
            f"{loaded.sha256[:12] or 'none'}… in the worker process and {spec.sha256[:12]}… "
            "in the process that started it",
        )
    return loaded.build(dict(spec.parameters))


def spec_of(mechanism: Mechanism[Any]) -> Spec:
    """Return a reference that gives the same mechanism in another process.

    Raises:
        LoadError: for one that was made where no other process can find it again: in a notebook,
            in ``__main__``, in a function, or of parameters that no text tells.
    """
    if mechanism.spec is not None and not mechanism.spec.untold:
        return mechanism.spec
    for spec in _references(mechanism):
        try:
            if _same(load(spec), mechanism):
                return spec
        except DpauditError:
            continue
    raise LoadError(
        mechanism.name,
        "a worker process cannot load it: define it at the top level of a file, or let a top-level "
        "class or function make it from numbers and texts; then name it as path.py:name",
    )


def _references(mechanism: Mechanism[Any]) -> Iterator[Spec]:
    """Yield the references that may be to ``mechanism``, which does not say where it is from."""
    cls, values = type(mechanism), mechanism.values()
    name = getattr(cls, "name", "")
    if registry.is_built_in(name) and registry.mechanism_class(name) is cls:
        yield Spec.of(name, values)
        return
    described, law = (getattr(mechanism, part, None) for part in ("described", "law"))
    makers = [cls, type(described)]
    for module in {getattr(one, "__module__", None) for one in (*makers, law)}:
        home = sys.modules.get(str(module))
        sha256 = "" if home is None else file_sha256(home)
        if home is None or not sha256 or module in _NOT_IMPORTABLE:
            continue
        for key, value in list(vars(home).items()):
            if value is mechanism or (value is described is not None):
                yield Spec(f"{module}:{key}", sha256=sha256)
            elif any(value is one for one in makers) or _is_version(value, mechanism):
                yield Spec.of(f"{module}:{key}", values, sha256=sha256)


def _is_version(value: object, mechanism: Mechanism[Any]) -> bool:
    """Tell whether ``mechanism`` is what ``value`` makes of other parameters."""
    function = getattr(mechanism, "function", None)
    return isinstance(value, Mechanism) and getattr(value, "function", mechanism) is function


def _same(found: Mechanism[Any], mechanism: Mechanism[Any]) -> bool:
    """Tell whether what a reference gives is the mechanism itself."""
    if type(found) is not type(mechanism) or found.name != mechanism.name:
        return False
    here, there = (getattr(one, "described", None) for one in (found, mechanism))
    if here is None or there is None:
        laws = {vars(one).get("law") for one in (found, mechanism)}
        return len(laws) == 1 and found.values() == mechanism.values()
    states = [(type(one), getattr(one, "__dict__", None)) for one in (here, there)]
    return here is there or (states[0] == states[1] and states[0][1] is not None)


def _kind(value: object) -> str:
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _hashable(value: Any) -> Hashable:
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(part) for part in value)
    hashable: Hashable = value
    return hashable
