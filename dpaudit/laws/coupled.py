"""The joint density of numbers that depend on one another through their least or largest.

Sparse vector that prints the answers above a hidden noisy threshold has the density
Π fᵢ(vᵢ)·G(min v), where G is the distribution function of the threshold.  Where the i-th number is
the least, v, each other one is free above it, so the supremum of the log ratio over the others is a
function of v alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from dpaudit.errors import LawError
from dpaudit.laws.parts import Part
from dpaudit.laws.suprema import Peak, largest_ratio, trend
from dpaudit.numbers.ball import Ball, contenders, maximum
from dpaudit.numbers.expsum import EXPSUM_ONE, ExpSum
from dpaudit.numbers.piecewise import Piecewise, constant
from dpaudit.numbers.real import Real

__all__ = ["Coupled"]


@dataclass(frozen=True, eq=False)
class Coupled(Part):
    """Densities of numbers times a function of the least, or largest, of them."""

    lines: tuple[Piecewise, ...]
    """The factor of each number, in v = number + shift."""
    reach: Piecewise
    """The factor of the least v, or the largest."""
    shifts: tuple[Fraction, ...]
    least: bool
    rate: Real
    mark: int = field(init=False, repr=False)
    """A hash of all of it."""

    def __post_init__(self) -> None:
        """Take the hash once."""
        functions = tuple(
            (one.breaks, *(frozenset(piece.items()) for piece in one.pieces))
            for one in (*self.lines, self.reach)
        )
        # Long sums are hashed once; the class is frozen.
        object.__setattr__(self, "mark", hash((functions, self.shifts, self.least, self.rate)))

    def __hash__(self) -> int:
        """Return the hash that was taken."""
        return self.mark

    def __eq__(self, other: object) -> bool:
        """Compare the functions, exactly."""
        if self is other or not isinstance(other, Coupled):
            return self is other
        mine = (self.mark, self.shifts, self.least, self.rate, self.lines, self.reach)
        return mine == (
            *(other.mark, other.shifts, other.least),
            *(other.rate, other.lines, other.reach),
        )

    def mass(self) -> Ball:
        """Return the integral: over the one that is the least, and the others beyond it."""
        total = Ball(0)
        for place in range(len(self.lines)):
            found = self.lines[place] * self.reach
            for other, line in enumerate(self.lines):
                if other != place:
                    below = line.cumulative()
                    minus = constant(-EXPSUM_ONE)
                    found *= constant(line.integral()) + below * minus if self.least else below
            total += found.integral().ball(self.rate)
        return total

    def peak(self, other: Part) -> Peak:
        if (
            not isinstance(other, Coupled)
            or other.rate != self.rate
            or (other.shifts, other.least) != (self.shifts, self.least)
        ):
            raise LawError(
                "the numbers in an output depend on each other differently at two neighbouring "
                "datasets; dpaudit cannot compare such densities"
            )
        pairs = list(zip(self.lines, other.lines, strict=True))
        found = [  # of numbers with the same densities one stands for all
            self._with_least(other, place)
            for place, pair in enumerate(pairs)
            if pair not in pairs[:place]
        ]
        for peak in found:
            if peak.infinite:
                return peak
        best = [found[index] for index in contenders([peak.ball for peak in found])]
        if len({peak.forms for peak in best}) == 1 or len(best) == 1:
            return best[0]
        same = all(
            peak.forms is not None
            and best[0].forms is not None
            and peak.forms[0] * best[0].forms[1] == peak.forms[1] * best[0].forms[0]
            for peak in best
        )
        return best[0] if same else Peak(maximum(p.ball for p in best), None, best[0].where)

    def _with_least(self, other: Coupled, place: int) -> Peak:
        """Return the supremum where the number at ``place`` is the least, or the largest."""
        above, below = self.lines[place] * self.reach, other.lines[place] * other.reach
        forms: tuple[ExpSum, ExpSum] | None = (EXPSUM_ONE, EXPSUM_ONE)
        loss, floor = Ball(0), Ball(0)
        for index, (p, q) in enumerate(zip(self.lines, other.lines, strict=True)):
            if index == place or p == q:
                continue
            going = trend(p, q, self.rate)
            if going is not None and (going >= 0) != self.least:
                # It is largest next to the least number: the supremum is its value there.
                above, below = above * p, below * q
                continue
            peak = largest_ratio(p, q, self.rate)
            if peak.infinite:
                return peak
            loss += peak.ball
            forms = (
                (forms[0] * peak.forms[0], forms[1] * peak.forms[1])
                if forms is not None and peak.forms is not None
                else None
            )
            if going is None:
                forms = None
                floor -= Ball(0).union(abs(peak.ball) + abs(largest_ratio(q, p, self.rate).ball))
        first = largest_ratio(above, below, self.rate)
        if first.infinite:
            return first
        both = None
        if forms is not None and first.forms is not None:
            both = forms[0] * first.forms[0], forms[1] * first.forms[1]
        return Peak(first.ball + loss + floor, both, first.where)

    def excess(self, other: Part, factor: Ball) -> Ball | None:
        return None
