"""The pair of laws that a Poisson sample makes of another pair."""

from __future__ import annotations

from dpaudit.laws.law import LossMeasure
from dpaudit.numbers.ball import Ball, certainly_less
from dpaudit.numbers.real import ONE, Real

__all__ = ["subsampled"]


def subsampled(measure: LossMeasure, rate: Real, *, remove: bool) -> LossMeasure:
    """Return the loss measure of the pair of Poisson subsampling at ``rate`` q.

    With (A, B) the pair of the record's presence and absence and L = ln(dA/dB), the pair is
    ((1 − q)B + qA, B) when a record is removed and (B, (1 − q)B + qA) when it is added (Zhu, Dong
    and Wang 2022, Theorem 11).  The loss is f(L) = ln(1 − q + q·e^L) or −f(L), and f increases.
    """

    def masses(loss: Ball) -> tuple[Ball, Ball]:
        """Return what A and B have of f(L) ≤ loss: nothing where f is above everywhere."""
        q = rate.ball()
        part = (loss.expm1() + q) / q
        if certainly_less(Ball(0), part):
            return measure.below(part.log())
        nothing, most = Ball(0), part.upper()
        if not certainly_less(nothing, most):
            return nothing, nothing
        a, b = measure.below(most.log())
        return nothing.union(a), nothing.union(b)

    def below(loss: Ball) -> tuple[Ball, Ball]:
        q = rate.ball()
        all_a, all_b = measure.spread()
        a, b = masses(loss if remove else -loss)
        if remove:
            return (1 - q) * b + q * a, b
        return all_b - b, (1 - q) * (all_b - b) + q * (all_a - a)

    def pair(a: Ball, b: Ball) -> tuple[Ball, Ball]:
        q = rate.ball()
        mixed = (1 - q) * b + q * a
        return (mixed, b) if remove else (b, mixed)

    def end(loss: Real) -> Real:
        found = (ONE - rate + rate * loss.exp()).ln()
        return found if remove else -found

    turned = 1 if remove else -1
    return LossMeasure(
        below,
        lambda: [pair(a, b) for a, b in measure.atoms()][::turned],
        lambda: pair(*measure.spread()),
        None
        if measure.ends is None
        else (end(measure.ends[::turned][0]), end(measure.ends[::turned][1])),
    )
