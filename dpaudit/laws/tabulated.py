"""Laws listed output by output, with masses that are polynomials in t: the plain comparison."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from dpaudit.laws.law import Atom, Divergence, Loss, Mass, against, infinite_loss
from dpaudit.numbers.ball import Ball, Sign, ball, maximum, nonnegative
from dpaudit.numbers.laurent import LAURENT_ZERO, Laurent, ratio
from dpaudit.numbers.real import ONE, ZERO, Real

if TYPE_CHECKING:
    Table = Mapping[tuple[int, ...], Laurent] | None

__all__ = ["TabulatedDivergence", "largest_loss", "laurent_excess"]


def largest_loss(losses: Iterable[Loss]) -> Loss:
    """Return the first of the largest of finite ``losses`` in closed form.

    Where no precision tells which it is, the maximum is enclosed in a ball.
    """
    best: list[Loss] = []
    for loss in losses:
        assert loss.exact is not None, "both sides give every output"
        found = [against(loss.exact, one.exact) for one in best if one.exact is not None]
        best = [one for one, sign in zip(best, found, strict=True) if sign is not Sign.POSITIVE]
        if all(sign in (Sign.POSITIVE, Sign.UNDECIDED) for sign in found):
            best.append(loss)
    if len(best) == 1:
        return best[0]
    return Loss(maximum(one.ball for one in best), None, best[0].output)


def laurent_excess(
    parts: Iterable[tuple[Laurent, Laurent, Real | None]], epsilon: Real, rate: Real
) -> Mass:
    """Return Σ (P − e^ε·Q)₊ over parts (P, Q, ln(P/Q) or None for +∞), at t = e^(−rate).

    A part of which no precision tells whether its loss is above ε is added as a ball.
    """

    def difference(p: Laurent, q: Laurent) -> Real:
        return p.at(rate) - epsilon.exp() * q.at(rate)

    p_total, q_total = LAURENT_ZERO, LAURENT_ZERO
    untold: list[Ball] = []
    for p, q, loss in parts:
        found = against(loss, epsilon)
        if found is Sign.POSITIVE:
            p_total += p
            q_total += q
        elif found is Sign.UNDECIDED:
            untold.append(nonnegative(difference(p, q).ball()))
    value = difference(p_total, q_total)
    return Mass(sum(untold, value.ball()), None if untold else value)


class TabulatedDivergence(Divergence):
    """Two laws given as tables output → mass, None standing for an endless table.

    An endless table is only ever compared with one that it shares no output with: it belongs to a
    mechanism that prints n − Σ unclamped, on datasets of different sizes.
    """

    def __init__(self, p: Table, q: Table, rate: Real) -> None:
        """Take both tables and the rate, t = e^(−rate)."""
        self.p = p
        self.q = q
        self.rate = rate

    def _sides(self, *, forward: bool) -> tuple[Table, Table]:
        return (self.p, self.q) if forward else (self.q, self.p)

    def max_loss(self, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        if p is None or q is None:
            return infinite_loss("any output: it shows the number of records")
        impossible = next((output for output in p if output not in q), None)
        if impossible is not None:
            return infinite_loss(impossible)
        return largest_loss(self.loss_at(output, forward=forward) for output in p)

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        assert isinstance(output, tuple)
        if p is not None and output not in p:
            raise ValueError(f"{output} is not an output on this side")
        if p is None or q is None or output not in q:
            return infinite_loss(output)
        exact = ratio(p[output], q[output]).logarithm(self.rate)
        return Loss(exact.ball(), exact, output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p, q = self._sides(forward=forward)
        if p is None or q is None:
            return Mass(ball(1), ONE)
        parts = (
            (mass, q.get(output, LAURENT_ZERO), self.loss_at(output, forward=forward).exact)
            for output, mass in p.items()
        )
        return laurent_excess(parts, epsilon, self.rate)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        p, q = self._sides(forward=forward)
        if p is None or q is None:
            yield Atom(ball(1), ball(0), "any output", (ONE, ZERO))
            return
        for output, mass in p.items():
            other = q.get(output, LAURENT_ZERO)
            masses = mass.at(self.rate), other.at(self.rate)
            yield Atom(masses[0].ball(), masses[1].ball(), output, masses)
