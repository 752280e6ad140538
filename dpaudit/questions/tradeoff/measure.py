"""Trade-off functions as a measure: the privacy curve read as errors of tests, with its fit μ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.audit.curve import Curves, certified, privacy_curve
from dpaudit.audit.measure import Measure, Needs, Progress
from dpaudit.audit.verdicts import check_enclosure
from dpaudit.errors import DomainError, PrecisionError
from dpaudit.laws.law import NotListedError
from dpaudit.laws.tradeoff import mu_from_above, mu_from_below, type_two
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import ONE, Number
from dpaudit.questions.notion.at_size import measure_size
from dpaudit.questions.notion.notion import Gaussian
from dpaudit.results import Enclosure, Hulls, Tradeoff, TradeoffReport

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from fractions import Fraction

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["Tradeoffs", "read_type_one", "tradeoffs_at"]


def read_type_one(numbers: Iterable[Number] | str) -> tuple[Fraction, ...]:
    """Return type I errors, read exactly; ``DomainError`` for any outside [0, 1] or irrational."""
    errors = []
    for number in numbers.split(",") if isinstance(numbers, str) else numbers:
        text = number.strip() if isinstance(number, str) else number
        error = read_number(text, "at-type-one").as_fraction()
        if error is None or not 0 <= error <= 1:
            raise DomainError("at-type-one", number, "must be a rational number from 0 to 1")
        errors.append(error)
    return tuple(errors)


def _fit(
    mechanism: Mechanism[Any], n: int, plan: Plan, curve: Hulls
) -> tuple[Enclosure, Hashable, Hashable]:
    """Return the smallest μ with f ≥ G_μ and its pair; from the hulls where no list gives it."""
    try:
        fitted = measure_size(mechanism, n, plan, Gaussian(), ONE)
    except (PrecisionError, NotListedError):
        with precision(curve.scale_bits):
            lower, event = mu_from_below(curve, plan.digits)
            upper = mu_from_above(curve, plan.digits)
        return Enclosure(lower, upper), event.x, event.y
    return fitted.value, fitted.witness.x, fitted.witness.y


@dataclass(frozen=True)
class Tradeoffs(Measure[Tradeoff, TradeoffReport]):
    """The smallest type II errors of tests, at ``type_one`` and as a whole."""

    schema = "dpaudit.tradeoff/1"
    document = TradeoffReport
    sized = Tradeoff

    @property
    def needs(self) -> Needs:
        return Needs(patterns=True, tables=True)

    type_one: tuple[Fraction, ...]
    """Type I errors at which the smallest type II error is wanted."""

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> Tradeoff:
        curve = privacy_curve(mechanism, n, plan, progress, self.type_one)
        mu, x, y = _fit(mechanism, n, plan, curve)
        return Tradeoff(
            n=n,
            pairs=curve.pairs,
            scale_bits=curve.scale_bits,
            upper=curve.upper,
            lower=curve.lower,
            mu=mu,
            x=x,
            y=y,
            values=tuple(type_two(curve, error, plan.digits) for error in self.type_one),
        )

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        return Curves().seconds(mechanism, n, plan)

    def points(self, plan: Plan) -> Sequence[Any]:
        return self.type_one

    def judged(self, result: Tradeoff, plan: Plan, pairs: int | None) -> Tradeoff:
        curve = certified(result, pairs)
        values = tuple(type_two(curve, error, plan.digits) for error in self.type_one)
        # The numbers of a worker are not believed: they follow from its hulls.
        if list(map(str, values)) != list(map(str, result.values)):
            raise ValueError("its type II errors do not follow from its convex hulls")
        check_enclosure(result.mu)
        return result

    def points_of(self, result: Tradeoff) -> Sequence[Any]:
        return [at.type_one for at in result.values]


def tradeoffs_at(at_type_one: Iterable[Number] | str) -> Tradeoffs:
    """Return the measure at these type I errors, also as a text like ``"1/10,1/2"``.

    Raises ``DomainError`` for one that is not rational from 0 to 1.
    """
    return Tradeoffs(read_type_one(at_type_one))
