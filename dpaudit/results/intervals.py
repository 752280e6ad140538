"""Results of an audit over an interval: lines below and above the realised ε as a function of ε.

Pieces are closed intervals of nominal ε that meet at their ends and leave nothing out.  On a piece
the realised ε lies between two lines, given by their values at its ends.  Where another parameter
has the interval (:attr:`IntervalAudit.parameter`), it is meant wherever the nominal ε is said.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from dpaudit.results.audits import Coverage, Report, SizeResult, UndecidedSize
from dpaudit.results.values import Real, Result, Verdict

__all__ = [
    "UNTOLD",
    "UNTOLD_DELTA",
    "DeltaBand",
    "DeltaLines",
    "DeltaPiece",
    "IntervalAudit",
    "IntervalBudget",
    "IntervalCurve",
    "IntervalCurveReport",
    "IntervalSize",
    "NominalEpsilon",
    "Piece",
    "PointFound",
    "Stretch",
    "symbol_of",
]

_SYMBOLS = {"epsilon": "ε", "gamma": "γ", "delta": "δ", "sigma": "σ"}


UNTOLD = (
    "where the verdict is undecided, the bounds on the realised ε are too wide to show whether "
    "the budget is kept"
)
"""Reason for an undecided size, if some of its pieces have lines of the realised ε alone."""
UNTOLD_DELTA = (
    "where the verdict is undecided, the bounds on the realised δ are too wide to show whether "
    "the budget is kept"
)
"""Reason for an undecided size, if all of its undecided pieces have lines of δ too."""


def symbol_of(parameter: str) -> str:
    """Return what a parameter is called in tables and messages."""
    return _SYMBOLS.get(parameter, parameter)


class NominalEpsilon(Result, frozen=True, kw_only=True):
    """A closed interval of nominal ε, with exact rational ends."""

    first: str
    """The smallest."""
    last: str
    """The largest."""


class Stretch(NominalEpsilon, frozen=True, kw_only=True):
    """Nominal ε with one verdict: pieces next to each other, put together."""

    verdict: Verdict
    """It holds for every real ε of the interval."""


class DeltaLines(Result, frozen=True):
    """Two lines over a piece, with δ between them."""

    lower: tuple[Decimal, Decimal]
    """δ is on or above the line through these, its values at first and last.

    One of them may be below 0: raised to 0 alone it would raise the line in between."""
    upper: tuple[Decimal, Decimal]
    """δ is on or below the line through these; one of them may be above 1."""


class DeltaPiece(NominalEpsilon, frozen=True, kw_only=True):
    """Nominal ε on which δ at one ε′ is known between two lines."""

    lower: tuple[Decimal, Decimal]
    """δ is on or above the line through these, its values at first and last.

    One of them may be below 0: raised to 0 alone it would raise the line in between."""
    upper: tuple[Decimal, Decimal]
    """δ is on or below the line through these; one of them may be above 1."""
    zero: bool = False
    """True if δ is exactly 0 at every nominal ε of the piece: no loss is larger than ε′."""
    x: Any = None
    """The dataset of the numerator of the pair that the lower line is about; None where δ is 0."""
    y: Any = None
    """The dataset of the denominator."""


class DeltaBand(Result, frozen=True, kw_only=True):
    """δ at one ε′, over the whole interval."""

    ratio: str | None = None
    """ε′ is so many times the nominal ε, a rational; None for a fixed ε′."""
    epsilon: Real | None = None
    """The fixed ε′ in nats."""
    pieces: tuple[DeltaPiece, ...]
    """The pieces in increasing order; together they are the interval."""


class IntervalCurve(Coverage, frozen=True, kw_only=True):
    """The privacy curve over an interval at one size: a surface, cut at some ε′."""

    bands: tuple[DeltaBand, ...]
    """δ at each ε′ that was asked for."""


class IntervalCurveReport(Report[IntervalCurve], frozen=True, kw_only=True):
    """The privacy curve of one mechanism for every nominal ε of an interval.

    The mechanism is described with the interval as its ε.
    """

    epsilon: NominalEpsilon
    """The interval."""
    parameter: str = "epsilon"
    """Whose it is: the nominal ε, or another parameter; of a prior, that of every category."""
    undecided: tuple[UndecidedSize, ...]
    """Sizes that were finished without a result, in increasing order of n."""


class Piece(NominalEpsilon, frozen=True, kw_only=True):
    """Nominal ε on which the realised ε is known between two lines."""

    lower: tuple[Decimal, Decimal]
    """The realised ε is on or above the line through these, its values at first and last."""
    upper: tuple[Decimal, Decimal]
    """The realised ε is on or below the line through these."""
    slope: str | None = None
    """Ratio of realised to nominal ε, a rational, if it is exactly constant on the piece."""
    delta: DeltaLines | None = None
    """δ at the ε of the budget, where that decides what the realised ε does not."""
    verdict: Verdict
    """The verdict for every real ε of the piece."""


class PointFound(Result, frozen=True, kw_only=True):
    """An audit at one nominal ε inside."""

    epsilon: str
    """The nominal ε, an exact rational."""
    found: SizeResult
    """The audit there, with its witness."""


class IntervalSize(Coverage, frozen=True, kw_only=True):
    """The audit over an interval at one size."""

    pieces: tuple[Piece, ...]
    """The pieces in increasing order; together they are the interval."""
    stretches: tuple[Stretch, ...]
    """The verdicts, pieces of one verdict put together."""
    exceeded: PointFound | None
    """A nominal ε that exceeds its budget, with the pair that shows it; None where none does."""
    verdict: Verdict
    """The worst verdict of all pieces."""
    reason: str = ""
    """Reason for undecided pieces; empty if every piece is decided."""


class IntervalBudget(Result, frozen=True, kw_only=True):
    """Largest realised ε, and δ at that ε, that are allowed, as functions of the nominal ε."""

    epsilon: Real | None
    """A constant; None for the nominal ε itself."""
    delta: Real
    """δ: where it is above 0, a realised ε above the budget's does not exceed it for certain."""

    def __str__(self) -> str:
        """Return the budget as text."""
        epsilon = "the nominal ε" if self.epsilon is None else str(self.epsilon)
        return epsilon if str(self.delta) == "0" else f"({epsilon}, {self.delta})"


class IntervalAudit(Report[IntervalSize], frozen=True, kw_only=True):
    """The audit of one mechanism for every nominal ε of an interval.

    The mechanism is described with the interval as its ε.
    """

    epsilon: NominalEpsilon
    """The interval."""
    parameter: str = "epsilon"
    """Whose it is: the nominal ε, or another parameter; of a prior, that of every category."""
    budget: IntervalBudget
    """Budget that the verdicts are about."""
    kept: tuple[NominalEpsilon, ...]
    """The nominal ε that are certified to keep the budget at every size: closed intervals."""
    undecided: tuple[UndecidedSize, ...]
    """Sizes that were finished without a result, in increasing order of n."""
    verdict: Verdict
    """The worst verdict of all sizes; a size without a result counts as undecided."""
