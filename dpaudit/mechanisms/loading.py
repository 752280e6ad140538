"""Mechanisms by text: a built-in name, ``package.module:name`` or ``path/to/file.py:name``."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LoadError, UsageError, nearest
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.registry import mechanism_class

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

__all__ = ["load_mechanism", "mechanism_maker"]


def load_mechanism(
    name: str, parameters: Mapping[str, object], base: Path | None = None
) -> Mechanism[Any]:
    """Return the mechanism that ``name`` stands for, with ``parameters``.

    ``file.py:attr`` is looked up from ``base`` (default: the working directory), which modules are
    imported from as well.  The attribute may be a mechanism (then there are no parameters), a
    ``Mechanism`` class, or a function that makes a mechanism from the parameters.  Raises
    ``UsageError`` with one line that says what is wrong, whatever the module does when imported.
    """
    return mechanism_maker(name, base)(parameters)


def mechanism_maker(
    name: str, base: Path | None = None
) -> Callable[[Mapping[str, object]], Mechanism[Any]]:
    """Return what makes the mechanism that ``name`` stands for from parameters, loaded once."""
    if ":" not in name:
        return mechanism_class(name).build
    source, _, attribute = name.rpartition(":")
    if not source or not attribute.isidentifier():
        raise LoadError(name, "allowed are a built-in name, module:name and path.py:name")
    base = base or Path.cwd()
    module = _from_file(name, base / source) if source.endswith(".py") else _module(name, base)
    public = [key for key in vars(module) if not key.startswith("_")]
    absent = object()
    found = _guarded(name, lambda: getattr(module, attribute, absent))
    if found is absent:
        raise LoadError(name, f"{source} has no {attribute}; {nearest(attribute, public)}")
    return functools.partial(_made, name, found)


def _made(name: str, found: Any, parameters: Mapping[str, object]) -> Mechanism[Any]:
    if isinstance(found, Mechanism):
        if parameters:
            given = ", ".join(parameters)
            raise LoadError(name, f"it is a mechanism already and takes no parameters ({given})")
        return found
    if isinstance(found, type) and issubclass(found, Mechanism):
        built: Mechanism[Any] = found.build(parameters)
        return built
    if not callable(found):
        raise LoadError(name, f"a {type(found).__name__} is not a mechanism")
    try:
        made = found(**parameters)
    except UsageError:
        raise
    except Exception as error:
        raise LoadError(name, f"it raised {_one_line(error)}") from error
    if not isinstance(made, Mechanism):
        raise LoadError(name, f"it made a {type(made).__name__}, not a mechanism")
    return made


def _from_file(name: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise LoadError(name, f"there is no file {path.name} in {path.parent}")
    unique = f"_dpaudit_{abs(hash(path.resolve()))}"
    spec = importlib.util.spec_from_file_location(unique, path)
    if spec is None or spec.loader is None:
        raise LoadError(name, f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    _guarded(name, functools.partial(spec.loader.exec_module, module))
    return module


def _module(name: str, base: Path) -> ModuleType:
    if str(base) not in sys.path:
        sys.path.insert(0, str(base))
    module: ModuleType = _guarded(name, lambda: importlib.import_module(name.rpartition(":")[0]))
    return module


def _guarded(name: str, action: Callable[[], Any]) -> Any:
    """Return what ``action`` returns, and make one line of whatever a user's module raises."""
    try:
        return action()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise LoadError(name, f"importing it raised {_one_line(error)}") from error


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
