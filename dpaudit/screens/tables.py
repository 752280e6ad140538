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

For KL, Σ over r of P̂·(L̂_x − L̂_y): with D the largest of those |differences|, the errors are at most
b(x)·D from P̂, a(x) + a(y) from the differences since ΣP = 1, and (m + 4)u·(1 + b(x))·D.
For the Rényi divergence of order α, the moment Σ P^α·Q^(1−α) takes its place, which grows with it:
powers are rounded from balls, all terms are positive, and relative errors add up.  What else is
bounded follows from randomised response, of which every pair of largest loss ε is a post-processing
(Kairouz, Oh and Viswanath 2015): KL ≤ ρ ≤ ε²/2 (Bun and Steinke 2016, Prop. 1.4), and μ, as
TV ≤ 2Φ(μ/2) − 1 ≤ tanh(ε/2), is the larger the larger these bounds of 2Φ(μ/2) − 1 are.

Rational probabilities of whole numbers below 2⁶³ are not made balls of; see
:mod:`dpaudit.screens.rationals`.

*Ties.*  Probabilities that are the same closed form carry the same key: their float, where that is
known to tell them apart, else a number.  A pair adds nothing to
a maximum if its losses are between the same two numbers as those of a pair before it, and nothing
to δ if all its outputs are; so of the many pairs of a symmetric mechanism one is left for balls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpaudit.numbers.floats import SLACK, UNIT
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.rationals import logarithms
from dpaudit.screens.reading import read_laws

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from dpaudit.laws.law import Law
    from dpaudit.screens.reading import Read

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]
    Keys = NDArray[Any]

__all__ = ["FloatTables", "PairChunk"]

_BLOCKS = 1 << 14, 1 << 15
"""Entries of a chunk of pairs, at least and at most, for a table of few and of many entries.

Three arrays of so many are held at once: less than a fifth of large tables.
"""
_PART = 1 << 12
"""Entries of a table that are looked at together while it is made."""
_FEW = 1 << 13
"""Different probabilities up to which they are numbered in any case."""


class PairChunk(NamedTuple):
    """Some pairs in a row: the columns of both datasets of each."""

    first: int
    """The number of the first pair."""
    left: NDArray[np.intp]
    right: NDArray[np.intp]


