"""The Python interface of accuracy: ``dpaudit.compare_accuracy``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.accuracy import measure as accuracy
from dpaudit.api.finished import Finished, swept_together
from dpaudit.api.plans import chosen, make_plan, read_counts
from dpaudit.audit.plan import ENGINES, read_sizes
from dpaudit.errors import SizeError
from dpaudit.report.comparison import Compared, side_by_side
from dpaudit.report.render import document_of
from dpaudit.results import EQUAL, AccuracyReport, ReportList

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number


__all__ = ["Accuracies", "compare_accuracy"]


class Accuracies(Finished[AccuracyReport | ReportList]):
    """Result of :func:`compare_accuracy`; exports: tables, JSON, a figure of quantiles as boxes."""

    @property
    def decided(self) -> bool:
        """True if every mechanism has a result in which every quantile is decided."""
        return all(report.decided for report in self.reports)

    @property
    def results(self) -> tuple[Compared, ...]:
        """Results at equal nominal ε, then at equal realised ε; each names its mechanism."""
        return side_by_side(self.reports).results


def compare_accuracy(
    names: str | Mechanism[Any] | Iterable[str | Mechanism[Any]],
    at: str | Sequence[int],
    n: int | str | Iterable[int] | None = None,
    *,
    metric: str = "hellinger",
    equal: Sequence[str] = tuple(EQUAL),
    realised: Number | None = None,
    outside: str | None = None,
    tail: Iterable[Number] = (),
    law: str = "",
    adjacency: str | None = None,
    digits: int = accuracy.DEFAULT_DIGITS,
    jobs: int = 1,
    engine: str = ENGINES[0],
    **parameters: object,
) -> Accuracies:
    """Compare the exact distributions of the error of mechanisms at one dataset.

    Args:
        names: a mechanism, or several: each a name, or a mechanism (then no ``parameters``).
        at: the counts of the dataset, or ``"uniform"`` for uniform data of the sizes ``n``.
        n: sizes, for uniform data.
        metric: ``"hellinger"``, between the posteriors of output and data, or ``"l1"``, between
            the counts.
        equal: compare at equal ``"nominal"`` ε, at equal ``"realised"`` ε, or both.
        realised: the realised ε at which mechanisms are compared; by default the nominal ε of the
            first.
        outside: treatment of counts outside [0, n], if a mechanism outputs such counts.
        tail: compute P(error ≥ t) at these thresholds t.
        law: ``"distance"`` or ``"steps"`` for the whole distribution of the error.
        adjacency: the neighbouring relation of the realised ε, by default the mechanism's own.
        digits: intervals are at most 10^−digits wide.
        jobs: number of processes that share the work; the result does not depend on it.
        engine: ``"screen"`` or ``"ball"`` for the realised ε, as in :func:`dpaudit.check`.
        parameters: parameters of the mechanisms.

    Returns:
        The comparison: for each mechanism the mean, quantiles and tails of its error.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    >>> found = compare_accuracy("LSHist", (2, 3), equal=["nominal"])
    >>> print(found.results[0].mean)
    [0.318187856591, 0.318187856592]
    """
    given = [names] if isinstance(names, str) or not hasattr(names, "__iter__") else list(names)
    asked: dict[str, Any] = {"adjacency": adjacency, "digits": digits, "engine": engine}
    subjects = [chosen(name, parameters, n=n, at=at, jobs=jobs, **asked) for name in given]
    at = at if at == "uniform" else read_counts(at)
    if n is None and isinstance(at, str):
        raise SizeError("the sizes of uniform data are missing; give n")
    sizes = read_sizes(sum(map(int, at)) if n is None else n)
    errors = accuracy.Errors(metric, outside, accuracy.read_thresholds(tail), law)
    plans = {id(subject): make_plan(subject, held="never", at=at, **asked) for subject in subjects}
    compared = accuracy.compared_measures(
        subjects, errors, equal, accuracy.check_equal(equal, realised)
    )
    measured = [(one, subject, plans[id(subject)]) for subject, one in compared]
    for one, subject, plan in measured:  # what cannot be asked is said before it is computed
        for size in sizes:
            one.law(subject, size, plan)
    return Accuracies(document_of(swept_together(measured, sizes, jobs)))
