"""Entries of a gate about another notion of privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.errors import UsageError
from dpaudit.gate.entries import EntryQuestion, budget_of
from dpaudit.gate.rows import Row, audited_row
from dpaudit.questions.notion.measure import ask, check_notion_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.results import Bound, MeasuredAudit

__all__ = ["ENTRY"]


class _Notion(EntryQuestion):
    measure = "check"
    key = "notion"
    keys = ("notion", "order")
    schema = "dpaudit.notion/1"

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        return ask(mechanism, str(entry.notion), order=entry.order, budget=budget_of(entry))

    def settings(self, entry: Entry) -> dict[str, Any]:
        return {"held": "never"}  # the budget is the measure's, in its notion

    def rows(self, report: MeasuredAudit, bounds: Sequence[Bound]) -> list[Row]:
        return [audited_row(report, result) for result in report.results]

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        known = super().checks()
        return {"n": known["n"], "notion": _check_notion, "order": _check_order, **known}

    def check_budget(self, entry: Entry) -> None:
        parts = budget_of(entry)
        if parts is not None:
            self.measured(None, entry)


def _check_notion(entry: Entry) -> None:
    if entry.notion is not None and entry.notion != "renyi":
        check_notion_name(entry.notion, None)


def _check_order(entry: Entry) -> None:
    if isinstance(entry.order, bool):
        raise UsageError(f"{str(entry.order).lower()} is not a number")
    check_notion_name(str(entry.notion), entry.order)


ENTRY = _Notion()
