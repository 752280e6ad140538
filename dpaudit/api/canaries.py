"""The Python interface of audits by canaries: ``dpaudit.canaries`` bounds ε from right guesses.

counts, or scores with a fixed number of guesses → the sharp one-run bound → typed result → report
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Finished
from dpaudit.audit.plan import DEFAULT_DIGITS
from dpaudit.errors import DomainError, ParameterError
from dpaudit.mechanisms.parameters import read_budget, read_budget_delta, read_number
from dpaudit.results import CanaryBound, CanaryReport, CanaryVerdict
from dpaudit.training.guessing import guessed
from dpaudit.training.one_run import LARGEST_M, Guesses, is_refuted, largest_refuted
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.numbers.real import Number, Real

__all__ = ["MOST_DIGITS", "CanaryAudit", "canaries"]

MOST_DIGITS = 30
"""Bounds of ε have so many digits after the point at most."""


@dataclass(frozen=True, repr=False)
class CanaryAudit(Finished[CanaryReport]):
    """A finished audit by canaries with its ways out: text, JSON, CSV, Markdown."""

    @property
    def verdict(self) -> CanaryVerdict | None:
        """How the training stands to the budget; None without one."""
        return self.report.verdict

    @property
    def bounds(self) -> tuple[CanaryBound, ...]:
        """The bounds on ε, one for each δ and level."""
        return self.report.bounds


def canaries(
    scores: Iterable[float] | None = None,
    member: Iterable[object] | None = None,
    *,
    canaries: int | None = None,
    guesses: int | None = None,
    right: int | None = None,
    delta: Number | Sequence[Number] = 0,
    level: Number | Sequence[Number] = "1/20",
    budget: Number | Sequence[Number] | None = None,
    direction: str = "higher",
    digits: int = DEFAULT_DIGITS,
    scores_sha256: str = "",
) -> CanaryAudit:
    """Bound ε from below by how many guesses about canaries in one training run were right.

    Each canary has to be in the training set with probability 1/2, independently of all others.
    The bound is the sharp one: some (ε, δ)-DP training attains it.

    Args:
        scores: a score for each canary, computed from what the training gives out alone.
        member: for each canary whether it was in: True and False, or 1 and 0.
        canaries: how many canaries there were; with scores as many as there are.
        guesses: how many are guessed, fixed before the scores are seen: the half with the highest
            scores to be in, the half with the lowest to be out.
        right: how many guesses were right; counted where there are scores.
        delta: δ in [0, 1), or several.
        level: the probability with which a true ε may be refuted, in (0, 1), or several.
        budget: ε, or (ε, δ), that the verdict is about; with one level alone.
        direction: ``higher`` scores mean "in", or ``lower``.
        digits: ends of intervals are neighbouring decimals of so many digits after the point.
        scores_sha256: the SHA-256 of the file that the scores are from, kept in the report.

    Returns:
        The report: its bounds, and with a budget the verdict ``exceeds`` or ``not refuted``.  It is
        never ``within``.

    Raises:
        UsageError: for anything that is not allowed, saying what is.

    >>> audit = canaries(canaries=1000, guesses=100, right=75, delta="1e-4")
    >>> print(audit.bounds[0].epsilon.lower)
    0.695126017639
    """
    if not 1 <= digits <= MOST_DIGITS:
        raise DomainError("digits", digits, f"must be from 1 to {MOST_DIGITS}")
    if scores is not None or member is not None:
        if canaries is not None or right is not None:
            raise ParameterError("scores", "scores tell how many canaries and right guesses are")
        seen = guessed(scores, member, guesses, direction)
    else:
        seen = _counted(canaries, guesses, right)
    deltas = [read_budget_delta(one) for one in _several(delta)]
    levels = [_level(one) for one in _several(level)]
    stated = None if budget is None else read_budget(budget)
    verdict = None
    if stated is not None:
        if len(levels) > 1:
            raise ParameterError("level", "a verdict has one level; give one, or no budget")
        refuted = is_refuted(seen, stated.epsilon, stated.delta, levels[0])
        verdict = _VERDICTS[refuted]
    bounds = tuple(
        CanaryBound(delta=d, level=a, epsilon=largest_refuted(seen, d, a, digits))
        for d in deltas
        for a in levels
    )
    return CanaryAudit(
        CanaryReport(
            schema="dpaudit.canaries/1",
            version=__version__,
            scores_sha256=scores_sha256,
            canaries=seen.canaries,
            guesses=seen.guesses,
            right=seen.right,
            digits=digits,
            bounds=bounds,
            budget=stated,
            verdict=verdict,
        )
    )


_VERDICTS = {
    True: CanaryVerdict.EXCEEDS,
    False: CanaryVerdict.NOT_REFUTED,
    None: CanaryVerdict.UNDECIDED,
}


def _several(given: Any) -> list[Any]:
    if isinstance(given, str):
        found: list[Any] = given.split(",")
    else:
        found = list(given) if isinstance(given, (list, tuple)) else [given]
    if not found:
        raise ParameterError("delta", "no δ, or no level, is given; give one or several")
    return found


def _level(given: Any) -> Real:
    number = read_number(given, "level")
    if not 0 < float(number) < 1:
        raise DomainError("level", given, "must be between 0 and 1")
    return number


def _counted(canaries: int | None, guesses: int | None, right: int | None) -> Guesses:
    """Return the counts that are given, or raise ``UsageError``."""
    counts = {"canaries": canaries, "guesses": guesses, "right": right}
    for name, count in counts.items():
        if count is None:
            raise ParameterError(
                name, f"{name} is missing: give canaries, guesses and right, or scores"
            )
        if isinstance(count, bool) or not isinstance(count, int):
            raise DomainError(name, count, "must be a whole number")
    assert canaries is not None
    assert guesses is not None
    assert right is not None
    if not 1 <= canaries <= LARGEST_M:
        raise DomainError("canaries", canaries, f"must be from 1 to {LARGEST_M}")
    if not 1 <= guesses <= canaries:
        raise DomainError("guesses", guesses, f"must be from 1 to the {canaries} canaries")
    if not 0 <= right <= guesses:
        raise DomainError("right", right, f"must be from 0 to the {guesses} guesses")
    return Guesses(canaries, guesses, right)
