"""The Python interface of accuracy: ``dpaudit.compare_accuracy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.accuracy.compare import EQUAL, ErrorQuestion, check_equal, compare, read_thresholds
from dpaudit.api.finished import Finished
from dpaudit.api.plans import chosen, read_counts
from dpaudit.results import AccuracyReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number
    from dpaudit.results import Accuracy

__all__ = ["Accuracies", "compare_accuracy"]


class Accuracies(Finished[AccuracyReport]):
    """A finished comparison with its ways out: tables, JSON, the figure of boxes."""

    @property
    def verdict(self) -> str:
        """``decided``, or ``undecided`` where a quantile or a mechanism is."""
        return self.report.verdict

    @property
    def results(self) -> tuple[Accuracy, ...]:
        """What was found, first at equal nominal, then at equal realised ε."""
        return self.report.results


def compare_accuracy(
    names: str | Mechanism[Any] | Iterable[str | Mechanism[Any]],
    at: str | Sequence[int],
    *,
    metric: str = "hellinger",
    equal: Sequence[str] = tuple(EQUAL),
    realised: Number | None = None,
    outside: str | None = None,
    tail: Iterable[Number] = (),
    law: str = "",
    digits: int = 9,
    **parameters: object,
) -> Accuracies:
    """Return the exact error of mechanisms at one dataset, side by side.

    Args:
        names: a mechanism, or several: each a name, or a mechanism (then no ``parameters``).
        at: the counts of the dataset.
        metric: ``"hellinger"``, between the posteriors of output and data, or ``"l1"``, between
            the counts.
        equal: what mechanisms have in common: ``"nominal"`` and ``"realised"`` ε, or one of them.
        realised: the realised ε that is made equal; by default the nominal ε of the first.
        outside: what becomes of counts outside [0, n], where a mechanism prints them.
        tail: thresholds t at which P(error ≥ t) is wanted.
        law: ``"distance"`` or ``"steps"`` for the whole law of the error.
        digits: intervals are at most 10^−digits wide.
        parameters: what the mechanisms are run with.

    Raises:
        UsageError: for anything that is not allowed, saying what is; ``TooLargeError`` for what
            there is no memory for.

    >>> found = compare_accuracy("LSHist", (2, 3), equal=["nominal"])
    >>> print(found.results[0].mean)
    [0.318187856591, 0.318187856592]
    """
    given = [names] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)
    subjects = [chosen(name, parameters, at=at, digits=digits) for name in given]
    question = ErrorQuestion(read_counts(at), metric, outside, digits, read_thresholds(tail), law)
    target = check_equal(equal, realised)
    for subject in subjects:  # what cannot be asked is said before anything is computed
        question.law(subject)
        question.check_room(subject, equal)
    return Accuracies(compare(subjects, question, equal, target)[0])
