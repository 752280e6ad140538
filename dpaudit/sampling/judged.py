"""What counts say of a budget, and distances of a law: the verdict, from numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from math import inf, log
from typing import TYPE_CHECKING, Any

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import precision, upper_fraction
from dpaudit.results import SampleVerdict
from dpaudit.sampling.audit import is_exceeded
from dpaudit.sampling.binomial import rounded_up
from dpaudit.sampling.joint import Counts, JointTest
from dpaudit.sampling.sequential import Together, bound_at_any_time, evidence

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Budget
    from dpaudit.numbers.real import Real

__all__ = ["Judged", "below", "compared_verdict", "contradicted", "limits_of", "shown"]

_TOLERABLE = 0.01
"""A law whose distance is not shown to be below this is not said to be conformed to."""


def below(error: Real) -> float:
    """Return a float that is at most the error probability."""
    with precision(128):
        return -rounded_up(upper_fraction(-error.ball()))


def limits_of(budget: Budget) -> tuple[float, float]:
    """Return floats that are at least the ε and the δ of a budget; an ε beyond all is infinite."""
    with precision(128):
        try:
            epsilon = rounded_up(upper_fraction(budget.epsilon.ball()))
        except (OverflowError, PrecisionError):
            epsilon = inf
        return epsilon, rounded_up(upper_fraction(budget.delta.ball()))


@dataclass(frozen=True)
class Judged:
    """What counts say of a budget."""

    exceeded: bool
    able: bool
    """Whether the best counts of as many draws would contradict it."""
    epsilon: float
    delta: float
    """Lower bounds; −∞ for none."""
    limits: tuple[float, float]
    """The ε and the δ of the budget, rounded up."""
    digits: int
    still: bool
    """Whether the event held for all draws of both sides, or for none: it told none apart."""

    @classmethod
    def of(
        cls,
        counts: Counts,
        alpha: float,
        budget: tuple[float, float],
        digits: int,
        together: Together | None = None,
    ) -> Judged:
        """Judge counts at the error probability ``alpha``.

        Args:
            counts: of a number of draws that was fixed before.
            alpha: the error probability.
            budget: its ε and δ, rounded up.
            digits: to how many digits bounds are searched for.
            together: the same counts, draw by draw of both sides, where they were looked at on
                the way.
        """
        epsilon, delta = budget
        still = counts.first == counts.second in (0, counts.draws)
        if together is not None:
            best = Together(first=counts.draws)
            return cls(
                contradicted(together, alpha, epsilon, delta),
                contradicted(best, alpha, epsilon, delta),
                bound_at_any_time(together, alpha, "epsilon", delta, digits),
                bound_at_any_time(together, alpha, "delta", epsilon, digits),
                budget,
                digits,
                still,
            )
        return cls(
            is_exceeded(counts, alpha, epsilon, delta),
            is_exceeded(Counts(counts.draws, counts.draws, 0), alpha, epsilon, delta),
            JointTest(counts, alpha, "epsilon", delta).bound(digits),
            JointTest(counts, alpha, "delta", epsilon).bound(digits),
            budget,
            digits,
            still,
        )

    def told(self, *, vacuous: bool) -> dict[str, Any]:
        """Return the verdict and the bounds, as the fields of a report."""
        verdict = SampleVerdict.NOT_REFUTED
        # The two bounds order counts in two ways; what the verdict denies, none of them says.
        epsilon, delta = map(min, (self.epsilon, self.delta), self.limits)
        if self.exceeded:
            verdict = SampleVerdict.EXCEEDS
            epsilon, delta = max(self.epsilon, self.limits[0]), self.delta
        elif vacuous:
            verdict = SampleVerdict.VACUOUS
        elif not self.able:
            verdict = SampleVerdict.TOO_FEW
        elif self.still:
            verdict = SampleVerdict.VACUOUS
        return {
            "verdict": verdict,
            "epsilon": shown(epsilon, ROUND_FLOOR, self.digits),
            "delta": shown(delta, ROUND_FLOOR, self.digits),
        }


def contradicted(seen: Together, alpha: float, epsilon: float, delta: float) -> bool:
    """Tell whether what was looked at on the way contradicts a budget."""
    return evidence(seen, epsilon, delta) >= log(1 / alpha)


def compared_verdict(p_value: float, distance: float, alpha: float) -> SampleVerdict:
    """Return the verdict on the smallest p-value and the largest distance of all datasets."""
    if p_value <= alpha:
        return SampleVerdict.DIFFERS
    return SampleVerdict.CONFORMS if distance <= _TOLERABLE else SampleVerdict.TOO_FEW


def shown(value: float, rounding: str, digits: int) -> str:
    """Return a bound as a decimal that stays one, rounded so; empty for none."""
    if value <= 0 or value == inf:
        return "" if value != inf else "inf"
    return str(Context(prec=digits + 3, rounding=rounding).create_decimal_from_float(value))
