"""References to mechanisms: a built-in name, an entry point, ``module:name`` or ``path.py:name``.

A file is imported from what was read of it, so that its SHA-256 is of what is run.  Whatever a
user's module does wrong is one line.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from dpaudit import subjects
from dpaudit.errors import LoadError, Remedy, UnknownMechanismError, nearest, one_line
from dpaudit.mechanisms import registry
from dpaudit.mechanisms.imported import COMPILED, import_recorded, record
from dpaudit.mechanisms.own_functions import functions_in
from dpaudit.mechanisms.spec import Spec

__all__ = [
    "Named",
    "check_nothing_is_loaded",
    "check_reference",
    "file_sha256",
    "module_of",
    "named",
    "reference",
    "working_folder",
]

_LOADING: dict[str, Path] = {}
"""The files that are being imported now."""


def check_nothing_is_loaded() -> None:
    """Raise ``LoadError`` while a file is imported: its processes would import it as well."""
    for path in _LOADING.values():
        raise _audits_itself(path.name, path)


def _audits_itself(name: str, path: Path) -> LoadError:
    return LoadError(
        name,
        f"{path.name} starts an audit when it is imported, so every worker process would start "
        'it again; put the audit below if __name__ == "__main__":',
    )


@dataclass(frozen=True, slots=True)
class Named:
    """Object that a reference names, with the hash of its file."""

    value: Any
    """The class, object or function."""
    sha256: str = ""
    """The SHA-256 of the file that defines it; empty for a built-in mechanism."""


def reference(name: str, parameters: Mapping[str, object], folder: Path) -> Spec:
    """Return the reference to what ``name`` makes of ``parameters``, and run nothing of it.

    Args:
        name: a built-in name, an entry point, ``module:name`` or ``path.py:name``.
        parameters: what it is made with.
        folder: what paths are relative to.  A file that is named, and there, is referred to with
            its SHA-256, so that no other is taken for it.
    """
    if registry.is_built_in(name):
        return Spec.of(name, parameters)
    source, sha256 = _source(name), ""
    if source.endswith(".py"):
        with suppress(OSError, ValueError):  # whoever loads it says what is wrong
            sha256 = hashlib.sha256((folder / source).read_bytes()).hexdigest()
    return Spec.of(name, parameters, sha256=sha256, folder=str(folder))


def named(reference: str, folder: Path) -> Named:
    """Return what ``reference`` names.

    Args:
        reference: a built-in name, an entry point, ``module:name`` or ``path.py:name``.
        folder: what paths are relative to, and modules are imported from as well.

    Raises:
        UnknownMechanismError: for an unknown name.
        LoadError: for what cannot be imported, or is not there.
    """
    if registry.is_built_in(reference):
        return Named(registry.mechanism_class(reference))
    if (loaded := subjects.load(reference, folder)) is not None:
        return Named(*loaded)
    source, attribute = _place(reference, folder)
    module = module_of(reference, source, folder)
    absent = object()
    found = _guarded(reference, lambda: getattr(module, attribute, absent))
    if found is absent:
        names = _candidates(module)
        hint = nearest(attribute, names) if names else "it contains no mechanism"
        raise LoadError(reference, f"{source} has no {attribute}; {hint}")
    return Named(found, file_sha256(module))


def module_of(reference: str, source: str, folder: Path) -> ModuleType:
    """Return a module by its name or its file, imported; ``LoadError`` if it cannot be."""
    return (_from_file if source.endswith(".py") else _from_path)(reference, source, folder)


def check_reference(reference: str, folder: Path) -> None:
    """Raise as :func:`named` does for what is wrong with a reference itself, and run nothing."""
    if reference.startswith((subjects.CALL, subjects.DRAWS, subjects.COMMAND)):
        source = _source(reference)
    else:
        source, _ = ("", "") if registry.is_built_in(reference) else _place(reference, folder)
    if source.endswith(".py"):
        _content(reference, folder / source)


def _source(reference: str) -> str:
    """Return the file or the module in a reference; empty if there is none."""
    for kind in (subjects.CALL, subjects.DRAWS):
        if reference.startswith(kind):
            return reference.removeprefix(kind).strip().partition(":")[0]
    if reference.startswith(subjects.COMMAND):
        return ""
    return reference.rpartition(":")[0]


def _place(reference: str, folder: Path) -> tuple[str, str]:
    """Return the file or the module that is meant, and the name in it."""
    source, _, attribute = reference.rpartition(":")
    if ":" not in reference:
        if reference.endswith(".py"):
            error = LoadError(reference, f"name the mechanism or function in it: {reference}:NAME")
            names = functions_in(folder / reference)
            raise error.remedied(
                *(Remedy(((reference, f"{reference}:{name}"),), name) for name in names)
            )
        return _entry_point(reference)
    if source and "(" in reference:
        raise LoadError(reference, "a call needs its datasets: --inputs")
    if not source or not attribute.isidentifier():
        raise LoadError(
            reference, "allowed are a built-in name, an entry point, module:name and path.py:name"
        )
    return source, attribute


def _content(name: str, path: Path) -> bytes:
    try:
        if not path.is_file():
            raise LoadError(name, f"there is no file {path.name} in {path.parent}")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise LoadError(name, f"{path.name} cannot be read: {reason}") from None


def file_sha256(module: ModuleType) -> str:
    """Return the SHA-256 of a module's file; empty where it has none that can be read.

    It is of what was compiled where the module was imported here; of one that the caller had
    imported before, of the file as it is now.
    """
    recorded: str = getattr(module, COMPILED, "")
    file = getattr(module, "__file__", None)
    if recorded or not file:
        return recorded
    try:
        return hashlib.sha256(Path(file).read_bytes()).hexdigest()
    except OSError:
        return ""


def _entry_point(name: str) -> tuple[str, str]:
    """Return the module and the name in it of an entry point."""
    offered = registry.offers()
    matching = [offer for offer in offered if offer.name == name] or [
        offer for offer in offered if offer.name.lower() == name.lower()
    ]
    if not matching and Path(f"{name}.py").is_file():
        raise LoadError(name, f"for something in the file {name}.py, write {name}.py:NAME")
    if not matching:
        error = UnknownMechanismError(
            name, [*registry.mechanism_names(), *(o.name for o in offered)]
        )
        source, _, attribute = name.rpartition(".")
        if source and Path(f"{source}.py").is_file():
            meant = f"{source}.py:{attribute}"
            error.remedied(Remedy(((name, meant),), f"{attribute} of the file {source}.py"))
        raise error
    if len({offer.target for offer in matching}) > 1:
        which = " and ".join(f"{offer.package} ({offer.target})" for offer in matching)
        raise LoadError(name, f"several packages offer it: {which}; choose one as module:name")
    source, _, attribute = matching[0].target.partition(":")
    if not source or not attribute.isidentifier():
        reason = f"{matching[0].package} offers {matching[0].target!r}, which is not module:name"
        raise LoadError(name, reason)
    return source, attribute


def _candidates(module: ModuleType) -> list[str]:
    """Return the names in a module that may be meant: what it defines, not what it imports."""

    def is_meant(value: object) -> bool:
        if inspect.isclass(value) or inspect.isfunction(value):
            return value.__module__ == module.__name__
        return hasattr(value, "law")  # what a decorator makes of a function

    return [k for k, value in vars(module).items() if not k.startswith("_") and is_meant(value)]


def _from_file(name: str, source: str, folder: Path) -> ModuleType:
    """Return the module in a file: the same one for the same content, in every process."""
    path = folder / source
    content = _content(name, path)
    key = hashlib.sha256(bytes(path.resolve()) + b"\0" + content).hexdigest()
    unique = f"_dpaudit_{path.stem if path.stem.isidentifier() else 'plugin'}_{key[:16]}"
    if unique in _LOADING:
        raise _audits_itself(name, path)
    if unique in sys.modules:
        return sys.modules[unique]
    spec = importlib.util.spec_from_file_location(unique, path)
    if spec is None or spec.loader is None:
        raise LoadError(name, f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # what lies beside it can be imported
    sys.modules[unique] = module
    _LOADING[unique] = path
    try:
        # Compiled from what was read: no stale byte code, and the hash is of what is run.
        _guarded(name, lambda: exec(compile(content, str(path), "exec"), vars(module)), path)
    except BaseException:
        del sys.modules[unique]
        raise
    finally:
        del _LOADING[unique]
    record(module, content)
    return module


def _from_path(name: str, source: str, folder: Path) -> ModuleType:
    """Return the module that Python's path has under a name."""
    if source not in sys.modules and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    module: ModuleType = _guarded(name, lambda: import_recorded(source))
    return module


def _guarded(name: str, action: Callable[[], Any], file: Path | None = None) -> Any:
    """Return what ``action`` returns, and make one line of whatever a user's module raises.

    The line of the ``file`` in which it was raised is named.
    """
    folder = working_folder()
    try:
        imported = action()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        lines = [at.lineno for at in extract_tb(error.__traceback__) if at.filename == str(file)]
        where = f" (line {lines[-1]} of {file.name})" if lines and file is not None else ""
        raise LoadError(name, f"importing it raised {one_line(error)}{where}") from error
    if working_folder() != folder:
        os.chdir(folder)
        raise LoadError(
            name,
            "importing it changes the working directory, where dpaudit reads and writes files; "
            "remove os.chdir, and name files as Path(__file__).parent / 'data.csv'",
        )
    return imported


def working_folder() -> str:
    """Return the working directory; empty where it is gone."""
    try:
        return str(Path.cwd())
    except OSError:  # somebody has removed it
        return ""
