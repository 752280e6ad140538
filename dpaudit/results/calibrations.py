"""What a calibration finds: a certified safe nominal ε, a certified failure, and what is gained."""

from __future__ import annotations

from typing import Any

from dpaudit.results.audits import Data, Report, SizeResult
from dpaudit.results.values import Budget, Count, Document, Enclosure, Result, Size, Verdict

__all__ = [
    "Beyond",
    "CalibratedSize",
    "CalibrationReport",
    "Calibrations",
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
    """What was tried beyond the failing nominal ε."""

    tried: Count
    """How many larger nominal ε."""
    exceeding: Count
    """How many of them are certified to exceed the budget; the others are undecided."""
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
    """How many certified audits it took."""
    before: SizeResult
    """The audit at the nominal ε of the budget."""
    realised: SizeResult
    """The audit at the safe nominal ε: its verdict is ``within``."""
    exceeded: SizeResult | None
    """The audit at the failing nominal ε: its verdict is ``exceeds``."""
    error: ErrorChange | None
    """The accuracy gained; None where there is no mean error."""
    beyond: Beyond | None
    """What was tried beyond the failing nominal ε; None where there is none."""
    verdict: Verdict
    """The verdict of the audit at the safe nominal ε."""
    note: str = ""
    """What is remarkable about the search; empty otherwise."""
    no_error: str = ""
    """Why there is no mean error; empty where there is one."""


class Uncalibrated(Result, frozen=True):
    """A size for which no safe nominal ε was found."""

    n: Size
    """The size."""
    verdict: Verdict
    """``exceeds`` if every nominal ε tried is certified to exceed the budget, else undecided."""
    reason: str
    """What was tried."""


class CalibrationReport(Report[CalibratedSize], frozen=True, kw_only=True):
    """The calibration of one mechanism over one or more sizes.

    The mechanism is described as it is before, at the nominal ε of the budget.
    """

    budget: Budget
    """The budget (ε, δ) that is to be kept."""
    tolerance: str
    """How far above the safe nominal ε the failing one may lie, and the realised ε below ε."""
    uncalibrated: tuple[Uncalibrated, ...]
    """Sizes that were finished without a safe nominal ε, in increasing order of n."""
    verdict: Verdict
    """The worst verdict of all sizes; a size that was not finished counts as undecided."""

    @property
    def without_result(self) -> tuple[Uncalibrated, ...]:
        """The sizes that were finished without a safe nominal ε."""
        return self.uncalibrated


class Calibrations(Document, frozen=True, kw_only=True):
    """The calibrations of several mechanisms."""

    schema: str
    """The name of the document."""
    verdict: Verdict
    """The worst verdict of all."""
    calibrations: tuple[CalibrationReport, ...]
    """One for each mechanism."""
    data: Data | None = None
    """The file that the data were taken from, if they were."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""
