"""A fast lower bound on the share of the budget used at one point: by floats, or coarse balls.

A score is what the search climbs on: a certain lower bound on the realised ε or δ (a proved error
is taken off the floats, and of a ball the lower end counts).  It comes with an upper bound, which
says what points it does not tell apart, and from their budgets: those are audited in full.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import EpsilonDelta, screened_entries
from dpaudit.audit.losses import HockeyStick, LargestLoss
from dpaudit.audit.plan import Pairs
from dpaudit.audit.scan import Scan, scan_size
from dpaudit.errors import DomainError, PrecisionError
from dpaudit.mechanisms.parameters import usable_float
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.enclosure import enclose, enclose_real
from dpaudit.numbers.floats import LARGEST_EPSILON
from dpaudit.numbers.real import ZERO, Real, order
from dpaudit.results import Budget, Enclosure

if TYPE_CHECKING:
    from dpaudit.audit.maximum import Maximum
    from dpaudit.questions.hunt.family import Member

__all__ = ["Score", "cost", "score"]

_DIGITS = 9
_ROUNDED_UP = 1 + 2.0**-50  # a quotient of floats nearest to the numbers that are meant


@dataclass(frozen=True, slots=True)
class Score:
    """Shares of the budget used at one point."""

    epsilon: float
    """Realised ε over the ε of the budget."""
    delta: float | None = None
    """Realised δ at the ε of the budget, over the δ of the budget; None for a pure budget."""
    upper: float = math.inf
    """Upper bound of :attr:`ratio`."""
    unsettled: bool = True
    """True if the bounds leave open that the budget is exceeded."""

    @property
    def ratio(self) -> float:
        """The share that the verdict is about: above 1 the budget is exceeded."""
        return self.epsilon if self.delta is None else self.delta

    @property
    def height(self) -> float:
        """Objective of the search: the ratio, or where δ(ε) is 0, the share of ε less 1."""
        if self.delta is None or self.delta > 0:
            # SciPy takes differences of heights, and ∞ − ∞ is no number.
            return min(self.ratio, 1e300)
        # At most 0, so that every point with a δ stands above those that have none.
        return min(self.epsilon, 1.0) - 1.0


def cost(subject: Member) -> float:
    """Return about how many seconds :func:`score` takes."""
    try:
        return EpsilonDelta().seconds(subject.mechanism, subject.n, subject.plan)
    except OverflowError:
        return math.inf


def score(subject: Member) -> Score:
    """Return what the mechanism reaches; ``PrecisionError`` where that cannot be enclosed."""
    budget = subject.plan.held_to
    try:
        whole = usable_float(budget.epsilon, "budget epsilon")
        part = usable_float(budget.delta, "budget delta")
    except DomainError as error:
        raise PrecisionError(str(error)) from None
    wanted = None if budget.delta == ZERO else budget.epsilon
    found = _screened(subject, wanted)
    if found is None:
        found = _enclosed(subject, wanted)
    upper = found.upper / (whole if found.delta is None else part) * _ROUNDED_UP
    # A tie that was decided exactly must not be judged again in rounded floats.
    unsettled = upper > 1 if found.keeps is None else not found.keeps
    share = None if found.delta is None else found.delta / part
    return Score(found.epsilon / whole, share, upper, unsettled)


@dataclass(frozen=True, slots=True)
class _Found:
    epsilon: float
    """A lower bound on the realised ε."""
    delta: float | None
    """One on the realised δ, where the budget has one."""
    upper: float
    """An upper bound on the one that the verdict is about."""
    keeps: bool | None = None
    """True if the budget is kept, False if not; None unless that was decided exactly."""


def _screened(subject: Member, wanted: Real | None) -> _Found | None:
    """Return bounds on the realised ε, and δ at the ε ``wanted``, from floats; None without."""
    mechanism, n, plan = subject.mechanism, subject.n, subject.plan
    # e^ε would overflow in floats.
    too_large = wanted is not None and float(wanted) > LARGEST_EPSILON
    if too_large or screened_entries(mechanism, n, plan) is None:
        return None
    from dpaudit.audit.screen import screened_pairs

    bounds = [one.bound() for one in _quantities(wanted)]
    pairs = Pairs(mechanism, n, plan)
    found = None if pairs.alike else screened_pairs(mechanism, pairs, bounds)
    if found is None or not found.ranges:
        return None
    (epsilon, upper), *delta = found.ranges
    return _Found(epsilon, *delta[0]) if delta else _Found(epsilon, None, upper)


def _quantities(wanted: Real | None) -> list[LargestLoss | HockeyStick]:
    return [LargestLoss(), *(() if wanted is None else (HockeyStick(wanted),))]


def _enclosed(subject: Member, wanted: Real | None) -> _Found:
    """Return the same from balls of few bits, of more where those say nothing."""

    def conclude(found: Scan, pairs: Pairs) -> tuple[_Found, bool]:
        epsilon, *delta = map(found.largest, range(len(found.maxima)))
        lower, *others = ends = [_interval(one) for one in (epsilon, *delta)]
        shown = _Found(
            float(lower.lower),
            float(others[0].lower) if others else None,
            float(ends[-1].upper),
            _keeps(delta[0] if delta else epsilon, subject.plan.held_to),
        )
        return shown, all(_settled(interval) for interval in ends)

    plan = replace(subject.plan, digits=_DIGITS)
    return scan_size(subject.mechanism, subject.n, plan, _quantities(wanted), conclude)


def _keeps(largest: Maximum[Any], budget: Budget) -> bool | None:
    """Tell whether what is known exactly keeps its part of the budget; None if it is not."""
    if largest.exact is None:
        return None
    bound = budget.epsilon if budget.delta == ZERO else budget.delta
    sign = order(largest.exact, bound)
    return None if sign is Sign.UNDECIDED else sign is not Sign.POSITIVE


def _interval(largest: Maximum[Any]) -> Enclosure:
    if largest.exact is not None:
        return enclose_real(largest.exact, _DIGITS)
    return Enclosure(enclose(largest.best, _DIGITS).lower, enclose(largest.bound, _DIGITS).upper)


def _settled(interval: Enclosure) -> bool:
    return float(interval.width) <= 1e-6 * max(1.0, float(interval.lower))
