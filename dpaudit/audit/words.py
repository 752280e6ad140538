"""Findings as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpaudit.audit.result import Audit, SizeResult

__all__ = ["excess_in_words"]


def excess_in_words(audit: Audit, result: SizeResult) -> str:
    """Return by how much a budget is exceeded and where, as a sentence."""
    w, (epsilon, delta) = result.witness, audit.subject.budget
    where = f"at n = {result.n}, with {_words(w.x)} against {_words(w.y)}"
    if delta != "0":
        return (
            f"{where}: realised δ({epsilon}) ≥ {result.delta.value.lower}, budget {delta}; output "
            f"{_words(w.output)} is e^{w.loss.lower:.3f} times likelier"
        )
    if not w.loss.lower.is_finite():
        return f"{where}, output {_words(w.output)} is possible on one side only: ε is infinite"
    return (
        f"{where}, output {_words(w.output)} is e^{w.loss.lower:.3f} times likelier; realised "
        f"ε ≥ {result.epsilon.lower}, budget {epsilon}"
    )


def _words(value: Any) -> str:
    if isinstance(value, tuple) and all(isinstance(part, int) for part in value):
        return f"({','.join(map(str, value))})"
    return repr(value) if isinstance(value, str) else str(value)
