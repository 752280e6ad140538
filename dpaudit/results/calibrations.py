"""Results of a calibration: a certified safe nominal ε, a certified failure, and the gain."""

from __future__ import annotations

from typing import Any

from dpaudit.results.audits import Report, SizeResult
from dpaudit.results.values import Budget, Count, Enclosure, Result, Size, Verdict

__all__ = [
    "Beyond",
    "CalibratedSize",
    "CalibrationReport",
    "ErrorChange",
    "Uncalibrated",
]


class ErrorChange(Result, frozen=True):
    """The mean Hellinger error E[H(BI(x), z)] at one dataset, before and after."""

    dataset: Any
    """The counts of the dataset x."""
    before: Enclosure
    """At the nominal ε of the budget."""
    after: Enclosure
    """At the calibrated nominal ε."""
    ratio: Enclosure
    """after/before: below 1 where accuracy is gained."""


class Beyond(Result, frozen=True):
    """Audits at nominal ε larger than the failing one."""

    tried: Count
    """Number of larger nominal ε that were tried."""
    exceeding: Count
    """Number of those certified to exceed the budget; the others are undecided."""
    up_to: str
    """The largest of them."""


class CalibratedSize(Result, frozen=True, kw_only=True):
    """The calibration at one size n.

    The nominal ε is one that is certified to keep the budget, next to one that is not.  The
    realised ε and δ need not grow with the nominal ε, so that a larger one between those that were
    tried beyond may be safe as well.
    """

    n: Size
    """The size."""
    nominal: str
    """The safe nominal ε, an exact decimal, in the unit of the subject's own ε."""
    failing: str | None
    """A nominal ε just above that is certified to exceed the budget; None where none was found."""
    gain: Enclosure
    """The safe nominal ε over that of the budget, both in the unit of the subject's own ε."""
    audits: Count
    """Number of certified audits that the search took."""
    before: SizeResult
    """The audit at the nominal ε of the budget."""
    realised: SizeResult
    """The audit at the safe nominal ε: its verdict is ``within``."""
    exceeded: SizeResult | None
    """The audit at the failing nominal ε: its verdict is ``exceeds``."""
    error: ErrorChange | None
    """The accuracy gained; None where there is no mean error."""
    beyond: Beyond | None
    """Audits beyond the failing nominal ε; None if there is no failing one."""
    verdict: Verdict
    """The verdict of the audit at the safe nominal ε."""
    note: str = ""
    """Remark on the search; empty if there is none."""
    no_error: str = ""
    """Reason for the lack of a mean error; empty if there is one."""


class Uncalibrated(Result, frozen=True):
    """A size for which no safe nominal ε was found."""

    n: Size
    """The size."""
    verdict: Verdict
    """``exceeds`` if every nominal ε tried is certified to exceed the budget, else undecided."""
    reason: str
    """Nominal ε that were tried, in words."""


class CalibrationReport(Report[CalibratedSize], frozen=True, kw_only=True):
    """The calibration of one mechanism over one or more sizes.

    The mechanism is described as it is before, at the nominal ε of the budget.
    """

    budget: Budget
    """The budget (ε, δ) that is to be kept."""
    tolerance: str
    """Largest distance from the safe nominal ε to the failing one, and from the realised ε to ε."""
    uncalibrated: tuple[Uncalibrated, ...]
    """Sizes that were finished without a safe nominal ε, in increasing order of n."""
    verdict: Verdict
    """The worst verdict of all sizes; a size that was not finished counts as undecided."""

    @property
    def without_result(self) -> tuple[Uncalibrated, ...]:
        """The sizes that were finished without a safe nominal ε."""
        return self.uncalibrated
