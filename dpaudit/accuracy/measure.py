"""The error of a mechanism as a measure: at its nominal ε, or at one that realises a target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dpaudit.accuracy.equal import at_realised, realised
from dpaudit.accuracy.law import ErrorLaw, error_law
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.measure import Measure, Needs, Progress
from dpaudit.audit.plan import Plan, datasets_at
from dpaudit.audit.room import MOST_LISTED
from dpaudit.audit.verdicts import check_enclosure, side
from dpaudit.errors import DomainError, DpauditError, ParameterError, nearest
from dpaudit.mechanisms.parameters import PositiveParameter, read_number
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import Number, Real, rational
from dpaudit.results import EQUAL, Accuracy, AccuracyReport, Enclosure, TailAt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.mechanisms.base import Mechanism


__all__ = [
    "DEFAULT_DIGITS",
    "EQUAL",
    "LEVELS",
    "LISTINGS",
    "Errors",
    "check_equal",
    "compared_measures",
    "drawn",
    "law_of",
    "read_thresholds",
]

DEFAULT_DIGITS = 9
"""Intervals of errors are at most 10^−9 wide if nothing else is said."""

LEVELS = tuple(rational(percent) / rational(100) for percent in (5, 25, 50, 75, 95))
"""The quantiles that are shown."""

LISTINGS = ("distance", "steps")
"""Ways to list the whole law of an error."""

_AUDITS = 8  # that finding a nominal ε takes, about
_OUTPUTS_A_SECOND = 20_000


def read_thresholds(numbers: Iterable[Number] | str) -> tuple[Real, ...]:
    """Return thresholds, read exactly; ``DomainError`` for one below 0."""
    parts = numbers.split(",") if isinstance(numbers, str) else numbers
    thresholds = tuple(read_number(part, "tail") for part in parts)
    for threshold in thresholds:
        if threshold.sign() not in (Sign.ZERO, Sign.POSITIVE):
            raise DomainError("tail", threshold, "must be at least 0")
    return thresholds


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
class Errors(Measure[Accuracy, AccuracyReport]):
    """Mean, variance, quantiles and tails of the error at the dataset of a plan."""

    schema = "dpaudit.accuracy/2"
    document = AccuracyReport
    sized = Accuracy

    metric: str = "hellinger"
    """``hellinger`` or ``l1``."""
    outside: str | None = None
    """Treatment of counts outside [0, n]; None for the default of the metric."""
    thresholds: tuple[Real, ...] = ()
    """P(error ≥ t) is wanted for these t."""
    by: str = ""
    """Grouping of the listed law, ``distance`` or ``steps``; empty if it is not listed."""
    equal: str = "nominal"
    """``nominal`` or ``realised``."""
    target: Real | None = None
    """The realised ε that mechanisms are to have in common; None where none is asked for."""

    @property
    def needs(self) -> Needs:
        compared = self.target is not None
        return Needs(
            pairs=compared,
            everywhere=True,
            listing=MOST_LISTED,
            few_errors=self.metric == "l1",
        )

    def law(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> ErrorLaw:
        """Return the law of the error of ``mechanism``; ``UsageError`` where there is none."""
        if self.by and self.by not in LISTINGS:
            raise ParameterError("law", f"law = {self.by!r}: {nearest(self.by, LISTINGS)}")
        if plan.at is None:
            raise ParameterError("at", "--at COUNTS or --data FILE is needed: the data")
        dataset = datasets_at(mechanism, n, plan.at)[0]
        return error_law(mechanism, dataset, self.metric, outside=self.outside, digits=plan.digits)

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> Accuracy:
        try:
            accuracy = self._found(mechanism, n, plan)
        except DpauditError as error:  # it ends no comparison with others
            accuracy = self.without_result(n, str(error))
        progress(mechanism.adjacency(plan.adjacency).pair_count(n))
        return accuracy

    def _found(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> Accuracy:
        epsilon = None
        if self.target is not None and self.equal == "realised":
            tuned = at_realised(mechanism, n, self.target, plan)
            mechanism, epsilon = tuned.mechanism, tuned.realised
        elif self.target is not None:
            epsilon = realised(mechanism, n, mechanism.nominal.epsilon, plan).epsilon
        law = self.law(mechanism, n, plan)
        endless = mechanism.output_count(n) is None
        return Accuracy(
            n=n,
            dataset=law.dataset,
            nominal=mechanism.values().get("epsilon"),
            outside=law.outside if endless else None,
            realised=epsilon,
            mean=law.mean(),
            variance=law.variance(),
            quantiles=tuple(law.quantile(level) for level in LEVELS),
            tails=tuple(
                TailAt(tail.lower, tail.upper, tail.exact, threshold=t)
                for t in self.thresholds
                for tail in [law.tail(t)]
            ),
            law=law.listed(self.by) if self.by else (),
            remainder=law.remainder if self.by else None,
        )

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        audits = 0 if self.target is None else _AUDITS if self.equal == "realised" else 1
        listed = (mechanism.output_count(n) or n) / _OUTPUTS_A_SECOND
        return listed + audits * EpsilonDelta().seconds(mechanism, n, plan)

    def points(self, plan: Plan) -> Sequence[Any]:
        return self.thresholds

    def points_of(self, result: Accuracy) -> Sequence[Any]:
        return [tail.threshold for tail in result.tails]

    def judged(self, result: Accuracy, plan: Plan, pairs: int | None) -> Accuracy:
        intervals = [result.mean, result.variance, *result.quantiles, *result.tails]
        for interval in (*intervals, *([] if result.realised is None else [result.realised])):
            check_enclosure(interval)
        if any(tail.upper > 1 for tail in result.tails):
            raise ValueError("a tail is above 1")
        if [quantile.level for quantile in result.quantiles] != list(LEVELS):
            raise ValueError("its quantiles have other levels than requested")
        if list(map(str, self.points_of(result))) != list(map(str, self.thresholds)):
            raise ValueError("its tails are at other thresholds")
        if (result.realised is None) is not (self.target is None):
            raise ValueError("its realised ε was not asked for, or is missing")
        tuned = self.equal == "realised" and self.target is not None
        if tuned and result.realised is not None and not self._is_kept(result.realised):
            raise ValueError("its realised ε is not certainly at most the target")
        return result

    def _is_kept(self, realised: Enclosure) -> bool:
        assert self.target is not None
        return side(realised, self.target) in (Sign.NEGATIVE, Sign.ZERO)

    def fields(self, plan: Plan, document: dict[str, Any]) -> dict[str, Any]:
        whole = not document["missing"] and not document["undecided"]
        names = ("metric", "outside", "by", "equal", "target")
        return {
            **{name: getattr(self, name) for name in names},
            "decided": whole and all(result.decided for result in document["results"]),
        }


def compared_measures(
    mechanisms: Sequence[Mechanism[Any]], errors: Errors, equal: Sequence[str], target: Real | None
) -> list[tuple[Mechanism[Any], Errors]]:
    """Return what is measured of which mechanism in a comparison, in the order it is shown.

    Args:
        mechanisms: what is compared.
        errors: what is asked of each.
        equal: which of :data:`EQUAL` are wanted.
        target: the realised ε that is made equal; by default the nominal ε of the first mechanism.
    """
    if "realised" in equal:
        errors = replace(errors, target=target or mechanisms[0].nominal.epsilon)
    return [
        (mechanism, replace(errors, equal=common))
        for common in equal
        for mechanism in (mechanisms if common == "nominal" else _but_for_epsilon(mechanisms))
    ]


def law_of(errors: Errors, mechanism: Mechanism[Any], accuracy: Accuracy, plan: Plan) -> ErrorLaw:
    """Return the law whose error was ``found``: of the mechanism with that nominal ε."""
    if errors.equal == "realised":
        mechanism = replace(mechanism, epsilon=accuracy.nominal)  # type: ignore[call-arg]
    return errors.law(mechanism, accuracy.n, plan)


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
