"""Tests that draws have one law, wherever in a call and in a run they come from.

The draws that are counted fall into strata: single calls, calls of a few, of many; the quarters of
calls; every second single call; halves to sixteenths of the run; each process; the first calls.

*Equal laws.*  If all N draws are independent and have one law, K of them are in an event, and m are
in a stratum, then given K how many of these are in the event is hypergeometric, whatever the law.
Twice the smaller tail, times the number of strata and of events, is a p-value (Bonferroni).  Where
a run may stop early, or goes on, it is multiplied as well by how often it could be looked at.

*A known law.*  Where draws are compared with a law P, an output o is drawn Bin(m, P(o)) times in a
stratum of m draws.  The tail of that is a p-value too, and needs no other stratum.

A quarter of the error probability of a report goes to these, three quarters to everything else
(:func:`dpaudit.sampling.verdicts.below`): together they are at most what is stated.  A drift by
what was never asked for, such as another size of a call, is in none of the strata.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpaudit.errors import LawError
from dpaudit.sampling.binomial import at_least, at_most, drawn_at_least
from dpaudit.sampling.calls import CELLS, LONG, SHORT, WHOLE, Chunk, calls_of, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from dpaudit.sampling.calls import Style

    Whole = NDArray[np.int64]
    Flags = NDArray[np.bool_]

__all__ = ["Drift", "Layout", "Suspect", "check_one_law", "place_words", "thirds_of"]

_TIMES = ((2, "half"), (3, "third"), (4, "quarter"), (8, "eighth"), (16, "sixteenth"))
_ORDER = ("first", "second", "third", "last")
_LEAST = 1e-300
_CHANCE = 3.5
"""Deviations from what is expected that cannot be significant are not bounded in balls."""


def place_words(style: Style) -> tuple[str, ...]:
    """Return what the places are called whose laws are bounded; the last three are of the run."""
    own: tuple[str, ...] = (
        "single calls",
        "first halves of longer calls",
        "last halves of longer calls",
    )
    if style == "process":
        own = ("first halves of calls", "last halves of calls")
    if style == "sequence":
        own = tuple(f"{part} thirds of series of calls" for part in ("first", "second", "last"))
    return (*own, *(f"the {part} third of the run" for part in ("first", "second", "last")))


def thirds_of(plan: Sequence[Chunk]) -> list[int]:
    """Return in which third of the run each chunk is."""
    return [int(part) for part in _parts(plan, 3)]


def _parts(plan: Sequence[Chunk], parts: int) -> Whole:
    ends = np.cumsum([chunk.size for chunk in plan], dtype=np.int64)
    middles = ends - np.array([chunk.size for chunk in plan]) / 2
    return np.minimum(middles * parts // max(int(ends[-1]), 1), parts - 1).astype(np.int64)


class _Stratum(NamedTuple):
    words: str
    rows: Flags
    """Flags of the chunks in the stratum, the first calls after all others."""
    columns: Flags


@dataclass(frozen=True)
class Layout:
    """Origin of the draws of a run: chunks, calls and processes."""

    plan: tuple[Chunk, ...]
    style: Style
    workers: tuple[int, ...] = ()
    """Number of the process that drew each chunk, below 0 if unknown; empty for one process."""
    tried: int = 0
    """Number of chunks of first calls, which are compared and not counted."""
    size: int = 0
    """Number of draws in each of these."""

    @property
    def sizes(self) -> Whole:
        """Number of draws in each cell of each chunk."""
        every = [*self.plan, *[Chunk(self.size)] * self.tried]
        return np.array([
            np.bincount(cells_of(chunk, self.style), minlength=CELLS) for chunk in every
        ])  # fmt: skip

    def strata(self) -> list[_Stratum]:
        """Return the sets of draws that are compared with all others."""
        return [*self._by_call(), *self._by_time()]

    def _by_call(self) -> Iterator[_Stratum]:
        rows = np.arange(len(self.plan) + self.tried) < len(self.plan)
        cells = np.arange(CELLS)
        kinds, parts = cells // 4, cells % 4

        def of(words: str, columns: Flags) -> _Stratum:
            return _Stratum(words, rows, columns)

        single = "single calls" if self.style != "sequence" else "calls"
        singles = kinds == 0 if self.style != "sequence" else kinds < 3
        for part in range(2):
            yield of(f"every second of {single}", singles & (parts % 2 == part))
        for part in range(4):
            yield of(f"every fourth of {single}", singles & (parts == part))
        if self.style == "sequence":
            for part in range(3):
                yield of(f"the {('first', 'second', 'last')[part]} third of each series of calls",
                         kinds == part)  # fmt: skip
            return
        names = {SHORT: "calls of 2 to 6"}
        for chunk in self.plan:
            if chunk.kind in (WHOLE, LONG):
                names.setdefault(chunk.kind, f"calls of {calls_of(chunk)[-1]:,}")
        yield of("single calls", singles)
        several = [(kinds > 0, "calls of several"), *((kinds == k, w) for k, w in names.items())]
        for columns, words in several:
            yield of(words, columns)
            for half, when in enumerate(("early", "late")):
                yield of(f"draws {when} in {words}", columns & (parts // 2 == half))
            for part in range(4):
                yield of(
                    f"draws in the {_ORDER[part]} quarter of {words}", columns & (parts == part)
                )

    def _by_time(self) -> Iterator[_Stratum]:
        count = len(self.plan)
        columns = np.ones(CELLS, dtype=bool)

        def of(words: str, rows: Flags) -> _Stratum:
            return _Stratum(words, np.concatenate([rows, np.zeros(self.tried, bool)]), columns)

        for number, name in _TIMES:
            parts = _parts(self.plan, number)
            for part in range(number):
                yield of(f"draws in {name} {part + 1} of the run", parts == part)
        for part in range(2):
            yield of("every second chunk of draws", np.arange(count) % 2 == part)
        for worker in sorted(set(self.workers) - {-1}):
            yield of(f"draws of process {worker + 1}", np.array(self.workers) == worker)
        if self.tried:
            rows = np.arange(count + self.tried) >= count
            yield _Stratum("draws of the first calls of all", rows, columns)


class Suspect(NamedTuple):
    """Stratum with the strongest evidence against one law."""

    draws: str
    """Name of the stratum; empty if no stratum is evidence."""
    counts: str
    p_value: float
    """An upper bound, over all strata and events."""


@dataclass(frozen=True)
class Drift:
    """Counts of some events in every cell of every chunk, at one dataset."""

    layout: Layout
    counts: Whole
    """Shaped (chunks, cells, events)."""

    def unequal(self, event: str) -> Suspect:
        """Return the stratum that differs most from all other draws, of one event."""
        sizes, inside = self.layout.sizes, self.counts[:, :, 0]
        strata = self.layout.strata()
        draws, whole = int(sizes.sum()), int(inside.sum())
        worst = Suspect("", "", 1.0)
        for words, rows, columns in strata:
            size, count = (int(table[rows][:, columns].sum()) for table in (sizes, inside))
            if not 0 < size < draws or not _is_far(draws, whole, size, count):
                continue
            tail = min(
                drawn_at_least(draws, whole, size, count),
                drawn_at_least(draws, draws - whole, size, size - count),
            )
            if (p_value := min(1.0, 2 * tail * len(strata))) < worst.p_value:
                counts = f"{count} of {size}, and of the others {whole - count} of {draws - size}"
                worst = Suspect(words, f"{event}: {counts}", p_value)
        return worst

    def against(
        self, law: Sequence[tuple[float, float]], outputs: Sequence[str], datasets: int
    ) -> Suspect:
        """Return the stratum that speaks most against a law.

        Args:
            law: bounds of the probability of each event.
            outputs: what the events are called.
            datasets: over how many datasets the error probability is shared.
        """
        sizes, strata = self.layout.sizes, self.layout.strata()
        tests, worst = 2 * len(strata) * len(law) * datasets, Suspect("", "", 1.0)
        for words, rows, columns in strata:
            size = int(sizes[rows][:, columns].sum())
            counted = self.counts[rows][:, columns].sum(axis=(0, 1)) if size else ()
            for count, (low, high), output in zip(
                map(int, counted), law, outputs, strict=bool(size)
            ):
                around = _CHANCE * sqrt(size * high * (1 - low))
                if size * low - around <= count <= size * high + around:
                    continue
                tail = min(at_least(size, high, count), at_most(size, low, count))
                if (p_value := min(1.0, tail * tests)) < worst.p_value:
                    worst = Suspect(words, f"{output}: {count} of {size}", p_value)
        return worst


def _is_far(draws: int, whole: int, size: int, count: int) -> bool:
    """Tell whether a count may be significant: whether that is worth a bound in balls."""
    share = whole / draws
    spread = size * share * (1 - share) * (1 - size / draws)
    return abs(count - size * share) > _CHANCE * sqrt(spread)


def check_one_law(name: str, dataset: Any, drift: Drift, event: str, alpha: float) -> None:
    """Refuse draws that do not have one law.

    Raises:
        LawError: for these; for draws that do with a probability of at most ``alpha``.
    """
    worst = drift.unequal(event)
    if worst.p_value <= alpha:
        chance = ceil(log10(max(worst.p_value, _LEAST)))
        raise LawError(
            f"{name} at {dataset}: {worst.draws} have a different distribution from all others: "
            f"{worst.counts}, which has probability at most 1e{chance} if all draws have the same "
            "distribution; such draws cannot be counted together"
        )
