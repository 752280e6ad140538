"""Nominal ε beyond the failing one: the realised privacy is not monotone, so some are tried.

For M_H the realised δ at a fixed ε falls and rises again as the nominal ε grows (its β changes with
it), so that a safe nominal ε may lie beyond a failing one.  Whether a larger one fails costs little
to certify: one pair that is beyond the budget is enough, and the worst pair of the failing nominal
ε usually is one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.exact.ball import (
    Ball,
    PrecisionNeeded,
    Sign,
    bits_for_digits,
    certainly_less,
    precision,
)
from dpaudit.exact.real import Real, order

if TYPE_CHECKING:
    from dpaudit.audit.plan import Plan
    from dpaudit.laws.law import LawBook
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.results import SizeResult

__all__ = ["MULTIPLES", "law_book", "witness_exceeds"]

MULTIPLES = (
    *(1 + Fraction(step, 200) for step in range(1, 13)),
    *(Fraction(step, 100) for step in (108, 112, 120, 135, 150, 200)),
)
"""The multiples of a safe nominal ε that are tried beyond it: half a per cent apart at first."""


def law_book(mechanism: Mechanism[Any], n: int) -> LawBook[Any]:
    """Return the laws; where they can be had for single datasets, nothing else is computed."""
    from dpaudit.laws.screen import NotScreened

    try:
        floats = mechanism.screen(n)
    except NotScreened:
        floats = None
    return mechanism.laws() if floats is None else floats.book()


def witness_exceeds(mechanism: Mechanism[Any], plan: Plan, failed: SizeResult) -> bool:
    """Tell whether the worst pair of a failed audit certainly exceeds the budget here as well.

    ``False`` is doubt: then every pair has to be looked at.
    """
    pure = plan.budget.is_pure
    worst = failed.witness if pure else failed.delta
    if worst.x is None:
        return False
    try:
        with precision(bits_for_digits(plan.digits)):
            book = law_book(mechanism, failed.n)
            divergence = book.law(worst.x).versus(book.law(worst.y))
            if pure:
                loss = divergence.max_loss(forward=True)
                return _above(loss.ball, loss.exact, plan.budget.epsilon)
            mass = divergence.hockey_stick(plan.budget.epsilon, forward=True)
            return _above(mass.ball, mass.exact, plan.budget.delta)
    except PrecisionNeeded:
        return False


def _above(value: Ball, exact: Real | None, bound: Real) -> bool:
    if exact is not None:
        return order(exact, bound) is Sign.POSITIVE
    return certainly_less(bound.ball(), value)
