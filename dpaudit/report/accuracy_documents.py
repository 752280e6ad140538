"""Comparisons of accuracy as JSON: the typed document and how it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from dpaudit.accuracy.compare import Accuracy, Unanswered
from dpaudit.exact.enclosure import Enclosure
from dpaudit.mechanisms.parameters import parameter_text
from dpaudit.results import Data
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.accuracy.compare import Question

__all__ = [
    "AccuracyDocument",
    "Found",
    "accuracy_document",
    "law_lines",
    "mechanism_fields",
]

Found = Accuracy | Unanswered
"""What is found of a mechanism."""


class QuantileDocument(msgspec.Struct):
    """The smallest error h with P(error ≤ h) ≥ level, in [lower, upper]."""

    level: str
    lower: str
    upper: str
    decided: bool


class TailDocument(msgspec.Struct):
    """P(error ≥ threshold)."""

    threshold: str
    lower: str
    upper: str


class GroupDocument(msgspec.Struct):
    """Outputs of equal error, or equally many steps away (then the errors are from … to …)."""

    steps: list[int]
    error: Enclosure
    probability: Enclosure
    outputs: int | None


class AccuracyResult(msgspec.Struct, omit_defaults=True):
    """The error of one mechanism."""

    mechanism: dict[str, Any]
    equal: str
    outside: str | None
    """The reading of counts outside [0, n], for a mechanism that prints such."""
    realised: Enclosure | None
    mean: Enclosure
    variance: Enclosure
    quantiles: list[QuantileDocument]
    tails: list[TailDocument]
    law: list[GroupDocument] = []
    remainder: Enclosure | None = None
    """The probability of errors that the law does not list."""


class UnansweredDocument(msgspec.Struct):
    """A mechanism without a finding, and why."""

    mechanism: dict[str, Any]
    equal: str
    reason: str


class AccuracyDocument(msgspec.Struct, omit_defaults=True):
    """Mechanisms at one dataset, at equal nominal and at equal realised ε."""

    schema: str
    version: str
    metric: str
    at: list[int]
    n: int
    digits: int
    verdict: str
    """``decided``, or ``undecided`` where a quantile or a mechanism is."""
    results: list[AccuracyResult]
    undecided: list[UnansweredDocument]
    data: Data | None = None
    sha256: str = ""


def accuracy_document(
    found: Sequence[Found], question: Question, law: str | None, data: Data | None = None
) -> AccuracyDocument:
    """Return the document of a comparison, with the whole laws by ``law`` if it is given."""
    answered = [one for one in found if isinstance(one, Accuracy)]
    undecided = [one for one in found if isinstance(one, Unanswered)]
    decided = not undecided and all(one.decided for one in answered)
    return AccuracyDocument(
        schema="dpaudit.accuracy/1",
        version=__version__,
        metric=question.metric,
        at=list(question.dataset),
        n=question.n,
        digits=question.digits,
        verdict="decided" if decided else "undecided",
        results=[_result(one, law) for one in answered],
        undecided=[
            UnansweredDocument(mechanism_fields(one), one.equal, one.reason) for one in undecided
        ],
        data=data,
    )


def _result(one: Accuracy, law: str | None) -> AccuracyResult:
    return AccuracyResult(
        mechanism=mechanism_fields(one),
        equal=one.equal,
        outside=one.outside,
        realised=one.realised,
        mean=one.mean,
        variance=one.variance,
        quantiles=[
            QuantileDocument(str(q.level), *q.value.texts(), q.decided) for q in one.quantiles
        ],
        tails=[TailDocument(t, *value.texts()) for t, value in one.tails],
        law=[] if law is None else [_group(*line) for line in law_lines(one, law)],
        remainder=None if law is None else one.law.remainder,
    )


def mechanism_fields(one: Found) -> dict[str, Any]:
    """Return the mechanism's name and parameters."""
    mechanism = one.law.mechanism if isinstance(one, Accuracy) else one.mechanism
    values = mechanism.values()
    return {
        "name": mechanism.name,
        **{name: parameter_text(value) for name, value in values.items()},
    }


def _group(
    steps: tuple[int, ...], error: Enclosure, probability: Enclosure, outputs: int | None
) -> GroupDocument:
    return GroupDocument(list(steps), error, probability, outputs)


Line = tuple[tuple[int, ...], Enclosure, Enclosure, int | None]


def law_lines(one: Accuracy, law: str) -> Iterator[Line]:
    """Iterate over (steps, error, probability, outputs) of a law, by distance or by steps."""
    if law == "distance":
        for group in one.law.groups:
            yield group.steps, group.distance, group.probability, len(group.outputs) or None
        return
    for steps in one.law.by_steps() if one.law.knows_steps else ():
        error = Enclosure(steps.nearest.lower, steps.furthest.upper)
        yield (steps.steps,), error, steps.probability, None
