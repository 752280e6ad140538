"""Entries of a gate about trade-off functions: the largest μ allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.audit.plan import DEFAULT_TYPE_ONE
from dpaudit.gate.entries import EntryQuestion, one_number, positive
from dpaudit.gate.rows import Row, bounded_row, pair_in_words
from dpaudit.notions.tradeoff_sweep import Tradeoffs, read_type_one
from dpaudit.results import Bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.results import TradeoffReport

__all__ = ["ENTRY"]


class _Tradeoff(EntryQuestion):
    measure = "tradeoff"
    schema = "dpaudit.tradeoff/1"

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        return Tradeoffs(read_type_one(DEFAULT_TYPE_ONE))

    def settings(self, entry: Entry) -> dict[str, Any]:
        return {"held": "never"}  # the budget is a bound on μ

    def bounds(self, entry: Entry) -> tuple[Bound, ...]:
        return (Bound(positive(one_number(entry, "which is μ"), "budget")),)

    def check_budget(self, entry: Entry) -> None:
        self.bounds(entry)

    def rows(self, report: TradeoffReport, bounds: Sequence[Bound]) -> list[Row]:
        limit = bounds[0].limit
        return [
            bounded_row(one.n, "μ", one.mu, limit, pair_in_words(one)) for one in report.results
        ]


ENTRY = _Tradeoff()
