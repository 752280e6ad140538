"""Screen of all pairs in floats, which leaves those that can hold a maximum to balls.

The screen bounds every pair's largest loss from both sides.  A pair whose upper bound lies below
what some other pair certainly reaches cannot hold the maximum and needs no ball; the same is done
for δ(ε) at each ε asked for.  What is left over, usually one pair, is certified in balls, and the
union of both is a certificate over all pairs.

Screens of many pairs at once take a relation's pairs by number, and their datasets by column.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from dpaudit.data.adjacency import Substitution, later_substitutes
from dpaudit.data.histograms import Counts, Histograms
from dpaudit.errors import LawError, PrecisionError
from dpaudit.numbers.ball import PrecisionNeeded, precision
from dpaudit.numbers.real import Real
from dpaudit.screens.bounds import Bound, NotScreened, check_room
from dpaudit.screens.candidates import candidate_pairs
from dpaudit.screens.candidates import curve_candidates as listed_curve
from dpaudit.screens.curves import curve_candidates
from dpaudit.screens.deltas import delta_candidates, ranks_of
from dpaudit.screens.exponents import Extremes, FloatLaws, LossScreen, extremes, screen_losses
from dpaudit.screens.tables import FloatTables, PairChunk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from dpaudit.audit.plan import Pairs
    from dpaudit.laws.law import Law, OutputLaws
    from dpaudit.mechanisms.base import Mechanism


__all__ = [
    "CandidatePairs",
    "NumberedPairs",
    "Share",
    "curve_pairs",
    "screened_pairs",
    "screened_part",
]


class NumberedPairs:
    """All pairs of one size, in the order of the relation; where all are neighbours none is held.

    Pair number p of m datasets is then (i, j) with s(i) + j − i − 1 = p, s(i) = i(2m − i − 1)/2.
    """

    def __init__(self, pairs: Pairs) -> None:
        """Take the ``pairs``, all of them."""
        self.datasets: list[Any]
        self._starts: NDArray[np.int64] | None = None
        if pairs.relation.is_complete(pairs.n):
            self.datasets = list(pairs.relation.datasets(pairs.n))
            rows = np.arange(len(self.datasets), dtype=np.int64)
            # Before row i there are (m − 1) + (m − 2) + … pairs, i terms.
            self._starts = rows * (2 * len(rows) - rows - 1) // 2
            self.count = pairs.expected
            return
        columns: dict[Any, int] = {}
        ends = np.fromiter(
            (columns.setdefault(dataset, len(columns)) for pair in pairs for dataset in pair),
            dtype=np.intp,
        )
        self._left, self._right = ends[::2].copy(), ends[1::2].copy()
        self.datasets = list(columns)
        self.count = len(self._left)

    def _part(self, first: int, last: int) -> PairChunk:
        if self._starts is None:
            return PairChunk(first, self._left[first:last], self._right[first:last])
        numbers = np.arange(first, last)
        left = np.searchsorted(self._starts, numbers, side="right") - 1
        # the last two rows start at the same number: the very last has no pairs
        left = np.minimum(left, len(self.datasets) - 2)
        return PairChunk(first, left, numbers - self._starts[left] + left + 1)

    def chunks(self, size: int) -> Iterator[PairChunk]:
        """Iterate over all pairs, ``size`` at a time."""
        for first in range(0, self.count, size):
            yield self._part(first, min(first + size, self.count))

    def __getitem__(self, number: int) -> tuple[Any, Any]:
        """Return the two datasets of the pair of that ``number``."""
        _, left, right = self._part(number, number + 1)
        return self.datasets[int(left[0])], self.datasets[int(right[0])]


_TABLE_BITS = 96
"""At which laws are enclosed before they are rounded to floats."""

Share: TypeAlias = "Callable[[FloatLaws], Iterable[Extremes]]"
"""Has the parts of one screen computed elsewhere, by :func:`screened_part`; gives them in order."""


@dataclass(frozen=True)
class CandidatePairs:
    """The pairs that an audit in balls still has to look at."""

    book: OutputLaws[Any]
    """The laws of the screened pairs."""
    find: Callable[[], list[tuple[Any, Any]]]
    """Gives :attr:`pairs`."""
    covered: int
    """Number of pairs screened in all, by count."""
    ranges: tuple[tuple[float, float], ...] = ()
    """Bounds on the maximum of each quantity, for laws that have no closed form anyway."""

    @cached_property
    def pairs(self) -> list[tuple[Any, Any]]:
        """The pairs, in the order of the relation."""
        return self.find()


def screened_pairs(
    mechanism: Mechanism[Any],
    pairs: Pairs,
    bounds: Sequence[Bound],
    progress: Callable[[int], None] = lambda pairs: None,
    share: Share | None = None,
) -> CandidatePairs | None:
    """Return the pairs that may hold a maximum, or None if the pairs are not screened at all.

    Laws of a structure that is known are screened as they are, where the relation is substitution,
    for losses and δ; others, and other quantities, output by output; laws that are endless or too
    many to be listed are not.  Where only some pairs are asked for, these are the candidates, with
    laws that compute nothing for other datasets.  The laws may be asked for at any precision.
    ``progress`` is told of pairs in proportion to the outputs that they have been looked at with.
    """
    try:
        laws = _structured(mechanism, pairs)
        if pairs.only is not None:
            if laws is None:
                return None
            return CandidatePairs(laws.book(), lambda: list(pairs), pairs.expected)
        if laws is None or not all(bound.name in ("loss", "delta") for bound in bounds):
            return _listed_candidates(mechanism, pairs, bounds, progress)
        told = _Proportion(progress, len(laws.orbits.representatives), pairs.expected)
        losses = laws.losses()
        if losses is None or not _all_within(losses, bounds):
            parts = None if share is None else _told(share(laws), told)
            losses = screen_losses(laws, parts, told)
        chosen = np.zeros(losses.forward.shape, dtype=bool)
        ranges = []
        for bound in bounds:
            if isinstance(bound.at, Real):
                found, known = delta_candidates(laws, losses, bound.at)
            else:
                found = losses.upper >= losses.lower.max()
                # Both laws add up to 1, so the largest loss is never below 0.
                known = max(float(losses.lower.max()), 0.0), max(float(losses.upper.max()), 0.0)
            chosen |= found
            ranges.append(known)
    except NotScreened:
        return None

    def find() -> list[tuple[Any, Any]]:
        left = _first_of_each_orbit(laws, losses, chosen)
        if bounds[0].name == "loss":
            return left
        # Where all are 0, the maximum is at the first of all pairs.
        return list(dict.fromkeys((next(iter(pairs)), *left)))

    return CandidatePairs(laws.book(), find, losses.covered, tuple(ranges))


def _all_within(losses: LossScreen, bounds: Sequence[Bound]) -> bool:
    """Tell whether every loss is certainly below every ε of a δ, which is then 0 everywhere.

    Else normalisers have to be known as well as a look at every entry tells them.
    """
    largest = float(losses.upper.max())
    # The float of an ε may lie above it, by far less than a thousandth.
    return all(largest < 0.999 * float(bound.at) for bound in bounds if isinstance(bound.at, Real))


def _structured(mechanism: Mechanism[Any], pairs: Pairs) -> FloatLaws | None:
    """Return laws of a structure that is known; ``NotScreened`` where it is of no use."""
    return mechanism.screen(pairs.n) if isinstance(pairs.relation, Substitution) else None


def _listed_candidates(
    mechanism: Mechanism[Any],
    pairs: Pairs,
    bounds: Sequence[Bound],
    progress: Callable[[int], None],
) -> CandidatePairs | None:
    """Return the pairs that may hold a maximum, of laws that are listed output by output."""
    order = next((bound.at for bound in bounds if bound.name == "renyi"), None)
    made = _tables(mechanism, pairs, order)
    if made is None:
        return None
    tables, numbered = made
    found = candidate_pairs(tables, numbered.chunks(tables.pairs_at_once), bounds, progress)
    numbers = set().union(*(best.numbers for best in found))
    if bounds[0].name != "loss":
        numbers.add(0)  # where all are 0, that is where the maximum is
    return _numbered(mechanism, numbered, numbers)


def _numbered(
    mechanism: Mechanism[Any], pairs: NumberedPairs, numbers: Iterable[int]
) -> CandidatePairs:
    left = [pairs[number] for number in sorted(numbers)]
    return CandidatePairs(_EveryTime(mechanism), lambda: left, pairs.count)


def _tables(
    mechanism: Mechanism[Any], pairs: Pairs, order: Any = None
) -> tuple[FloatTables, NumberedPairs] | None:
    """Return the laws in floats; None where balls are to say what is wrong, and with what.

    Raises:
        NotScreened: for laws without tables, or for which there is no room.
    """
    check_room(pairs.datasets)
    try:
        with precision(_TABLE_BITS):
            laws = mechanism.laws()
            first, _ = next(iter(pairs))
            if laws.law(first).listed() is None:  # before all pairs are numbered in vain
                raise NotScreened("a law that is not listed has no table")
            numbered = NumberedPairs(pairs)
            tables = FloatTables(map(laws.law, numbered.datasets), order, len(numbered.datasets))
            return tables, numbered
    except (PrecisionNeeded, PrecisionError, LawError):
        return None


class _EveryTime:
    """The laws of a mechanism, each at the precision in force when it is asked for."""

    def __init__(self, mechanism: Mechanism[Any]) -> None:
        self.mechanism = mechanism

    def law(self, dataset: Any) -> Law:
        return self.mechanism.law_at(dataset)


def curve_pairs(
    mechanism: Mechanism[Any], pairs: Pairs, progress: Callable[[int], None]
) -> CandidatePairs | None:
    """Return the pairs that may be the worst at some ε ≥ 0, or None; see :func:`screened_pairs`."""
    if pairs.only is not None:
        return None
    try:
        laws = _structured(mechanism, pairs)
        if laws is None:
            made = _tables(mechanism, pairs)
            if made is None:
                return None
            tables, numbered = made
            numbers = listed_curve(tables, numbered.chunks(tables.pairs_at_once), progress)
            return _numbered(mechanism, numbered, numbers)
        losses = screen_losses(laws)
        chosen = curve_candidates(laws, losses, progress)
    except NotScreened:
        return None
    return CandidatePairs(
        laws.book(), lambda: _first_of_each_orbit(laws, losses, chosen), losses.covered
    )


def screened_part(mechanism: Mechanism[Any], n: int, part: int) -> Extremes:
    """Return one part of the screen of ``mechanism`` at size ``n``, for another process."""
    # Kept for the next part: a worker is given many of one size.
    laws = _laws(mechanism, n)
    if laws is None:
        raise ValueError(f"{mechanism.name} is not screened at n = {n}")
    return extremes(laws, part)


@lru_cache(maxsize=1)
def _laws(mechanism: Mechanism[Any], n: int) -> FloatLaws | None:
    return mechanism.screen(n)


def _told(parts: Iterable[Extremes], progress: Callable[[int], None]) -> Iterator[Extremes]:
    for part in parts:
        yield part
        progress(part.outputs)


class _Proportion:
    """Turns outputs done into pairs done; all outputs make all pairs."""

    def __init__(self, progress: Callable[[int], None], outputs: int, pairs: int) -> None:
        self.progress = progress
        self.outputs = outputs
        self.pairs = pairs
        self.done = self.told = 0

    def __call__(self, outputs: int) -> None:
        self.done += outputs
        due = self.pairs * self.done // self.outputs - self.told
        self.told += due
        self.progress(due)


def _first_of_each_orbit(
    laws: FloatLaws, losses: LossScreen, chosen: NDArray[np.bool_]
) -> list[tuple[Counts, Counts]]:
    """Return one pair of every orbit that has a chosen pair.

    It is the first in the order of the relation, which is where an audit of all pairs would have
    met it.
    """
    space = Histograms(laws.n, len(laws.moves.ends))
    chosen = losses.whole_orbits(chosen)
    by_first: dict[Counts, dict[Counts, int]] = {}
    for orbit, (first, second) in sorted(
        zip(losses.orbits[chosen].tolist(), ranks_of(laws.moves, chosen), strict=True),
        key=lambda item: item[1],
    ):
        by_first.setdefault(space[first], {})[space[second]] = orbit
    found: dict[int, tuple[Counts, Counts]] = {}
    for x, near in by_first.items():
        for y in later_substitutes(x):
            if y in near:
                found.setdefault(near[y], (x, y))
    return list(found.values())
