"""Entries of a gate about errors: the largest mean error allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.accuracy.measure import Errors
from dpaudit.accuracy.metrics import METRICS
from dpaudit.audit.verdicts import in_words
from dpaudit.errors import UsageError, nearest
from dpaudit.gate.entries import OneBound
from dpaudit.gate.rows import Row, bounded_row

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.results import AccuracyReport, Bound

__all__ = ["ENTRY"]


class _Accuracy(OneBound):
    measure = "accuracy"
    keys = ("metric",)
    schema = "dpaudit.accuracy/2"
    bounded = "the mean error"
    has_events = False

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        return Errors(entry.metric or METRICS[0])

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        return {**super().checks(), "metric": _check_metric}

    def check_at(self, entry: Entry) -> None:
        if entry.at is None:
            raise UsageError(
                'measure = "accuracy" needs a dataset, such as at = "2,3" or at = [2, 3]'
            )
        super().check_at(entry)

    def rows(self, report: AccuracyReport, bounds: Sequence[Bound]) -> list[Row]:
        limit = bounds[0].limit
        return [
            bounded_row(one.n, "mean error", one.mean, limit, in_words(one.dataset))
            for one in report.results
        ]


def _check_metric(entry: Entry) -> None:
    if entry.metric not in (None, *METRICS):
        raise UsageError(f"no metric {entry.metric!r}; {nearest(str(entry.metric), METRICS)}")


ENTRY = _Accuracy()
