"""Mechanisms side by side at one dataset: at equal nominal ε and at equal realised ε."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.accuracy.equal import AUDIT_DIGITS, Calibrator, at_realised, realised
from dpaudit.accuracy.law import ErrorLaw, error_law
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.measure import described
from dpaudit.audit.plan import Plan
from dpaudit.audit.room import check_listing, check_room
from dpaudit.errors import DomainError, DpauditError, ParameterError, nearest
from dpaudit.mechanisms.parameters import PositiveParameter, read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.real import ZERO, Number, Real, rational
from dpaudit.results import EQUAL, Accuracy, AccuracyReport, Budget, TailAt, Unanswered
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "EQUAL",
    "LEVELS",
    "LISTINGS",
    "ErrorQuestion",
    "accuracy",
    "check_equal",
    "compare",
    "drawn",
    "read_thresholds",
]


LEVELS = tuple(rational(percent) / rational(100) for percent in (5, 25, 50, 75, 95))
"""The quantiles that are shown."""


LISTINGS = ("distance", "steps")
"""How the whole law of an error can be listed."""


def read_thresholds(given: Iterable[Number]) -> tuple[Real, ...]:
    """Return thresholds, read exactly; ``DomainError`` for one below 0."""
    found = tuple(read_number(part, "tail") for part in given)
    for threshold in found:
        if threshold.sign() not in (Sign.ZERO, Sign.POSITIVE):
            raise DomainError("tail", threshold, "must be at least 0")
    return found


def check_equal(equal: Sequence[str], realised: Number | None) -> Real | None:
    """Return the realised ε that is made equal, read exactly; None for that of the first.

    Raises ``ParameterError`` for what cannot be made equal, or where it is not asked for.
    """
    for common in equal:
        if common not in EQUAL:
            raise ParameterError("equal", f"equal = {common!r}: {nearest(str(common), EQUAL)}")
    if realised is None:
        return None
    if "realised" not in equal:
        raise ParameterError("realised", "--realised and --equal nominal contradict each other")
    return PositiveParameter("realised", "", "", "").read(realised)


@dataclass(frozen=True)
class ErrorQuestion:
    """What is asked of every mechanism."""

    dataset: tuple[int, ...]
    metric: str
    outside: str | None
    digits: int
    thresholds: tuple[Real, ...] = ()
    """P(error ≥ t) is wanted for these t."""
    by: str = ""
    """How the whole law is listed, by ``distance`` or by ``steps``; empty where it is not."""

    @property
    def n(self) -> int:
        """The number of records."""
        return sum(self.dataset)

    def check_room(self, mechanism: Mechanism[Any], equal: Sequence[str]) -> None:
        """Raise ``TooLargeError`` where there is no memory for what is asked of ``mechanism``."""
        what = f"the error of {mechanism.name} at n = {self.n:,}"
        if getattr(mechanism, "prior", ()):
            check_listing(mechanism.output_count(self.n), self.digits, what)
        if "realised" in equal:
            audit = Plan(Budget(mechanism.nominal.epsilon, ZERO), digits=AUDIT_DIGITS)
            check_room(EpsilonDelta(), mechanism, (self.n,), audit)

    def law(self, mechanism: Mechanism[Any]) -> ErrorLaw:
        """Return the law of the error of ``mechanism``; ``UsageError`` where there is none."""
        if self.by and self.by not in LISTINGS:
            raise ParameterError("law", f"law = {self.by!r}: {nearest(self.by, LISTINGS)}")
        return error_law(
            mechanism, self.dataset, self.metric, outside=self.outside, digits=self.digits
        )


def accuracy(
    law: ErrorLaw,
    question: ErrorQuestion,
    *,
    equal: str = "nominal",
    epsilon: Enclosure | None = None,
) -> Accuracy:
    """Return what a law says of a question; ``epsilon`` is the realised ε, if known."""
    mechanism = law.mechanism
    endless = mechanism.output_count(question.n) is None
    return Accuracy(
        described=described(mechanism),
        equal=equal,
        nominal=mechanism.values().get("epsilon"),
        outside=law.outside if endless else None,
        realised=epsilon,
        mean=law.mean(),
        variance=law.variance(),
        quantiles=tuple(law.quantile(level) for level in LEVELS),
        tails=tuple(
            TailAt(tail.lower, tail.upper, tail.exact, threshold=t)
            for t in question.thresholds
            for tail in [law.tail(t)]
        ),
        law=law.listed(question.by) if question.by else (),
        remainder=law.remainder if question.by else None,
        loaded=mechanism.loaded_from,
    )


def compare(
    mechanisms: Sequence[Mechanism[Any]],
    question: ErrorQuestion,
    equal: Sequence[str],
    target: Real | None = None,
    *,
    calibrate: Calibrator = at_realised,
    progress: Callable[[], None] = lambda: None,
) -> tuple[AccuracyReport, list[ErrorLaw]]:
    """Return the error of every mechanism, at equal nominal and at equal realised ε.

    Args:
        mechanisms: what is compared.
        question: what is asked of each.
        equal: which of :data:`EQUAL` are wanted.
        target: the realised ε that is made equal; by default the nominal ε of the first mechanism.
        calibrate: what finds the nominal ε for it.
        progress: what is called after each mechanism.

    Returns:
        The report, and the law of each of its results.  A mechanism without a finding does not end
        the comparison.
    """
    found: list[Accuracy] = []
    laws: list[ErrorLaw] = []
    without: list[Unanswered] = []
    for common in equal:
        for mechanism in mechanisms if common == "nominal" else _but_for_epsilon(mechanisms):
            try:
                chosen, epsilon = mechanism, None
                if common == "realised":
                    aim = mechanisms[0].nominal.epsilon if target is None else target
                    tuned = calibrate(mechanism, question.n, aim)
                    chosen, epsilon = tuned.mechanism, tuned.realised
                elif "realised" in equal:
                    epsilon = realised(mechanism, question.n, mechanism.nominal.epsilon).epsilon
                law = question.law(chosen)
                found.append(accuracy(law, question, equal=common, epsilon=epsilon))
                laws.append(law)
            except DpauditError as error:
                without.append(Unanswered(described(mechanism), common, str(error)))
            progress()
    decided = not without and all(one.decided for one in found)
    report = AccuracyReport(
        schema="dpaudit.accuracy/1",
        version=__version__,
        metric=question.metric,
        at=question.dataset,
        n=question.n,
        digits=question.digits,
        by=question.by,
        verdict="decided" if decided else "undecided",
        results=tuple(found),
        undecided=tuple(without),
    )
    return report, laws


def drawn(laws: Sequence[ErrorLaw], size: int, seed: int) -> list[list[float]]:
    """Return ``size`` drawn errors of each law, for a plot: nothing else is made from them."""
    from dpaudit.accuracy.sampling import errors_of_draws, sample_outputs

    return [errors_of_draws(law, sample_outputs(law, size, seed)).tolist() for law in laws]


def _but_for_epsilon(mechanisms: Sequence[Mechanism[Any]]) -> list[Mechanism[Any]]:
    """Return one of those mechanisms that differ in ε alone, which is going to be replaced."""
    distinct: dict[object, Mechanism[Any]] = {}
    for mechanism in mechanisms:
        others = {key: value for key, value in mechanism.values().items() if key != "epsilon"}
        distinct.setdefault((type(mechanism), tuple(others.items())), mechanism)
    return list(distinct.values())
