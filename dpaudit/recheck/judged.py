"""What becomes of a gate's entry, from its audit and its rules, decided a second time."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp

from dpaudit.recheck.failures import UnknownDefinitionError
from dpaudit.recheck.numbers import decimal, exactly, fraction, same_number, value

if TYPE_CHECKING:
    from dpaudit.recheck.further_reports import GateFinding
    from dpaudit.recheck.reports import Interval

__all__ = ["expected_kind", "is_near"]

_ENOUGH = 60


def expected_kind(finding: GateFinding, *, ties: str, fail_on: str, precision_cap: int) -> str:
    """Return the kind of finding that an entry's audit comes to.

    Args:
        finding: with its audit.
        ties: ``accept`` or ``fail``, of the entry.
        fail_on: ``undecided`` or ``tie``, of the configuration.
        precision_cap: bits; what is undecided there, and no wider than that, is a tie.

    Raises:
        UnknownDefinitionError: where the printed digits do not tell a tie from none.
    """
    audit: Any = finding.audit or finding.notion
    verdicts = [size.verdict for size in audit.results]
    if "exceeds" in verdicts:
        return "exceeds"
    if audit.missing or audit.undecided or not verdicts:
        return "undecided"
    undecided = [size for size in audit.results if size.verdict == "undecided"]
    if undecided:
        near = all(is_near(finding, size, precision_cap) for size in undecided)
        return "tie accepted" if ties == "accept" and near else "undecided"
    if fail_on == "tie" and any(_is_exact_tie(finding, size) for size in audit.results):
        return "tie"
    return "within"


def is_near(finding: GateFinding, size: Any, precision_cap: int = 0) -> bool:
    """Tell whether only the last digits of a budget are in doubt at ``size``.

    All pairs were covered, and the interval is at most 10^−digits of the budget wide, and as narrow
    as balls at the precision cap are.  Nothing is nearly 0 without being 0.
    """
    audit: Any = finding.audit or finding.notion
    interval, budget = _judged(finding, size)
    lower, upper = decimal(interval.lower), decimal(interval.upper)
    if size.pairs_covered != size.pairs or lower is None or upper is None:
        return False
    most = min(Fraction(1, 10**audit.digits), Fraction(1, 2 ** (precision_cap // 4)))
    limit = exactly(budget)
    if limit is not None:
        return limit > 0 and upper - lower <= limit * most
    with mp.workdps(audit.digits + _ENOUGH):
        return bool(fraction(upper - lower) <= value(budget) * fraction(most))


def _is_exact_tie(finding: GateFinding, size: Any) -> bool:
    interval, budget = _judged(finding, size)
    if interval.exact is not None:
        return same_number(interval.exact, budget)
    if interval.upper != "inf" and same_number(interval.upper, budget):
        raise UnknownDefinitionError(
            "the printed digits do not tell whether it is exactly its budget, which fails here"
        )
    return False


def _judged(finding: GateFinding, size: Any) -> tuple[Interval, str]:
    """Return what the budget is about at ``size``, and what it may be at most."""
    if finding.notion is not None:
        return size.value, finding.notion.budget
    assert finding.audit is not None
    budget = finding.audit.budget
    if same_number(budget.delta, "0"):
        return size.epsilon, budget.epsilon
    return size.delta.interval, budget.delta
