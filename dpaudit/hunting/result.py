"""What a hunt found: every point it looked at, and the worst one with its certified audit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.exact.enclosure import GUARD_DIGITS, Enclosure, enclose_real
from dpaudit.results import Verdict
from dpaudit.worded import Worded

if TYPE_CHECKING:
    from dpaudit.exact.real import Real
    from dpaudit.hunting.search import Evaluated, Limits, Stopped, Unevaluated
    from dpaudit.hunting.space import Space, Value
    from dpaudit.results import Audit

__all__ = ["Finding", "HuntResult", "Worst", "certified_ratio"]


class Finding(Worded):
    """How a hunt ended.  It is deliberately not usable as a bool."""

    EXCEEDS = "exceeds"
    """The audit of the worst point certifies that its budget is exceeded."""
    NONE = "none-found"
    """Every point looked at is within its budget; nothing is said of other points."""
    UNDECIDED = "undecided"
    """The audit of the worst point decides nothing, or a point could not be enclosed."""


@dataclass(frozen=True)
class Worst:
    """The worst point that was found, audited in full."""

    parameters: dict[str, Value]
    """The searched parameters, exact."""
    audit: Audit
    """The certified audit there, of one size."""
    ratio: Enclosure | None
    """Realised over budget: of ε, or of δ if the budget has one; None without a result."""
    replay: str
    """The command that audits this point again."""


@dataclass(frozen=True)
class HuntResult:
    """A finished hunt."""

    mechanism: str
    """The mechanism, as it was asked for."""
    space: Space
    """What was searched."""
    fixed: dict[str, str]
    """What was the same everywhere, as text."""
    budget: tuple[str, str] | None
    """The budget (ε, δ) if it was given; None where each point has its nominal one."""
    measure: str
    """What the ratio is of: ``epsilon``, or ``delta`` for budgets with δ > 0."""
    limits: Limits
    """How far the search could go."""
    stopped: Stopped
    """Why it ended."""
    evaluated: tuple[Evaluated, ...]
    """The points that were looked at, in that order."""
    unevaluated: tuple[Unevaluated, ...]
    """The points that could not be looked at."""
    worst: Worst | None
    """The worst point; None if no point could be looked at."""
    certified: int
    """How many points were audited in full."""
    uncertified: int
    """How many were not that scores do not tell from their budget or, where every point was looked
    at, from the worst one."""
    unsettled: int
    """How many of those may exceed their budget."""

    @property
    def finding(self) -> Finding:
        """Whether a certified violation was found."""
        if self.worst is None:
            return Finding.UNDECIDED
        if self.worst.audit.verdict is Verdict.EXCEEDS:
            return Finding.EXCEEDS
        open_points = self.unsettled or any(not point.costly for point in self.unevaluated)
        if self.worst.audit.verdict is Verdict.UNDECIDED or open_points:
            return Finding.UNDECIDED
        return Finding.NONE


def certified_ratio(realised: Enclosure, budget: Real, digits: int) -> Enclosure:
    """Return the interval of ``realised`` over a positive ``budget``, rounded outward.

    >>> from dpaudit.exact.real import real
    >>> print(certified_ratio(Enclosure(Decimal("0.2"), Decimal("0.4")), real("4/5"), 6))
    [0.25, 0.5]
    """
    if realised.exact is not None:
        return enclose_real(realised.exact / budget, digits)
    bottom = enclose_real(budget, digits + GUARD_DIGITS)
    return Enclosure(
        _divided(realised.lower, bottom.upper, digits, ROUND_FLOOR),
        _divided(realised.upper, bottom.lower, digits, ROUND_CEILING),
    )


def _divided(top: Decimal, bottom: Decimal, digits: int, rounding: str) -> Decimal:
    if top.is_infinite():
        return top
    value = Fraction(top) / Fraction(bottom)
    context = Context(prec=digits + GUARD_DIGITS, rounding=rounding)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))
