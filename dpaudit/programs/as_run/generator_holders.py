"""Replacement of generators that were created before a run, in the objects that hold them."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import CellType, FunctionType, MemberDescriptorType
from typing import Any

from dpaudit.programs.guarding.held_sources import may_hold

__all__ = ["stood_in"]


@contextmanager
def stood_in(
    pairs: Iterable[tuple[Any, Any]], holds: Iterable[Any] | None = None
) -> Iterator[None]:
    """Put stand-ins for generators wherever these are held, inside the block.

    What holds a generator out of reach, as a tuple does, keeps it: its draws are refused.

    Args:
        pairs: each generator with its stand-in.
        holds: what the program holds, if that is known.  The walk through all objects of the
            process is left out where it reaches none of the generators.
    """
    generators, stand_ins = dict[int, Any](), dict[int, Any]()
    for generator, stand_in in pairs:
        generators[id(generator)], stand_ins[id(generator)] = generator, stand_in
    changed: list[tuple[Callable[[Any], None], Any]] = []
    try:
        is_walked = generators and (holds is None or may_hold(generators.keys(), holds))
        for generator, put in list(_places(generators)) if is_walked else ():
            changed.append((put, generator))
            put(stand_ins[id(generator)])
        yield
    finally:
        for put, generator in changed:
            put(generator)


def _places(objects: dict[int, Any]) -> Iterator[tuple[Any, Callable[[Any], None]]]:
    """Yield each object where it is held, with what puts another one there.

    One walk through the memory serves all objects; another, where a tuple or a class has some of
    them, finds the functions that have them as defaults, and the classes.

    Args:
        objects: by identity.
    """
    held_by_others = []
    for holder in gc.get_referrers(*objects.values()):
        if type(holder) is tuple or (type(holder) is dict and "__module__" in holder):
            held_by_others.append(holder)
        elif holder is not objects:
            yield from ((value, put) for value, put in _parts(holder) if id(value) in objects)
    for owner in gc.get_referrers(*held_by_others) if held_by_others else ():
        if isinstance(owner, FunctionType):
            for place, value in enumerate(owner.__defaults__ or ()):
                if id(value) in objects:
                    yield value, partial(_set_default, owner, place)
        elif isinstance(owner, type):
            for key, value in list(vars(owner).items()):
                if id(value) in objects:  # Python remembers what it found in a class
                    yield value, partial(type.__setattr__, owner, key)


def _parts(holder: Any) -> Iterator[tuple[Any, Callable[[Any], None]]]:
    """Yield what an object holds, with what puts something else there."""
    if isinstance(holder, dict):
        for key, value in list(dict.items(holder)):
            yield value, partial(dict.__setitem__, holder, key)
    elif isinstance(holder, list):
        for place, value in enumerate(list.copy(holder)):
            yield value, partial(list.__setitem__, holder, place)
    elif type(holder) is CellType:
        yield holder.cell_contents, partial(setattr, holder, "cell_contents")
    elif type(holder).__dictoffset__ and not isinstance(holder, type):
        # Python keeps no dictionary of most instances before it is asked for.
        yield from _parts(object.__getattribute__(holder, "__dict__"))
    for cls in type(holder).__mro__:
        # Members of what is written in C, such as a bound method, may not be set.
        for slot in vars(cls).values() if "__slots__" in vars(cls) else ():
            if type(slot) is MemberDescriptorType:
                with suppress(AttributeError):  # an empty slot
                    yield slot.__get__(holder), partial(slot.__set__, holder)


def _set_default(function: FunctionType, place: int, value: Any) -> None:
    defaults = list(function.__defaults__ or ())
    defaults[place] = value
    function.__defaults__ = tuple(defaults)
