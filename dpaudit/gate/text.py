"""The gate's report for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.report.text import aligned_table

if TYPE_CHECKING:
    from dpaudit.results.gates import GateDocument

__all__ = ["gate_text"]


def gate_text(document: GateDocument) -> str:
    """Return what passed, what failed, by how much and where."""
    rows = [
        ["pass" if one.passed else "FAIL", one.title, one.kind, one.message]
        for one in document.mechanisms
    ]
    rows += [
        ["pass" if one.passed else "FAIL", one.id, one.found, one.message]
        for one in document.claims
    ]
    failed = sum(row[0] == "FAIL" for row in rows)
    total = (
        f"{len(rows)} checked, {failed} failed" if failed else f"{len(rows)} checked, all passed"
    )
    table = aligned_table(["", "what", "found", "how"], rows)
    return f"{table}\n\n{document.verdict.value}: {total} ({document.config})\n"
