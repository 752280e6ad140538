"""The audit of a sampler: events are chosen on one part of the draws and counted on another.

Of the draws of each dataset a part goes into the choice of one event for one ordered pair.  All
others, of that pair alone, are counted, and the joint test of :mod:`dpaudit.sampling.joint` is of
one event that was fixed before: the error probability is shared with nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpaudit import machine
from dpaudit.errors import SizeError
from dpaudit.notices import CutOutputsWarning, notice
from dpaudit.sampling.batches import MOST_NUMBERS, Batch
from dpaudit.sampling.calls import CELLS, Chunk, cells_of, plan_after
from dpaudit.sampling.choice import Chosen, EventTest, choose
from dpaudit.sampling.draws import TRIED
from dpaudit.sampling.drift import Drift, check_one_law
from dpaudit.sampling.independence import LEAST_CHUNKS, ChunkCount, Echoes, check_chunks
from dpaudit.sampling.joint import Counts, JointTest
from dpaudit.sampling.sequential import Together, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from dpaudit.sampling.draws import Source
    from dpaudit.sampling.events import Event

__all__ = [
    "LEAST_DRAWS",
    "CountedEvent",
    "Going",
    "audit_pairs",
    "checked_counts",
    "is_exceeded",
    "selection_size",
]

LEAST_DRAWS = 10
_SELECTION = 0.2
_MOST_SELECTED = 250_000
_LOADED = machine.INTERPRETER + (50 << 20)
"""Bytes held by a process that has loaded SciPy as well."""
_COPIES = 4
"""Number of further batches held while events are tried."""


@dataclass(frozen=True)
class CountedEvent:
    """Chosen event with its final counts."""

    chosen: Chosen
    counts: Counts
    selected: int
    """Number of draws of each dataset used to choose the event."""
    vacuous: bool
    """True if all of those draws were equal, or the event contained all of them or none."""
    together: Together
    """The same, draw by draw of both sides."""


class CellCounts(NamedTuple):
    """Number of draws in an event, by cell of a chunk, for both datasets."""

    chunk: Chunk
    first: tuple[int, ...]
    second: tuple[int, ...]


@dataclass
class Going:
    """Chosen event with the counts so far."""

    chosen: Chosen
    vacuous: bool
    chunks: list[Together] = field(default_factory=list)
    """Draw by draw of both sides, of every chunk that is finished."""
    places: list[CellCounts] = field(default_factory=list)
    """Counts of each chunk by cell, for both datasets."""
    evidence: float = 0.0
    """Of repetitions in these; see :class:`Repeats`."""
    echoes: tuple[Echoes, ...] = ()
    before: int = 0
    """Number of chunks that an earlier run has drawn."""

    @property
    def together(self) -> Together:
        """The counts of all of them."""
        total = Together()
        for chunk in self.chunks:
            total = total.plus(chunk)
        return total

    def unfinished(self, source: Source) -> set[str]:
        """Return what the chunks are called that come next: one side may have been drawn."""
        ranks = self.chosen.first, self.chosen.second
        return {source.place(rank, 1, len(self.chunks)) for rank in ranks}


def selection_size(draws: int) -> int:
    """Return how many of the draws of a dataset go into the choice of the event."""
    return max(LEAST_DRAWS // 2, min(int(draws * _SELECTION), _MOST_SELECTED))


def _count(event: Event, batch: Batch, chunk: Chunk) -> NDArray[np.bool_]:
    return event.contains(batch)


def _by_cell(inside: NDArray[np.bool_], chunk: Chunk, source: Source) -> tuple[int, ...]:
    cells = cells_of(chunk, source.style)[inside]
    return tuple(np.bincount(cells, minlength=CELLS).tolist())


def audit_pairs(
    source: Source,
    pairs: Sequence[tuple[int, int]],
    draws: int,
    alpha: float,
    delta: float,
    *,
    learned: bool = False,
    drift: float | None = None,
    looks: int = 1,
    stops: Callable[[Together], bool] = lambda counts: False,
    earlier: Going | None = None,
    keep: Callable[[Going], None] = lambda going: None,
) -> CountedEvent:
    """Choose an event on some of the draws and count it on the others.

    Args:
        source: the draws.
        pairs: the neighbouring datasets, by rank.
        draws: how many of each dataset.
        alpha: the error probability of the test that is to be made.
        delta: at which δ ε is to be bounded.
        learned: whether events are also those of scores that scikit-learn learns.
        drift: the error probability of tests of whether laws drift; a third of ``alpha`` if
            nothing is said.
        looks: in how many runs that go on from each other these may be made; in each where it
            stops.
        stops: tells, after every chunk of both sides but for the first few, whether that is enough.
        earlier: the counts of an earlier run, which is not drawn again.
        keep: told after every chunk of both sides what has been counted.

    Returns:
        The event with its counts.

    Raises:
        SizeError: for too few draws.
    """
    if draws < LEAST_DRAWS:
        raise SizeError(f"draws = {draws}: at least {LEAST_DRAWS} are needed")
    selected = selection_size(draws)
    test = EventTest(draws - selected, alpha, delta, learned)
    going = earlier or _chosen(source, pairs, selected, test, draws)
    counted = going.together
    ranks = going.chosen.first, going.chosen.second
    count = partial(_count, going.chosen.event)
    done = [place.chunk for place in going.places]
    remaining = plan_after([chunk.size for chunk in done], test.counted, source.style)
    plan = [*done, *remaining]
    sides = [source.chunks(rank, 1, plan, count, len(done)) for rank in ranks]
    echoes = tuple(Echoes(source.sampler.name, source.datasets[rank]) for rank in ranks)
    going.echoes, going.before = echoes, len(done)
    if len(going.chunks) < LEAST_CHUNKS or not stops(counted):
        for chunk, inside, beside in zip(remaining, *sides, strict=True):
            echoes[0].add(inside)
            echoes[1].add(beside)
            going.evidence = source.repeats.evidence
            cells = (_by_cell(flags, chunk, source) for flags in (inside, beside))
            going.places.append(CellCounts(chunk, *cells))
            going.chunks.append(together(inside, beside))
            counted = counted.plus(going.chunks[-1])
            keep(going)
            if len(going.chunks) >= LEAST_CHUNKS and stops(counted):
                break
    # Closing cancels the chunks that were ordered ahead.
    for side in sides:
        side.close()
    counts = checked_counts(source, going, (alpha / 3 if drift is None else drift) / looks)
    return CountedEvent(going.chosen, counts, selected, going.vacuous, counted)


def checked_counts(source: Source, going: Going, alpha: float) -> Counts:
    """Return the counts of an event so far, of draws that are as good as independent.

    Args:
        source: where the draws come from.
        going: what was counted.
        alpha: the error probability of the tests of whether laws drift.

    Raises:
        LawError: for draws that depend on each other, or do not have one law.
    """
    for echo in going.echoes:
        echo.end()
    ranks = going.chosen.first, going.chosen.second
    by_side = [place.first for place in going.places], [place.second for place in going.places]
    for rank, by_cell in zip(ranks, by_side, strict=True):
        _check_one_law(source, rank, going, by_cell, alpha / len(ranks))
    a, b = (
        check_chunks(source.sampler.name, source.datasets[rank], by_side)
        for rank, by_side in zip(ranks, zip(*map(_sides, going.chunks), strict=True), strict=True)
    )
    return Counts(sum(going.together), a, b)


def _check_one_law(
    source: Source, rank: int, going: Going, cells: Sequence[tuple[int, ...]], alpha: float
) -> None:
    """Refuse draws of one side that do not have one law; some chunks were drawn before."""
    event, first = going.chosen.event, Chunk(TRIED)
    tried = [_by_cell(event.contains(batch), first, source) for batch in source.tried.get(rank, ())]
    layout = source.layout(rank, [place.chunk for place in going.places], going.before)
    drift = Drift(layout, np.array([*cells, *tried])[:, :, None])
    name, dataset = source.sampler.name, source.datasets[rank]
    check_one_law(name, dataset, drift, event.words(), alpha)


def _sides(chunk: Together) -> tuple[ChunkCount, ChunkCount]:
    size = sum(chunk)
    return ChunkCount(size, chunk.both + chunk.first), ChunkCount(size, chunk.both + chunk.second)


def _chosen(
    source: Source, pairs: Sequence[tuple[int, int]], selected: int, test: EventTest, draws: int
) -> Going:
    """Draw what the event is chosen from, and choose it."""
    used = sorted({rank for pair in pairs for rank in pair})
    batches: dict[int, Batch] = {}
    for rank in used:
        batches[rank] = source.first(rank, selected)
        _check_room(batches[rank], len(used), draws)
    if any(batch.cut for batch in batches.values()):
        notice(
            f"{source.sampler.name}: outputs have more than {MOST_NUMBERS} entries, and events "
            f"use only the first {MOST_NUMBERS}; of a NumPy matrix they use all",
            CutOutputsWarning,
        )
    listed: list[Any] = [batches.get(rank) for rank in range(max(used) + 1)]
    # Datasets without a pair are never looked at: any batch holds their place.
    halved = [batch if batch is not None else next(iter(batches.values())) for batch in listed]
    chosen = choose(halved, pairs, test)
    sides = (chosen.first, chosen.second)
    inside = np.concatenate([chosen.event.contains(batches[rank]) for rank in sides])
    still = bool(inside.all() or not inside.any())
    return Going(chosen, still or _all_alike(batches.values()))


def is_exceeded(counts: Counts, alpha: float, epsilon: float, delta: float) -> bool:
    """Tell whether counts contradict a budget, but for the error probability."""
    return JointTest(counts, alpha, "epsilon", delta).rejects(epsilon)


def _all_alike(batches: Iterable[Batch]) -> bool:
    keys = (key for batch in batches for key in set(batch.keys))
    first = repr(next(keys))
    return all(repr(key) == first for key in keys)


def _check_room(batch: Batch, datasets: int, draws: int) -> None:
    """Raise ``TooLargeError`` where so many datasets take more memory than there is.

    Held are the draws of each dataset that the event is chosen from; of one pair there are copies.
    """
    needed = batch.bytes * (datasets + _COPIES)
    room = machine.available() - _LOADED

    def fits() -> str:
        fewer = draws * room // needed
        return f"--draws {fewer} fits" if selection_size(fewer) < len(batch) else ""

    machine.require(
        _LOADED + needed, f"{len(batch):,} draws of each of {datasets:,} datasets to choose", fits
    )
