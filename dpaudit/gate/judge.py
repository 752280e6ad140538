"""What becomes of an audit under the rules of its entry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.audit.result import Audit, SizeResult, Verdict
from dpaudit.audit.words import excess_in_words
from dpaudit.exact.ball import Sign
from dpaudit.exact.real import order, real
from dpaudit.gate.result import Kind

if TYPE_CHECKING:
    from dpaudit.gate.config import Entry, GateConfig

__all__ = ["judge"]

_LONGEST_EXACT = 40
"""A longer closed form tells a reader less than its digits."""


def judge(audit: Audit, entry: Entry, config: GateConfig) -> tuple[Kind, str]:
    """Return what becomes of an audit under the rules of its entry, with the reason in words."""
    worst = [r for r in audit.results if r.verdict is Verdict.EXCEEDS]
    if worst:
        return Kind.EXCEEDS, excess_in_words(audit, max(worst, key=lambda r: r.epsilon.upper))
    if audit.missing:
        return Kind.UNDECIDED, f"sizes that were not finished: {list(audit.missing)}"
    if audit.undecided:
        size = audit.undecided[0]
        return Kind.UNDECIDED, f"at n = {size.n}: {size.reason}"
    undecided = [r for r in audit.results if r.verdict is Verdict.UNDECIDED]
    if undecided:
        first = undecided[0]
        if entry.ties == "accept" and all(_is_tie(audit, r) for r in undecided):
            sizes = ", ".join(str(r.n) for r in undecided)
            return Kind.TIE_ACCEPTED, f"not told from its budget at n = {sizes}, as accepted"
        return Kind.UNDECIDED, f"at n = {first.n}: {first.reason}"
    if not audit.results:
        return Kind.UNDECIDED, "nothing was checked"
    if config.fail_on == "tie":
        for result in audit.results:
            if _exactly_the_budget(audit, result):
                return Kind.TIE, f"at n = {result.n} the realised ε is exactly the budget"
    largest = max(audit.results, key=lambda r: r.epsilon.upper)
    exact = largest.epsilon.exact
    short = exact is not None and len(exact) <= _LONGEST_EXACT
    realised = f"ε = {exact} exactly" if short else f"ε ≤ {largest.epsilon.upper}"
    return Kind.WITHIN, f"{realised}, budget {audit.subject.budget[0]}"


def _is_tie(audit: Audit, result: SizeResult) -> bool:
    """Tell whether all pairs were covered and only the budget's last digits are in doubt."""
    complete = result.pairs_covered == result.pairs
    return complete and result.epsilon.is_tight(audit.subject.digits)


def _exactly_the_budget(audit: Audit, result: SizeResult) -> bool:
    if result.epsilon.exact is None:
        return False
    budget = real(audit.subject.budget[0])
    return order(real(result.epsilon.exact), budget) is Sign.ZERO
