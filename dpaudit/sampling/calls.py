"""Plans of counted draws: interleaved calls of one draw, of a few and of many.

A sampler may draw otherwise where it is asked for one output than for a thousand, otherwise late in
a call than early, and otherwise as calls go by.  Draws are pooled only after that was looked for
(:mod:`dpaudit.sampling.drift`), so each chunk of draws is of one kind of calls, and the kinds take
turns: by which kinds differ, and by which times do, is not one thing.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate, cycle
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from dpaudit.sampling.independence import LEAST_CHUNKS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = [
    "CELLS",
    "CHUNK",
    "KINDS",
    "LONG",
    "SHORT",
    "WHOLE",
    "Chunk",
    "Style",
    "calls_of",
    "cells_of",
    "groups_of",
    "plan_after",
    "plan_of",
    "sizes_of",
]

Style = Literal["together", "process", "sequence"]
"""Calls return many outputs; each call is a process, of which there can be few; or one output."""

CHUNK = 1 << 15
"""Largest number of draws from one stream."""
CELLS = 16
"""Number of cells of a chunk, by kind of call and place in it."""
SINGLE, SHORT, WHOLE, LONG = range(4)
KINDS = (SINGLE, SHORT, WHOLE, LONG)
"""Of calls: of one draw, of a few, of a chunk, of many."""
_MANY_CHUNKS = 256
_MOST_CHUNKS = 4096
_MOST_AT_ONCE = 4096
"""Largest number of draws of a chunk, where that makes no more than so many and a call is no
process: a run that is stopped has no bounds before its 32nd chunk."""
_SMALL_CHUNK = 32
_TURNS = (SINGLE, WHOLE, SINGLE, SHORT, WHOLE, SINGLE, SHORT, WHOLE, SINGLE)
"""Of 9 chunks 4 are of single calls: a third of all draws, as a quarter come from long calls."""
_SHORT_CALLS = (2, 3, 5, 6)
_LONGER = 16
_LONG_CALLS = 4
_PARTS = 4
"""Every chunk has a multiple of so many calls: which of them a call is, is the same in all."""
_ENOUGH = 4096
"""So many single draws for each output, and for 32 more, bound the distance of their law."""


class Chunk(NamedTuple):
    """Some draws of one stream."""

    size: int
    """Number of draws."""
    kind: int = WHOLE
    """Of which calls."""
    apart: int = 0
    """Number of those draws that come from single or short calls."""
    rest: int = 1
    """From how many calls all others come."""


def sizes_of(draws: int, style: Style = "together") -> list[int]:
    """Return how many draws each chunk has: what is counted comes from many calls, not few.

    Draws of one call may depend on each other; that shows in chunks that differ, where there are
    many.  There are at least ``LEAST_CHUNKS``, or every draw is a call of its own.
    """
    return [size for size, _ in _shapes(draws, style)]


def _shapes(draws: int, style: Style) -> list[tuple[int, int]]:
    """Return the size and the kind of every chunk."""
    few = min(_SMALL_CHUNK, draws // LEAST_CHUNKS)
    most = CHUNK if style == "process" else min(max(_MOST_AT_ONCE, draws // _MOST_CHUNKS), CHUNK)
    size = min(max(draws // _MANY_CHUNKS, few, 1), most)
    size -= size % _PARTS if size > _PARTS else 0
    long = min(_LONGER * size, CHUNK)
    # Calls that are hardly longer than the others would show nothing.
    if long <= 2 * size or draws < _MANY_CHUNKS // 2 * size:
        long = 0
    rest = draws - _LONG_CALLS * long
    shapes = [
        (min(size, rest - start), _TURNS[index % len(_TURNS)])
        for index, start in enumerate(range(0, rest, size))
    ]
    if long:
        places = [len(shapes) * (2 * turn + 1) // (2 * _LONG_CALLS) for turn in range(_LONG_CALLS)]
        # From the end, so that places before stay where they are.
        for place in reversed(places):
            shapes.insert(place, (long, LONG))
    return shapes


def plan_of(draws: int, style: Style, outputs: int = 1) -> list[Chunk]:
    """Return the chunks of so many draws.

    Args:
        draws: how many there are in all.
        style: what calls are like.
        outputs: how many outputs a law is compared in: of more, more single calls tell.
    """
    shapes = _shapes(draws, style)
    if style == "sequence":
        return [Chunk(size, LONG if kind == LONG else WHOLE) for size, kind in shapes]
    singles = max(sum(kind == SINGLE for _, kind in shapes), 1)
    enough = -(-_ENOUGH * (outputs + 32) // singles)
    turn = cycle(_SHORT_CALLS)
    plan = []
    for size, kind in shapes:
        if style == "process":
            apart = {SINGLE: 1, SHORT: next(turn)}.get(kind, 0)
            plan.append(Chunk(size, kind, min(apart, size)))
        elif kind == LONG:
            plan.append(Chunk(size, kind, _PARTS - 1))
        else:
            apart = enough - enough % -sum(_SHORT_CALLS) if kind in (SINGLE, SHORT) else 0
            plan.append(Chunk(size, kind, min(apart, size), _PARTS))
    return plan


def plan_after(done: Sequence[int], draws: int, style: Style, outputs: int = 1) -> list[Chunk]:
    """Return the chunks that are left, after some of the sizes that are done.

    >>> [chunk.size for chunk in plan_after([1, 1], 4, "together")]
    [1, 1]
    """
    whole = plan_of(draws, style, outputs)
    if [chunk.size for chunk in whole[: len(done)]] == list(done):
        return whole[len(done) :]
    return plan_of(max(draws - sum(done), 0), style, outputs)


@lru_cache(maxsize=64)
def calls_of(chunk: Chunk) -> tuple[int, ...]:
    """Return how many draws each call of a chunk is asked for.

    >>> calls_of(Chunk(9, SINGLE, 3)), calls_of(Chunk(20, SHORT, 20))
    ((1, 1, 1, 6), (2, 3, 5, 6, 1, 1, 1, 1))
    """
    sizes = [1] * chunk.apart
    if chunk.kind == SHORT:
        whole, rest = divmod(chunk.apart, sum(_SHORT_CALLS))
        sizes = [*_SHORT_CALLS * whole, *_shared(rest, _PARTS)]
    return (*sizes, *_shared(chunk.size - chunk.apart, chunk.rest))


def _shared(draws: int, calls: int) -> list[int]:
    """Return how draws are shared out over so many calls, as equally as can be."""
    sizes = [draws // calls + (place < draws % calls) for place in range(calls)]
    return [size for size in sizes if size]


@lru_cache(maxsize=64)
def cells_of(chunk: Chunk, style: Style) -> NDArray[np.intp]:
    """Return in which cell each draw of a chunk is.

    That is four times the kind of its call, and which quarter of the call it is in, or of single
    calls their number modulo 4.  Where each call gives one output, it is four times the third of
    the chunk, and the number modulo 4.
    """
    order = np.arange(chunk.size)
    if style == "sequence":
        return order * 3 // chunk.size * _PARTS + order % _PARTS
    calls = calls_of(chunk)
    sizes = np.repeat(calls, calls)
    starts = np.repeat([0, *accumulate(calls[:-1])], calls)
    kinds = np.full(chunk.size, LONG if chunk.kind == LONG else WHOLE)
    kinds[sizes <= _SHORT_CALLS[-1]] = SHORT
    kinds[sizes == 1] = SINGLE
    quarters = np.where(sizes == 1, order % _PARTS, (order - starts) * _PARTS // sizes)
    cells: NDArray[np.intp] = kinds * _PARTS + quarters
    return cells


def groups_of(style: Style) -> NDArray[np.intp]:
    """Return for each cell in which place its draws are, of those whose laws are bounded."""
    cells = np.arange(CELLS)
    if style == "sequence":
        return np.minimum(cells // _PARTS, 2)
    halves = (cells % _PARTS >= _PARTS // 2).astype(np.intp)
    if style == "process":
        return np.where(cells < _PARTS, 0, halves)
    return np.where(cells < _PARTS, 0, 1 + halves)
