"""The options of ``dpaudit canaries``."""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.cli.request import WriteRequest

__all__ = ["CanariesRequest"]


@dataclass(frozen=True, kw_only=True)
class CanariesRequest(WriteRequest):
    """Options of an audit by canaries, and of what is planned before a training."""

    number: int | None
    """Number of canaries."""
    short: int | None
    """The same, by its short name."""
    plan: bool
    """True if a plan is asked for."""
    plan_inclusion: bool
    """True if coins are to be tossed."""
    refute: str | None
    """The ε for which the number of canaries is wanted."""
    seed: int | None
    """Seed of the coins."""
    shares: str | None
    """Shares of right guesses that a plan tells about."""
    guesses: int | None
    """Number of guesses, fixed before scores are seen."""
    right: int | None
    """Number of right guesses."""
    counts: str | None
    """Counts of trainings with a canary and without it."""
    score_column: str
    """Column of scores."""
    member_column: str
    """Column of members."""
    inclusion: str | None
    """Manifest that says which canaries were in."""
    matching: str | None
    """Seed of a random matching of canaries that were in with those that were out."""
    one_sided: bool
    """True if every guess is "in"."""
    group: int
    """Number of examples that each coin decided for."""
    probability: str | None
    """Probability of canaries to be in, or the column that has it."""
    direction: str
    """Scores that mean that a canary was in: ``higher`` or ``lower``."""
    delta: str
    """The δ for which ε is bounded."""
    level: str
    """Probability with which a true ε may be refuted."""
    budget: str | None
    """Budget that the verdict is about."""
    profile: str | None
    """Profile that is tested in place of a budget."""
    digits: int | None
    """Digits of the ends of intervals."""
