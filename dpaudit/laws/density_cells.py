"""Laws of numbers with a density, seen through cells: what is exact, and what bounds the rest.

Some selection mechanisms print a noisy number.  Its law is given here by the exact probabilities
of cells, the intervals between fixed edges.  Cells are events, so their losses are certified lower
bounds of the realised ε.  From above: the density is a sum or an integral of products of factors
f(a − qᵢ) and F(z − qᵢ) of Laplace noise of rate κλ.  Between datasets x and y the first changes by
at most exp(κλ·|xᵢ − yᵢ|) and the second by at most exp(κλ·max(0, yᵢ − xᵢ)), so the density ratio is
at most what the best product of these gives, exp(κλ·moves).  Where a cell attains that bound the
loss is exact; elsewhere the ball spans both, so that nothing passes that is not proved.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.errors import ParameterError
from dpaudit.laws.closed import ClosedDivergence, ClosedLaw, ClosedMass
from dpaudit.laws.law import Atom, Divergence, Law, Loss, Mass, against
from dpaudit.numbers.ball import Ball, Sign, nonnegative
from dpaudit.numbers.real import ZERO, Real, rational

__all__ = ["ANYWHERE", "CELL_NOTE", "Cell", "CellLaw", "cells"]


class CellLaw(ClosedLaw):
    """Cells of outputs with exact probabilities, and the data they were made from."""

    def __init__(
        self,
        masses: Mapping[Hashable, ClosedMass],
        answers: tuple[int, ...],
        rate: Real,
        moves: Callable[[tuple[int, ...], tuple[int, ...]], int],
    ) -> None:
        """Take the cells, the query answers, and the rate κλ of the noise on each answer.

        ``moves(x, y)`` is what the logarithm of the density ratio of x and y is at most, in κλ.
        """
        super().__init__(masses)
        self.answers = answers
        self.rate = rate
        self.moves = moves

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another law of the same mechanism."""
        if not isinstance(other, CellLaw) or other.rate != self.rate:
            raise TypeError(
                "dpaudit compares such outputs only if both have noise of the same scale"
            )
        caps = {
            forward: self.rate * rational(self.moves(*pair))
            for forward, pair in (
                (True, (self.answers, other.answers)),
                (False, (other.answers, self.answers)),
            )
        }
        return _CellDivergence(self, other, caps)

    def listed(self) -> None:
        """Return None: a cell is many outputs, whose losses differ."""
        return


class _CellDivergence(ClosedDivergence):
    def __init__(self, p: CellLaw, q: CellLaw, caps: dict[bool, Real]) -> None:
        super().__init__(p, q)
        self.caps = caps

    def max_loss(self, *, forward: bool) -> Loss:
        loss = super().max_loss(forward=forward)
        cap = self.caps[forward]
        # A cell reaches what bounds the density: both bounds meet.
        if loss.infinite or (loss.exact is not None and loss.exact == cap):
            return loss
        return Loss(loss.ball.union(cap.ball()), None, loss.output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        cap = self.caps[forward]
        if against(cap, epsilon) in (Sign.NEGATIVE, Sign.ZERO):
            return Mass(Ball(0), ZERO)
        cells = super().hockey_stick(epsilon, forward=forward)
        # P − e^ε·Q ≤ P·(1 − e^(ε − cap)), and P adds up to 1.
        above = nonnegative(1 - (epsilon - cap).ball().exp())
        return Mass(cells.ball.union(above), None)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        raise ParameterError(
            "curve", "the output is continuous, and dpaudit cannot bound its privacy curve"
        )


CELL_NOTE = (
    "the audit does not use the printed number, only the cell that it lies in (the interval "
    "between two neighbouring integers that answers can be). The loss of a cell bounds ε from "
    "below; the density ratio, at most exp(ε·κ·Σ|x_i − y_i|/Δ) for noise of scale Δ/(κε), bounds "
    "it from above. The report gives both as one interval",
)
"""Note on the reach of an audit through cells, for reports."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An open interval of numbers; None is ∓∞."""

    low: Fraction | None
    high: Fraction | None

    @property
    def text(self) -> str:
        """The cell as outputs show it."""
        low = "-∞" if self.low is None else str(self.low)
        return f"({low},{'∞' if self.high is None else self.high})"

    def shifted(self, by: Fraction) -> Cell:
        """Return the cell moved up by ``by``."""
        low, high = self.low, self.high
        return Cell(None if low is None else low + by, None if high is None else high + by)


ANYWHERE = Cell(None, None)
"""The cell of all numbers."""


def cells(low: int, high: int) -> list[Cell]:
    """Return the cells between the integers from ``low`` to ``high`` and those of the patterns.

    >>> [cell.text for cell in cells(0, 2)]
    ['(-∞,0)', '(0,1)', '(1,2)', '(2,∞)']
    """
    edges = [Fraction(edge) for edge in range(min(low, 0), max(high, 2) + 1)]
    return [Cell(*ends) for ends in zip([None, *edges], [*edges, None], strict=True)]
