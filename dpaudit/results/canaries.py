"""What right guesses about canaries refute: statistical answers, which say their level."""

from __future__ import annotations

from dpaudit.results.values import Budget, Count, Digits, Document, Enclosure, Real, Result
from dpaudit.worded import Worded

__all__ = ["CanaryBound", "CanaryReport", "CanaryVerdict", "SizeTried", "TwoWorlds"]


class CanaryVerdict(Worded):
    """How a training stands to its budget.  It is never ``within``: guesses prove no privacy."""

    EXCEEDS = "exceeds"
    """The guesses refute the budget at the level."""
    NOT_REFUTED = "not refuted"
    """The guesses do not contradict the budget."""
    UNDECIDED = "undecided"
    """The probability of the guesses and the level cannot be told apart."""


class SizeTried(Result, frozen=True, kw_only=True):
    """One of the numbers of guesses that were tried together."""

    guesses: Count
    """Number r of guesses: the surest r."""
    right: Count
    """Number of them that were right."""


class CanaryBound(Result, frozen=True, kw_only=True):
    """The largest ε below which every ε is refuted, for one δ at one level."""

    delta: Real
    """δ in [0, 1)."""
    level: Real
    """The probability with which a true ε may be refuted, at most."""
    epsilon: Enclosure
    """An interval around the largest ε below which every ε is refuted; 0 where none is."""
    sizes: tuple[SizeTried, ...] = ()
    """Numbers of guesses that were tried together; none where one was fixed beforehand."""


class TwoWorlds(Result, frozen=True, kw_only=True):
    """What was called about trainings with a canary and about others without it."""

    members: Count
    """How many trainings were with it."""
    true_positives: Count
    """How many of those were called to be with it."""
    others: Count
    """How many trainings were without it."""
    false_positives: Count
    """How many of those were called to be with it."""


class CanaryReport(Document, frozen=True, kw_only=True):
    """What the guesses about the canaries of one run refute."""

    schema: str
    """The name of the document."""
    version: str
    """The version of dpaudit that made it."""
    fingerprint: str = ""
    """Of the code that made it; see :mod:`dpaudit.fingerprint`."""
    scores_sha256: str = ""
    """The SHA-256 of the file of scores, where there is one."""
    canaries: Count
    """How many canaries there were, each in with probability 1/2, independently."""
    guesses: Count
    """How many of them were guessed to be in or out, fixed before the scores were seen; all of them
    where every number of guesses was tried."""
    right: Count
    """How many guesses were right."""
    worlds: TwoWorlds | None = None
    """What was counted in each of two worlds; None where all canaries were in one run.  Then there
    are as many canaries, and guesses, as trainings."""
    digits: Digits
    """Ends of intervals have so many digits after the point; those of one run are neighbours."""
    bounds: tuple[CanaryBound, ...]
    """A bound for each δ and level."""
    budget: Budget | None = None
    """The budget (ε, δ) that the verdict is about."""
    verdict: CanaryVerdict | None = None
    """How the training stands to the budget; None without one."""
    sha256: str = ""
    """The SHA-256 of all else in the document."""
