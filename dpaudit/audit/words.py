"""Findings as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.results import Audit

if TYPE_CHECKING:
    from dpaudit.results import MeasuredAudit, MeasuredSize, Report, SizeResult

__all__ = ["default_in_words", "excess_in_words", "in_words"]


def excess_in_words(audit: Audit | MeasuredAudit, result: Any) -> str:
    """Return by how much a budget is exceeded and where, as a sentence."""
    excess: Any = _excess if isinstance(audit, Audit) else _measured_excess
    text: str = excess(audit, result)
    return text


def _excess(audit: Audit, result: SizeResult) -> str:
    w, d, budget = result.witness, result.delta, audit.budget
    finite = w.loss.lower.is_finite()
    likelier = f"is e^{w.loss.lower:.3f} times likelier" if finite else "is impossible on one side"
    output = f"output {in_words(w.output)} {likelier}"
    pair = f"{in_words(w.x)} against {in_words(w.y)}"
    if not budget.is_pure:
        worst = f"{in_words(d.x)} against {in_words(d.y)}"
        output += "" if worst == pair else f" with {pair}"
        return (
            f"at n = {result.n}, with {worst}: realised δ({budget.epsilon}) ≥ {d.lower}, "
            f"budget {budget.delta}; {output}"
        )
    realised = f"≥ {result.epsilon.lower}" if finite else "is infinite"
    return (
        f"at n = {result.n}, with {pair}, {output}; realised ε {realised}, budget {budget.epsilon}"
    )


def _measured_excess(audit: MeasuredAudit, result: MeasuredSize) -> str:
    w, value = result.witness, result.value
    where = f"at n = {result.n}, with {in_words(w.x)} against {in_words(w.y)}"
    if not value.lower.is_finite():
        output = "" if w.output is None else f"output {in_words(w.output)} is impossible on one: "
        return f"{where}, {output}{audit.label} is infinite, budget {audit.budget}"
    found = f"≥ {value.lower}" if value.exact is None else f"= {value.exact} exactly"
    return f"{where}: realised {audit.label} {found}, budget {audit.budget}"


def default_in_words(subject: Report[Any]) -> str:
    """Return that nobody named the neighbouring relation, to end a sentence; else nothing."""
    return f"; neighbours: {subject.adjacency}, by default" if subject.adjacency_defaulted else ""


def in_words(value: Any) -> str:
    """Return a dataset or an output as a reader writes it."""
    if isinstance(value, tuple) and all(isinstance(part, int) for part in value):
        return f"({','.join(map(str, value))})"
    return repr(value) if isinstance(value, str) else str(value)
