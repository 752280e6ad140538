"""Entries of a gate: the largest expected loss allowed, in nats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.questions.expected_loss.measure import asked

from dpaudit.gate.entries import OneBound
from dpaudit.gate.rows import Row, bounded_row, pair_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.questions.expected_loss.result import ExpectedLossReport

    from dpaudit.gate.config import Entry
    from dpaudit.results import Bound

__all__ = ["ENTRY"]


class _ExpectedLoss(OneBound):
    measure = "expected-loss"
    schema = "dpaudit.expected-loss/1"
    bounded = "the expected loss"
    has_events = False

    def measured(self, mechanism: Any, entry: Entry) -> Any:
        return asked("nats")

    def rows(self, report: ExpectedLossReport, bounds: Sequence[Bound]) -> list[Row]:
        limit = bounds[0].limit
        return [
            bounded_row(one.n, "expected loss", one.loss, limit, pair_in_words(one))
            for one in report.results
        ]


ENTRY = _ExpectedLoss()
