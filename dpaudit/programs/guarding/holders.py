"""Search for the modules that hold functions that are stood in for, at every exploration.

Most modules hold the same objects at the next input.  The addresses of these are remembered, and a
module is looked through again only if they have changed.
"""

from __future__ import annotations

import struct
import sys
from itertools import accumulate, chain, pairwise
from operator import is_
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
    sizes: dict[str, int]
    """Number of names in each module."""
    addresses: bytes
    """Addresses of all values, of one module after the other."""
    found: dict[str, list[Place]]
    """The functions that were found, by module."""


_SEEN: dict[frozenset[int], _Seen] = {}


class _Loaded(NamedTuple):
    """Modules that were loaded, and their namespaces."""

    names: tuple[str, ...]
    modules: tuple[Any, ...]
    spaces: dict[str, Space]


_LOADED: list[_Loaded] = [_Loaded((), (), {})]


def held_by_modules(
    functions: Mapping[int, tuple[Any, Any]], also: str = ""
) -> list[tuple[Space, str, Any]]:
    """Return where modules hold one of ``functions``.

    Args:
        functions: by identity, each function with its stand-in.
        also: the beginning of names of modules that are passed over otherwise.
    """
    spaces = _spaces()
    wanted = frozenset(functions)
    sizes = {name: len(space) for name, space in spaces.items()}
    addresses = _addresses(spaces)
    if addresses is None or len(addresses) != _BYTES * sum(sizes.values()):
        found = {name: _places(space, wanted) for name, space in spaces.items()}
    else:
        reals = tuple(real for real, _ in functions.values())
        found = _looked_through(spaces, wanted, _Seen(reals, sizes, addresses, {}))
    held = [(spaces[name], key, real) for name, places in found.items() for key, real in places]
    for name, module in list(sys.modules.items()) if also else ():
        if name.startswith(also) and hasattr(module, "__dict__"):
            space = vars(module)
            held += [(space, key, real) for key, real in _places(space, wanted)]
    return held


def _spaces() -> dict[str, Space]:
    """Return the namespaces of loaded modules by name, from memory while these are the same."""
    names, modules = tuple(sys.modules), tuple(sys.modules.values())
    last = _LOADED[0]
    if names == last.names and all(map(is_, modules, last.modules)):
        return last.spaces
    spaces: dict[str, Space] = {
        name: vars(module)
        for name, module in zip(names, modules, strict=True)
        if not name.startswith(_PASSED_OVER) and hasattr(module, "__dict__")
    }
    # Neither a module nor a class can be given another namespace, as other objects can.
    if all(isinstance(sys.modules[name], (ModuleType, type)) for name in spaces):
        _LOADED[0] = _Loaded(names, modules, spaces)
    return spaces


def _looked_through(
    spaces: dict[str, Space], wanted: frozenset[int], now: _Seen
) -> dict[str, list[Place]]:
    """Return the functions that are found, of modules that hold the same from memory."""
    before = _SEEN.get(wanted, _Seen((), {}, b"", {}))
    if before.addresses == now.addresses and before.sizes == now.sizes:
        same = set(spaces)
    else:
        earlier, later = _parts(before), _parts(now)
        same = {name for name in spaces if earlier.get(name) == later[name]}
    for name, space in spaces.items() if len(same) < len(spaces) else ():
        if name not in same and (places := _places(space, wanted)):
            now.found[name] = places
    for name, places in before.found.items():
        # As many as before are in the module: they may have other names.
        if name in same:
            space = spaces[name]
            as_before = all(space.get(key) is real for key, real in places)
            now.found[name] = places if as_before else _places(space, wanted)
    if len(_SEEN) >= _MOST_KEPT:
        _SEEN.clear()
    _SEEN[wanted] = now
    return now.found


def _parts(seen: _Seen) -> dict[str, bytes]:
    """Return the addresses of what each module holds."""
    ends = pairwise(accumulate(seen.sizes.values(), initial=0))
    return {
        name: seen.addresses[_BYTES * first : _BYTES * last]
        for name, (first, last) in zip(seen.sizes, ends, strict=True)
    }


def _places(space: Space, wanted: frozenset[int]) -> list[Place]:
    if wanted.isdisjoint(map(id, list(space.values()))):  # in C: there are many modules
        return []
    return [(key, one) for key, one in list(space.items()) if id(one) in wanted]


def _addresses(spaces: dict[str, Space]) -> bytes | None:
    """Return where all is that modules hold; None where NumPy is not loaded.

    An array of objects is an array of their addresses.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not hasattr(numpy, "fromiter"):
        return None
    held = chain.from_iterable([space.values() for space in spaces.values()])
    found: bytes = numpy.fromiter(held, object, sum(map(len, spaces.values()))).tobytes()
    return found


_BYTES = struct.calcsize("P")
"""Bytes of an address."""
