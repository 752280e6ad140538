"""The live generators of random numbers, found among all objects of the process.

A process may have millions of objects.  The first scan lists them all; a later one lists those that
were created since.  CPython's collector moves objects to older generations only, and survivors of
one collection together: an object is never in an older generation than one created before it.  So
the generation of a mark, which a scan leaves behind, tells where to look.
"""

from __future__ import annotations

import _random
import gc
import random
import sys
from itertools import compress
from typing import Any, NamedTuple
from weakref import ref

__all__ = ["AtRest", "Generators", "live_generators"]

_OF_NUMPY = {
    "numpy.random.bit_generator": ("BitGenerator",),
    "numpy.random._generator": ("Generator",),
    "numpy.random.mtrand": ("RandomState",),
}
_YOUNGER = (0, 1) if sys.version_info < (3, 14) else (0,)
"""Generations that are smaller than the whole; later versions move survivors in parts."""


_ALONE_IN_MEMORY: frozenset[type] = frozenset({random.Random})
"""Classes with weak references whose instances refer to nothing of the program."""


class Generators(tuple[Any, ...]):
    """Generators that were found: a tuple of the engine, which is told from those of programs."""

    __slots__ = ()


class AtRest(NamedTuple):
    """A generator with its state: a tuple of the engine as well."""

    generator: Any
    state: Any


class _Mark:
    """An object that a scan creates before it lists anything."""


class _Scan(NamedTuple):
    """The generators that a scan found."""

    mark: _Mark
    kinds: frozenset[type]
    """The classes that it looked for, with their subclasses."""
    held: Generators
    """Those that can be in no circle: the next scan releases what nothing else refers to."""
    weak: tuple[ref[Any], ...]


_LATEST: list[_Scan] = []


def live_generators() -> Generators:
    """Return every live generator of Python and of NumPy, and what gives these their bits."""
    kinds: set[type] = {_random.Random}
    for module, names in _OF_NUMPY.items():
        if module in sys.modules:  # under their own names others may stand in
            kinds.update(vars(sys.modules[module])[name] for name in names)
    mark, latest = _Mark(), _LATEST.pop() if _LATEST else None
    known = None if latest is None or not kinds <= latest.kinds else _alive(latest)
    recent = None if latest is None or known is None else _since(latest.mark, kinds)
    if known is None or recent is None:
        latest = known = None  # what this alone refers to is not to be found
        known, recent = [], _instances(kinds, _all_objects())
    found = {id(one): one for one in (*known, *recent)}
    generators = Generators(found.values())
    _LATEST[:] = [_remembered(mark, frozenset(kinds), generators)]
    return generators


def _all_objects() -> list[Any]:
    if gc.get_freeze_count():  # what is frozen is not listed
        gc.unfreeze()
    return gc.get_objects()


def _since(mark: _Mark, kinds: set[type]) -> list[Any] | None:
    """Return the generators created after a mark, among others; None if they may be anywhere.

    What is frozen, and what a full collection left, is in no younger generation: nor is the mark.
    """
    found: list[Any] = []
    for generation in _YOUNGER:
        # Never added to a list that was listed itself: that would be garbage in a circle.
        found += _instances({*kinds, _Mark}, gc.get_objects(generation=generation))
        if any(one is mark for one in found):
            return [one for one in found if type(one) is not _Mark]
    return None


def _instances(kinds: set[type], objects: list[Any]) -> list[Any]:
    """Return those among objects whose class is one of some, or a subclass."""
    wanted, waiting = set[int](), list(kinds)
    while waiting:
        kind = waiting.pop()
        wanted.add(id(kind))
        waiting += type.__subclasses__(kind)
    # There may be millions: all that is done for each of them runs in C.
    return list(compress(objects, map(wanted.__contains__, map(id, map(type, objects)))))


def _remembered(mark: _Mark, kinds: frozenset[type], generators: Generators) -> _Scan:
    held, weak = list[Any](), list[ref[Any]]()
    for one in generators:
        if type(one) in _ALONE_IN_MEMORY and vars(one).keys() <= {"gauss_next"}:
            held.append(one)
            continue
        try:
            weak.append(ref(one))
        except TypeError:  # NumPy's own
            held.append(one)
    return _Scan(mark, kinds, Generators(held), tuple(weak))


def _alive(scan: _Scan) -> list[Any] | None:
    """Return the generators of a scan that are alive; None if that is not known of each.

    The collector clears weak references to garbage before it calls finalizers, which may keep it.
    """
    weak = [reference() for reference in scan.weak]
    if any(one is None for one in weak):
        return None
    return [*compress(scan.held, map(_ALONE.__lt__, _references(scan.held))), *weak]


def _references(held: Generators) -> list[int]:
    return [sys.getrefcount(one) for one in held]


(_ALONE,) = _references(Generators([object()]))
"""Number of references that Python counts to an object which nothing else refers to."""
