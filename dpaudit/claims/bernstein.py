"""Positivity on a box, by Bernstein coefficients in exact rational arithmetic.

On a box a polynomial is a combination of Bernstein polynomials Π C(d, i)·u^i·(1 − u)^(d − i), u
running from 0 to 1 in each direction.  These are ≥ 0 and add up to 1, so the polynomial is at
least its least coefficient.  Where that is negative the box is halved; the coefficients of the
halves are averages of those of the whole (de Casteljau's algorithm).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb
from typing import TYPE_CHECKING, ClassVar

from dpaudit.claims.claim import Evidence, EvidenceResult, Settings, Status
from dpaudit.claims.formula import polynomial_of
from dpaudit.claims.polynomial import Polynomial, constant, variable

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BoxCertificate"]

Grid = dict[tuple[int, ...], Fraction]
"""Bernstein coefficients by their index in each direction."""


@dataclass(frozen=True, kw_only=True)
class BoxCertificate(Evidence):
    """``positive`` ≥ 0 (> 0 with ``strict``) on the whole box, its boundary included."""

    kind: ClassVar[str] = "positivity certificate"

    positive: str
    """The polynomial."""
    box: Mapping[str, tuple[str, str]]
    """The least and the largest value of each of its variables."""
    strict: bool = False
    """Whether > 0 is claimed, or only ≥ 0."""
    depth: int = 24
    """How often a box may be halved before it counts as undecided."""

    def check(self, settings: Settings) -> EvidenceResult:
        unbounded = polynomial_of(self.positive).variables() - self.box.keys()
        if unbounded:
            return EvidenceResult(
                Status.FAILS, f"no range is given for {', '.join(sorted(unbounded))}"
            )
        boxes = 0
        waiting = [(self.coefficients(), 0)]
        while waiting:
            grid, halved = waiting.pop()
            corner = min(value for index, value in grid.items() if _is_corner(index, grid))
            if corner < 0 or (self.strict and corner == 0):
                return EvidenceResult(Status.FAILS, f"the value {float(corner):.3g} occurs")
            least = min(grid.values())
            if least > 0 or (least == 0 and not self.strict):
                boxes += 1
            elif halved == self.depth:
                return EvidenceResult(Status.UNDECIDED, f"not decided after {halved} halvings")
            else:
                waiting.extend((half, halved + 1) for half in _halves(grid, halved))
        sign = ">" if self.strict else "≥"
        return EvidenceResult(Status.HOLDS, f"{boxes} boxes, every Bernstein coefficient {sign} 0")

    def coefficients(self) -> Grid:
        """Return the Bernstein coefficients on the whole box."""
        names = sorted(self.box)
        ends = {name: (Fraction(low), Fraction(high)) for name, (low, high) in self.box.items()}
        unit: Mapping[str, Polynomial] = {
            name: constant(low) + constant(high - low) * variable(name)
            for name, (low, high) in ends.items()
        }
        terms = {
            tuple(dict(monomial).get(name, 0) for name in names): q
            for monomial, q in polynomial_of(self.positive).substitute(unit).terms
        }
        degrees = [max((powers[axis] for powers in terms), default=0) for axis in range(len(names))]
        grid: Grid = {}
        for index in product(*(range(degree + 1) for degree in degrees)):
            grid[index] = sum(
                (
                    q * _share(powers, index, degrees)
                    for powers, q in terms.items()
                    if all(p <= i for p, i in zip(powers, index, strict=True))
                ),
                Fraction(0),
            )
        return grid

    def explain(self) -> str:
        ranges = ", ".join(f"{low} ≤ {name} ≤ {high}" for name, (low, high) in self.box.items())
        return f"{self.positive} {'>' if self.strict else '≥'} 0 for {ranges}"


def _share(powers: tuple[int, ...], index: tuple[int, ...], degrees: list[int]) -> Fraction:
    """Return the coefficient at ``index`` of the monomial u^powers."""
    share = Fraction(1)
    for power, i, degree in zip(powers, index, degrees, strict=True):
        share *= Fraction(comb(i, power), comb(degree, power))
    return share


def _is_corner(index: tuple[int, ...], grid: Grid) -> bool:
    last = max(grid)
    return all(i in (0, end) for i, end in zip(index, last, strict=True))


def _halves(grid: Grid, halved: int) -> tuple[Grid, Grid]:
    """Return the coefficients on the lower and the upper half, along the axes in turn."""
    last = max(grid)
    axes = [axis for axis, end in enumerate(last) if end]
    if not axes:
        return grid, grid
    axis = axes[halved % len(axes)]
    end = last[axis]
    lower, upper, current = {}, {}, dict(grid)
    for step in range(end + 1):
        for index, value in current.items():
            if index[axis] == step:
                lower[index] = value
            if index[axis] == end:
                upper[*index[:axis], end - step, *index[axis + 1 :]] = value
        current = {
            index: (current[*index[:axis], index[axis] - 1, *index[axis + 1 :]] + value) / 2
            for index, value in current.items()
            if index[axis] > step
        }
    return lower, upper
