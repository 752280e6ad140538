"""What a calibration finds: a certified safe nominal ε, a certified failure, and what is gained."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.audit.result import SizeResult, Subject, Verdict, worst_verdict

if TYPE_CHECKING:
    from dpaudit.data.histograms import Counts
    from dpaudit.exact.enclosure import Enclosure

__all__ = ["Beyond", "CalibratedSize", "Calibration", "ErrorChange", "NoError", "Uncalibrated"]


@dataclass(frozen=True, slots=True)
class ErrorChange:
    """The mean Hellinger error E[H(BI(x), z)] at one dataset, before and after."""

    dataset: Counts
    """The counts of the dataset x."""
    before: Enclosure
    """At the nominal ε of the budget."""
    after: Enclosure
    """At the calibrated nominal ε."""
    ratio: Enclosure
    """after/before: below 1 where accuracy is gained."""


@dataclass(frozen=True, slots=True)
class NoError:
    """No mean error, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Beyond:
    """What was tried beyond the failing nominal ε."""

    tried: int
    """How many larger nominal ε."""
    exceeding: int
    """How many of them are certified to exceed the budget; the others are undecided."""
    up_to: str
    """The largest of them."""


@dataclass(frozen=True, slots=True)
class CalibratedSize:
    """The calibration at one size n.

    The nominal ε is one that is certified to keep the budget, next to one that is not.  The
    realised ε and δ need not grow with the nominal ε, so that a larger one between those that were
    tried beyond may be safe as well.
    """

    n: int
    """The size."""
    nominal: str
    """The safe nominal ε, an exact decimal, in the unit of the subject's own ε."""
    failing: str | None
    """A nominal ε just above that is certified to exceed the budget; None where none was found."""
    gain: Enclosure
    """The safe nominal ε over that of the budget, both in the unit of the subject's own ε."""
    audits: int
    """How many certified audits it took."""
    before: SizeResult
    """The audit at the nominal ε of the budget."""
    realised: SizeResult
    """The audit at the safe nominal ε: its verdict is ``within``."""
    exceeded: SizeResult | None
    """The audit at the failing nominal ε: its verdict is ``exceeds``."""
    error: ErrorChange | NoError
    """The accuracy gained."""
    beyond: Beyond | None
    """What was tried beyond the failing nominal ε; None where there is none."""
    note: str = ""
    """What is remarkable about the search; empty otherwise."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of the audit at the safe nominal ε."""
        return self.realised.verdict


@dataclass(frozen=True, slots=True)
class Uncalibrated:
    """A size for which no safe nominal ε was found."""

    n: int
    """The size."""
    verdict: Verdict
    """``exceeds`` if every nominal ε tried is certified to exceed the budget, else undecided."""
    reason: str
    """What was tried."""


@dataclass(frozen=True)
class Calibration:
    """The calibration of one mechanism over one or more sizes."""

    subject: Subject
    """The mechanism at the nominal ε of the budget, and how it was audited."""
    tolerance: str
    """How far above the safe nominal ε the failing one may lie, and the realised ε below ε."""
    sizes: tuple[int, ...]
    """The sizes that were asked for, in increasing order."""
    results: tuple[CalibratedSize, ...]
    """One result for each finished size, in increasing order of n."""
    uncalibrated: tuple[Uncalibrated, ...] = ()
    """Sizes that were finished without a safe nominal ε, in increasing order of n."""
    missing: tuple[int, ...] = ()
    """Sizes that were asked for and not finished."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all sizes; a size that was not finished counts as undecided."""
        found = [size.verdict for size in self.results]
        without = [size.verdict for size in self.uncalibrated]
        unfinished = [Verdict.UNDECIDED for _ in self.missing]
        return worst_verdict([*found, *without, *unfinished])
