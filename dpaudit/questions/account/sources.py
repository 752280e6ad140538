"""One directed pair of laws (P, Q) as lattices of its privacy loss, above and below.

A pair is known in one of three ways.  A law with a density gives the masses of both sides below any
loss; masses of cells are differences of those.  A law whose losses are multiples of one number,
from some start, has a lattice of its own, where every mass stays in its place.  Any other list of
outputs is first composed exactly for as many runs as it takes until the joint losses are many, so
that merging them costs little, and put into cells then.

Mass that a law does not list counts as infinite loss from above and not at all from below.  A law
that leaves out more than a tail, so that its unlisted mass may lie on the outputs that it lists, is
no subject of these lattices.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, frexp
from typing import Any

import numpy as np

from dpaudit.errors import LawError
from dpaudit.laws.law import Divergence, LossMeasure
from dpaudit.numbers.ball import Ball, certainly_less, nonnegative, precision
from dpaudit.numbers.lattice import LossLattice
from dpaudit.numbers.loss_cells import (
    Cell,
    cells_of,
    lattice_of_cells,
    lattice_of_chain,
    lattice_of_points,
)
from dpaudit.numbers.merging import GUARD
from dpaudit.numbers.real import ZERO, Real, rational
from dpaudit.questions.account.composition import compose, joint_bound
from dpaudit.questions.account.moments import ListedMoments
from dpaudit.questions.account.outcomes import Outcomes, outcomes, spaced

__all__ = ["Listed", "OnLattice", "Source", "Spread", "source_of"]

JOINT = 60_000
"""About how many joint losses a list is composed to before it is put into cells."""

_MULTIPLE = 64
_DEEP = 4000.0
_BISECTIONS = 50
_DRAWN, _LITTLE = 400, Fraction(1, 10**14)


class Source(ABC):
    """One directed pair, as lattices for some number of runs."""

    @property
    def regrids(self) -> bool:
        """True if its lattices can have any step."""
        return True

    @property
    def spacing(self) -> float:
        """About the step of its lattices, where they have one of their own."""
        return 1.0

    @abstractmethod
    def drawn(self) -> tuple[Any, Any]:
        """Return weights and losses in floats, which foretell lengths and prove nothing."""

    @abstractmethod
    def starts(self, runs: int) -> int:
        """Return for how many runs, ``runs`` >> i for some i, the first lattice is made."""

    @abstractmethod
    def block(
        self,
        runs: int,
        step: Fraction,
        tails: tuple[Fraction, Fraction],
        bits: int,
        *,
        above: bool,
        rough: float = 0.0,
    ) -> LossLattice:
        """Return the lattice of ``runs`` runs.

        Args:
            runs: how many, :meth:`starts` or one more.
            step: the distance of two points, where it can be chosen.
            tails: about how much P-mass may be cut on the left and on the right.
            bits: the scale of the masses.
            above: the side.
            rough: cells far from 0 may be as wide as this share of their losses.
        """


@dataclass(frozen=True)
class Spread(Source):
    """A pair with densities."""

    measure: LossMeasure
    cells: dict[Hashable, tuple[Ball, list[Cell], Ball]] = field(default_factory=dict)
    """The last cells, which both sides are made of."""
    floor: float | None = None
    """Loss below which cells are not worth making; None for all of them."""
    tilt: float | None = None
    """The power of e^loss whose mean lattices below are to keep; None where nothing tells."""

    def starts(self, runs: int) -> int:
        """Return 1."""
        return 1

    def above(self, loss: Ball) -> Ball:
        """Return the P-mass of larger losses in one run, atoms counted wherever they are."""
        spread = self.measure.spread()[0] - self.measure.below(loss)[0]
        return sum((p for p, _ in self.measure.atoms()), spread)

    def drawn(self) -> tuple[Any, Any]:
        with precision(64):
            if self.measure.ends is None:
                ends = [x / 1024 for x in self._window(Fraction(1, 1024), (_LITTLE, _LITTLE))]
            else:
                ends = [float(end) for end in self.measure.ends]
            places = np.linspace(ends[0], ends[1], _DRAWN)
            below = np.array([float(self.measure.below(Ball(x))[0]) for x in places])
            weights, losses = np.diff(below), (places[1:] + places[:-1]) / 2
            if self.measure.ends is not None:
                weights = np.append(weights, [float(p) for p, _ in self.measure.atoms()])
                losses = np.append(losses, ends)
        return np.maximum(weights, 0), losses

    def block(
        self,
        runs: int,
        step: Fraction,
        tails: tuple[Fraction, Fraction],
        bits: int,
        *,
        above: bool,
        rough: float = 0.0,
    ) -> LossLattice:
        if runs != 1:
            raise ValueError("for continuous outputs, start with one run")
        h, offset = rational(step), ZERO
        points: dict[int, Ball] | None = None
        with precision(bits + 2 * GUARD):
            if self.measure.ends is None:
                first, last = self._window(step, tails)
            else:  # a lattice that holds the atoms, and does so after some doublings of its step
                offset, high = self.measure.ends
                first, last = 0, _MULTIPLE * ceil(float(high - offset) / float(step) / _MULTIPLE)
                h = (high - offset) / rational(last)
                (low_mass, _), (high_mass, _) = self.measure.atoms()
                points = {first: low_mass, last: high_mass}
            key = h, offset, first, last, bits, rough
            if key not in self.cells:
                self.cells.clear()
                self.cells[key] = self._cut(h, offset, first, last, rough)
            left, cells, right = self.cells[key]
        if not above and points is None:
            return lattice_of_chain(cells, h, bits, right=right, tilt=self.tilt)
        return lattice_of_cells(
            cells, h, bits, above=above, left=left, right=right, offset=offset, points=points
        )

    def _cut(
        self, step: Real, offset: Real, first: int, last: int, rough: float
    ) -> tuple[Ball, list[Cell], Ball]:
        """Return the P-mass before the cells, the cells, and the P-mass after them.

        Cells far from 0 may be as wide as the share ``rough`` of their losses.
        """
        h, start = step.ball(), offset.ball()
        p_all, q_all = self.measure.spread()
        closed = self.measure.ends is not None
        p, q = (Ball(0), Ball(0)) if closed else self.measure.below(start + h * first)
        left, cells = p, []
        index = first
        while index < last:
            width = 1 if closed else _width(index, last, rough)
            whole = closed and index == last - 1
            p_next, q_next = (
                (p_all, q_all) if whole else self.measure.below(start + h * (index + width))
            )
            cells.append(Cell(index, p_next - p, q_next - q, width))
            p, q, index = p_next, q_next, index + width
        return left, cells, p_all - p

    def _window(self, step: Fraction, tails: tuple[Fraction, Fraction]) -> tuple[int, int]:
        """Return where to begin and to end; any place is sound, these are good ones."""
        # masses as small as the tails have to show beside 1
        with precision(128 + max(0, 2 - frexp(float(min(tails)))[1])):
            total = float(self.measure.spread()[0])

            def beyond(loss: float, *, left: bool) -> bool:
                p, _ = self.measure.below(Ball(loss))
                part = p if left else self.measure.spread()[0] - p
                return float(part) <= float(tails[0 if left else 1]) * total

            ends = []
            for left in (True, False):
                towards = -1.0 if left else 1.0
                near, far = 0.0 if not beyond(0.0, left=left) else -towards * _DEEP, towards * 1e-6
                while far * towards < _DEEP and not beyond(far, left=left):
                    near, far = far, 2 * far
                for _ in range(_BISECTIONS):
                    middle = (near + far) / 2
                    if beyond(middle, left=left):
                        far = middle
                    else:
                        near = middle
                ends.append(far)
        low = ends[0] if self.floor is None else max(ends[0], self.floor)
        first = int(low // float(step)) - 1
        return first, max(first + 1, int(ends[1] // float(step)) + 2)


def _width(index: int, last: int, rough: float) -> int:
    """Return how many points wide a cell that begins at ``index`` is, which never reaches over 0.

    Large losses are rare, and matter by how far they are from 0.
    """
    width = min(int(rough * max(index, -index)), last - index)
    return max(1, min(width, -index) if index < 0 else width)


@dataclass(frozen=True)
class OnLattice(Source):
    """A pair whose finite losses are offset + index·step."""

    step: Real
    offset: Real
    points: dict[int, Ball]
    """The P-mass of each index."""
    infinite: Ball
    """The P-mass that is certainly of infinite loss."""
    complete: bool
    """True if the points and the infinite loss hold all P-mass."""

    @property
    def regrids(self) -> bool:
        return False

    @property
    def spacing(self) -> float:
        return float(self.step)

    def starts(self, runs: int) -> int:
        """Return 1."""
        return 1

    def drawn(self) -> tuple[Any, Any]:
        places, weights = np.array(list(self.points)), [float(p) for p in self.points.values()]
        return np.array(weights), float(self.offset) + places * self.spacing

    def block(
        self,
        runs: int,
        step: Fraction,
        tails: tuple[Fraction, Fraction],
        bits: int,
        *,
        above: bool,
        rough: float = 0.0,
    ) -> LossLattice:
        return lattice_of_points(
            self.points,
            self.step,
            self.offset,
            bits,
            above=above,
            infinite=self.infinite,
            complete=self.complete,
        )


@dataclass(frozen=True)
class Listed(Source):
    """A pair with finitely many different losses of no lattice."""

    one: Outcomes
    forward: bool

    def starts(self, runs: int) -> int:
        """Return the most runs that few joint losses are for, and one more."""
        start = runs
        while start > 1 and joint_bound(self.one, start + (runs % start != 0)) > JOINT:
            start //= 2
        return start

    def drawn(self) -> tuple[Any, Any]:
        return ListedMoments(self.one, self.forward).drawn

    def block(
        self,
        runs: int,
        step: Fraction,
        tails: tuple[Fraction, Fraction],
        bits: int,
        *,
        above: bool,
        rough: float = 0.0,
    ) -> LossLattice:
        with precision(bits + 2 * GUARD):
            one = self.one.as_balls()
            table = compose(one, runs, limit=1 << 22).table
            sides = [(p, q) if self.forward else (q, p) for p, q in table]
            lacking = one.only_p if self.forward else one.only_q
            held: Ball = sum((x.p if self.forward else x.q for x in one.finite), Ball(0))
            outside = nonnegative(1 - held**runs)
            if self.one.kind != "ball" and not certainly_less(Ball(0), lacking):
                outside = Ball(0)
            certain = (held + lacking) ** runs - held**runs
            atoms, zero = [], Ball(0)
            for p, q in sides:  # what is not known of a mass goes to its side
                a, b = (p.upper(), q.lower()) if above else (p.lower(), q.upper())
                if certainly_less(zero, a) and certainly_less(zero, b):
                    atoms.append((a, b))
                elif above and certainly_less(zero, a):
                    outside += a
            if not atoms:
                raise LawError("none of the listed outputs has a finite privacy loss")
            cells: dict[int, Cell] = {}
            h = rational(step).ball()
            for index, atom in cells_of(atoms, h, above=above):
                known = cells.get(index)
                cells[index] = (
                    atom if known is None else Cell(index, known.p + atom.p, known.q + atom.q)
                )
            return lattice_of_cells(
                list(cells.values()),
                rational(step),
                bits,
                above=above,
                left=Ball(0),
                right=outside if above else Ball(0),
                infinite=certain,
            )


def source_of(divergence: Divergence, *, forward: bool, listed: Outcomes | None = None) -> Source:
    """Return the source of a pair, in the direction P to Q or the other.

    ``listed`` are its outcomes, where they are known already.

    Raises ``LawError`` for a law of which not enough is listed.
    """
    measure = divergence.loss_measure(forward=forward)
    if measure is not None:
        return Spread(measure)
    one = outcomes(divergence) if listed is None else listed
    if not one.finite:
        raise LawError("the two output distributions have no output in common")
    found = spaced(divergence, forward=forward)
    if found is not None:
        step, offset, places = found
        points: dict[int, Ball] = {}
        for place, p, _ in places:
            points[place] = points[place] + p if place in points else p
        lacking = one.only_p if forward else one.only_q
        return OnLattice(step, offset, points, lacking, one.kind != "ball")
    return Listed(one, forward)
