"""Runs that are few enough to be composed without a lattice, and those with a closed form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpaudit.numbers.ball import (
    Ball,
    certainly_less,
    certainly_less_or_equal,
    lower_fraction,
    precision,
    upper_fraction,
)
from dpaudit.numbers.real import ZERO, rational

if TYPE_CHECKING:
    from dpaudit.accounting.composition import Composed
    from dpaudit.laws.law import Divergence, Mass
    from dpaudit.numbers.real import Real

__all__ = ["ClosedBand", "ExactBand"]

_BITS = 256
_STEPS = 200


@dataclass(frozen=True)
class ClosedBand:
    """The privacy curve of a pair whose δ(ε) is a formula that falls with ε."""

    divergence: Divergence

    def mass(self, epsilon: Real) -> Mass:
        """Return δ(ε)."""
        with precision(_BITS):
            return self.divergence.hockey_stick(epsilon, forward=True)

    def epsilon(self, delta: Real) -> tuple[Ball, Ball]:
        """Return balls on both sides of min {ε ≥ 0 : δ(ε) ≤ δ}, by bisection.

        δ(ε) is certainly at most δ at the upper end and certainly above it at the lower one.
        """
        with precision(_BITS):
            wanted = delta.ball()

            def kept(at: Real) -> bool:
                return certainly_less_or_equal(self.mass(at).ball, wanted)

            if kept(ZERO):
                return Ball(0), Ball(0)
            low, high = ZERO, rational(1)
            while not kept(high):
                low, high = high, high + high
                if certainly_less(Ball(2) ** 64, high.ball()):
                    return low.ball(), Ball.pos_inf()
            for _ in range(_STEPS):
                middle = (low + high) / rational(2)
                found = self.mass(middle).ball
                if certainly_less_or_equal(found, wanted):
                    high = middle
                elif certainly_less(wanted, found):
                    low = middle
                else:
                    break
            return low.ball(), high.ball()


@dataclass(frozen=True)
class ExactBand:
    """The privacy curve of a pair whose joint losses are a short list."""

    composed: Composed
    forward: bool

    def mass(self, epsilon: Real) -> Mass:
        """Return δ(ε)."""
        with precision(_BITS):
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
        with precision(_BITS):
            wanted = delta.ball()
            outside = self.mass_outside
            if certainly_less(wanted, outside):
                return Ball.pos_inf(), Ball.pos_inf()
            low = Ball(0)
            for p, q in self._events:
                over = outside + p - wanted
                if certainly_less(Ball(0), over) and certainly_less(Ball(0), q.upper()):
                    low = low.max((over.lower() / q.upper()).log())
            low = rational(lower_fraction(low)).ball()
            high = upper_fraction(low)
            step = upper_fraction(low * Ball(2) ** -(_BITS // 2) + Ball(2) ** -(_BITS // 2))
            for _ in range(2 * _BITS):
                if certainly_less_or_equal(self.mass(rational(high)).ball, wanted):
                    return low, rational(high).ball()
                high, step = high + step, 2 * step
            return low, Ball.pos_inf()

    @property
    def mass_outside(self) -> Ball:
        """The mass of infinite loss."""
        return self.composed.outside(forward=self.forward)
