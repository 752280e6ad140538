"""Entries of a gate about ε and δ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.gate.entries import EntryQuestion
from dpaudit.gate.rows import Row, audited_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.results import Audit, Bound

__all__ = ["ENTRY"]


class _Check(EntryQuestion):
    measure = "check"
    schema = "dpaudit.audit/1"

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        return EpsilonDelta()

    def rows(self, report: Audit, bounds: Sequence[Bound]) -> list[Row]:
        return [audited_row(report, result) for result in report.results]


ENTRY = _Check()
