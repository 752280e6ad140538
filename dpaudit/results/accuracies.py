"""Errors of mechanisms at one dataset, and comparisons of them."""

from __future__ import annotations

from dpaudit.results.audits import Report, UndecidedSize
from dpaudit.results.values import Count, Enclosure, Real, Result, Size

__all__ = [
    "EQUAL",
    "OUTSIDE",
    "Accuracy",
    "AccuracyReport",
    "ErrorGroup",
    "QuantileAt",
    "TailAt",
]

EQUAL = {
    "nominal": "each mechanism at the nominal ε that is given",
    "realised": "each with a nominal ε whose realised ε is at most 10⁻⁶ below the target",
}
"""Ways to make mechanisms comparable: at equal nominal ε or at equal realised ε."""

OUTSIDE = {
    "clamped": "counts are clamped to [0, n] before they are used (as A Alg. 1–3 do)",
    "furthest": "an output with which no posterior exists (some α + r ≤ 0) is at distance 1",
    "redrawn": "noise is drawn again until the counts are at least 0",
    "printed": "counts are compared as they are printed (the ℓ1 error only)",
}
"""Treatments of noisy counts outside [0, n], for mechanisms that print them."""


class QuantileAt(Enclosure, frozen=True, kw_only=True):
    """The smallest error h with P(error ≤ h) ≥ level.

    The interval is as wide as what is left open if it is not ``decided``.
    """

    level: Real
    """The level, in (0, 1]."""
    decided: bool
    """True if the quantile is known to be one particular error of the law."""

    @property
    def value(self) -> Enclosure:
        """The error alone."""
        return Enclosure(self.lower, self.upper, self.exact)


class TailAt(Enclosure, frozen=True, kw_only=True):
    """P(error ≥ threshold)."""

    threshold: Real
    """The threshold, at least 0."""


class ErrorGroup(Result, frozen=True):
    """Outputs of equal error, or equally many steps away (then the errors are from … to …)."""

    steps: tuple[Count, ...]
    """Distinct distances of the outputs from the truth, in steps; empty if unknown."""
    error: Enclosure
    """Their error."""
    probability: Enclosure
    """Their probability."""
    outputs: Count | None
    """Number of outputs in the group; None if they are not listed."""


class Accuracy(Result, frozen=True, kw_only=True):
    """The error of one mechanism at one dataset."""

    n: Size
    """The size of the dataset."""
    dataset: tuple[Count, ...]
    """Its counts."""
    nominal: Real | None
    """The ε that the mechanism is run with; None for a mechanism that has none."""
    outside: str | None
    """The reading of counts outside [0, n], for a mechanism that prints such."""
    realised: Enclosure | None
    """The realised ε over all pairs of the size, where it was asked for."""
    mean: Enclosure
    """The mean error."""
    variance: Enclosure
    """The variance of the error."""
    quantiles: tuple[QuantileAt, ...]
    """The quantiles, by increasing level."""
    tails: tuple[TailAt, ...]
    """The tails that were asked for."""
    law: tuple[ErrorGroup, ...] = ()
    """The whole law, where it was asked for."""
    remainder: Enclosure | None = None
    """The probability of errors that the law does not list."""

    @property
    def decided(self) -> bool:
        """True if every quantile is known to be one particular error of the law."""
        return all(quantile.decided for quantile in self.quantiles)


class AccuracyReport(Report[Accuracy], frozen=True, kw_only=True):
    """The error of one mechanism: at its nominal ε, or at one whose realised ε is a target.

    ``at`` is the dataset, or ``uniform`` for data of the sizes; pairs are not restricted by it.
    """

    metric: str
    """``hellinger`` or ``l1``."""
    outside: str | None
    """Requested treatment of counts outside [0, n]; None for the default of the metric."""
    by: str = ""
    """Grouping of the listed laws, ``distance`` or ``steps``; empty if laws are not listed."""
    equal: str
    """``nominal``: it is run as it is given; ``realised``: its realised ε is to be the target."""
    target: Real | None
    """The realised ε that mechanisms are to have in common; None where none is asked for."""
    undecided: tuple[UndecidedSize, ...]
    """Sizes without a result."""
    decided: bool
    """True if every size has a result in which every quantile is decided."""
