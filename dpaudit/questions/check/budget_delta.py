"""ε at the δ of a budget, for an audit whose realised ε is above the budget's ε.

Such an ε, often infinite, is no answer to the question how private a mechanism is at the δ that the
budget allows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.audit.certify import FEW_DIGITS, Known, epsilons_at, is_short
from dpaudit.errors import DpauditError
from dpaudit.report.table import compact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.runner import Task
    from dpaudit.results import Audit

__all__ = ["epsilon_at_budget"]


def epsilon_at_budget(tasks: Sequence[Task], audits: Sequence[Audit]) -> list[str]:
    """Return a line with the smallest ε at the budget's δ; none where it says nothing more.

    It is said of one mechanism at one size, where the budget allows a δ, the realised ε is above
    the budget's, and the search for it is no long work.

    Args:
        tasks: what was measured.
        audits: the reports.
    """
    if len(audits) != 1 or len(audits[0].results) != 1:
        return []
    (task,), (audit,) = tasks, audits
    (result,) = audit.results
    budget, delta = audit.budget, result.delta
    if budget is None or budget.is_pure or task.plan.at_delta:
        return []
    if result.excess:  # by the rounding of floats alone, which the report says
        return []
    if delta is None or not delta.lower or not is_short(task.mechanism, result.n, task.plan):
        return []
    digits = min(task.plan.digits, FEW_DIGITS)
    plan = replace(task.plan, at_delta=(budget.delta,), digits_at_delta=digits)
    known = Known([*result.curve, delta], result.epsilon.upper)
    try:
        (point,) = epsilons_at(task.mechanism, result.n, plan, known)
    except (DpauditError, KeyboardInterrupt):  # the audit is finished, and is reported
        return []
    least = f"at least {point.texts()[0]}"
    value = least if point.upper.is_infinite() else compact(point.value.rounded(audit.digits))
    return [f"at the budget's δ, {budget.delta}, the smallest ε is {value}"]
