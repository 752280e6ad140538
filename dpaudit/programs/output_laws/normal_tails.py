"""Tails of normal noise on whole numbers: the loss grows, or falls, from each number to the next.

Normal noise of one standard deviation, rounded to a lattice, around two means: P(k)/Q(k) is
monotone in k, because normal densities have monotone likelihood ratios and rounding keeps that
(Lehmann and Romano 2005, §3.4); so has discrete Gaussian noise, where the loss is linear.  From a
number on, outwards, the numbers of loss above ε are therefore all from a first one on, or all
before one, and Σ (P − e^ε·Q)₊ over the tail is the largest of P − e^ε·Q over such sets.

What surrounds the tails is compared cell by cell, with each tail as one cell; here the cell's part
is taken out and that of its numbers put in.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from dpaudit.laws.law import Atom, Divergence, Loss, Mass, infinite_loss
from dpaudit.numbers.ball import (
    Ball,
    PrecisionNeeded,
    certainly_less,
    maximum,
    working_precision,
)
from dpaudit.numbers.real import Real
from dpaudit.programs.output_laws.printed_draws import Decimals

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from dpaudit.programs.zones.integrals import Weight

__all__ = ["Tail", "TailedDivergence"]

_MOST_STEPS = 64
"""Numbers around an estimate that are tried, before more precision is asked for."""
_MOST_NUMBERS = 1_000_000
_MORE_BITS = 16


class NormalNumber(Protocol):
    """A whole number a·Z + c, where Z is normal noise that was rounded, or discrete."""

    @property
    def a(self) -> Any:
        """The factor of Z."""

    def mass(self, cell: tuple[int | None, int | None]) -> Weight:
        """Return the probability that it lies in a cell."""

    def mean(self) -> Fraction:
        """Return its mean, less what rounding adds to all of one lattice."""

    def width(self) -> float:
        """Return about its standard deviation."""


def _ball(weight: Weight) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight


@dataclass(frozen=True)
class Tail:
    """Whole numbers of a lattice from a first one on, without an end, under two laws."""

    laws: tuple[tuple[Weight, NormalNumber], tuple[Weight, NormalNumber]]
    """Weight and law of P, and of Q: normal noise of one width, around means that differ."""
    first: int
    """The first number of the lattice, seen from the middle."""
    up: bool
    """True if the numbers grow outwards."""
    label: Hashable
    """The output by which a comparison of cells knows the tail."""
    shown: Callable[[Any], Hashable]
    """Gives the output that has a number in its open place."""
    unit: int
    """Number of steps of the lattice in a whole number of the output."""

    @property
    def step(self) -> int:
        """Return the distance of neighbouring numbers, negative where they fall outwards."""
        width = abs(int(self.laws[0][1].a))
        return width if self.up else -width

    def number(self, place: int) -> int:
        """Return the number at a place, 0 for the first."""
        return self.first + place * self.step

    def mass(self, place: int, *, of_p: bool) -> Ball:
        """Return the probability of the number at a place."""
        weight, factor = self.laws[not of_p]
        number = self.number(place)
        return _ball(weight) * _ball(factor.mass((number, number)))

    def beyond(self, place: int, *, of_p: bool) -> Ball:
        """Return the probability of the numbers from a place on."""
        weight, factor = self.laws[not of_p]
        number = self.number(place)
        cell = (number, None) if self.up else (None, number)
        return _ball(weight) * _ball(factor.mass(cell))

    def grows(self, *, forward: bool) -> bool:
        """Tell whether the loss grows outwards; else it falls."""
        p, q = (factor.mean() for _, factor in self.laws)
        return ((p > q) == self.up) == forward

    def loss(self, place: int, *, forward: bool) -> Ball:
        """Return the loss of the number at a place."""
        p, q = (self.mass(place, of_p=of_p) for of_p in (forward, not forward))
        return (p / q).log()

    def excess(self, factor: Ball, *, forward: bool) -> Ball:
        """Return Σ over the tail of (P − factor·Q)₊."""
        sides = (forward, not forward)
        rises = self.grows(forward=forward)

        def is_above(place: int) -> bool | None:
            p, q = (self.mass(place, of_p=of_p) for of_p in sides)
            if certainly_less(factor * q, p):
                return True
            return False if certainly_less(p, factor * q) else None

        def gain(place: int) -> Ball:
            p, q = (self.beyond(place, of_p=of_p) for of_p in sides)
            return p - factor * q

        low, high = self._change(is_above, factor, rises=rises, forward=forward)
        places = range(low, (low + _MOST_STEPS if high is None else high) + 1)
        whole = None if rises else gain(0)
        gains = [gain(place) if whole is None else whole - gain(place) for place in places]
        found = maximum([Ball(0), *gains])
        if high is None:  # the numbers farther out may add as much as they have under P
            found = found.union(found + self.beyond(places[-1], of_p=sides[0]))
        return found

    def _change(
        self,
        is_above: Callable[[int], bool | None],
        factor: Ball,
        *,
        rises: bool,
        forward: bool,
    ) -> tuple[int, int | None]:
        """Return two places: up to the first, and from the second on, it is certain what is above.

        The second is None where numbers are too improbable to tell.
        """
        start = self._about(factor, forward=forward)
        low = high = start
        for _ in range(_MOST_STEPS):
            if low == 0 or (is_above(low - 1) is not rises and is_above(low - 1) is not None):
                break
            low = max(0, low - 1)
        else:
            raise PrecisionNeeded(
                "the bounds on the privacy losses of neighbouring outputs overlap"
            )
        for _ in range(_MOST_STEPS):
            if is_above(high) is rises:
                return low, high
            high += 1
        return low, None

    def _about(self, factor: Ball, *, forward: bool) -> int:
        """Return about the place where the loss passes the logarithm of ``factor``."""
        (weight_p, p), (weight_q, q) = self.laws if forward else self.laws[::-1]
        ratio = float((factor * _ball(weight_q) / _ball(weight_p)).log().mid())
        width, means = p.width(), (float(p.mean()), float(q.mean()))
        at = sum(means) / 2 + ratio * width**2 / (means[0] - means[1])
        place = (at - self.first) / self.step
        return max(0, math.floor(place)) if math.isfinite(place) else 0


class TailedDivergence(Divergence):
    """Comparison of two laws cell by cell, with tails whose numbers have different losses."""

    def __init__(self, cells: Divergence, tails: Sequence[Tail]) -> None:
        """Take the comparison in which each tail is one cell."""
        self.cells = cells
        self.tails = tails

    def max_loss(self, *, forward: bool) -> Loss:
        for tail in self.tails:
            if tail.grows(forward=forward):
                return infinite_loss(tail.shown("towards ∞" if tail.up else "towards −∞"))
        whole = self.cells.max_loss(forward=forward)
        losses = [whole] if whole.infinite else [whole, *self._first_losses(forward=forward)]
        best = max(losses, key=lambda loss: float(loss.ball.mid()))
        if len(losses) == 1 or all(
            loss is best or certainly_less(loss.ball, best.ball) for loss in losses
        ):
            return best
        return Loss(maximum(loss.ball for loss in losses), None, best.output)

    def _first_losses(self, *, forward: bool) -> Iterator[Loss]:
        """Iterate over the losses next to the middle, the largest of tails where they fall."""
        for tail in self.tails:
            yield Loss(tail.loss(0, forward=forward), None, tail.shown(tail.first))

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        for tail in self.tails:
            place = self._place(tail, output)
            if place is not None:
                return Loss(tail.loss(place, forward=forward), None, output)
        return self.cells.loss_at(output, forward=forward)

    @staticmethod
    def _place(tail: Tail, output: Hashable) -> int | None:
        """Return the place in a tail of the number that an output has; None where it has none."""
        for number in _numbers(output):
            place = (number * tail.unit - tail.first) / tail.step
            if place >= 0 and place.denominator == 1 and tail.shown(number) == output:
                return int(place)
        return None

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        found = self.cells.hockey_stick(epsilon, forward=forward)
        factor, total = epsilon.exp().ball(), found.ball
        for tail in self.tails:
            p, q = (tail.beyond(0, of_p=of_p) for of_p in (forward, not forward))
            total += tail.excess(factor, forward=forward) - (p - factor * q).max(Ball(0))
        return Mass(total.max(Ball(0)), None)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        """Iterate over the cells, and over the numbers of tails until hardly anything is left.

        What is left of a tail is one atom, whose masses are known to be below its own alone.
        """
        tails = {tail.label: tail for tail in self.tails}
        for atom in self.cells.atoms(forward=forward):
            tail = tails.get(atom.output)
            if tail is None:
                yield atom
                continue
            place, little = 0, Ball(2) ** -(working_precision() + _MORE_BITS)
            while place < _MOST_NUMBERS:
                p, q = (tail.mass(place, of_p=of_p) for of_p in (forward, not forward))
                yield Atom(p, q, tail.shown(tail.number(place)))
                place += 1
                p, q = (tail.beyond(place, of_p=of_p) for of_p in (forward, not forward))
                if certainly_less(p, little) and certainly_less(q, little):
                    break
            yield Atom(Ball(0).union(p), Ball(0).union(q), tail.label)


def _numbers(output: Any) -> Iterator[Fraction]:
    """Iterate over the numbers in an output."""
    if isinstance(output, tuple):
        for part in output:
            yield from _numbers(part)
    elif type(output) is Decimals:
        with suppress(ValueError, TypeError):  # a run of numbers is a text
            yield Fraction(output.number)
    elif type(output) is int:
        yield Fraction(output)
