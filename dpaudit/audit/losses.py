"""Quantities that an audit measures of a pair of laws: the largest loss, and δ at one ε."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.audit.maximum import Maximum
from dpaudit.audit.quantity import Limits, PairOfLaws, Quantity, Value
from dpaudit.errors import PrecisionError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, Sign
from dpaudit.numbers.real import ZERO, Real, order
from dpaudit.screens.bounds import Bound

if TYPE_CHECKING:
    from dpaudit.laws.law import Loss

__all__ = ["HockeyStick", "LargestLoss", "LossOrBound"]


class LargestLoss(Quantity):
    """The privacy loss of the worst output: the max-divergence."""

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        loss = laws.max_loss(forward=forward)
        return Value(loss.ball, loss.exact, loss.output)

    def bound(self) -> Bound:
        return Bound("loss")


class LossOrBound(LargestLoss):
    """The largest loss; of laws with a rest, what it is at least."""

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        below = laws.divergence.loss_from_below(forward=forward)
        if below is None:
            return super().measure(laws, forward=forward, limits=limits)
        return Value(below.ball, None, below.output, open=True)


@dataclass(frozen=True)
class HockeyStick(Quantity):
    """δ at one ε, beside the largest loss."""

    epsilon: Real

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value | None:
        open_ = laws.divergence.loss_from_below(forward=forward) is not None
        # None is left out of the maximum, which is 0 at least: no sum has to be taken.
        if not open_ and _certainly_within(laws.max_loss(forward=forward), self.epsilon):
            return None
        mass = laws.divergence.hockey_stick(self.epsilon, forward=forward)
        return Value(mass.ball, mass.exact, gap=mass.gap)

    def least(self) -> Maximum[Any]:
        return Maximum(Ball(0), ZERO, None)

    def bound(self) -> Bound:
        return Bound("delta", self.epsilon)


def _certainly_within(loss: Loss, epsilon: Real) -> bool:
    """Tell whether the loss is certainly at most ε, so that it adds nothing to δ(ε)."""
    if loss.exact is not None:
        try:
            return order(loss.exact, epsilon) is not Sign.POSITIVE
        except PrecisionError:
            return False
    return balls.certainly_less_or_equal(loss.ball, epsilon.ball())
