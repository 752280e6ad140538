"""Cells: the intervals through which mechanisms that print a noisy number are audited."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["ANYWHERE", "CELL_NOTE", "Cell", "cells"]

CELL_NOTE = (
    "the printed number is seen through cells, the intervals between the integers that answers can "
    "be; the losses of cells are exact lower bounds, and the density ratio is at most "
    "exp(ε·κ·Σ|x_i − y_i|/Δ) for noise of scale Δ/(κε): both are reported as one interval, exact "
    "where they meet",
)
"""What an audit through cells finds, and what it does not."""


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
