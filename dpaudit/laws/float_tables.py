"""Any finite laws in float64, with proved error bounds: the pairs that may hold a maximum.

The laws of all datasets of a size are two tables, one row for each output and one column for each
dataset: ln P_x(r) and P_x(r), each rounded once from a ball.  A ball of midpoint m and radius ρ
becomes a float within ρ + 2.01u·|m| of the truth; that, and u·|m| more, is the error of an entry of
the first table.  The difference of two entries rounds once more, by at most u of the sum of both,
so that with a(x) the largest error of a column

    |max over r of (L̂(x, r) − L̂(y, r)) − max over r of ln(P_x(r)/P_y(r))| ≤ a(x) + a(y).

For δ̂ = Σ over r of (P̂_x(r) − ê·P̂_y(r))₊ with ê within 2.01u of e^ε, the positive part moves no more
than its argument: the errors of the entries add up to b(x) + e^ε·b(y), the products with ê, the
differences and the sum of m terms add (m + 5)u(1 + e^ε).  Nothing else is computed in floats, and
neither exp nor log is.

*Ties.*  Probabilities that are the same closed form carry the same number.  A pair adds nothing to
a maximum if its losses are between the same two numbers as those of a pair before it, and nothing
to δ if all its outputs are; so of the many pairs of a symmetric mechanism one is left for balls.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpaudit.laws.screen import NotScreened
from dpaudit.numbers.ball import Ball, Sign, precision, sign
from dpaudit.numbers.floats import LARGEST_EPSILON, SLACK, UNIT, NotRounded, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from numpy.typing import NDArray

    from dpaudit.laws.law import Law
    from dpaudit.numbers.real import Real

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = ["FloatTables", "PairChunk", "candidate_pairs"]

MOST_ENTRIES = 1 << 24
"""Larger tables are left to balls, which hold a few laws at a time."""

_BLOCK = 1 << 17
_TINY = 2.0**-1000


class PairChunk(NamedTuple):
    """Some pairs in a row: the columns of both datasets of each."""

    first: int
    """The number of the first pair."""
    left: NDArray[np.intp]
    right: NDArray[np.intp]


class FloatTables:
    """The laws of some datasets as tables of floats; see the module."""

    def __init__(self, laws: Iterable[Law]) -> None:
        """Round the laws at the working precision; ``NotScreened`` for laws that are not listed.

        The same for tables too large to be held, and for probabilities that are not certain to be
        positive.
        """
        rows: dict[Hashable, int] = {}
        kinds: dict[Hashable, int] = {}
        logs, masses = [(-np.inf, 0.0)], [(0.0, 0.0)]
        columns: list[list[tuple[int, int]]] = []
        for column, law in enumerate(laws):
            listed = law.listed()
            if listed is None:
                raise NotScreened("a law that is not listed has no table")
            entries = []
            for index, (output, key) in enumerate(zip(listed.outputs, listed.keys, strict=True)):
                kind = kinds.setdefault((column, index) if key is None else key, len(logs))
                if kind == len(logs):
                    mass = listed.ball(index)
                    if sign(mass) is not Sign.POSITIVE:
                        raise NotScreened("a probability is not certainly positive")
                    logs.append(_float(mass.log()))
                    masses.append(_float(mass))
                entries.append((rows.setdefault(output, len(rows)), kind))
            columns.append(entries)
            if len(rows) * len(columns) > MOST_ENTRIES:
                raise NotScreened("tables this large are left to balls")
        shape = (len(rows), len(columns))
        self.kinds: Whole = np.zeros(shape, dtype=np.int64)
        for column, entries in enumerate(columns):
            places, found = np.array(entries, dtype=np.intp).T
            self.kinds[places, column] = found
        self.kind_count = len(logs)
        self.full = bool(self.kinds.all())
        log, log_error = np.array(logs).T
        mass, mass_error = np.array(masses).T
        log_error[0] = 0.0
        log_error[1:] += UNIT * np.abs(log[1:])
        self.logs: Floats = log[self.kinds]
        self.masses: Floats = mass[self.kinds]
        self.log_error: Floats = SLACK * log_error[self.kinds].max(axis=0)
        """a(x), for every dataset."""
        self.mass_error: Floats = SLACK * mass_error[self.kinds].sum(axis=0)
        """b(x), for every dataset."""
        if not (self.log_error.max() < 1e-3 and self.mass_error.max() < 1e-3):
            raise NotScreened("probabilities this uncertain are left to balls")

    @property
    def pairs_at_once(self) -> int:
        """How many pairs make a chunk whose tables fit a core's cache."""
        return max(1, _BLOCK // len(self.logs))

    def differences(self, chunk: PairChunk) -> Floats:
        """Return L̂(x, r) − L̂(y, r), one column for each pair; NaN where neither can give r."""
        with np.errstate(invalid="ignore"):  # −∞ − −∞
            return self.logs.take(chunk.left, axis=1) - self.logs.take(chunk.right, axis=1)

    def deltas(self, chunk: PairChunk, factor: float) -> tuple[Floats, Floats]:
        """Return the larger δ̂ of both directions of every pair, and a bound on its error."""
        p, q = (self.masses.take(side, axis=1) for side in (chunk.left, chunk.right))
        found = [
            np.add.reduce(np.maximum(a - factor * b, 0.0), axis=0) for a, b in ((p, q), (q, p))
        ]
        a, b = self.mass_error[chunk.left], self.mass_error[chunk.right]
        rounding = (len(p) + 5) * UNIT * (1 + factor)
        return np.maximum(*found), SLACK * (np.maximum(a + factor * b, b + factor * a) + rounding)

    def ties(self, chunk: PairChunk, hits: tuple[NDArray[np.bool_], ...]) -> Whole:
        """Return what tells apart the losses at the ``hits``, forward and backward, or −1.

        One row for each pair; equal numbers are equal losses.
        """
        left, right = (self.kinds.take(side, axis=1) for side in (chunk.left, chunk.right))
        sides = zip(hits, ((left, right), (right, left)), strict=True)
        # An output that the other side cannot give: one such loss is as large as any.
        found = [
            np.where(hit, np.where(q == 0, 0, p * self.kind_count + q), -1) for hit, (p, q) in sides
        ]
        return np.concatenate(found).T

    def patterns(self, chunk: PairChunk) -> list[bytes]:
        """Return what tells apart the pairs of laws, whatever the outputs are called."""
        left, right = (self.kinds.take(side, axis=1) for side in (chunk.left, chunk.right))
        forward = np.sort(left * self.kind_count + right, axis=0).T.copy()
        backward = np.sort(right * self.kind_count + left, axis=0).T.copy()
        both = ((a.tobytes(), b.tobytes()) for a, b in zip(forward, backward, strict=True))
        return [min(a, b) + max(a, b) for a, b in both]


def _float(x: Ball) -> tuple[float, float]:
    """Return a float near the finite ball ``x``, and how far from any number of it."""
    value, radius = float(x), float(x.rad())
    if not (np.isfinite(value) and np.isfinite(radius)):
        raise NotScreened("a probability is beyond the range of floats")
    return value, SLACK * (radius + 2.01 * UNIT * abs(value) + _TINY)


@dataclass
class _Best:
    """The pairs that may hold one maximum, of those seen so far."""

    lower: float = -np.inf
    """What the maximum certainly reaches."""
    kept: dict[int, float] = field(default_factory=dict)
    """By number, what a pair certainly does not exceed."""
    seen: set[Hashable] = field(default_factory=set)
    """What ties with a pair that is kept, or was."""

    def add(self, chunk: PairChunk, places: Iterable[int], upper: Floats) -> None:
        """Keep the pairs at these ``places``."""
        for place in places:
            self.kept[chunk.first + place] = float(upper[place])

    @property
    def numbers(self) -> set[int]:
        """The pairs that are left."""
        return {number for number, upper in self.kept.items() if upper >= self.lower}


def candidate_pairs(
    tables: FloatTables,
    chunks: Iterable[PairChunk],
    epsilons: Iterable[Real],
    progress: Callable[[int], None] = lambda pairs: None,
) -> list[int]:
    """Return the numbers of the pairs that may hold the largest loss, or δ at one of ``epsilons``.

    In increasing order; ``progress`` is told how many pairs have been looked at since its last
    call.
    """
    loss = _Best()
    deltas = [(*_exponential(epsilon), _Best()) for epsilon in epsilons]
    for chunk in chunks:
        upper = _look_at_losses(tables, chunk, loss)
        for limit, factor, best in deltas:
            above = np.flatnonzero(upper >= limit)
            if len(above):
                part = PairChunk(0, chunk.left[above], chunk.right[above])
                _look_at_deltas(tables, part, chunk.first + above, factor, best)
        progress(len(chunk.left))
    return sorted(loss.numbers.union(*(best.numbers for _, _, best in deltas)))


def _exponential(epsilon: Real) -> tuple[float, float | None]:
    """Return ε from a little below, and e^ε to within 2.01u; None where that is too large."""
    limit = float(epsilon)
    limit -= abs(limit) * 1e-15
    if limit > LARGEST_EPSILON:
        return limit, None
    try:
        with precision(128):
            return limit, rounded(epsilon.ball().exp())
    except NotRounded as reason:
        raise NotScreened(str(reason)) from None


def _look_at_losses(tables: FloatTables, chunk: PairChunk, best: _Best) -> Floats:
    """Keep the pairs that may have the largest loss; return a bound on the loss of every pair."""
    difference = tables.differences(chunk)
    highest, lowest = (np.maximum, np.minimum) if tables.full else (np.fmax, np.fmin)
    loss = np.maximum(highest.reduce(difference, axis=0), -lowest.reduce(difference, axis=0))
    error = tables.log_error[chunk.left] + tables.log_error[chunk.right]
    upper: Floats = np.nextafter(loss + error * SLACK, np.inf)
    best.lower = max(best.lower, float(np.nextafter(loss - error * SLACK, -np.inf).max()))
    places = np.flatnonzero(upper >= best.lower)
    if len(places):
        part = PairChunk(0, chunk.left[places], chunk.right[places])
        level = best.lower - 2 * SLACK * error[places]
        here = difference[:, places]
        with np.errstate(invalid="ignore"):
            ties = tables.ties(part, (here >= level, -here >= level))
        found, first = np.unique(ties, return_index=True)
        new = [
            int(place)
            for tie, place in zip(found.tolist(), first.tolist(), strict=True)
            if tie >= 0 and tie not in best.seen
        ]
        best.seen.update(found.tolist())
        best.add(chunk, sorted({int(places[place // ties.shape[1]]) for place in new}), upper)
    return upper


def _look_at_deltas(
    tables: FloatTables, part: PairChunk, numbers: Whole, factor: float | None, best: _Best
) -> None:
    """Keep the pairs that may have the largest δ, which ``numbers`` says the numbers of."""
    if factor is None:
        upper = np.full(len(numbers), np.inf)
    else:
        delta, error = tables.deltas(part, factor)
        upper = np.nextafter(delta + error, np.inf)
        best.lower = max(best.lower, float(np.nextafter(delta - error, -np.inf).max()))
    places = np.flatnonzero(upper >= best.lower)
    if not len(places):
        return
    for place, pattern in zip(
        places.tolist(),
        tables.patterns(PairChunk(0, part.left[places], part.right[places])),
        strict=True,
    ):
        if pattern not in best.seen:
            best.seen.add(pattern)
            best.kept[int(numbers[place])] = float(upper[place])
