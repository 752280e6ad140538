"""Privacy losses on a lattice: two-sided composition in integers.

A pair of finite measures (P, Q) matters to composition through H(a) = ∫ (dP − a·dQ)₊, a ≥ 0, alone.
Here P and Q live on the points of a lattice of losses: the point of loss l with P-mass m has the
Q-mass m·e^(−l), so one list of P-masses is the pair, and the infinity atom is P-mass that Q lacks.
H is then a sum of m·(1 − a·e^(−l))₊, which grows with every m.

A lattice *above* a pair has H at least that of the pair for every a ≥ 0, one *below* at most.  Why
each step keeps its side:

* *Products.*  H of (P × R, Q × S) at a is Σ over atoms (r, s) of (R, S) with r > 0 of r·H(a·s/r), so
  a pair above (below) another stays so when both are multiplied by the same pair, and by
  transitivity when the factors too are moved to the same side.  On a lattice the product of the
  points i and j is exactly the point i + j with the product of the masses.
* *Rounding.*  Masses are integers over 2^bits.  H grows with every mass: round up above, down below.
* *Splitting* an atom (A, B) onto two points with the same totals A and B raises H, because
  (x, y) ↦ (x − a·y)₊ is convex and homogeneous: above.
* *Merging* atoms (A, B), (A′, B′) to (A + A′, B + B′) lowers H for the same reason: below.  So does
  lowering A, or raising B, or leaving an atom out; lowering B or raising A belongs above.
* *Windows.*  A right tail goes to the infinity atom above (B lowered to 0) and to the last point
  below (B raised).  A left tail goes to the first point above (B lowered); below it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

from flint import fmpz_poly

from dpaudit.numbers.ball import Ball, ball, fixed_point, precision
from dpaudit.numbers.real import ZERO, Real, rational

__all__ = [
    "GUARD",
    "Cell",
    "LossLattice",
    "cells_of",
    "lattice_of_cells",
    "lattice_of_points",
]

GUARD = 64
"""Bits that constants have beyond those of the masses."""


def _shift(value: int, bits: int, *, above: bool) -> int:
    """Return value/2^bits rounded up (above) or down."""
    return -(-value >> bits) if above else value >> bits


def _shifted(masses: Any, bits: int, *, above: bool) -> Any:
    """Return every coefficient, none negative, over 2^bits, rounded up (above) or down.

    ``//`` by a constant rounds coefficients that are not negative down; of negative polynomials it
    drops leading ones that are smaller than the constant, so that rounding up adds first.
    """
    if above:
        masses = masses + fmpz_poly([(1 << bits) - 1] * int(masses.length()))
    return masses // (1 << bits)


@dataclass(frozen=True)
class LossLattice:
    """A pair of measures on the losses offset + (first + j)·step, j = 0, 1, …

    ``masses`` and ``infinite`` are P-masses times 2^bits.
    """

    above: bool
    """Whether H is at least that of the true pair, or at most."""
    bits: int
    """The scale of the masses."""
    step: Real
    """The distance of two points, > 0."""
    offset: Real
    """The loss of the point with index 0."""
    first: int
    """The index of the first point."""
    masses: Any
    """The masses of the points, as the coefficients of an ``fmpz_poly``."""
    infinite: int
    """The mass of infinite loss."""

    def __len__(self) -> int:
        """Return the number of points."""
        return int(self.masses.length())

    @cached_property
    def total(self) -> int:
        """The mass of all finite losses."""
        return int(self.masses(1))

    def times(self, other: LossLattice) -> LossLattice:
        """Return the product with a lattice of the same side, scale and step.

        The product's infinity atom is what is not finite in both: I·T′ + T·I′ + I·I′.
        """
        product = _shifted(self.masses * other.masses, self.bits, above=self.above)
        infinite = (
            self.infinite * other.total
            + self.total * other.infinite
            + self.infinite * other.infinite
        )
        return replace(
            self,
            offset=self.offset + other.offset,
            first=self.first + other.first,
            masses=product,
            infinite=_shift(infinite, self.bits, above=self.above),
        )

    def windowed(self, left: int, right: int) -> LossLattice:
        """Return the lattice without tails of at most the masses ``left`` and ``right``."""
        masses, count = self.masses, len(self)
        start, cut = 0, 0
        while start < count - 1 and cut + int(masses[start]) <= left:
            cut += int(masses[start])
            start += 1
        end, lost = count, 0
        while end - 1 > start and lost + int(masses[end - 1]) <= right:
            lost += int(masses[end - 1])
            end -= 1
        if start == 0 and end == count:
            return self
        kept = masses.truncate(end).right_shift(start)
        infinite = self.infinite
        if self.above:
            kept[0] += cut
            infinite += lost
        else:
            kept[end - start - 1] += lost
        return replace(self, first=self.first + start, masses=kept, infinite=infinite)

    def coarsened(self) -> LossLattice:
        """Return the pair on every second point of the lattice, those of even index.

        An atom of mass c on an odd point, one step h from both neighbours, goes onto them above:
        c·e^h/(1 + e^h) up and c/(1 + e^h) down keep both totals.  Below, see :func:`_merged`.
        """
        masses = self.masses.coeffs()
        if self.first % 2:
            masses = [0, *masses]
        start = (self.first - self.first % 2) // 2
        even, odd = masses[::2], masses[1::2]
        with precision(self.bits + GUARD):
            growth = self.step.exp().ball()
            down, up = 1 / (1 + growth), growth / (1 + growth)
        if self.above:
            one = fmpz_poly(odd)
            found = fmpz_poly(even)
            for share, places in ((down, 0), (up, 1)):
                part = _shifted(one * self._constant(share), self.bits + GUARD, above=True)
                found += part.left_shift(places)
        else:
            # going left to the point below (a step down) leaves c·e^(−h), going right c·e^h
            with precision(self.bits + GUARD):
                left = fixed_point(1 / growth, self.bits + GUARD)[0]
            cells = [int(one) for one in odd]
            lefts = (fmpz_poly(cells) * left) // (1 << (self.bits + GUARD))
            kept = [int(one) for one in lefts.coeffs()]
            kept += [0] * (len(cells) - len(kept))
            with precision(self.bits + GUARD):
                found = fmpz_poly(even) + fmpz_poly(
                    _merged(cells, cells, growth, kept, growth * growth, self.bits)
                )
        return replace(self, step=self.step * rational(2), first=start, masses=found)

    def _constant(self, x: Ball) -> int:
        """Return 2^(bits + GUARD)·x, rounded to this side."""
        low, high = fixed_point(x, self.bits + GUARD)
        return high if self.above else low

    @cached_property
    def _suffixes(self) -> tuple[list[int], list[int]]:
        """Σ of the masses from each point on, and Σ mass·e^(−distance to that point).

        The second is what is taken away: it is rounded down above and up below.
        """
        masses = [int(one) for one in self.masses.coeffs()]
        scale = self.bits + GUARD
        with precision(scale + GUARD):
            low, high = fixed_point((-self.step).exp().ball(), scale)
        shrink = low if self.above else high
        weighted, held = [], 0
        for mass in reversed(masses):
            held = mass + _shift(held * shrink, scale, above=not self.above)
            weighted.append(held)
        return list(accumulate(reversed(masses)))[::-1], weighted[::-1]

    def loss(self, place: int) -> Ball:
        """Return the loss of the point at ``place`` (0 is the first), at the working precision."""
        return self.offset.ball() + self.step.ball() * (self.first + place)

    def delta(self, epsilon: Real) -> Ball:
        """Return a ball on whose outer side lies H(e^ε): upper end above, lower end below.

        Σ from any point J on of m·(1 − e^(ε − l)) is at most H(e^ε), with equality where J is the
        first point of loss above ε; near the ball of that point every J is tried.
        """
        with precision(self.bits + 2 * GUARD):
            place = (epsilon.ball() - self.loss(0)) / self.step.ball()
            low, high = fixed_point(place, 0)
            found = ball(0)
            for start in range(low - 1, high + 2):
                found = found.max(self._from(start, epsilon))
            return (found + self.infinite) / (1 << self.bits)

    def _from(self, start: int, epsilon: Real) -> Ball:
        sums, weighted = self._suffixes
        start = max(start, 0)
        if start >= len(sums):
            return ball(0)
        return sums[start] - (epsilon.ball() - self.loss(start)).exp() * weighted[start]

    def epsilon(self, delta: Real) -> Ball:
        """Return a ball on whose outer side lies min {ε ≥ 0 : H(e^ε) ≤ δ}.

        Between two points H + I is I + S − e^(ε − l)·T, S and T the sums from the upper point l on;
        it is δ at ε = l + ln((I + S − δ)/T).  Below, every J gives a bound; above, J has to be the
        point after ε, so the result is not taken below the point before.
        """
        with precision(self.bits + 2 * GUARD):
            wanted = delta.ball() * (1 << self.bits)
            low, high = fixed_point(wanted, 0)
            level = low if self.above else high
            if self.infinite > level:
                return Ball.pos_inf()
            sums, weighted = self._suffixes
            if not sums:
                return ball(0)
            start, end = 0, len(sums) - 1  # the first point from where H ≤ δ
            while start < end:
                middle = (start + end) // 2
                if self.infinite + sums[middle] - weighted[middle] <= level:
                    end = middle
                else:
                    start = middle + 1
            places = [start] if self.above else [max(0, start - 1), start]
            found = ball(0)
            for place in places:
                over = self.infinite + sums[place] - wanted
                if over > 0 and weighted[place] > 0:
                    found = found.max(self.loss(place) + (over / weighted[place]).log())
                elif self.above and not over <= 0:
                    found = found.max(self.loss(place))
            if self.above and start:
                found = found.max(self.loss(start - 1))
            return found


@dataclass(frozen=True, slots=True)
class Cell:
    """What has a loss from index·step to (index + 1)·step: P-mass and Q-mass, as balls."""

    index: int
    p: Ball
    q: Ball


def cells_of(
    atoms: Iterable[tuple[Ball, Ball]], step: Ball, *, above: bool
) -> Iterator[tuple[int, Cell]]:
    """Give each atom (A, B), both positive, as a cell that it lies in for certain, with its index.

    Where the ball of the loss ln(A/B) contains a point of the lattice, the atom is taken to the
    cell over it, A raised to what that takes (above), or to the one under it, A lowered (below).
    """
    for p, q in atoms:
        low, high = fixed_point(((p / q).log() / step).floor(), 0)
        if low != high and above:
            p = p.max(q * (step * high).exp())
        elif low != high:
            p = p.min(q * (step * (low + 1)).exp())
        index = high if above else low
        yield index, Cell(index, p, q)


def lattice_of_points(
    points: Mapping[int, Ball],
    step: Real,
    offset: Real,
    bits: int,
    *,
    above: bool,
    infinite: Ball,
    complete: bool,
) -> LossLattice:
    """Return the lattice of a pair whose finite losses are offset + index·step.

    Args:
        points: the P-mass of each index.
        step: the distance of two points.
        offset: the loss of the point 0.
        bits: the scale of the masses.
        above: the side.
        infinite: the P-mass that certainly has infinite loss.
        complete: whether there is no other mass; if there is, it is infinite above.
    """
    first, side = min(points), 1 if above else 0
    masses = [0] * (max(points) - first + 1)
    with precision(bits + GUARD):
        for index, mass in points.items():
            masses[index - first] = max(0, fixed_point(mass, bits)[side])
        if above and not complete:
            infinite = (1 - sum(points.values(), Ball(0))).max(ball(0))
        lost = max(0, fixed_point(infinite, bits)[side])
    return LossLattice(above, bits, step, offset, first, fmpz_poly(masses), lost)


def lattice_of_cells(
    cells: Iterable[Cell],
    step: Real,
    bits: int,
    *,
    above: bool,
    left: Ball,
    right: Ball,
    infinite: Ball | None = None,
    offset: Real = ZERO,
    points: Mapping[int, Ball] | None = None,
) -> LossLattice:
    """Return a lattice above or below a pair that is known by its masses in cells.

    Above, a cell (A, B) between the points i and i + 1 is split: with b = B·e^(ih), the part
    (A − b)/(1 − e^(−h)) lies on i + 1 and the rest on i.  Each atom of the cell splits so, and the
    split is linear, so the sums do too.  Below, cells are merged over points: :func:`_merged`.

    Args:
        cells: at most one of each index; each with a loss in its cell for certain.
        step: the distance h of two points.
        bits: the scale of the masses.
        above: the side.
        left: the P-mass of smaller losses than any cell's.
        right: the P-mass of larger losses, above with all that may be infinite.
        infinite: the P-mass that is certainly infinite and not in ``right``, for below.
        offset: the loss of the point 0, where cells begin to be counted.
        points: the P-mass of atoms that lie on a point exactly, beside the cells, by its index.

    Returns:
        the lattice.
    """
    held = {cell.index: cell for cell in cells}
    first, last = min(held), max(held)
    scale = bits + GUARD
    with precision(bits + 2 * GUARD):
        h, start = step.ball(), offset.ball()
        shrink = (-h).exp()
        growth = h.exp()
        lost = 1 - shrink
        downs, ups = [(0, 0)] * (last - first + 1), [(0, 0)] * (last - first + 1)
        for index, cell in held.items():
            based = cell.q * (start + h * index).exp()
            up = (cell.p - based) / lost
            down = cell.p - up
            downs[index - first] = _clamped(fixed_point(down, bits))
            ups[index - first] = _clamped(fixed_point(up, bits))
        if above:
            masses = [high for _, high in downs] + [0]
            for place, (_, high) in enumerate(ups, start=1):
                masses[place] += high
            masses[0] += fixed_point(left, bits)[1]
            for index, mass in (points or {}).items():
                masses[index - first] += fixed_point(mass, bits)[1]
            lost = fixed_point(right, bits)[1]
            return LossLattice(True, bits, step, offset, first, fmpz_poly(masses), lost)
        low = fixed_point(shrink, scale)[0]
        kept = [u + (v * low >> scale) for (u, _), (v, _) in zip(downs, ups, strict=True)]
        masses = _merged([high for _, high in downs], [v for v, _ in ups], growth, kept, growth, bits)
        masses[-1] += max(0, fixed_point(right, bits)[0])
        for index, mass in (points or {}).items():
            masses[index - first] += max(0, fixed_point(mass, bits)[0])
        lost = 0 if infinite is None else max(0, fixed_point(infinite, bits)[0])
        return LossLattice(False, bits, step, offset, first, fmpz_poly(masses), lost)


def _clamped(ends: tuple[int, int]) -> tuple[int, int]:
    return max(0, ends[0]), max(0, ends[1])


def _merged(
    needs: Sequence[int],
    gives: Sequence[int],
    rate: Ball,
    kept: Sequence[int],
    width: Ball,
    bits: int,
) -> list[int]:
    """Return the masses on lattice points of cells merged over the points between them.

    Cell i lies between the points i and i + 1.  A fraction s of it merged with a fraction t of cell
    i + 1 has a loss of at least the point i + 1 where t·gives[i + 1] ≥ s·needs[i]·rate; then A is
    lowered to B·e^loss, that is s·kept[i]·width + t·kept[i + 1].  What finds no partner goes down to
    its own point i, A lowered to kept[i].  Fractions are whole numbers over 2^bits here, so that a
    cell is never used more than once.

    Partners are sought from both ends, where each chain damps its own errors (densities that grow
    on the way), up to the cell of the largest mass.

    Args:
        needs: for each cell an upper bound of what its whole, moved up, needs, in units of ``gives``
            after multiplication with ``rate``.
        gives: a lower bound of what its whole, moved down, gives.
        rate: see above.
        kept: a lower bound of B·e^(loss of its lower point).
        width: e^(distance of two points).
        bits: the scale of ``kept``.
    """
    count = len(needs)
    unit = 1 << bits
    scale = bits + GUARD
    growth = fixed_point(rate, GUARD)[1]
    widened = fixed_point(width, scale)[0]
    peak = max(range(count), key=lambda i: kept[i])
    down = [0] * count  # the fraction of each cell that is merged over its lower point
    up = [0] * count  # over its upper point
    for i in range(1, peak + 1):
        up[i - 1], down[i] = _partners(unit - down[i - 1], unit, needs[i - 1] * growth, gives[i])
    for i in range(count - 1, peak, -1):
        limit = unit - (down[i - 1] if i - 1 == peak else 0)
        wanted = unit - up[i]
        up[i - 1], down[i] = _fitted(limit, wanted, needs[i - 1] * growth, gives[i])
    masses = [0] * (count + 1)
    for i in range(count):
        if kept[i]:
            rest = unit - up[i] - down[i]
            masses[i] += (kept[i] * (down[i] + rest)) >> bits
            masses[i + 1] += ((kept[i] * up[i] >> bits) * widened) >> scale
    return masses


def _partners(limit: int, most: int, need: int, give: int) -> tuple[int, int]:
    """Return s ≤ limit as large as t ≤ most allows, and t, with t·give·2^GUARD ≥ s·need."""
    if not need:
        return limit, 0
    if not give:
        return 0, 0
    t = -(-limit * need // (give << GUARD))
    if t <= most:
        return limit, t
    return (most * give << GUARD) // need, most


def _fitted(limit: int, wanted: int, need: int, give: int) -> tuple[int, int]:
    """Return s ≤ limit and t ≤ wanted, t as large as s allows, with t·give·2^GUARD ≥ s·need."""
    if not need:
        return limit, 0
    s = min(limit, (wanted * give << GUARD) // need)
    return s, -(-s * need // (give << GUARD)) if s else 0
