"""Runs of whole numbers on which the loss of two laws rises or falls, as of geometric ones.

Between the counts of two datasets one law falls and the other rises, so that every number has a
loss of its own.  Of geometric laws it is linear in k, and of two remainders of one noise the
quotient is (A·s + B)/(C·s + D) in s = t^(2k).  So it is largest at an end of such a run, and the
numbers of loss above ε are those before one number, or from it on.

The two ends are cells of their own where the laws are compared cell by cell, and what lies between
them is one cell.  Here its part is taken out and that of its numbers put in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ParameterError
from dpaudit.laws.law import Atom, Divergence, Loss, Mass
from dpaudit.numbers.ball import Ball, certainly_less_or_equal, maximum
from dpaudit.numbers.real import Real

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from dpaudit.programs.output_laws.normal_tails import NormalNumber
    from dpaudit.programs.zones.integrals import Weight

__all__ = ["CrossedDivergence", "Crossing"]

_MOST_LISTED = 100_000
"""A run of more numbers is not listed, one by one, for a privacy curve."""


@dataclass(frozen=True)
class Crossing:
    """The numbers of a lattice from a first one to a last, under two laws."""

    laws: tuple[tuple[Weight, NormalNumber], tuple[Weight, NormalNumber]]
    """Weight and law of P, and of Q."""
    first: int
    last: int
    step: int
    label: Hashable
    """The output by which a comparison of cells knows them."""
    shown: Callable[[Any], Hashable]
    """Gives the output that has a number in its open place."""

    @property
    def count(self) -> int:
        """Return how many numbers there are."""
        return (self.last - self.first) // self.step + 1

    def mass(self, low: int, high: int, *, of_p: bool) -> Ball:
        """Return the probability of the numbers from one place to another, both included."""
        if low > high:
            return Ball(0)
        weight, factor = self.laws[not of_p]
        cell = self.first + low * self.step, self.first + high * self.step
        return _ball(weight) * _ball(factor.mass(cell))

    def loss(self, place: int, *, forward: bool) -> Ball:
        """Return the loss of the number at a place."""
        p, q = (self.mass(place, place, of_p=of_p) for of_p in (forward, not forward))
        return (p / q).log()

    def over(self, low: int, high: int, factor: Ball, *, forward: bool) -> Ball:
        """Return P − factor·Q of the numbers from one place to another."""
        p, q = (self.mass(low, high, of_p=of_p) for of_p in (forward, not forward))
        return p - factor * q

    def excess(self, factor: Ball, *, forward: bool) -> Ball:
        """Return Σ over the run of (P − factor·Q)₊."""
        limit = factor.log()
        losses = [self.loss(place, forward=forward) for place in (0, self.count - 1)]
        rises = float(losses[1]) > float(losses[0])

        def is_above(place: int) -> bool:
            return certainly_less_or_equal(limit, self.loss(place, forward=forward))

        def is_below(place: int) -> bool:
            return certainly_less_or_equal(self.loss(place, forward=forward), limit)

        before, after = (is_below, is_above) if rises else (is_above, is_below)
        low = self._first(lambda place: not before(place))
        high = max(low, self._first(after))
        above = (high, self.count - 1) if rises else (0, low - 1)
        total = self.over(*above, factor, forward=forward).max(Ball(0))
        if low == high:
            return total
        # On which side of ε the loss is between the two is not certain.
        least = self.over(low, high - 1, factor, forward=forward).max(Ball(0))
        top = maximum([self.loss(place, forward=forward) for place in (low, high - 1)]).upper()
        share = (-(limit - top).expm1()).max(Ball(0))
        return total + least.union(self.mass(low, high - 1, of_p=forward) * share)

    def _first(self, holds: Callable[[int], bool]) -> int:
        """Return the first place from which on something holds; the count for none."""
        low, high = 0, self.count
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle + 1, high)
        return low


class CrossedDivergence(Divergence):
    """Comparison of two laws cell by cell, with runs whose numbers have different losses."""

    def __init__(self, cells: Divergence, crossings: Sequence[Crossing]) -> None:
        """Take the comparison in which each run is one cell, between cells of its neighbours."""
        self.cells = cells
        self.crossings = crossings

    def max_loss(self, *, forward: bool) -> Loss:
        """Return the largest loss, which no number of a run has: its neighbours do."""
        return self.cells.max_loss(forward=forward)

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        return self.cells.loss_at(output, forward=forward)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        found = self.cells.hockey_stick(epsilon, forward=forward)
        factor, total = epsilon.exp().ball(), found.ball
        for run in self.crossings:
            whole = run.over(0, run.count - 1, factor, forward=forward)
            total += run.excess(factor, forward=forward) - whole.max(Ball(0))
        return Mass(total.max(Ball(0)), None)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        """Iterate over the cells, and over the numbers of runs in place of theirs."""
        runs = {run.label: run for run in self.crossings}
        if sum(run.count for run in self.crossings) > _MOST_LISTED:
            raise ParameterError(
                "curve",
                f"listing every privacy loss would need more than {_MOST_LISTED} outputs, which "
                "is the limit; clamp the output to a smaller range, or ask for δ at chosen ε "
                "(--at-eps)",
            )
        for atom in self.cells.atoms(forward=forward):
            run = runs.get(atom.output)
            if run is None:
                yield atom
                continue
            for place in range(run.count):
                p, q = (run.mass(place, place, of_p=of_p) for of_p in (forward, not forward))
                yield Atom(p, q, run.shown(run.first + place * run.step))


def _ball(weight: Weight) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight
