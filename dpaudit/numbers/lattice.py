"""Privacy losses on a lattice: two-sided composition in integers.

A pair of finite measures (P, Q) matters to composition through H(a) = ∫ (dP − a·dQ)₊, a ≥ 0, alone.
Here P and Q live on the points of a lattice of losses: the point of loss l with P-mass m has the
Q-mass m·e^(−l), so one list of P-masses is the pair, and the infinity atom is P-mass that Q lacks.
H is then a sum of m·(1 − a·e^(−l))₊, which grows with every m.

A lattice *above* a pair has H at least that of the pair for every a ≥ 0, one *below* at most.  Why
each step keeps its side:

* *Products.*  H of (P × R, Q × S) at a is Σ over atoms (r, s) of (R, S) with r > 0 of r·H(a·s/r),
  so a pair above (below) another stays so when both are multiplied by the same pair, and by
  transitivity when the factors too are moved to the same side.  On a lattice the product of the
  points i and j is exactly the point i + j with the product of the masses.
* *Rounding.*  Masses are integers over 2^bits.  H grows with every mass: round up above, down
  below.
* *Splitting* an atom (A, B) onto two points with the same totals A and B raises H, because
  (x, y) ↦ (x − a·y)₊ is convex and homogeneous: above.
* *Merging* atoms (A, B), (A′, B′) to (A + A′, B + B′) lowers H for the same reason: below.  So
  does lowering A, or raising B, or leaving an atom out; lowering B or raising A belongs above.
* *Windows.*  A right tail goes to the infinity atom above (B lowered to 0) and to the last point
  below (B raised).  A left tail goes to the first point above (B lowered); below it is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

from flint import fmpz_poly

from dpaudit.numbers.ball import Ball, ball, fixed_point, precision
from dpaudit.numbers.merging import GUARD, merged
from dpaudit.numbers.real import Real, rational

__all__ = ["LossLattice"]


def _shift(value: int, bits: int, *, above: bool) -> int:
    """Return value/2^bits rounded up (above) or down."""
    return -(-value >> bits) if above else value >> bits


def _shifted(masses: Any, bits: int, *, above: bool) -> Any:
    """Return every coefficient, none negative, over 2^bits, rounded up (above) or down.

    ``//`` by a constant rounds coefficients that are not negative down; of negative polynomials it
    drops leading ones that are smaller than the constant, so that rounding up adds first.
    """
    if above:
        length = int(masses.length())
        masses = masses + _ones(length.bit_length()).truncate(length) * ((1 << bits) - 1)
    return masses // (1 << bits)


@lru_cache(maxsize=2)
def _ones(bits: int) -> Any:
    """Return 1 + x + …, of 2^bits terms; made once: long lists are slow to take in."""
    return fmpz_poly([1] * (1 << bits))


@dataclass(frozen=True)
class LossLattice:
    """A pair of measures on the losses offset + (first + j)·step, j = 0, 1, …

    ``masses`` and ``infinite`` are P-masses times 2^bits.
    """

    above: bool
    """True if H is at least that of the true pair, False if at most."""
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
        c·e^h/(1 + e^h) up and c/(1 + e^h) down keep both totals.  Below, atoms are merged over even
        points (:mod:`dpaudit.numbers.merging`).
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
                whole = fixed_point(share, self.bits + GUARD)[1]
                part = _shifted(one * whole, self.bits + GUARD, above=True)
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
                    merged(cells, cells, growth, (kept, growth * growth), self.bits)
                )
        return replace(self, step=self.step * rational(2), first=start, masses=found)

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
        it is δ at ε = l + ln((I + S − δ)/T).  Every J gives a lower bound, and the point after ε
        gives ε itself; above, the result is not taken below the point before.
        """
        with precision(self.bits + 2 * GUARD):
            wanted = delta.ball() * (1 << self.bits)
            low, high = fixed_point(wanted, 0)
            # The side on which ε comes out larger above, and smaller below.
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
            found = ball(0)
            for place in (max(0, start - 1), start):
                over = self.infinite + sums[place] - wanted
                if over > 0 and weighted[place] > 0:
                    found = found.max(self.loss(place) + (over / weighted[place]).log())
                # ``over`` is a ball: what is not certainly 0 or less counts above.
                elif self.above and not over <= 0:
                    found = found.max(self.loss(place))
            if self.above and start:
                found = found.max(self.loss(start - 1))
            return found
