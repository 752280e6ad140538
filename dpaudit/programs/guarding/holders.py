"""Search for the modules that hold functions that are stood in for, at every exploration.

Most modules hold the same objects at the next input.  CPython gives a dictionary another version
with each change; the versions are remembered, and a module is looked through again only if its
namespace has another one.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from itertools import compress
from operator import is_, itemgetter
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["held_by_modules"]

Space = dict[str, Any]
"""Namespace of a module."""
Place = tuple[str, Any]
"""Name in a module, and the function that it holds there."""
_PASSED_OVER = ("dpaudit.", "numpy.random.")
_MOST_KEPT = 4


class _Seen(NamedTuple):
    """Contents of modules when they were looked through."""

    functions: tuple[Any, ...]
    """The functions that were looked for: while they are kept, nothing else has their address."""
    spaces: dict[str, Space]
    versions: list[int]
    """The version of each namespace."""
    found: dict[str, list[Place]]
    """The functions that were found, by module."""


_SEEN: dict[frozenset[int], _Seen] = {}


class _Loaded(NamedTuple):
    """Modules that were loaded, and their namespaces."""

    names: tuple[str, ...]
    modules: tuple[Any, ...]
    spaces: dict[str, Space]
    versions: list[ctypes.c_uint64]
    """Place in memory of the version of each namespace; empty if that is not known."""


_LOADED: list[_Loaded] = [_Loaded((), (), {}, [])]


def held_by_modules(
    functions: Mapping[int, tuple[Any, Any]], also: str = ""
) -> list[tuple[Space, str, Any]]:
    """Return where modules hold one of ``functions``.

    Args:
        functions: by identity, each function with its stand-in.
        also: the beginning of names of modules that are passed over otherwise.
    """
    loaded, wanted = _loaded(), frozenset(functions)
    spaces = loaded.spaces
    if _VERSION is None:
        found = {name: _places(space, wanted) for name, space in spaces.items()}
    else:
        found = _looked_through(loaded, wanted, tuple(real for real, _ in functions.values()))
    held = [(spaces[name], key, real) for name, places in found.items() for key, real in places]
    for name, module in list(sys.modules.items()) if also else ():
        if name.startswith(also) and hasattr(module, "__dict__"):
            space = vars(module)
            held += [(space, key, real) for key, real in _places(space, wanted)]
    return held


def _loaded() -> _Loaded:
    """Return the loaded modules with their namespaces, from memory while these are the same."""
    names, modules = tuple(sys.modules), tuple(sys.modules.values())
    last = _LOADED[0]
    if names == last.names and all(map(is_, modules, last.modules)):
        return last
    spaces: dict[str, Space] = {
        name: vars(module)
        for name, module in zip(names, modules, strict=True)
        if not name.startswith(_PASSED_OVER) and hasattr(module, "__dict__")
    }
    versions = [_version_of(space) for space in spaces.values()] if _VERSION else []
    loaded = _Loaded(names, modules, spaces, versions)
    # Neither a module nor a class can be given another namespace, as other objects can.
    if all(isinstance(sys.modules[name], (ModuleType, type)) for name in spaces):
        _LOADED[0] = loaded
    return loaded


def _looked_through(
    loaded: _Loaded, wanted: frozenset[int], functions: tuple[Any, ...]
) -> dict[str, list[Place]]:
    """Return the functions that are found, of modules that hold the same from memory."""
    spaces, before = loaded.spaces, _SEEN.get(wanted, _Seen((), {}, [], {}))
    # Read before anything is looked through: a later change is seen at the next time.
    versions = [version.value for version in loaded.versions]
    known = before.versions
    if before.spaces is not spaces:
        # The version of one dictionary is that of no other.
        earlier = dict(zip(before.spaces, before.versions, strict=True))
        known = [earlier.get(name, -1) for name in spaces]
    found = {name: places for name, places in before.found.items() if name in spaces}
    for name, now, then in zip(spaces, versions, known, strict=True):
        if now != then:
            found.pop(name, None)
            if places := _places(spaces[name], wanted):
                found[name] = places
    if len(_SEEN) >= _MOST_KEPT:
        _SEEN.clear()
    _SEEN[wanted] = _Seen(functions, spaces, versions, found)
    return found


def _places(space: Space, wanted: frozenset[int]) -> list[Place]:
    held = list(space.items())
    # In C: there are many modules, with many names.
    return list(compress(held, map(wanted.__contains__, map(id, map(itemgetter(1), held)))))


def _place_of_versions() -> int | None:
    """Return at what distance from its address a dictionary has its version; None if unknown."""
    if sys.implementation.name != "cpython" or sys.version_info[:2] != (3, 11):
        return None
    # After its references, its class and its number of entries: ``PyDictObject`` of CPython.
    return object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)


_VERSION = _place_of_versions()


def _version_of(space: Space) -> ctypes.c_uint64:
    """Return where a namespace has its version; that of a class is behind a proxy."""
    (names,) = [space] if type(space) is dict else gc.get_referents(space)
    return ctypes.c_uint64.from_address(id(names) + (_VERSION or 0))
