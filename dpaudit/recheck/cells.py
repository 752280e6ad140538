"""Cells, the intervals through which a printed number is seen, and what they leave open."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

__all__ = ["DENSITY", "Cell", "cells"]

DENSITY = "the upper ends come of a bound on densities, which has no second definition"


class Cell(NamedTuple):
    """An open interval between two integers; None is ∓∞."""

    low: int | None
    high: int | None

    @property
    def text(self) -> str:
        """The cell as reports show it."""
        low = "-∞" if self.low is None else self.low
        return f"({low},{'∞' if self.high is None else self.high})"


def cells(low: int, high: int) -> list[Cell]:
    """Return the cells between the integers that answers, and those of the patterns, can be."""
    edges = range(min(low, 0), max(high, 2) + 1)
    return [Cell(*ends) for ends in pairwise([None, *edges, None])]
