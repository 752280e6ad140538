"""Privacy as an assertion in tests: ``assert_private(mechanism, epsilon=…, n=…)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.api import check
from dpaudit.audit.result import Verdict
from dpaudit.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.api import Check
    from dpaudit.audit.result import SizeResult, UndecidedSize
    from dpaudit.exact.real import Number
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["assert_private"]


def assert_private(
    mechanism: str | Mechanism[Any],
    *,
    n: int | str | Iterable[int] | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    digits: int = 12,
    adjacency: str | None = None,
    **parameters: Any,
) -> Check:
    """Fail unless ``mechanism`` certainly keeps (``epsilon``, ``delta``) at every size of ``n``.

    Without ``delta`` it is 0; without ``epsilon`` the budget is what the mechanism states.  The
    message of the failure shows the worst pair of datasets and the output that tells them apart.
    What is undecided fails as well.  ``parameters`` are those of a mechanism given by name.
    Returns the audit.

    >>> assert_private("EHDS", n="10..12", epsilon="4/5").verdict.value
    'within'
    """
    __tracebackhide__ = True
    if epsilon is None and delta is not None:
        raise ParameterError("delta", f"delta = {delta} is given without epsilon; give both")
    budget = None if epsilon is None else (epsilon, 0 if delta is None else delta)
    found = check(mechanism, n, budget=budget, digits=digits, adjacency=adjacency, **parameters)
    if found.verdict is not Verdict.WITHIN:
        raise AssertionError(_message(found))
    return found


def _message(found: Check) -> str:
    from dpaudit.audit.words import excess_in_words

    audit = found.audit
    name, budget = audit.subject.mechanism, " and δ = ".join(audit.subject.budget)
    bad = [result for result in audit.results if result.verdict is Verdict.EXCEEDS]
    if bad:
        worst = max(bad, key=lambda result: result.epsilon.upper)
        return f"{name} is not private to ε = {budget}: {excess_in_words(audit, worst)}"
    doubtful: list[SizeResult | UndecidedSize] = [
        result for result in audit.results if result.verdict is Verdict.UNDECIDED
    ]
    doubtful += audit.undecided
    reason = f"at n = {doubtful[0].n}: {doubtful[0].reason}" if doubtful else "sizes are missing"
    return f"{name} is not certainly private to ε = {budget}: {reason}"
