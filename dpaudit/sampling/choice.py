"""The choice of one event of one ordered pair, from draws that nothing is counted on.

Events are learned on one part of them and compared on the others, by what the test of the counts
that are to come would say.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.errors import LawError
from dpaudit.sampling.events import Tallied, candidates
from dpaudit.sampling.joint import orders
from dpaudit.sampling.learned import learned_events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.sampling.batches import Batch
    from dpaudit.sampling.events import Event
    from dpaudit.sampling.joint import Floats

__all__ = ["Chosen", "EventTest", "choose"]

_BACK = 3.0
"""By how many standard deviations an event is trusted less: the luckiest of many looks best.

With 2 an event that 1 draw in 2,000 is in was chosen for 10⁷ draws, which showed nothing of it."""
_LEARNED = 3
"""Events are learned on one part in so many of the first draws, and compared on the others."""
_TAKEN_FURTHER = 24
_MOST_LEARNED = 16
"""For so many pairs of datasets scores are learned, those that others tell apart best."""


@dataclass(frozen=True)
class Chosen:
    """An event of an ordered pair, and how often it was seen while it was chosen."""

    first: int
    second: int
    """The ranks of the datasets."""
    event: Event


def _split(batch: Batch) -> tuple[Batch, Batch]:
    middle = len(batch) // _LEARNED
    return batch.part(0, middle), batch.part(middle, None)


def _rough(a: Floats, b: Floats, draws: int, test: EventTest) -> Floats:
    """Return a rough estimate of the ε that events with these counts would certify."""
    p, q = (a + 0.5) / (draws + 1), (b + 0.5) / (draws + 1)
    spread = [np.sqrt(x * (1 - x)) for x in (p, q)]
    z = (p - q - test.delta) / np.hypot(*spread)
    error = test.deviations / sqrt(test.counted) + _BACK / sqrt(draws)
    half = error / sqrt(2)  # in the joint test the two sides are off together
    more = test.deviations**2 / 6 / test.counted
    low = np.maximum(p - half * spread[0] - more, 1e-12) - test.delta
    bound = np.log(np.maximum(low, 1e-12) / (q + half * spread[1] + more))
    result: Floats = np.where(bound > 0, bound, np.minimum(z, 90.0) - 100.0)
    return result


@dataclass(frozen=True)
class EventTest:
    """Test that the event is chosen for: number of draws, error probability and δ."""

    counted: int
    alpha: float
    delta: float
    learned: bool = False
    """True if scores are learned to choose from."""

    @property
    def deviations(self) -> float:
        """Return about how many standard deviations that is."""
        return sqrt(2 * log(1 / self.alpha))


@dataclass(frozen=True)
class ScoredEvent:
    """An event, and how often it was seen on draws that it was not learned on."""

    rough: float
    """Roughly what it would certify."""
    chosen: Chosen
    first: float
    second: float
    draws: int


def choose(batches: Sequence[Batch], pairs: Sequence[tuple[int, int]], test: EventTest) -> Chosen:
    """Return the event that promises the largest lower bound of ε."""
    parts = [_split(batch) for batch in batches]
    tallied = {rank: Tallied(others) for rank, (_, others) in enumerate(parts)}
    best: list[ScoredEvent] = []
    for pair in pairs:
        for x, y in (pair, pair[::-1]):
            events = list(candidates(parts[x][0], parts[y][0]))
            best += _tried(events, (x, y), tallied, test)
    if test.learned:
        best += _learned(parts, pairs, best, test)
    best.sort(key=lambda event: -event.rough)
    if not best:
        raise LawError(
            "the outputs are not numbers, and no two draws gave the same output, so there is "
            "nothing to count; return numbers, or fewer different values"
        )
    # The exact order is slow: it is computed for the most promising alone.
    top = best[:_TAKEN_FURTHER]
    counts = np.array(
        [(scored.first, scored.second, scored.draws) for scored in top], dtype=float
    ).T
    promised = _promise(counts[0], counts[1], counts[2], test)
    finest = max(range(len(top)), key=lambda index: (promised[index], top[index].rough))
    return top[finest].chosen


def _tried(
    events: Sequence[Event], pair: tuple[int, int], tallied: Mapping[int, Tallied], test: EventTest
) -> list[ScoredEvent]:
    """Return the events that look best for an ordered pair."""
    if not events:
        return []
    x, y = pair
    draws = min(len(tallied[x].batch), len(tallied[y].batch))
    a, b = tallied[x](events), tallied[y](events)
    rough = _rough(a, b, draws, test)
    return [
        ScoredEvent(float(rough[at]), Chosen(x, y, events[at]), float(a[at]), float(b[at]), draws)
        for at in np.argsort(-rough)[:_TAKEN_FURTHER]
    ]


def _learned(
    parts: Sequence[tuple[Batch, Batch]],
    pairs: Sequence[tuple[int, int]],
    best: Sequence[ScoredEvent],
    test: EventTest,
) -> list[ScoredEvent]:
    """Return level sets of learned scores, of the pairs that other events tell apart best."""
    reached: dict[tuple[int, int], float] = dict.fromkeys(pairs, -inf)
    for candidate in best:
        x, y = candidate.chosen.first, candidate.chosen.second
        pair = (x, y) if (x, y) in reached else (y, x)
        reached[pair] = max(reached[pair], candidate.rough)
    scored = []
    for x, y in sorted(reached, key=lambda pair: -reached[pair])[:_MOST_LEARNED]:
        events = list(learned_events(parts[x][0], parts[y][0]))
        # Scores of a pair are of no use for others, and are not kept.
        tallied = {rank: Tallied(parts[rank][1]) for rank in (x, y)}
        for pair in ((x, y), (y, x)):
            scored += _tried(events, pair, tallied, test)
    return scored


def _promise(a: Floats, b: Floats, draws: Floats, test: EventTest) -> Floats:
    """Return the bound that the test gives for counts some deviations worse; −∞ for none."""
    scale = test.counted / draws
    back = _BACK / sqrt(2)
    first = np.floor((a - back * np.sqrt(a * (1 - a / draws))) * scale)
    second = np.floor((b + back * np.sqrt(b * (1 - b / draws)) + 1) * scale)
    first, second = np.maximum(first, 0), np.minimum(second, test.counted)
    return orders(test.counted, (first, second), log(1 / test.alpha), "epsilon", test.delta)
