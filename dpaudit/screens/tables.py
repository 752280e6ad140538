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

*Ties.*  Probabilities that are the same closed form carry the same number.  A pair adds nothing to
a maximum if its losses are between the same two numbers as those of a pair before it, and nothing
to δ if all its outputs are; so of the many pairs of a symmetric mechanism one is left for balls.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpaudit.numbers.ball import Ball, Sign, ball, sign
from dpaudit.numbers.floats import SLACK, UNIT
from dpaudit.screens.bounds import NotScreened, check_room
from dpaudit.screens.rationals import Rationals, rational_floats

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from dpaudit.laws.law import Law, Listed

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = ["FloatTables", "PairChunk"]

_BLOCK = 1 << 17
_TINY = 2.0**-1000
_LARGEST_POWER = 640.0  # a logarithm whose exponential is a normal float, and so are products


class PairChunk(NamedTuple):
    """Some pairs in a row: the columns of both datasets of each."""

    first: int
    """The number of the first pair."""
    left: NDArray[np.intp]
    right: NDArray[np.intp]


class FloatTables:
    """The laws of some datasets as tables of floats; see the module."""

    def __init__(
        self, laws: Iterable[Law], order: Fraction | None = None, datasets: int = 0
    ) -> None:
        """Round the laws at the working precision; ``NotScreened`` for laws that are not listed.

        The same for tables too large to be held, as soon as the first laws of so many ``datasets``
        show that, and for probabilities that are not certain to be positive.  With an ``order`` α,
        powers of the probabilities are rounded as well.
        """
        numbers, rationals, rows = _Numbers(order), Rationals(), _Rows()
        columns: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
        checked = 0
        for law in laws:
            quotients = None if order is not None else law.quotients()
            places = rationals.add(quotients)
            if quotients is None or places is None:
                listed = law.listed()
                if listed is None:
                    raise NotScreened("a law that is not listed has no table")
                columns.append((rows.of_outputs(listed.outputs), numbers.of_law(listed)))
            else:
                columns.append((rows.of_outputs(list(quotients)), places))
            entries = len(rows.known) * max(len(columns), datasets)
            if entries > checked + (checked >> 6):  # to ask what memory is left takes a while
                check_room(entries)
                checked = entries
        kinds, pairs = rationals.numbered(numbers.count)
        self.kinds: Whole = np.zeros((len(rows.known), len(columns)), dtype=np.int64)
        for column, (outputs, found) in enumerate(columns):
            self.kinds[outputs, column] = kinds[-1 - found] if found[0] < 0 else found
        del columns, kinds, rows  # as much again
        self.kind_count = numbers.count + pairs.shape[1]
        self.full = bool(self.kinds.all())
        log, log_error = numbers.column(0)
        mass, mass_error = numbers.column(1)
        if pairs.size:
            (log, log_error), (mass, mass_error) = (
                tuple(map(np.concatenate, zip(known, more, strict=True)))
                for known, more in zip(
                    ((log, log_error), (mass, mass_error)), rational_floats(pairs), strict=True
                )
            )
        del pairs
        log_error[1:] += UNIT * np.abs(log[1:])
        self.logs: Floats = log[self.kinds]
        self.masses: Floats = mass[self.kinds]
        self.log_error: Floats = SLACK * log_error[self.kinds].max(axis=0)
        """a(x), for every dataset."""
        self.mass_error: Floats = SLACK * mass_error[self.kinds].sum(axis=0)
        """b(x), for every dataset."""
        if not (self.log_error.max() < 1e-3 and self.mass_error.max() < 1e-3):
            raise NotScreened("probabilities this uncertain are left to balls")
        with np.errstate(divide="ignore"):  # too small for a float
            self.relative_error = float((mass_error[1:] / mass[1:]).max())
        """A bound on the relative error of every probability that is not 0."""
        self.powers: tuple[Floats, Floats] | None = None
        """P^α and P^(1−α), where an order is given."""
        self.power_error = 0.0
        """A bound on the relative error of a product of both."""
        if order is not None:
            powers = [numbers.column(place) for place in (2, 3)]
            self.powers = powers[0][0][self.kinds], powers[1][0][self.kinds]
            self.power_error = SLACK * sum(
                float((error[1:] / power[1:]).max()) for power, error in powers
            )
            if not self.power_error < 1e-3:
                raise NotScreened("powers this uncertain are left to balls")

    @property
    def pairs_at_once(self) -> int:
        """Number of pairs in a chunk whose tables fit a core's cache."""
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


class _Rows:
    """The outputs of all laws, each a row of the tables."""

    def __init__(self) -> None:
        self.known: dict[Hashable, int] = {}
        self._last: Sequence[Hashable] = ()
        self._places: NDArray[np.intp] = np.empty(0, dtype=np.intp)

    def of_outputs(self, outputs: Sequence[Hashable]) -> NDArray[np.intp]:
        """Return the rows of the outputs of a law, which often are those of the law before it."""
        if outputs != self._last:
            known = self.known
            rows = [known.setdefault(output, len(known)) for output in outputs]
            self._last, self._places = outputs, np.array(rows, dtype=np.intp)
        return self._places


class _Numbers:
    """Different probabilities as floats, each with its error, number 0 being 0."""

    def __init__(self, order: Fraction | None) -> None:
        self.order = order
        self.count = 1
        zero = (-np.inf, 0.0, *(() if order is None else (0.0, np.inf)))
        self._columns = [array("d", (value, 0.0)) for value in zero]
        self._kinds: dict[Hashable, int] = {}

    def of_law(self, listed: Listed) -> NDArray[np.intp]:
        """Return the numbers of the probabilities of a law, those that are new added."""
        found = []
        for index, key in enumerate(listed.keys):
            kind = self.count if key is None else self._kinds.setdefault(key, self.count)
            if kind == self.count:
                self.add(listed.ball(index))
            found.append(kind)
        return np.array(found, dtype=np.intp)

    def add(self, mass: Ball) -> None:
        """Add one probability, which is to be certainly positive."""
        if sign(mass) is not Sign.POSITIVE:
            raise NotScreened("a probability is not certainly positive")
        log = mass.log()
        numbers = [log, mass]
        if self.order is not None:
            if float(self.order) * abs(float(log)) > _LARGEST_POWER:
                raise NotScreened("powers this large or this small are left to balls")
            numbers += [(ball(power) * log).exp() for power in (self.order, 1 - self.order)]
        for column, number in zip(self._columns, numbers, strict=True):
            column.extend(_float(number))
        self.count += 1

    def column(self, place: int) -> tuple[Floats, Floats]:
        """Return numbers and errors: logarithms, probabilities, or their powers α and 1 − α."""
        values, errors = np.array(self._columns[place]).reshape(-1, 2).T.copy()
        return values, errors
