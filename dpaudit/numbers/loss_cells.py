"""Lattices of privacy losses, above and below, of one run: from points, or from cells between them.

What keeps each side is said in :mod:`dpaudit.numbers.lattice`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, inf, log

from flint import fmpz_poly

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Ball, ball, fixed_point, precision
from dpaudit.numbers.chains import Chained, chained
from dpaudit.numbers.lattice import LossLattice
from dpaudit.numbers.merging import GUARD, merged
from dpaudit.numbers.real import ZERO, Real

__all__ = [
    "MOST_POINTS",
    "Cell",
    "cells_of",
    "lattice_of_cells",
    "lattice_of_chain",
    "lattice_of_points",
    "on_step",
]


MOST_POINTS = 1 << 21
"""Lattices with more points than this are refused."""

_STARTS = 1, 2, 3, 4, 6, 8
"""Numbers of cells that a chain may begin with as one, where the best of them is sought."""


@dataclass(frozen=True, slots=True)
class Cell:
    """P-mass and Q-mass, as balls, of losses from index·step to (index + width)·step."""

    index: int
    p: Ball
    q: Ball
    width: int = 1


def cells_of(
    atoms: Iterable[tuple[Ball, Ball]], step: Ball, *, above: bool
) -> Iterator[tuple[int, Cell]]:
    """Give each atom (A, B), both positive, as a cell that it lies in for certain, with its index.

    Where the ball of the loss ln(A/B) contains a point of the lattice, the atom is taken to the
    cell over it, A raised to what that takes (above), or to the one under it, A lowered (below).
    """
    for mass, q in atoms:
        low, high = fixed_point(((mass / q).log() / step).floor(), 0)
        index = high if above else low
        if low == high:
            yield index, Cell(index, mass, q)
        else:
            end = q * (step * (high if above else low + 1)).exp()
            yield index, Cell(index, mass.max(end) if above else mass.min(end), q)


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
        # What is on no point may have any loss.
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
    split is linear, so the sums do too.  Below, cells are merged over points
    (:mod:`dpaudit.numbers.merging`).

    Args:
        cells: at most one of each index; each with a loss in its cell for certain.  Below, none
            is wider than a step.
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
    if last - first > MOST_POINTS:
        raise PrecisionError(
            f"the grid of privacy losses needs {last - first} points, and the limit is "
            f"{MOST_POINTS}"
        )
    with precision(bits + 2 * GUARD):
        h, start = step.ball(), offset.ball()
        growth = h.exp()
        lost = 1 - (-h).exp()
        count = max(cell.index + cell.width for cell in held.values()) - first
        downs, ups, kept = [(0, 0)] * count, [(0, 0)] * count, [0] * count
        for index, cell in held.items():
            based = cell.q * (start + h * index).exp()
            up = (cell.p - based) / (lost if cell.width == 1 else 1 - (-h * cell.width).exp())
            down = cell.p - up
            downs[index - first] = _clamped(fixed_point(down, bits))
            ups[index + cell.width - 1 - first] = _clamped(fixed_point(up, bits))
            kept[index - first] = max(0, fixed_point(based, bits)[0])
        if above:
            masses = [high for _, high in downs] + [0]
            for place, (_, high) in enumerate(ups, start=1):
                masses[place] += high
            # A left tail goes up to the first point; below it is left out.
            masses[0] += fixed_point(left, bits)[1]
            for index, mass in (points or {}).items():
                masses[index - first] += fixed_point(mass, bits)[1]
            over = fixed_point(right, bits)[1]
            return LossLattice(True, bits, step, offset, first, fmpz_poly(masses), over)
        masses = merged(
            [high for _, high in downs], [v for v, _ in ups], growth, (kept, growth), bits
        )
        masses[-1] += max(0, fixed_point(right, bits)[0])
        for index, mass in (points or {}).items():
            masses[index - first] += max(0, fixed_point(mass, bits)[0])
        certain = 0 if infinite is None else max(0, fixed_point(infinite, bits)[0])
        return LossLattice(False, bits, step, offset, first, fmpz_poly(masses), certain)


def lattice_of_chain(
    cells: Sequence[Cell], step: Real, bits: int, *, right: Ball, tilt: float | None = None
) -> LossLattice:
    """Return a lattice below a pair whose cells are merged in a chain, whatever their indices.

    Args:
        cells: in the order of their losses.
        step: the distance of two points.
        bits: the scale of the masses.
        right: the P-mass of larger losses than any cell's.
        tilt: the power c of the moment E e^(cl) that is to be large; by default the first cell
            begins the chain alone, which is best for steps that are small beside all losses.
    """
    atoms = [(cell.p, cell.q) for cell in cells]
    starts = (1,) if tilt is None else _STARTS
    chains = [chained(atoms, step, bits, together=count) for count in starts]
    made = [one for one in chains if one is not None]
    if not made:
        raise PrecisionError("no mass is left on a lattice of losses")
    found = made[0]
    if tilt is not None:
        found = max(made, key=lambda one: _moment(one, float(step), tilt))
    first = min(found.masses)
    masses = [0] * (max(found.masses) - first + 1)
    for place, mass in found.masses.items():
        masses[place - first] = mass
    masses[-1] += max(0, fixed_point(right, bits)[0])
    return LossLattice(False, bits, step, found.offset, first, fmpz_poly(masses), 0)


def _moment(chain: Chained, step: float, power: float) -> float:
    """Return about ln Σ m·e^(cl), in floats."""
    terms = [
        log(mass) + power * (float(chain.offset) + step * place)
        for place, mass in chain.masses.items()
        if mass
    ]
    top = max(terms, default=-inf)
    return top + log(sum(exp(term - top) for term in terms)) if terms else top


def on_step(lattice: LossLattice, step: Real) -> LossLattice:
    """Return a lattice on the multiples of another ``step``, on its side.

    Each point is an atom (A, A·e^(−loss)), put into the cell that it lies in.
    """
    cells: dict[int, Cell] = {}
    with precision(lattice.bits + 2 * GUARD):
        unit = Ball(1) / (1 << lattice.bits)
        masses = [int(one) * unit for one in lattice.masses.coeffs()]
        atoms = [
            (mass, mass * (-lattice.loss(place)).exp())
            for place, mass in enumerate(masses)
            if mass > 0
        ]
        for index, cell in cells_of(atoms, step.ball(), above=lattice.above):
            known = cells.get(index)
            cells[index] = (
                cell if known is None else Cell(index, known.p + cell.p, known.q + cell.q)
            )
        infinite = lattice.infinite * unit
    if not cells:
        return replace(lattice, step=step, offset=ZERO, first=0)
    return lattice_of_cells(
        cells.values(),
        step,
        lattice.bits,
        above=lattice.above,
        left=Ball(0),
        right=infinite if lattice.above else Ball(0),
        infinite=infinite,
    )


def _clamped(ends: tuple[int, int]) -> tuple[int, int]:
    return max(0, ends[0]), max(0, ends[1])
