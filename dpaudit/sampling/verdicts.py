"""Verdicts from numbers alone: counts against a budget, and distances from a law."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context
from fractions import Fraction
from math import inf, log
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import precision, upper_fraction
from dpaudit.numbers.real import real
from dpaudit.results import Comparison, SampleVerdict
from dpaudit.sampling.audit import is_exceeded
from dpaudit.sampling.binomial import rounded_up
from dpaudit.sampling.joint import Counts, JointTest
from dpaudit.sampling.sequential import Together, bound_at_any_time, evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.mechanisms.base import Budget
    from dpaudit.numbers.real import Real

__all__ = [
    "Judged",
    "Nearness",
    "at_a_stop",
    "below",
    "compared_verdict",
    "contradicted",
    "limits_of",
    "nearness",
    "shown",
    "spare",
]

_TOLERABLE = 0.01
"""A law whose distance is not shown to be below this is not said to be conformed to."""
_TOLERABLE_PLACE = 0.02
"""The same, of draws from one kind of place alone, of which there are fewer."""
_SUSPECT = 1e-4
"""Below this p-value of a place more draws are asked for: chance gives it in 1 of 10,000 runs."""
_SPARE = Fraction(1, 4)
"""The part of an error probability that tests for drift take."""


def below(error: Real) -> float:
    """Return a float that is at most the part of the error probability that a verdict takes.

    That is three quarters; the last is of :func:`spare`.
    """
    with precision(128):
        # Rounded down: the negative is rounded up.
        return -rounded_up(upper_fraction(-error.ball()) * (1 - _SPARE))


def spare(error: Real) -> float:
    """Return a float that is at most the part that is taken by tests of whether laws drift."""
    with precision(128):
        # Rounded down: the negative is rounded up.
        return -rounded_up(upper_fraction(-error.ball()) * _SPARE)


def at_a_stop(error: Real) -> float:
    """Return a float that is at most the part of the error probability that a stop takes.

    A run of a fixed number of draws has a verdict at its end, and bounds that hold at any time
    where it is stopped before: these, and tests for drift at stops, take a sixteenth each, and
    tests for drift at its end an eighth.
    """
    return spare(error) / 4  # by a power of two, so no rounding


def limits_of(budget: Budget) -> tuple[float, float]:
    """Return floats that are at least the ε and the δ of a budget; an ε beyond all is infinite."""
    with precision(128):
        try:
            epsilon = rounded_up(upper_fraction(budget.epsilon.ball()))
        except (OverflowError, PrecisionError):
            # Beyond all floats, where no counts contradict it.
            epsilon = inf
        return epsilon, rounded_up(upper_fraction(budget.delta.ball()))


class Nearness(NamedTuple):
    """Evidence of the draws of one dataset against a law."""

    p_value: float
    """An upper bound, of all draws."""
    distance: float
    """An upper bound of the total variation distance, of all draws."""
    farthest: float
    """The largest of those of places."""
    drift: float
    """An upper bound of the p-value of the place that speaks most against the law."""


@dataclass(frozen=True)
class Judged:
    """Verdict of counts on a budget, with lower bounds of ε and δ."""

    exceeded: bool
    able: bool
    """True if some counts of as many draws would contradict the budget."""
    epsilon: float
    delta: float
    """Lower bounds; −∞ for none."""
    limits: tuple[float, float]
    """The ε and the δ of the budget, rounded up."""
    digits: int
    still: bool
    """True if the event held for all draws of both sides, or for none."""

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

    def as_fields(self, *, vacuous: bool) -> dict[str, Any]:
        """Return the verdict and the bounds, as the fields of a report."""
        verdict = SampleVerdict.NOT_REFUTED
        if self.exceeded:
            verdict = SampleVerdict.EXCEEDS
        elif vacuous:
            verdict = SampleVerdict.VACUOUS
        elif not self.able:
            verdict = SampleVerdict.TOO_FEW
        elif self.still:
            verdict = SampleVerdict.VACUOUS
        return {"verdict": verdict, **self.bounds()}

    def bounds(self) -> dict[str, str]:
        """Return the lower bounds of ε and δ, as the fields of a report."""
        # The two bounds order counts in two ways; what the verdict denies, none of them says.
        epsilon, delta = map(min, (self.epsilon, self.delta), self.limits)
        if self.exceeded:
            epsilon, delta = max(self.epsilon, self.limits[0]), self.delta
        return {
            "epsilon": shown(epsilon, ROUND_FLOOR, self.digits),
            "delta": shown(delta, ROUND_FLOOR, self.digits),
        }


def contradicted(counts: Together, alpha: float, epsilon: float, delta: float) -> bool:
    """Tell whether what was looked at on the way contradicts a budget."""
    return evidence(counts, epsilon, delta) >= log(1 / alpha)


def nearness(comparison: Comparison) -> Nearness:
    """Return how a comparison stands to its law, by the numbers that it says.

    Raises ``UsageError``, or ``ValueError``, where these are none.
    """

    def number(text: str) -> float:
        fraction = real(text or "0").as_fraction()
        if fraction is None:
            raise ValueError(f"{text[:40]!r} is not a fraction")
        return float(fraction)

    farthest = max((number(place.distance) for place in comparison.places), default=1.0)
    return Nearness(
        number(comparison.p_value), number(comparison.distance), farthest, number(comparison.drift)
    )


def compared_verdict(compared: Sequence[Nearness], alpha: float) -> SampleVerdict:
    """Return the verdict on how the draws of all datasets stand to a law."""
    if min(dataset.p_value for dataset in compared) <= alpha:
        return SampleVerdict.DIFFERS
    drift = min(dataset.drift for dataset in compared)
    if drift <= alpha * float(_SPARE / (1 - _SPARE)):
        return SampleVerdict.DIFFERS
    near = all(
        dataset.distance <= _TOLERABLE and dataset.farthest <= _TOLERABLE_PLACE
        for dataset in compared
    )
    return SampleVerdict.CONFORMS if near and drift > _SUSPECT else SampleVerdict.TOO_FEW


def shown(value: float, rounding: str, digits: int) -> str:
    """Return a bound as a decimal that stays one, rounded so; empty for none."""
    if value <= 0 or value == inf:
        return "" if value != inf else "inf"
    return str(Context(prec=digits + 3, rounding=rounding).create_decimal_from_float(value))
