"""What becomes of an audit under the rules of its entry."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.audit.words import default_in_words, excess_in_words
from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import Sign
from dpaudit.exact.real import ZERO, order, rational
from dpaudit.results import Audit, Kind, SizeResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.exact.real import Real
    from dpaudit.gate.config import Entry, GateConfig
    from dpaudit.results import MeasuredAudit, MeasuredSize

__all__ = ["judge", "worst"]

_LONGEST_EXACT = 40
"""A longer closed form tells a reader less than its digits."""


def judge(audit: Audit | MeasuredAudit, entry: Entry, config: GateConfig) -> tuple[Kind, str]:
    """Return what becomes of an audit under the rules of its entry, with the reason in words."""
    kind, reason = _judge(audit, entry, config)
    return kind, reason + default_in_words(audit)


def _judge(audit: Any, entry: Entry, config: GateConfig) -> tuple[Kind, str]:
    results: tuple[SizeResult | MeasuredSize, ...] = audit.results
    exceeding = [r for r in results if r.verdict is Verdict.EXCEEDS]
    if exceeding:
        return Kind.EXCEEDS, excess_in_words(audit, worst(audit, exceeding))
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
    if config.fail_on == "tie":
        for result in results:
            if _exactly_the_budget(audit, result):
                return (
                    Kind.TIE,
                    f"at n = {result.n} the realised {audit.label} is exactly the budget",
                )
    largest = audit.judged(worst(audit, results))
    if largest.exact is not None and len(str(largest.exact)) <= _LONGEST_EXACT:
        return Kind.WITHIN, f"{audit.label} = {largest.exact} exactly, budget {audit.limit}"
    return Kind.WITHIN, f"{audit.label} ≤ {largest.upper}, budget {audit.limit}"


def worst(audit: Any, results: Sequence[Any]) -> Any:
    """Return the worst of some results; None of none."""
    return max(results, key=lambda result: audit.judged(result).upper, default=None)


def _is_tie(audit: Any, result: Any, precision_cap: int) -> bool:
    """Tell whether only the budget's last digits are in doubt, at the precision cap.

    That is so if all pairs were covered and the interval around the budget is at most 10^−digits of
    it wide, and as narrow as balls at the precision cap are: one that the mechanism's own
    probabilities keep wider is no tie.  Nothing is nearly 0 without being 0.
    """
    value: Enclosure = audit.judged(result)
    if result.pairs_covered != result.pairs or value.upper.is_infinite():
        return False
    most = min(Fraction(1, 10**audit.digits), Fraction(1, 2 ** (precision_cap // 4)))
    width = rational(Fraction(value.upper) - Fraction(value.lower))
    budget: Real = audit.limit
    try:
        return budget != ZERO and order(width, budget * rational(most)) is not Sign.POSITIVE
    except PrecisionError:
        return False


def _exactly_the_budget(audit: Any, result: Any) -> bool:
    exact = audit.judged(result).exact
    return exact is not None and order(exact, audit.limit) is Sign.ZERO
