"""Runs of whole numbers on which two geometric laws differ: the loss is linear there.

Between the counts of two datasets one law falls and the other rises, so that every number has a
loss of its own.  On such a run the logarithm of P(k)/Q(k) is linear in k: it is largest at an end,
and the numbers of loss above ε are those before one number, or from it on.

The two ends are cells of their own where the laws are compared cell by cell, and what lies between
them is one cell.  Here its part is taken out and that of its numbers put in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ParameterError
from dpaudit.laws.law import Atom, Divergence, Loss, Mass
from dpaudit.numbers.ball import Ball, PrecisionNeeded, certainly_less_or_equal, maximum
from dpaudit.numbers.real import Real

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from dpaudit.programs.integrals import Weight
    from dpaudit.programs.normal_tails import NormalNumber

__all__ = ["CrossedDivergence", "Crossing"]

_MOST_STEPS = 64
"""Numbers around an estimate that are tried, before more precision is asked for."""
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
        end = self.count - 1
        limit = factor.log()
        ends = [self.loss(place, forward=forward) for place in (0, end)]
        if all(certainly_less_or_equal(one, limit) for one in ends):
            return Ball(0)
        if all(certainly_less_or_equal(limit, one) for one in ends):
            return self.over(0, end, factor, forward=forward).max(Ball(0))
        rises = float(ends[1]) > float(ends[0])
        low, high = self._change(limit, ends, forward=forward)
        gains = [
            self.over(place, end, factor, forward=forward)
            if rises
            else self.over(0, place - 1, factor, forward=forward)
            for place in range(low, high + 1)
        ]
        return maximum([Ball(0), *gains])

    def _change(self, limit: Ball, ends: Sequence[Ball], *, forward: bool) -> tuple[int, int]:
        """Return two places: before the first, and from the second on, it is certain what is above.

        The first is 0 and the second the count where that holds of no number.
        """
        rises = float(ends[1]) > float(ends[0])
        share = float(limit - ends[0]) / float(ends[1] - ends[0])
        about = min(max(math.floor(share * (self.count - 1)), 0), self.count - 1)

        def is_before(place: int) -> bool:
            loss = self.loss(place, forward=forward)
            return certainly_less_or_equal(*((loss, limit) if rises else (limit, loss)))

        def is_after(place: int) -> bool:
            loss = self.loss(place, forward=forward)
            return certainly_less_or_equal(*((limit, loss) if rises else (loss, limit)))

        low = high = about
        for _ in range(_MOST_STEPS):
            if low == 0 or is_before(low - 1):
                break
            low -= 1
        else:
            raise PrecisionNeeded("neighbouring numbers are not told apart by their loss")
        for _ in range(_MOST_STEPS):
            if high == self.count or is_after(high):
                return low, high
            high += 1
        raise PrecisionNeeded("neighbouring numbers are not told apart by their loss")


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
                "curve", f"over {_MOST_LISTED} numbers have losses of their own, one by one"
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
