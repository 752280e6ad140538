"""The audit of a sampler: events are chosen on one part of the draws and counted on another.

Of the draws of each dataset a part goes into the choice of one event for one ordered pair.  All
others, of that pair alone, are counted, and the joint test of :mod:`dpaudit.sampling.joint` is of
one event that was fixed before: the error probability is shared with nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from math import inf, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit import machine
from dpaudit.errors import LawError, SizeError
from dpaudit.notices import CutOutputsWarning, notice
from dpaudit.sampling.batches import MOST_NUMBERS, Batch
from dpaudit.sampling.events import Tallied, candidates
from dpaudit.sampling.independence import LEAST_CHUNKS, Echoes, Seen, check_chunks
from dpaudit.sampling.joint import Counts, JointTest, orders
from dpaudit.sampling.learned import learned_events
from dpaudit.sampling.sequential import Together, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from dpaudit.sampling.draws import Source
    from dpaudit.sampling.events import Event
    from dpaudit.sampling.joint import Floats

__all__ = [
    "LEAST_DRAWS",
    "Chosen",
    "Found",
    "Going",
    "audit_pairs",
    "is_exceeded",
    "selection_size",
]

LEAST_DRAWS = 10
_SELECTION = 0.2
_MOST_SELECTED = 250_000
_BACK = 3.0
"""By how many standard deviations an event is trusted less: the luckiest of many looks best.

With 2 an event that 1 draw in 2,000 is in was chosen for 10⁷ draws, which showed nothing of it."""
_LEARNED = 3
"""Events are learned on one part in so many of the first draws, and compared on the others."""
_TAKEN_FURTHER = 24
_MOST_LEARNED = 16
"""For so many pairs of datasets scores are learned, those that others tell apart best."""
_LOADED = machine.INTERPRETER + (50 << 20)
"""What a process holds that has loaded SciPy as well."""
_COPIES = 4
"""How many more batches there are while events are tried."""


@dataclass(frozen=True)
class Chosen:
    """An event of an ordered pair, and how often it was seen while it was chosen."""

    first: int
    second: int
    """The ranks of the datasets."""
    event: Event


@dataclass(frozen=True)
class Found:
    """What was counted."""

    chosen: Chosen
    counts: Counts
    selected: int
    """How many draws of each dataset went into the choice."""
    vacuous: bool
    """Whether every one of those was the same, or the event told none of them apart."""
    together: Together
    """The same, draw by draw of both sides."""


@dataclass
class Going:
    """What has been counted so far of an event that was chosen."""

    chosen: Chosen
    vacuous: bool
    chunks: list[Together] = field(default_factory=list)
    """Draw by draw of both sides, of every chunk that is finished."""
    evidence: float = 0.0
    """Of repetitions in these; see :class:`Repeats`."""
    echoes: tuple[Echoes, ...] = ()

    @property
    def together(self) -> Together:
        """The counts of all of them."""
        found = Together()
        for chunk in self.chunks:
            found = found.plus(chunk)
        return found

    def unfinished(self, source: Source) -> set[str]:
        """Return what the chunks are called that come next: one side may have been drawn."""
        ranks = self.chosen.first, self.chosen.second
        return {source.place(rank, 1, len(self.chunks)) for rank in ranks}


def selection_size(draws: int) -> int:
    """Return how many of the draws of a dataset go into the choice of the event."""
    return max(LEAST_DRAWS // 2, min(int(draws * _SELECTION), _MOST_SELECTED))


def _split(batch: Batch) -> tuple[Batch, Batch]:
    middle = len(batch) // _LEARNED
    parts = []
    for part in (slice(0, middle), slice(middle, None)):
        values = None if batch.values is None else batch.values[part]
        parts.append(Batch(batch.numbers[part], values, batch.scalar))
    return parts[0], parts[1]


def _rough(a: Floats, b: Floats, seen: int, wanted: Wanted) -> Floats:
    """Return roughly what ε, or δ, events would certify that were seen so often while chosen."""
    p, q = (a + 0.5) / (seen + 1), (b + 0.5) / (seen + 1)
    spread = [np.sqrt(x * (1 - x)) for x in (p, q)]
    z = (p - q - wanted.delta) / np.hypot(*spread)
    error = wanted.deviations / sqrt(wanted.counted) + _BACK / sqrt(seen)
    half = error / sqrt(2)  # in the joint test the two sides are off together
    more = wanted.deviations**2 / 6 / wanted.counted
    low = np.maximum(p - half * spread[0] - more, 1e-12) - wanted.delta
    bound = np.log(np.maximum(low, 1e-12) / (q + half * spread[1] + more))
    result: Floats = np.where(bound > 0, bound, np.minimum(z, 90.0) - 100.0)
    return result


@dataclass(frozen=True)
class Wanted:
    """What the choice is for: the test that will be made."""

    counted: int
    alpha: float
    delta: float
    learned: bool = False
    """Whether scores are learned."""

    @property
    def deviations(self) -> float:
        """Return about how many standard deviations that is."""
        return sqrt(2 * log(1 / self.alpha))


@dataclass(frozen=True)
class Tried:
    """An event, and how often it was seen on draws that it was not learned on."""

    rough: float
    """Roughly what it would certify."""
    chosen: Chosen
    first: float
    second: float
    seen: int


def _choose(batches: Sequence[Batch], pairs: Sequence[tuple[int, int]], wanted: Wanted) -> Chosen:
    """Return the event that promises the largest lower bound of ε."""
    parts = [_split(batch) for batch in batches]
    tallied = {rank: Tallied(others) for rank, (_, others) in enumerate(parts)}
    best: list[Tried] = []
    for pair in pairs:
        for x, y in (pair, pair[::-1]):
            events = list(candidates(parts[x][0], parts[y][0]))
            best += _tried(events, (x, y), tallied, wanted)
    if wanted.learned:
        best += _learned(parts, pairs, best, wanted)
    best.sort(key=lambda one: -one.rough)
    if not best:
        raise LawError("no output of any draw is a number, or is drawn twice")
    top = best[:_TAKEN_FURTHER]
    counts = np.array([(one.first, one.second, one.seen) for one in top], dtype=float).T
    promised = _promise(counts[0], counts[1], counts[2], wanted)
    finest = max(range(len(top)), key=lambda index: (promised[index], top[index].rough))
    return top[finest].chosen


def _tried(
    events: Sequence[Event], pair: tuple[int, int], tallied: Mapping[int, Tallied], wanted: Wanted
) -> list[Tried]:
    """Return the events that look best for an ordered pair."""
    if not events:
        return []
    x, y = pair
    seen = min(len(tallied[x].batch), len(tallied[y].batch))
    a, b = tallied[x](events), tallied[y](events)
    rough = _rough(a, b, seen, wanted)
    return [
        Tried(float(rough[at]), Chosen(x, y, events[at]), float(a[at]), float(b[at]), seen)
        for at in np.argsort(-rough)[:_TAKEN_FURTHER]
    ]


def _learned(
    parts: Sequence[tuple[Batch, Batch]],
    pairs: Sequence[tuple[int, int]],
    best: Sequence[Tried],
    wanted: Wanted,
) -> list[Tried]:
    """Return level sets of learned scores, of the pairs that other events tell apart best."""
    reached: dict[tuple[int, int], float] = dict.fromkeys(pairs, -inf)
    for one in best:
        x, y = one.chosen.first, one.chosen.second
        pair = (x, y) if (x, y) in reached else (y, x)
        reached[pair] = max(reached[pair], one.rough)
    found = []
    for x, y in sorted(reached, key=lambda pair: -reached[pair])[:_MOST_LEARNED]:
        events = list(learned_events(parts[x][0], parts[y][0]))
        # Scores of a pair are of no use for others, and are not kept.
        tallied = {rank: Tallied(parts[rank][1]) for rank in (x, y)}
        for pair in ((x, y), (y, x)):
            found += _tried(events, pair, tallied, wanted)
    return found


def _promise(a: Floats, b: Floats, seen: Floats, wanted: Wanted) -> Floats:
    """Return what the test would say, some deviations back; −∞ where it would say nothing."""
    scale = wanted.counted / seen
    back = _BACK / sqrt(2)
    first = np.floor((a - back * np.sqrt(a * (1 - a / seen))) * scale)
    second = np.floor((b + back * np.sqrt(b * (1 - b / seen)) + 1) * scale)
    first, second = np.maximum(first, 0), np.minimum(second, wanted.counted)
    return orders(wanted.counted, (first, second), log(1 / wanted.alpha), "epsilon", wanted.delta)


def _count(event: Event, batch: Batch) -> tuple[Seen, NDArray[np.bool_]]:
    inside = event.contains(batch)
    return Seen(len(inside), int(inside.sum())), inside


def audit_pairs(
    source: Source,
    pairs: Sequence[tuple[int, int]],
    draws: int,
    alpha: float,
    delta: float,
    *,
    learned: bool = False,
    stops: Callable[[Together], bool] = lambda seen: False,
    kept: Going | None = None,
    keep: Callable[[Going], None] = lambda going: None,
) -> Found:
    """Choose an event on some of the draws and count it on the others.

    Args:
        source: the draws.
        pairs: the neighbouring datasets, by rank.
        draws: how many of each dataset.
        alpha: the error probability of the test that is to be made.
        delta: at which δ ε is to be bounded.
        learned: whether events are also those of scores that scikit-learn learns.
        stops: tells, after every chunk of both sides but for the first few, whether that is enough.
        kept: what an earlier run has counted, which is not drawn again.
        keep: told after every chunk of both sides what has been counted.

    Returns:
        The event with its counts.

    Raises:
        SizeError: for too few draws.
    """
    if draws < LEAST_DRAWS:
        raise SizeError(f"draws = {draws}: at least {LEAST_DRAWS} are needed")
    selected = selection_size(draws)
    wanted = Wanted(draws - selected, alpha, delta, learned)
    going = kept or _chosen(source, pairs, selected, wanted, draws)
    counted = going.together
    ranks = going.chosen.first, going.chosen.second
    count = partial(_count, going.chosen.event)
    done = [sum(chunk) for chunk in going.chunks]
    sides = [source.chunks(rank, 1, wanted.counted, count, done) for rank in ranks]
    echoes = tuple(Echoes(source.sampler.name, source.datasets[rank]) for rank in ranks)
    going.echoes = echoes
    if len(going.chunks) < LEAST_CHUNKS or not stops(counted):
        for (_, inside), (_, beside) in zip(*sides, strict=True):
            echoes[0].add(inside)
            echoes[1].add(beside)
            going.evidence = source.repeats.evidence
            going.chunks.append(together(inside, beside))
            counted = counted.plus(going.chunks[-1])
            keep(going)
            if len(going.chunks) >= LEAST_CHUNKS and stops(counted):
                break
    for side in sides:
        side.close()
    for one in echoes:
        one.end()
    a, b = (
        check_chunks(source.sampler.name, source.datasets[rank], seen)
        for rank, seen in zip(ranks, zip(*map(_sides, going.chunks), strict=True), strict=True)
    )
    return Found(going.chosen, Counts(sum(counted), a, b), selected, going.vacuous, counted)


def _sides(chunk: Together) -> tuple[Seen, Seen]:
    size = sum(chunk)
    return Seen(size, chunk.both + chunk.first), Seen(size, chunk.both + chunk.second)


def _chosen(
    source: Source, pairs: Sequence[tuple[int, int]], selected: int, wanted: Wanted, draws: int
) -> Going:
    """Draw what the event is chosen from, and choose it."""
    used = sorted({rank for pair in pairs for rank in pair})
    batches: dict[int, Batch] = {}
    for rank in used:
        batches[rank] = source.first(rank, selected)
        _check_room(batches[rank], len(used), draws)
    if any(batch.cut for batch in batches.values()):
        notice(
            f"{source.sampler.name}: outputs have more than {MOST_NUMBERS} entries, and only so "
            "many of the first are looked at; a NumPy matrix is looked at whole",
            CutOutputsWarning,
        )
    listed: list[Any] = [batches.get(rank) for rank in range(max(used) + 1)]
    halved = [batch if batch is not None else next(iter(batches.values())) for batch in listed]
    chosen = _choose(halved, pairs, wanted)
    sides = (chosen.first, chosen.second)
    told = np.concatenate([chosen.event.contains(batches[rank]) for rank in sides])
    still = bool(told.all() or not told.any())
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
    held = batch.bytes * (datasets + _COPIES)
    room = machine.available() - _LOADED

    def fits() -> str:
        fewer = draws * room // held
        return f"--draws {fewer} fits" if selection_size(fewer) < len(batch) else ""

    machine.require(
        _LOADED + held, f"{len(batch):,} draws of each of {datasets:,} datasets to choose", fits
    )
