"""Results: the largest expected loss at each size."""

from __future__ import annotations

from dpaudit.results import Report
from dpaudit.results.audits import UndecidedSize
from dpaudit.results.values import Enclosure, Result, Size

__all__ = ["ExpectedLoss", "ExpectedLossReport"]


class ExpectedLoss(Result, frozen=True):
    """Largest expected loss at one size."""

    n: Size
    """The size."""
    pairs: int
    """Number of pairs."""
    loss: Enclosure
    """The expected loss, in the unit of the report."""
    x: tuple[int, ...]
    """Dataset that the loss is expected at."""
    y: tuple[int, ...]
    """Its neighbour."""


class ExpectedLossReport(Report[ExpectedLoss], frozen=True, kw_only=True):
    """The largest expected losses of one mechanism."""

    undecided: tuple[UndecidedSize, ...]
    """Sizes without a result."""
    unit: str
    """Unit of the losses: nats or bits."""
