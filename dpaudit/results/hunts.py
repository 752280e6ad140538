"""What a hunt finds: what was searched, how far, and the worst point with its certified audit."""

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
    """How a hunt ended.  It is deliberately not usable as a bool."""

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
    """How lengths are measured along it."""


class LeftOut(Result, frozen=True):
    """A point that could not be looked at, and why."""

    parameters: dict[str, str]
    """Its values, as text that reads back exactly."""
    reason: str
    """Why."""
    costly: bool = False
    """Whether it would have taken too long."""


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
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    mechanism: str
    """The mechanism, as it was asked for."""
    searched: tuple[SearchedRange, ...]
    """What was searched."""
    fixed: dict[str, str]
    """What was the same everywhere, as text that reads back exactly."""
    budget: Budget | None
    """The budget (ε, δ) if it was given; None where each point has its nominal one."""
    measure: Literal["epsilon", "delta"]
    """What the ratio is of: ``epsilon``, or ``delta`` for budgets with δ > 0."""
    seed: Count
    """Where the randomness of the search came from."""
    evaluations: Count
    """How many points could be looked at."""
    time_cap: str
    """How many seconds the search could take."""
    stopped: str
    """Why it ended."""
    verdict: HuntVerdict
    """``exceeds`` for a certified violation, ``none-found`` where the worst point is certified
    within its budget (which says nothing of points that were not looked at), or ``undecided``."""
    worst: WorstPoint | None
    """The worst point; None if no point could be looked at."""
    evaluated: Count
    """How many points were looked at."""
    unevaluated: tuple[LeftOut, ...]
    """The points that could not be looked at."""
    certified: Count
    """How many points were audited in full."""
    uncertified: Count
    """How many were not that their scores do not tell from the budget, or from the worst."""
    unsettled: Count = 0
    """How many of those may exceed their budget."""
    sha256: str = ""
    """SHA-256 of the document without this field, where it is written."""


class HuntPoint(Result, frozen=True):
    """One point that was looked at, or could not be."""

    values: tuple[str, ...]
    """Its values, in the order of the parameters."""
    epsilon: float | None
    """What the search reached of ε over its budget, from below; no certified number."""
    delta: float | None
    """The same of δ, where the budget has one."""
    reason: str = ""
    """Why it could not be looked at."""


class HuntPoints(Result, frozen=True):
    """Every point of a hunt: uncertified, and so in no document but in CSV."""

    names: tuple[str, ...]
    """The searched parameters."""
    points: tuple[HuntPoint, ...]
    """The points, in the order in which they were looked at."""
    schema: str = "dpaudit.hunt-points/1"
    """What it is called."""
