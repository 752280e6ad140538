"""The pairs of laws that samples make of another pair."""

from __future__ import annotations

from dpaudit.laws.law import LossMeasure
from dpaudit.numbers.ball import Ball, certainly_less, certainly_less_or_equal
from dpaudit.numbers.normal import normal_cdf
from dpaudit.numbers.real import ONE, Real

__all__ = ["replaced", "subsampled", "turned_at_zero"]


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


def replaced(shift: Real, rate: Real) -> LossMeasure:
    """Return the loss measure of a record that is replaced in Poisson samples of rate q, μ = shift.

    The pair is ((1 − q)·N(0) + q·N(μ), (1 − q)·N(0) + q·N(−μ)), all of variance 1, and dominates a
    step on samples from which vectors u and v with ‖u‖, ‖v‖ ≤ μ are added up: given all other
    records, the step compares P = (1 − q)·N(0) + q·N(u) with Q = (1 − q)·N(0) + q·N(v).  Let A be
    any set and Φ(z) the probability of A under N(0).  By Neyman and Pearson N(u) gives A at most
    Φ(z + μ), and N(v) at least Φ(z − μ), so that P(A) − a·Q(A) is at most what the half-line from
    −z on has in the pair above, for every a ≥ 0.  The average over the other records is no more,
    since the hockey-stick divergence is jointly convex.  u = −v attains it.

    With y = e^(μx), a = 1 − q and b = q·e^(−μ²/2) the loss is l = ln((a + b·y)/(a + b/y)), which
    grows with x, and sinh(μx − l/2) = a/b·sinh(l/2).
    """

    def below(loss: Ball) -> tuple[Ball, Ball]:
        mu, q = shift.ball(), rate.ball()
        half = loss / 2
        ratio = (1 - q) / q * (mu * mu / 2).exp()
        place = (half + (ratio * half.sinh()).asinh()) / mu
        without = (1 - q) * normal_cdf(place)
        return without + q * normal_cdf(place - mu), without + q * normal_cdf(place + mu)

    return LossMeasure(below, list, lambda: (Ball(1), Ball(1)))


def turned_at_zero(measure: LossMeasure) -> LossMeasure:
    """Return the pair that is as bad as a pair above loss 0, and as it turned round below.

    ``measure`` is of P′ = (1 − q)·Q + q·P against Q, with P and Q mirror images.  H of the result
    is that of (P′, Q) for a ≥ 1, and 1 − a + a·H(1/a) for a < 1: the largest of both directions at
    every a, which a sample of fixed size is bounded by where a record is substituted (Balle,
    Barthe and Gaboardi 2018, Theorem 11; Zhu, Dong and Wang 2022, Theorem 11).  What of both laws
    is left has the loss 0.
    """

    def below(loss: Ball) -> tuple[Ball, Ball]:
        zero = Ball(0)
        if certainly_less(loss, zero):
            p, q = measure.below(-loss)
            return 1 - q, 1 - p
        p, q = measure.below(loss.max(zero))
        if certainly_less_or_equal(zero, loss):
            return p, q
        less, least = measure.below((-loss).max(zero))
        return p.union(1 - least), q.union(1 - less)

    return LossMeasure(below, list, lambda: (Ball(1), Ball(1)))
