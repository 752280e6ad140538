"""Laws listed output by output, with masses that are polynomials in t: the plain comparison."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from dpaudit.laws.law import Atom, Divergence, Loss, Mass, exact_excess, infinite_loss, largest
from dpaudit.numbers.ball import ball, maximum
from dpaudit.numbers.laurent import LAURENT_ZERO, Laurent, ratio
from dpaudit.numbers.real import ONE, ZERO, Real

__all__ = ["TabulatedDivergence", "laurent_excess"]

Table = Mapping[tuple[int, ...], Laurent] | None


def laurent_excess(
    parts: Iterable[tuple[Laurent, Laurent, Real | None]], epsilon: Real, rate: Real
) -> Mass:
    """Return Σ (P − e^ε·Q)₊ over parts (P, Q, ln(P/Q) or None for +∞), at t = e^(−rate)."""

    def difference(p: Laurent, q: Laurent) -> Real:
        return p.at(rate) - epsilon.exp() * q.at(rate)

    return exact_excess(parts, epsilon, difference, LAURENT_ZERO)


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
        best = largest((output, self._loss(p[output], q[output])) for output in p)
        losses = [self.loss_at(output, forward=forward) for output in best]
        if len(losses) == 1:
            return losses[0]
        return Loss(maximum(loss.ball for loss in losses), None, best[0])

    def _loss(self, p: Laurent, q: Laurent) -> Real:
        return ratio(p, q).logarithm(self.rate)

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        assert isinstance(output, tuple)
        if p is not None and output not in p:
            raise ValueError(f"{output} is not an output on this side")
        if p is None or q is None or output not in q:
            return infinite_loss(output)
        exact = self._loss(p[output], q[output])
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
