"""Runs that are few enough to be composed without a lattice, and those with a closed form.

The product of directed pairs stands for runs of different mechanisms, as one source of lattices.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.laws.law import Mass
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, Sign
from dpaudit.numbers.lattice import LossLattice
from dpaudit.numbers.loss_cells import on_step
from dpaudit.numbers.real import ZERO, Real, order, rational
from dpaudit.questions.account.lattices import Effort, composed, multiplied
from dpaudit.questions.account.sources import OnLattice, Source

if TYPE_CHECKING:
    from dpaudit.laws.law import Divergence, LossMeasure
    from dpaudit.questions.account.composition import Composed


__all__ = ["ClosedBand", "ExactBand", "Joint", "MeasuredBand"]

_BITS = 256
_STEPS = 200


@dataclass(frozen=True)
class ClosedBand:
    """The privacy curve of a pair whose δ(ε) is a formula that falls with ε."""

    divergence: Divergence

    def mass(self, epsilon: Real) -> Mass:
        """Return δ(ε)."""
        with balls.precision(_BITS):
            return self.divergence.hockey_stick(epsilon, forward=True)

    def epsilon(self, delta: Real) -> tuple[Ball, Ball]:
        """Return balls on both sides of min {ε ≥ 0 : δ(ε) ≤ δ}, by bisection.

        δ(ε) is certainly at most δ at the upper end and certainly above it at the lower one.
        """
        with balls.precision(_BITS):
            wanted = delta.ball()

            def kept(at: Real) -> bool:
                return balls.certainly_less_or_equal(self.mass(at).ball, wanted)

            if kept(ZERO):
                return Ball(0), Ball(0)
            low, high = ZERO, rational(1)
            while not kept(high):
                low, high = high, high + high
                if balls.certainly_less(Ball(2) ** 64, high.ball()):
                    return low.ball(), Ball.pos_inf()
            for _ in range(_STEPS):
                middle = (low + high) / rational(2)
                found = self.mass(middle).ball
                if balls.certainly_less_or_equal(found, wanted):
                    high = middle
                elif balls.certainly_less(wanted, found):
                    low = middle
                else:
                    break
            return low.ball(), high.ball()


@dataclass(frozen=True)
class MeasuredBand(ClosedBand):
    """The privacy curve of one run whose losses are known by their measure.

    Without the atoms the losses above ε are one event S, and δ(ε) is P(S) − e^ε·Q(S) and, for each
    atom, its (p − e^ε·q)₊.
    """

    measure: LossMeasure

    def mass(self, epsilon: Real) -> Mass:
        """Return δ(ε)."""
        with balls.precision(_BITS):
            at = epsilon.ball()
            (p_all, q_all), (p, q) = self.measure.spread(), self.measure.below(at)
            found = balls.nonnegative(p_all - p - at.exp() * (q_all - q))
            for p, q in self.measure.atoms():
                found += balls.nonnegative(p - at.exp() * q)
            return Mass(found, None)


@dataclass(frozen=True)
class ExactBand:
    """The privacy curve of a pair whose joint losses are a short list."""

    composed: Composed
    forward: bool

    def mass(self, epsilon: Real) -> Mass:
        """Return δ(ε)."""
        with balls.precision(_BITS):
            return self.composed.hockey_stick(epsilon, forward=self.forward)

    @cached_property
    def _events(self) -> list[tuple[Ball, Ball]]:
        """P and Q of the events of the largest losses, in what floats take for their order."""
        one = self.composed.one
        unit = one.unit**self.composed.runs if one.kind == "rational" else 1

        def known(mass: Any) -> Ball:
            if one.kind == "rational":
                return Ball(mass) / unit
            found: Ball = mass.ball() if one.kind == "closed" else mass
            return found

        sides = [(known(p), known(q)) for p, q in self.composed.table]
        if not self.forward:
            sides = [(q, p) for p, q in sides]
        sides.sort(key=lambda both: -float((both[0] / both[1]).log()))
        events, p, q = [], Ball(0), Ball(0)
        for more_p, more_q in sides:
            p, q = p + more_p, q + more_q
            events.append((p, q))
        return events

    def epsilon(self, delta: Real) -> tuple[Ball, Ball]:
        """Return balls on both sides of min {ε ≥ 0 : δ(ε) ≤ δ}.

        δ(ε) is the largest of I + P(S) − e^ε·Q(S), so each event gives a lower bound of ε,
        ln((I + P(S) − δ)/Q(S)); that the largest of them is enough is seen from δ there.
        """
        with balls.precision(_BITS):
            wanted = delta.ball()
            outside = self.mass_outside
            if balls.certainly_less(wanted, outside):
                return Ball.pos_inf(), Ball.pos_inf()
            low = Ball(0)
            for p, q in self._events:
                over = outside + p - wanted
                if balls.certainly_less(Ball(0), over) and balls.certainly_less(Ball(0), q.upper()):
                    low = low.max((over.lower() / q.upper()).log())
            low = rational(balls.lower_fraction(low)).ball()
            high = balls.upper_fraction(low)
            step = balls.upper_fraction(low * Ball(2) ** -(_BITS // 2) + Ball(2) ** -(_BITS // 2))
            for _ in range(2 * _BITS):
                if balls.certainly_less_or_equal(self.mass(rational(high)).ball, wanted):
                    return low, rational(high).ball()
                high, step = high + step, 2 * step
            return low, Ball.pos_inf()

    @property
    def mass_outside(self) -> Ball:
        """The mass of infinite loss."""
        return self.composed.outside(forward=self.forward)


@dataclass(frozen=True)
class Joint(Source):
    """The product of directed pairs, each so many times."""

    parts: tuple[tuple[Source, int], ...]

    @property
    def regrids(self) -> bool:
        return self._common is None

    @property
    def _common(self) -> Real | None:
        """The step of all parts, where they are on lattices of one step."""
        steps = [source.step for source, _ in self.parts if isinstance(source, OnLattice)]
        same = all(order(step, steps[0]) is Sign.ZERO for step in steps)
        return steps[0] if len(steps) == len(self.parts) and same else None

    @property
    def spacing(self) -> float:
        step = self._common
        return 1.0 if step is None else float(step)

    def starts(self, runs: int) -> int:
        """Return 1: all runs are one."""
        return 1

    def drawn(self) -> tuple[Any, Any]:
        mean = variance = 0.0
        for source, runs in self.parts:
            weights, losses = source.drawn()
            weights /= weights.sum()
            middle = float(weights @ losses)
            mean += runs * middle
            variance += runs * float(weights @ (losses - middle) ** 2)
        places = np.linspace(-10.0, 10.0, 400)
        return np.exp(-places * places / 2) / 20, mean + sqrt(variance) * places

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
            raise ValueError(
                "a composition of several mechanisms can only be run once; list the runs instead"
            )
        count = len(self.parts)
        effort = Effort(float(step) ** 2 / (3 * count), tails[1] / count, bits)
        made = [composed(source, times, effort, above=above) for source, times in self.parts]
        if self._common is None:
            width = rational(step / (2 * count))
            made = [on_step(one, width) for one in made]
        return multiplied(made, effort, regrids=self._common is None)
