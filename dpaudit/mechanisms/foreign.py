"""Mechanisms of users by text: an entry point, ``package.module:name`` or ``path.py:name``.

What is named may be a mechanism, a ``Mechanism`` class, a class or an object that describes one
(see :mod:`dpaudit.mechanisms.own`), or a function that makes one from parameters.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.util
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError, LoadError, UnknownMechanismError, UsageError, nearest
from dpaudit.mechanisms.arguments import parameters_of, read_arguments
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.loading import Loaded
from dpaudit.mechanisms.origin import Origin
from dpaudit.mechanisms.own import describes_a_mechanism, own_mechanism
from dpaudit.mechanisms.plugins import offers
from dpaudit.mechanisms.registry import mechanism_names
from dpaudit.mechanisms.relations import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping
    from types import ModuleType

__all__ = ["Foreign", "find_foreign"]


@dataclass(frozen=True)
class Foreign(Loaded):
    """What the name of a user's mechanism stands for, before it has its parameters."""

    @property
    def title(self) -> str:
        """What messages call it."""
        name = getattr(self.found, "name", None) or getattr(self.found, "__name__", None)
        return name if isinstance(name, str) else self.reference

    def parameter_names(self) -> list[str] | None:
        """Return the names of its parameters; None if it takes any."""
        if isinstance(self.found, Mechanism):
            return []
        if isinstance(self.found, type) and issubclass(self.found, Mechanism):
            return [parameter.name for parameter in self.found.parameters]
        if not self._is_made():
            return []
        known = parameters_of(self.found)
        if known is None:
            return None
        return ["epsilon" if name == self._epsilon() else name for name in known]

    def _epsilon(self) -> str:
        """Return what it calls ε: a user's mechanism may call it ``eps``."""
        known = parameters_of(self.found) if callable(self.found) else None
        return "eps" if known and "eps" in known and "epsilon" not in known else "epsilon"

    def build(self, parameters: Mapping[str, object]) -> Mechanism[Any]:
        """Return the mechanism with ``parameters``; ``UsageError`` for what is not allowed."""
        assert self.base is not None
        named = {self._epsilon() if n == "epsilon" else n: v for n, v in parameters.items()}
        made = self._called(functools.partial(self._made, named))
        kept = tuple((name, _hashable(value)) for name, value in parameters.items())
        object.__setattr__(
            made, "_origin", Origin(self.reference, self.sha256, self.base.resolve(), kept)
        )
        return made

    def _is_made(self) -> bool:
        """Tell whether it is called to make a mechanism, not one itself."""
        return isinstance(self.found, type) or not describes_a_mechanism(self.found)

    def _made(self, parameters: Mapping[str, object]) -> Mechanism[Any]:
        name, found = self.reference, self.found
        if not self._is_made() or isinstance(found, Mechanism):
            if parameters:
                given = ", ".join(parameters)
                reason = f"it is a mechanism already and takes no parameters ({given})"
                raise LoadError(name, reason)
            if isinstance(found, Mechanism):
                return _twin(found)
            return self._described(found, {})
        if isinstance(found, type) and issubclass(found, Mechanism):
            return found.build(parameters)
        if not callable(found):
            raise LoadError(name, f"{_kind(found)} is not a mechanism")
        arguments = read_arguments(self.title, found, parameters)
        made = found(**arguments)
        if isinstance(made, Mechanism):
            return _twin(made)
        if not describes_a_mechanism(made):
            lacks = f"not a mechanism: it has no {' and no '.join(_lacking(made))}"
            what = "it is" if isinstance(found, type) else f"it returned {_kind(made)},"
            raise LoadError(name, f"{what} {lacks}")
        return self._described(made, {key: _hashable(value) for key, value in arguments.items()})

    def _described(self, described: Any, given: dict[str, Hashable]) -> Mechanism[Any]:
        name = getattr(described, "name", None) or self.reference.rpartition(":")[2]
        return own_mechanism(described, str(name), given)

    def _called(self, make: Callable[[], Mechanism[Any]]) -> Mechanism[Any]:
        """Return what ``make`` returns, and make one line of whatever a user's code raises."""
        try:
            return make()
        except LoadError:
            raise
        except (UsageError, LawError) as error:
            raise LoadError(self.reference, str(error)) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise LoadError(self.reference, f"it raised {one_line(error)}") from error


