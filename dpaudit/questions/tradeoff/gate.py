"""Entries of a gate about trade-off functions: the largest μ allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.audit.plan import DEFAULT_TYPE_ONE
from dpaudit.gate.entries import OneBound
from dpaudit.gate.rows import Row, bounded_row, pair_in_words
from dpaudit.questions.tradeoff.measure import tradeoffs_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.results import Bound, TradeoffReport

__all__ = ["ENTRY"]


class _Tradeoff(OneBound):
    measure = "tradeoff"
    schema = "dpaudit.tradeoff/1"
    bounded = "which is μ"

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        return tradeoffs_at(DEFAULT_TYPE_ONE)

    def rows(self, report: TradeoffReport, bounds: Sequence[Bound]) -> list[Row]:
        limit = bounds[0].limit
        return [
            bounded_row(one.n, "μ", one.mu, limit, pair_in_words(one)) for one in report.results
        ]


ENTRY = _Tradeoff()
