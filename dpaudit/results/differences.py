"""Differences of two reports of one kind, an old one and a new one."""

from __future__ import annotations

from typing import Literal

from dpaudit.results.values import Count, Document, Enclosure, Result
from dpaudit.worded import Worded

__all__ = ["Change", "ComparedFile", "Difference", "DifferenceVerdict"]


class DifferenceVerdict(Worded):
    """Verdict on a new report beside an old one."""

    NO_WORSE = "no worse"
    """Every verdict is as good as it was, and everything that was checked still is."""
    WORSE = "worse"
    """A verdict got worse, something was not checked again, or a question was changed."""


class ComparedFile(Result, frozen=True, kw_only=True):
    """One of the two reports."""

    name: str
    """The name of the file."""
    file_sha256: str
    """The SHA-256 of the file; empty for the report that the differences are a part of."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""


class Change(Result, frozen=True, kw_only=True):
    """One difference."""

    change: Literal["moved", "flipped", "only in old", "only in new", "asked otherwise"]
    """``moved``: the two intervals have no number in common, so that the numbers differ for
    certain; ``flipped``: another verdict; ``asked otherwise``: an answer to another question."""
    mechanism: str
    """Mechanism with its parameters, title of an entry of a gate, or id of a claim."""
    where: str = ""
    """The size, as ``n = 10``; empty for all of the report."""
    what: str = ""
    """Name of the number or verdict; empty where all at that place is in one report alone."""
    old: Enclosure | str | None = None
    """Number, verdict or part of the question in the old report; None if it has none."""
    new: Enclosure | str | None = None
    """The same in the new report."""
    standing: Literal["worse", "better", ""] = ""
    """Direction of a verdict; what is only in the old report, or asked otherwise, is worse.
    Empty for verdicts of one rank, and for numbers, whose verdicts say it; but fewer pairs
    covered are worse."""


class Difference(Document, frozen=True, kw_only=True):
    """Differences of two reports: numbers that moved, verdicts that flipped."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    compared: str
    """The schema of the reports."""
    old: ComparedFile
    """The old report."""
    new: ComparedFile
    """The new report."""
    verdict: DifferenceVerdict
    """``worse`` if one of the changes is."""
    changes: tuple[Change, ...]
    """The changes: worse ones first, then in the order of the reports."""
    agreeing: Count
    """Number of intervals that overlap with that of the other report: the two numbers may be the
    same."""
    kept: Count
    """Number of verdicts that are in both reports and are the same."""
    sources: tuple[str, ...] = ()
    """References of mechanisms, in both reports, whose files have another SHA-256."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""

    @property
    def worse(self) -> tuple[Change, ...]:
        """The changes for the worse."""
        return tuple(change for change in self.changes if change.standing == "worse")