def find_foreign(name: str, base: Path) -> Foreign:
    """Return what ``name`` stands for, if it is not that of a mechanism of the package.

    A path is looked up from ``base``, which modules are imported from as well.  Raises
    ``UnknownMechanismError`` or ``LoadError``.
    """
    if ":" not in name:
        if name.endswith(".py"):
            raise LoadError(name, f"say which mechanism in it is meant: {name}:NAME")
        return _from_entry_point(name, base)
    source, _, attribute = name.rpartition(":")
    if not source or not attribute.isidentifier():
        raise LoadError(
            name, "allowed are a built-in name, an entry point, module:name and path.py:name"
        )
    return _named(name, source, attribute, base)


def _from_entry_point(name: str, base: Path) -> Foreign:
    offered = offers()
    matching = [offer for offer in offered if offer.name == name] or [
        offer for offer in offered if offer.name.lower() == name.lower()
    ]
    if not matching:
        raise UnknownMechanismError(name, [*mechanism_names(), *(o.name for o in offered)])
    if len({offer.target for offer in matching}) > 1:
        which = " and ".join(f"{offer.package} ({offer.target})" for offer in matching)
        raise LoadError(name, f"it is offered by {which}; name one as module:name")
    source, _, attribute = matching[0].target.partition(":")
    if not source or not attribute.isidentifier():
        reason = f"{matching[0].package} offers {matching[0].target!r}, which is not module:name"
        raise LoadError(name, reason)
    return _named(name, source, attribute, base)


def _named(name: str, source: str, attribute: str, base: Path) -> Foreign:
    is_file = source.endswith(".py")
    module = _from_file(name, base / source) if is_file else _module(name, source, base)
    absent = object()
    found = _guarded(name, lambda: getattr(module, attribute, absent))
    if found is absent:
        known = _candidates(module)
        hint = nearest(attribute, known) if known else "it has no mechanism"
        raise LoadError(name, f"{source} has no {attribute}; {hint}")
    return Foreign(name, found, _sha256(module), base)


def _candidates(module: ModuleType) -> list[str]:
    """Return the names in a module that may be meant: what it defines, not what it imports."""
    return [
        key
        for key, value in vars(module).items()
        if not key.startswith("_")
        and not inspect.ismodule(value)
        and (getattr(value, "__module__", module.__name__) == module.__name__)
    ]


def _from_file(name: str, path: Path) -> ModuleType:
    """Return the module in a file: the same one for the same content, in every process."""
    try:
        if not path.is_file():
            raise LoadError(name, f"there is no file {path.name} in {path.parent}")
        content = path.read_bytes()
    except OSError as error:
        raise LoadError(name, f"{path.name} cannot be read: {error.strerror or error}") from None
    key = hashlib.sha256(bytes(path.resolve()) + b"\0" + content).hexdigest()
    unique = f"_dpaudit_{path.stem if path.stem.isidentifier() else 'plugin'}_{key[:16]}"
    if unique in sys.modules:
        return sys.modules[unique]
    spec = importlib.util.spec_from_file_location(unique, path)
    if spec is None or spec.loader is None:
        raise LoadError(name, f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # what lies beside it can be imported
    sys.modules[unique] = module
    try:
        # Compiled from what was read: no stale byte code, and the hash is of what is run.
        _guarded(name, lambda: exec(compile(content, str(path), "exec"), vars(module)))
    except BaseException:
        del sys.modules[unique]
        raise
    object.__setattr__(module, "__dpaudit_sha256__", hashlib.sha256(content).hexdigest())
    return module


def _module(name: str, source: str, base: Path) -> ModuleType:
    if str(base) not in sys.path:
        sys.path.insert(0, str(base))
    module: ModuleType = _guarded(name, lambda: importlib.import_module(source))
    return module


def _sha256(module: ModuleType) -> str:
    known: str = getattr(module, "__dpaudit_sha256__", "")
    if known:
        return known
    file = getattr(module, "__file__", None)
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else ""
    except OSError:
        return ""


def _guarded(name: str, action: Callable[[], Any]) -> Any:
    """Return what ``action`` returns, and make one line of whatever a user's module raises."""
    try:
        return action()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise LoadError(name, f"importing it raised {one_line(error)}") from error


def _twin(mechanism: Mechanism[Any]) -> Mechanism[Any]:
    """Return a mechanism of its own that is the same: it may be named by two references."""
    twin: Mechanism[Any] = object.__new__(type(mechanism))
    vars(twin).update(vars(mechanism))
    return twin


def _lacking(made: object) -> list[str]:
    law = any(callable(getattr(made, part, None)) for part in ("law", "laws"))
    return [
        *([] if law else ["law(dataset)"]),
        *([] if hasattr(made, "datasets") else ["datasets"]),
    ]


def _kind(value: object) -> str:
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _hashable(value: Any) -> Hashable:
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(part) for part in value)
    hashable: Hashable = value
    return hashable
