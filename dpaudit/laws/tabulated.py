"""Laws listed output by output, with masses that are polynomials in t: the plain comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.exact.ball import Sign, ball
from dpaudit.exact.laurent import LAURENT_ZERO, Laurent, ratio
from dpaudit.exact.real import ONE, ZERO, Real, order
from dpaudit.laws.law import Atom, Divergence, Loss, Mass, infinite_loss

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    Table = Mapping[tuple[int, ...], Laurent] | None

__all__ = ["TabulatedDivergence"]


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
        best: Loss | None = None
        for output in p:
            loss = self.loss_at(output, forward=forward)
            assert loss.exact is not None, "both sides give every output"
            if best is None or best.exact is None or order(loss.exact, best.exact) is Sign.POSITIVE:
                best = loss
        assert best is not None, "a law has outputs"
        return best

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
        p_total, q_total = LAURENT_ZERO, LAURENT_ZERO
        for output, mass in p.items():
            loss = self.loss_at(output, forward=forward).exact
            if loss is None or order(loss, epsilon) is Sign.POSITIVE:
                p_total += mass
                q_total += q.get(output, LAURENT_ZERO)
        value = p_total.at(self.rate) - epsilon.exp() * q_total.at(self.rate)
        return Mass(value.ball(), value)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        p, q = self._sides(forward=forward)
        if p is None or q is None:
            yield Atom(ball(1), ball(0), "any output", (ONE, ZERO))
            return
        for output, mass in p.items():
            other = q.get(output, LAURENT_ZERO)
            masses = mass.at(self.rate), other.at(self.rate)
            yield Atom(masses[0].ball(), masses[1].ball(), output, masses)
