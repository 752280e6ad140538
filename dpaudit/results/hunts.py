"""Results of a hunt: ranges, effort, and the worst point with its certified audit."""

from __future__ import annotations

from typing import Literal

from dpaudit.results.audits import Audit
from dpaudit.results.values import Budget, Count, Document, Enclosure, Result
from dpaudit.worded import Worded

__all__ = [
    "HuntPoint",
    "HuntPoints",
    "HuntReport",
    "HuntVerdict",
    "LeftOut",
    "SearchedRange",
    "WorstPoint",
]


class HuntVerdict(Worded):
    """Verdict of a hunt.  It is deliberately not usable as a bool."""

    EXCEEDS = "exceeds"
    """The audit of the worst point certifies that its budget is exceeded."""
    NONE = "none-found"
    """Every point looked at is within its budget; nothing is said of other points."""
    UNDECIDED = "undecided"
    """The audit of the worst point decides nothing, or a point could not be enclosed."""


class SearchedRange(Result, frozen=True):
    """One searched parameter: a range or a list as it can be asked for, and its scale."""

    name: str
    """The parameter."""
    values: str
    """The range or the list."""
    scale: Literal["linear", "logarithmic"]
    """Scale on which lengths are measured along the range."""


class LeftOut(Result, frozen=True):
    """A point that could not be looked at, and why."""

    parameters: dict[str, str]
    """Its values, as text that reads back exactly."""
    reason: str
    """Reason for leaving the point out."""
    costly: bool = False
    """True if the point was left out because it would have taken too long."""


class WorstPoint(Result, frozen=True):
    """The worst point found: its certified audit, and the command that replays it."""

    parameters: dict[str, str]
    """The searched parameters, as text that reads back exactly."""
    ratio: Enclosure | None
    """Realised over budget: of ε, or of δ if the budget has one; None without a result."""
    audit: Audit
    """The certified audit there, of one size."""
    replay: str
    """The command that audits this point again."""


class HuntReport(Document, frozen=True, kw_only=True):
    """A hunt: what was searched, how far, and the worst point found."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Fingerprint of the code that made the document."""
    mechanism: str
    """The mechanism, as it was asked for."""
    searched: tuple[SearchedRange, ...]
    """Ranges of the searched parameters."""
    fixed: dict[str, str]
    """Parameters that were the same at every point, as text that reads back exactly."""
    budget: Budget | None
    """The budget (ε, δ) if it was given; None where each point has its nominal one."""
    measure: Literal["epsilon", "delta"]
    """Quantity whose ratio to the budget is maximised; ``delta`` for budgets with δ > 0."""
    seed: Count
    """Seed of the search."""
    evaluations: Count
    """Largest number of points that could be evaluated."""
    time_cap: str
    """Largest number of seconds that the search could take."""
    stopped: str
    """Reason for the end of the search."""
    verdict: HuntVerdict
    """``exceeds`` for a certified violation, ``none-found`` where the worst point is certified
    within its budget (which says nothing of points that were not looked at), or ``undecided``."""
    worst: WorstPoint | None
    """The worst point; None if no point could be looked at."""
    evaluated: Count
    """Number of points evaluated."""
    unevaluated: tuple[LeftOut, ...]
    """The points that could not be looked at."""
    certified: Count
    """Number of points audited in full."""
    uncertified: Count
    """Number of points not audited in full whose scores cannot be told from the budget or the
    worst."""
    unsettled: Count = 0
    """Number of those that may exceed their budget."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""


class HuntPoint(Result, frozen=True):
    """One point that was looked at, or could not be."""

    values: tuple[str, ...]
    """Its values, in the order of the parameters."""
    epsilon: float | None
    """Lower bound of ε over its budget that the search reached; not certified."""
    delta: float | None
    """The same of δ, where the budget has one."""
    reason: str = ""
    """Reason for leaving the point out; empty if it was evaluated."""


class HuntPoints(Result, frozen=True):
    """Every point of a hunt: uncertified, and so in no document but in CSV."""

    names: tuple[str, ...]
    """The searched parameters."""
    points: tuple[HuntPoint, ...]
    """The points, in the order in which they were looked at."""
    schema: str = "dpaudit.hunt-points/1"
    """Name of the table's format."""
