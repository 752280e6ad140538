"""Mechanisms side by side at one dataset: at equal nominal ε and at equal realised ε."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.accuracy.equal import at_realised, realised
from dpaudit.accuracy.law import ErrorLaw, error_law
from dpaudit.errors import DpauditError
from dpaudit.exact.real import Real, rational
from dpaudit.mechanisms.parameters import parameter_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.accuracy.equal import Calibrator
    from dpaudit.accuracy.findings import Quantile
    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["EQUAL", "LEVELS", "Accuracy", "Question", "Unanswered", "accuracy", "compare"]

EQUAL = {
    "nominal": "each mechanism as it is given",
    "realised": "each with the nominal ε that makes its realised ε the same",
}
"""What mechanisms have in common when they are compared."""

LEVELS = tuple(rational(percent) / rational(100) for percent in (5, 25, 50, 75, 95))
"""The quantiles that are shown."""


@dataclass(frozen=True)
class Question:
    """What is asked of every mechanism."""

    dataset: tuple[int, ...]
    metric: str
    outside: str | None
    digits: int
    thresholds: tuple[Real, ...] = ()
    """P(error ≥ t) is wanted for these t."""
    sample: int = 0
    """How many errors are drawn, for a plot."""
    seed: int = 0
    """What the draws start from."""

    @property
    def n(self) -> int:
        """The number of records."""
        return sum(self.dataset)


@dataclass(frozen=True)
class Accuracy:
    """The error of one mechanism at one dataset."""

    law: ErrorLaw
    equal: str
    """``nominal`` or ``realised``."""
    realised: Enclosure | None
    """The realised ε over all pairs of the size, where it was asked for."""
    mean: Enclosure
    variance: Enclosure
    quantiles: tuple[Quantile, ...]
    tails: tuple[tuple[str, Enclosure], ...]
    """(t, P(error ≥ t)) for every threshold."""
    sample: tuple[float, ...] = ()
    """Errors that were drawn, for a plot: nothing else is made from them."""

    @property
    def name(self) -> str:
        """The mechanism's name."""
        return self.law.mechanism.name

    @property
    def parameters(self) -> dict[str, str | list[str]]:
        """The mechanism's parameters, as reports show them."""
        values = self.law.mechanism.values()
        return {name: parameter_text(value) for name, value in values.items()}

    @property
    def outside(self) -> str | None:
        """What becomes of counts outside [0, n]; None for a mechanism that prints none."""
        n = sum(self.law.dataset)
        endless = self.law.mechanism.output_count(n) is None
        return self.law.outside if endless else None

    @property
    def decided(self) -> bool:
        """Whether it is known which error every quantile is."""
        return all(quantile.decided for quantile in self.quantiles)


@dataclass(frozen=True)
class Unanswered:
    """A mechanism without a finding, and why."""

    mechanism: Mechanism[Any]
    equal: str
    reason: str


def accuracy(
    mechanism: Mechanism[Any],
    question: Question,
    *,
    equal: str = "nominal",
    epsilon: Enclosure | None = None,
) -> Accuracy:
    """Return the error of ``mechanism``; ``epsilon`` is its realised ε, if known."""
    law = error_law(
        mechanism,
        question.dataset,
        question.metric,
        outside=question.outside,
        digits=question.digits,
    )
    return Accuracy(
        law=law,
        equal=equal,
        realised=epsilon,
        mean=law.mean(),
        variance=law.variance(),
        quantiles=tuple(law.quantile(level) for level in LEVELS),
        tails=tuple((str(t), law.tail(t)) for t in question.thresholds),
        sample=_drawn(law, question),
    )


def _drawn(law: ErrorLaw, question: Question) -> tuple[float, ...]:
    if not question.sample:
        return ()
    from dpaudit.accuracy.sampling import errors_of_draws, sample_outputs

    return tuple(errors_of_draws(law, sample_outputs(law, question.sample, question.seed)).tolist())


def compare(
    mechanisms: Sequence[Mechanism[Any]],
    question: Question,
    equal: Sequence[str],
    target: Real | None = None,
    *,
    calibrate: Calibrator = at_realised,
    tick: Callable[[], None] = lambda: None,
) -> list[Accuracy | Unanswered]:
    """Return the error of every mechanism, first at equal nominal, then at equal realised ε.

    ``equal`` lists which of :data:`EQUAL` are wanted.  ``target`` is the realised ε that is made
    equal; by default the nominal ε of the first mechanism.  A mechanism without a finding does not
    end the comparison.  ``tick`` is called after each.
    """
    found: list[Accuracy | Unanswered] = []
    for common in equal:
        for mechanism in mechanisms if common == "nominal" else _but_for_epsilon(mechanisms):
            try:
                if common == "realised":
                    aim = mechanisms[0].nominal.epsilon if target is None else target
                    tuned = calibrate(mechanism, question.n, aim)
                    found.append(
                        accuracy(tuned.mechanism, question, equal=common, epsilon=tuned.realised)
                    )
                else:
                    epsilon = None
                    if "realised" in equal:
                        epsilon = realised(mechanism, question.n, mechanism.nominal.epsilon).epsilon
                    found.append(accuracy(mechanism, question, epsilon=epsilon))
            except DpauditError as error:
                found.append(Unanswered(mechanism, common, str(error)))
            tick()
    return found


def _but_for_epsilon(mechanisms: Sequence[Mechanism[Any]]) -> list[Mechanism[Any]]:
    """Return one of those mechanisms that differ in ε alone, which is going to be replaced."""
    distinct: dict[object, Mechanism[Any]] = {}
    for mechanism in mechanisms:
        others = {key: value for key, value in mechanism.values().items() if key != "epsilon"}
        distinct.setdefault((type(mechanism), tuple(others.items())), mechanism)
    return list(distinct.values())
