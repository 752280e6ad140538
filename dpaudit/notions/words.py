"""Findings in a notion of privacy as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.audit.words import in_words

if TYPE_CHECKING:
    from dpaudit.results import MeasuredAudit, MeasuredSize

__all__ = ["notion_excess_in_words"]


def notion_excess_in_words(audit: MeasuredAudit, result: MeasuredSize) -> str:
    """Return by how much a budget is exceeded and where, as a sentence."""
    w, value = result.witness, result.value
    where = f"at n = {result.n}, with {in_words(w.x)} against {in_words(w.y)}"
    if not value.lower.is_finite():
        output = "" if w.output is None else f"output {in_words(w.output)} is impossible on one: "
        return f"{where}, {output}{audit.label} is infinite, budget {audit.budget}"
    found = f"≥ {value.lower}" if value.exact is None else f"= {value.exact} exactly"
    return f"{where}: realised {audit.label} {found}, budget {audit.budget}"
