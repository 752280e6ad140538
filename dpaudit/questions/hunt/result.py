"""Result of a hunt: every point evaluated, and the worst one with its certified audit."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from dpaudit import results
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import Real
from dpaudit.results import GUARD_DIGITS, Enclosure, HuntReport, Verdict
from dpaudit.results.brief import Brief
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.questions.hunt.global_search import Evaluated, Limits, Stopped, Unevaluated
    from dpaudit.questions.hunt.space import Space, Value

__all__ = ["HuntResult", "Worst", "certified_ratio"]


@dataclass(frozen=True, repr=False)
class Worst(Brief):
    """The worst point that was found, audited in full."""

    parameters: dict[str, Value]
    """The searched parameters, exact."""
    audit: results.Audit
    """The certified audit there, of one size."""
    ratio: Enclosure | None
    """Realised over budget: of ε, or of δ if the budget has one; None without a result."""
    replay: str
    """The command that audits this point again."""


@dataclass(frozen=True, repr=False)
class HuntResult(Brief):
    """A finished hunt."""

    mechanism: str
    """The mechanism, as it was asked for."""
    space: Space
    """Space that was searched."""
    fixed: dict[str, str]
    """Parameters that were the same at every point, as text."""
    budget: results.Budget | None
    """The budget (ε, δ) if it was given; None where each point has its nominal one."""
    measure: Literal["epsilon", "delta"]
    """Quantity whose ratio to the budget is maximised; ``delta`` for budgets with δ > 0."""
    limits: Limits
    """Limits of the search, and its seed."""
    stopped: Stopped
    """Reason for the end of the search."""
    evaluated: tuple[Evaluated, ...]
    """The points that were looked at, in that order."""
    unevaluated: tuple[Unevaluated, ...]
    """The points that could not be looked at."""
    worst: Worst | None
    """The worst point; None if no point could be looked at."""
    certified: int
    """Number of points audited in full."""
    uncertified: int
    """Number of points not audited in full whose scores cannot be told from their budget or, if
    every point was evaluated, from the worst one."""
    unsettled: int
    """Number of those that may exceed their budget."""

    @property
    def finding(self) -> results.HuntVerdict:
        """Verdict of the hunt."""
        if self.worst is None:
            return results.HuntVerdict.UNDECIDED
        if self.worst.audit.verdict is Verdict.EXCEEDS:
            return results.HuntVerdict.EXCEEDS
        open_points = self.unsettled or any(not point.costly for point in self.unevaluated)
        if self.worst.audit.verdict is Verdict.UNDECIDED or open_points:
            return results.HuntVerdict.UNDECIDED
        return results.HuntVerdict.NONE

    @property
    def report(self) -> HuntReport:
        """The report: all but the points that were looked at."""
        worst = self.worst
        return HuntReport(
            schema="dpaudit.hunt/1",
            version=__version__,
            mechanism=self.mechanism,
            searched=tuple(
                results.SearchedRange(d.name, d.text, "logarithmic" if d.logarithmic else "linear")
                for d in self.space.dimensions
            ),
            fixed=self.fixed,
            budget=self.budget,
            measure=self.measure,
            seed=self.limits.seed,
            evaluations=self.limits.evaluations,
            time_cap=f"{self.limits.seconds:g}",
            stopped=self.stopped.value,
            verdict=self.finding,
            worst=None
            if worst is None
            else results.WorstPoint(
                _texts(worst.parameters), worst.ratio, worst.audit, worst.replay
            ),
            evaluated=len(self.evaluated),
            unevaluated=tuple(
                results.LeftOut(_texts(self.space.named(one.point)), one.reason, one.costly)
                for one in self.unevaluated
            ),
            certified=self.certified,
            uncertified=self.uncertified,
            unsettled=self.unsettled,
        )

    @property
    def points(self) -> results.HuntPoints:
        """Every point, with the scores of the search."""
        found = [
            results.HuntPoint(tuple(map(str, one.point)), one.score.epsilon, one.score.delta)
            for one in self.evaluated
        ]
        found += [
            results.HuntPoint(tuple(map(str, one.point)), None, None, one.reason)
            for one in self.unevaluated
        ]
        names = tuple(dimension.name for dimension in self.space.dimensions)
        return results.HuntPoints(names, tuple(found))


def _texts(values: dict[str, Value]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def certified_ratio(realised: Enclosure, budget: Real, digits: int) -> Enclosure:
    """Return the interval of ``realised`` over a positive ``budget``, rounded outward.

    >>> from dpaudit.numbers.real import real
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
