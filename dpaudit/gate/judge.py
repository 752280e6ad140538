"""What becomes of an audit under the rules of its entry."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.audit.words import default_in_words, excess_in_words
from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import Sign
from dpaudit.exact.real import ZERO, order, rational
from dpaudit.notions.words import notion_excess_in_words
from dpaudit.results import Audit, SizeResult, Verdict
from dpaudit.results.gates import Kind

if TYPE_CHECKING:
    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.exact.real import Real
    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.results import MeasuredAudit, MeasuredSize

__all__ = ["judge", "judged_value"]

_LONGEST_EXACT = 40
"""A longer closed form tells a reader less than its digits."""


def judge(audit: Audit | MeasuredAudit, entry: Entry, config: GateConfig) -> tuple[Kind, str]:
    """Return what becomes of an audit under the rules of its entry, with the reason in words."""
    kind, reason = _judge(audit, entry, config)
    return kind, reason + default_in_words(audit)


def _judge(audit: Audit | MeasuredAudit, entry: Entry, config: GateConfig) -> tuple[Kind, str]:
    results: tuple[SizeResult | MeasuredSize, ...] = audit.results
    exceeding = [r for r in results if r.verdict is Verdict.EXCEEDS]
    if exceeding:
        return Kind.EXCEEDS, _excess(audit, _worst(audit, exceeding))
    if audit.missing:
        return Kind.UNDECIDED, f"sizes that were not finished: {list(audit.missing)}"
    if audit.undecided:
        size = audit.undecided[0]
        return Kind.UNDECIDED, f"at n = {size.n}: {size.reason}"
    undecided = [r for r in results if r.verdict is Verdict.UNDECIDED]
    if undecided:
        first = undecided[0]
        cap = entry.precision_cap or config.precision_cap
        if entry.ties == "accept" and all(_is_tie(audit, r, cap) for r in undecided):
            sizes = ", ".join(str(r.n) for r in undecided)
            return Kind.TIE_ACCEPTED, f"not told from its budget at n = {sizes}, as accepted"
        return Kind.UNDECIDED, f"at n = {first.n}: {first.reason}"
    if not results:
        return Kind.UNDECIDED, "nothing was checked"
    symbol, budget = _judged(audit)
    if config.fail_on == "tie":
        for result in results:
            if _exactly_the_budget(audit, result):
                return Kind.TIE, f"at n = {result.n} the realised {symbol} is exactly the budget"
    largest = judged_value(audit, _worst(audit, results))
    if largest.exact is not None and len(str(largest.exact)) <= _LONGEST_EXACT:
        return Kind.WITHIN, f"{symbol} = {largest.exact} exactly, budget {budget}"
    return Kind.WITHIN, f"{symbol} ≤ {largest.upper}, budget {budget}"


def judged_value(audit: Audit | MeasuredAudit, result: SizeResult | MeasuredSize) -> Enclosure:
    """Return what the budget is about: ε, δ where the budget has one, or the notion's value."""
    if not isinstance(result, SizeResult):
        return result.value
    return result.epsilon if _delta(audit) is None else result.delta


def _judged(audit: Audit | MeasuredAudit) -> tuple[str, Real]:
    """Return the symbol of what the budget is about, and what it may be at most."""
    if not isinstance(audit, Audit):
        return audit.label, audit.budget
    epsilon, delta = audit.budget.epsilon, _delta(audit)
    return ("ε", epsilon) if delta is None else (f"δ({epsilon})", delta)


def _delta(audit: Audit | MeasuredAudit) -> Real | None:
    """Return the budget's δ, if it has one."""
    if not isinstance(audit, Audit) or audit.budget.is_pure:
        return None
    return audit.budget.delta


def _worst(audit: Audit | MeasuredAudit, results: Any) -> Any:
    return max(results, key=lambda result: judged_value(audit, result).upper)


def _excess(audit: Audit | MeasuredAudit, result: Any) -> str:
    if isinstance(audit, Audit):
        return excess_in_words(audit, result)
    return notion_excess_in_words(audit, result)


def _is_tie(audit: Audit | MeasuredAudit, result: Any, precision_cap: int) -> bool:
    """Tell whether only the budget's last digits are in doubt, at the precision cap.

    That is so if all pairs were covered and the interval around the budget is at most 10^−digits of
    it wide, and as narrow as balls at the precision cap are: one that the mechanism's own
    probabilities keep wider is no tie.  Nothing is nearly 0 without being 0.
    """
    value = judged_value(audit, result)
    if result.pairs_covered != result.pairs or value.upper.is_infinite():
        return False
    most = min(Fraction(1, 10**audit.digits), Fraction(1, 2 ** (precision_cap // 4)))
    width = rational(Fraction(value.upper) - Fraction(value.lower))
    budget = _judged(audit)[1]
    try:
        return budget != ZERO and order(width, budget * rational(most)) is not Sign.POSITIVE
    except PrecisionError:
        return False


def _exactly_the_budget(audit: Audit | MeasuredAudit, result: SizeResult | MeasuredSize) -> bool:
    exact = judged_value(audit, result).exact
    return exact is not None and order(exact, _judged(audit)[1]) is Sign.ZERO