class FloatTables:
    """The laws of some datasets as tables of floats; see the module.

    Of rational laws these are two tables, and little more while they are made and looked at.
    """

    def __init__(
        self, laws: Iterable[Law], order: Fraction | None = None, datasets: int = 0
    ) -> None:
        """Round the laws at the working precision; ``NotScreened`` for laws that are not listed.

        The same for tables too large to be held, as soon as the first laws of so many ``datasets``
        show that, and for probabilities that are not certain to be positive.  With an ``order`` α,
        powers of the probabilities are rounded as well.
        """
        read = read_laws(laws, order, datasets)
        self.masses: Floats = read.masses
        self.logs: Floats = np.full(self.masses.shape, -np.inf)
        self.log_error: Floats = np.zeros(self.masses.shape[1])
        """a(x), for every dataset."""
        self.mass_error: Floats = np.zeros(self.masses.shape[1])
        """b(x), for every dataset."""
        self.relative_error = 0.0
        """A bound on the relative error of every probability that is not 0."""
        self.powers: tuple[Floats, Floats] | None = None
        """P^α and P^(1−α), where an order is given."""
        self.power_error = 0.0
        """A bound on the relative error of a product of both."""
        self.keys: Keys = self.masses
        """Numbers that tell probabilities apart, 0 being 0."""
        self.key_count = 0
        """Number of them; 0 where they are floats."""
        if read.any_rational:
            self._take_rationals()
        if read.listed or read.large:
            self.keys = self.masses.copy()
        if read.listed:
            self._take_listed(read, order)
        for column in (*read.listed, *read.large):
            self.keys[column.rows, column.place] = 1.0 + column.numbers  # no probability is that
        if not (self.log_error.max() < 1e-3 and self.mass_error.max() < 1e-3):
            raise NotScreened("probabilities this uncertain need interval arithmetic")
        self.number(_FEW)
        self.full = bool(self.keys.all())

    def _parts(self, table: NDArray[Any]) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Iterate over some rows of a table at a time, and where they are."""
        step = max(1, _PART // table.shape[1])
        for first in range(0, len(table), step):
            rows = slice(first, first + step)
            yield rows, table[rows]

    def _take_rationals(self) -> None:
        """Make logarithms of all probabilities that are known, and bounds of their errors."""
        for rows, part in self._parts(self.masses):
            there = part > 0
            if not there.any():
                continue
            log, error = logarithms(part[there])
            self.logs[rows][there] = log
            errors = np.zeros(part.shape)
            errors[there] = error + UNIT * np.abs(log)
            np.maximum(self.log_error, errors.max(axis=0), out=self.log_error)
            self.mass_error += part.sum(axis=0)
        self.log_error *= SLACK
        self.mass_error *= SLACK * SLACK * UNIT
        self.relative_error = SLACK * UNIT

    def _take_listed(self, read: Read, order: Fraction | None) -> None:
        """Fill the columns of probabilities that are not rational."""
        (log, log_error), (mass, mass_error) = (read.numbers.column(place) for place in (0, 1))
        log_error[1:] += UNIT * np.abs(log[1:])
        for column, rows, numbers in read.listed:
            self.logs[rows, column] = log[numbers]
            self.masses[rows, column] = mass[numbers]
            self.log_error[column] = SLACK * log_error[numbers].max()
            self.mass_error[column] = SLACK * mass_error[numbers].sum()
        with np.errstate(divide="ignore"):  # too small for a float
            relative = float((mass_error[1:] / mass[1:]).max())
        self.relative_error = max(self.relative_error, relative)
        if order is None:
            return
        powers = [read.numbers.column(place) for place in (2, 3)]
        tables = [np.full(self.masses.shape, power[0]) for power, _ in powers]
        for column, rows, numbers in read.listed:
            for table, (power, _) in zip(tables, powers, strict=True):
                table[rows, column] = power[numbers]
        self.powers = tables[0], tables[1]
        self.power_error = SLACK * sum(
            float((error[1:] / power[1:]).max()) for power, error in powers
        )
        if not self.power_error < 1e-3:
            raise NotScreened("powers this uncertain need interval arithmetic")

    def number(self, most: int | None = None) -> None:
        """Make whole numbers of the keys, which take less room and are sorted faster.

        Only where at most so many are different; to find out takes as much again as the keys if
        there is no limit.
        """
        if self.key_count:
            return
        known = np.zeros(self.keys.size + 1 if most is None else 1)
        if most is None:
            known[1:] = self.keys.ravel()
            known.sort()
        else:
            for _, part in self._parts(self.keys):
                known = np.union1d(known, part)
                if len(known) > most:
                    return
        kind = np.uint16 if len(known) <= 1 << 16 else np.uint32
        keys: Keys = np.empty(self.keys.shape, dtype=kind)
        for rows, part in self._parts(self.keys):
            keys[rows] = np.searchsorted(known, part)
        self.keys, self.key_count = keys, len(known)

    @property
    def pairs_at_once(self) -> int:
        """Number of pairs in a chunk whose tables fit a core's cache."""
        least, most = _BLOCKS
        return max(1, min(max(least, self.logs.size >> 4), most) // len(self.logs))

    def differences(self, chunk: PairChunk) -> Floats:
        """Return L̂(x, r) − L̂(y, r), one column for each pair; NaN where neither can give r."""
        found = self.logs.take(chunk.left, axis=1)
        with np.errstate(invalid="ignore"):  # −∞ − −∞
            found -= self.logs.take(chunk.right, axis=1)
        return found

    def deltas(self, chunk: PairChunk, factor: float) -> tuple[Floats, Floats]:
        """Return the larger δ̂ of both directions of every pair, and a bound on its error."""
        found = []
        for side, other in ((chunk.left, chunk.right), (chunk.right, chunk.left)):
            excess = self.masses.take(other, axis=1)
            excess *= -factor
            excess += self.masses.take(side, axis=1)
            np.maximum(excess, 0.0, out=excess)
            found.append(np.add.reduce(excess, axis=0))
            del excess  # before the next one is made
        a, b = self.mass_error[chunk.left], self.mass_error[chunk.right]
        rounding = (len(self.masses) + 5) * UNIT * (1 + factor)
        return np.maximum(*found), SLACK * (np.maximum(a + factor * b, b + factor * a) + rounding)

    def kullback_leibler(self, chunk: PairChunk, difference: Floats) -> tuple[Floats, Floats]:
        """Return the larger D̂₁ of both directions of every pair, and a bound on its error."""
        found = []
        for side, other, losses in (
            (chunk.left, chunk.right, difference),
            (chunk.right, chunk.left, -difference),
        ):
            p = self.masses.take(side, axis=1)
            there = p > 0
            with np.errstate(invalid="ignore"):
                terms = np.where(there, p * losses, 0.0)
                largest = np.abs(np.where(there, losses, 0.0)).max(axis=0)
            near = np.where(np.isfinite(largest), largest, 0.0)
            a, b = self.log_error[side] + self.log_error[other], self.mass_error[side]
            error = a + b * near + (len(p) + 4) * UNIT * (1 + b) * near
            found.append((np.add.reduce(terms, axis=0), SLACK * error))
        (one, error), (other_way, other_error) = found
        return np.maximum(one, other_way), np.maximum(error, other_error)

    def moments(self, chunk: PairChunk) -> tuple[Floats, Floats]:
        """Return the larger Σ P^α·Q^(1−α) of both directions, and a bound on its error."""
        assert self.powers is not None
        power, rest = self.powers
        found = []
        for side, other in ((chunk.left, chunk.right), (chunk.right, chunk.left)):
            p, q = power.take(side, axis=1), rest.take(other, axis=1)
            with np.errstate(invalid="ignore"):  # 0·∞: neither can give r
                found.append(np.add.reduce(np.where(p > 0, p * q, 0.0), axis=0))
        moment = np.maximum(*found)
        relative = SLACK * (self.power_error + (len(power) + 4) * UNIT)
        return moment, np.where(np.isfinite(moment), moment * relative, 0.0)

    def losses_sorted(self, x: int, y: int) -> tuple[Floats, Floats, Floats]:
        """Return L̂(x, ·) − L̂(y, ·), P̂ and Q̂ of two datasets."""
        with np.errstate(invalid="ignore"):
            return self.logs[:, x] - self.logs[:, y], self.masses[:, x], self.masses[:, y]

    def ties(
        self, chunk: PairChunk, hits: tuple[NDArray[np.bool_], ...]
    ) -> tuple[Places, NDArray[Any]]:
        """Return what tells apart the losses at the ``hits``, forward and backward.

        The place of the pair of each, in increasing order, and a number; equal numbers are equal
        losses.
        """
        places, found = [], []
        ways = (chunk.left, chunk.right), (chunk.right, chunk.left)
        for hit, sides in zip(hits, ways, strict=True):
            rows, pairs = hit.nonzero()
            p, q = (self.keys[rows, side[pairs]] for side in sides)
            # An output that the other side cannot give: one such loss is as large as any.
            places.append(pairs)
            found.append(np.where(q == 0, 0, self._joined(p, q)))
        every = np.concatenate(places)
        order = np.argsort(every, kind="stable")
        return every[order], np.concatenate(found)[order]

    def patterns(self, chunk: PairChunk) -> Iterator[bytes]:
        """Iterate over what tells apart the pairs of laws, whatever the outputs are called."""
        step = max(1, _PART // len(self.keys))
        for first in range(0, len(chunk.left), step):
            sides = (side[first : first + step] for side in (chunk.left, chunk.right))
            left, right = (self.keys.take(side, axis=1) for side in sides)
            both = [
                np.sort(self._joined(p, q), axis=0).T.copy()
                for p, q in ((left, right), (right, left))
            ]
            # A maximum is over both directions, so a pair and its reverse are alike.
            yield from (min(a.tobytes(), b.tobytes()) for a, b in zip(*both, strict=True))

    def _joined(self, p: Keys, q: Keys) -> NDArray[Any]:
        """Return one number for two keys, with an order."""
        if self.key_count:
            return p * np.int64(self.key_count) + q
        # Two floats side by side, which NumPy sorts by the first and then the second.
        found = np.empty(p.shape, dtype=np.complex128)
        found.real, found.imag = p, q
        return found
