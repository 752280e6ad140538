"""Mechanisms by text: a built-in name, or what stands for a mechanism of a user's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LoadError
from dpaudit.mechanisms.registry import mechanism_class, mechanism_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.mechanisms.origin import Origin

__all__ = [
    "Loaded",
    "find_mechanism",
    "is_built_in",
    "load_again",
    "load_mechanism",
    "mechanism_maker",
]


@dataclass(frozen=True)
class Loaded:
    """What a name stands for, before it has its parameters."""

    reference: str
    """The name, as given."""
    found: Any
    """The class, object or function."""
    sha256: str = ""
    """The SHA-256 of the file that defines it; empty for a built-in mechanism."""
    base: Path | None = None
    """The folder that its path is relative to; None for a built-in mechanism."""

    @property
    def title(self) -> str:
        """What messages call it."""
        name: str = self.found.name
        return name

    def parameter_names(self) -> list[str] | None:
        """Return the names of its parameters; None if it takes any."""
        return [parameter.name for parameter in self.found.parameters]

    def build(self, parameters: Mapping[str, object]) -> Mechanism[Any]:
        """Return the mechanism with ``parameters``; ``UsageError`` for what is not allowed."""
        built: Mechanism[Any] = self.found.build(parameters)
        return built


def load_mechanism(
    name: str, parameters: Mapping[str, object], base: Path | None = None
) -> Mechanism[Any]:
    """Return the mechanism that ``name`` stands for, with ``parameters``.

    Raises ``UsageError`` with one line that says what is wrong, whatever a user's module does.
    """
    return find_mechanism(name, base).build(parameters)


def mechanism_maker(
    name: str, base: Path | None = None
) -> Callable[[Mapping[str, object]], Mechanism[Any]]:
    """Return what makes the mechanism that ``name`` stands for from parameters, loaded once."""
    return find_mechanism(name, base).build


def is_built_in(name: str) -> bool:
    """Tell whether ``name`` is that of a mechanism of the package."""
    return name.lower() in map(str.lower, mechanism_names())


def find_mechanism(name: str, base: Path | None = None) -> Loaded:
    """Return what ``name`` stands for.

    A path is looked up from ``base`` (default: the working directory), which modules are imported
    from as well.  A name without a colon is a built-in one, else that of an entry point.  Raises
    ``UnknownMechanismError`` or ``LoadError``.
    """
    if is_built_in(name):
        return Loaded(name, mechanism_class(name))
    from dpaudit.mechanisms.foreign import find_foreign  # what no audit of a built-in one needs

    return find_foreign(name, base or Path.cwd())


def load_again(origin: Origin) -> Mechanism[Any]:
    """Return the mechanism of ``origin``, in another process; it has to be what it was."""
    loaded = find_mechanism(origin.reference, origin.base)
    if loaded.sha256 != origin.sha256:
        raise LoadError(origin.reference, "its file has been changed while it was audited")
    return loaded.build(dict(origin.parameters))
