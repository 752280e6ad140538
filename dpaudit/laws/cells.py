"""Laws of numbers with a density, seen through cells: what is exact, and what bounds the rest.

Some selection mechanisms print a noisy number.  Its law is given here by the exact probabilities
of cells, the intervals between fixed edges.  Cells are events, so their losses are certified lower
bounds of the realised ε.  From above, the density ratio of two datasets x and y is at most
exp(κλ·Σ|xᵢ − yᵢ|): every factor of the density, f(a − qᵢ) or F(z − qᵢ) of Laplace noise of rate κλ,
changes by at most exp(κλ·|xᵢ − yᵢ|).  Where a cell attains that bound the loss is exact; elsewhere
the ball spans both, so that nothing passes that is not proved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.errors import ParameterError
from dpaudit.exact.ball import Ball, Sign
from dpaudit.exact.real import ZERO, Real, order, rational
from dpaudit.laws.closed import ClosedDivergence, ClosedLaw, ClosedMass
from dpaudit.laws.law import Loss, Mass

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from dpaudit.laws.law import Atom, Divergence, Law

__all__ = ["CellLaw"]


class CellLaw(ClosedLaw):
    """Cells of outputs with exact probabilities, and the data they were made from."""

    def __init__(
        self, masses: Mapping[Hashable, ClosedMass], answers: tuple[int, ...], rate: Real
    ) -> None:
        """Take the cells, the query answers, and the rate κλ of the noise on each answer."""
        super().__init__(masses)
        self.answers = answers
        self.rate = rate

    def versus(self, other: Law) -> Divergence:
        """Compare with another law of the same mechanism."""
        if not isinstance(other, CellLaw) or other.rate != self.rate:
            raise TypeError("a law of cells is compared with one of the same rate")
        moved = sum(abs(a - b) for a, b in zip(self.answers, other.answers, strict=True))
        return _CellDivergence(self, other, self.rate * rational(moved))


class _CellDivergence(ClosedDivergence):
    def __init__(self, p: CellLaw, q: CellLaw, cap: Real) -> None:
        super().__init__(p, q)
        self.cap = cap

    def max_loss(self, *, forward: bool) -> Loss:
        loss = super().max_loss(forward=forward)
        if loss.infinite or (loss.exact is not None and loss.exact == self.cap):
            return loss
        return Loss(loss.ball.union(self.cap.ball()), None, loss.output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        if order(self.cap, epsilon) is not Sign.POSITIVE:
            return Mass(Ball(0), ZERO)
        cells = super().hockey_stick(epsilon, forward=forward)
        above = 1 - (epsilon - self.cap).ball().exp()
        return Mass(cells.ball.union(above), None)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        raise ParameterError("curve", "the output has a density: its privacy curve is not enclosed")
