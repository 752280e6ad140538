"""Privacy as an assertion in tests: ``assert_private(mechanism, epsilon=…, n=…)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from dpaudit.api import check
from dpaudit.api.notions import check_notion
from dpaudit.audit.result import Verdict
from dpaudit.audit.words import default_in_words
from dpaudit.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.api import Check
    from dpaudit.api.notions import NotionCheck
    from dpaudit.audit.result import Audit, UndecidedSize
    from dpaudit.exact.real import Number
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.notions.result import NotionAudit

__all__ = ["assert_private"]


@overload
def assert_private(
    mechanism: str | Mechanism[Any],
    *,
    n: int | str | Iterable[int] | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    notion: None = None,
    digits: int = 12,
    adjacency: str | None = None,
    **parameters: Any,
) -> Check: ...
@overload
def assert_private(
    mechanism: str | Mechanism[Any],
    *,
    n: int | str | Iterable[int] | None = None,
    notion: str,
    order: Number | None = None,
    budget: Number | Sequence[Number] | None = None,
    digits: int = 12,
    adjacency: str | None = None,
    **parameters: Any,
) -> NotionCheck: ...
def assert_private(
    mechanism: str | Mechanism[Any],
    *,
    n: int | str | Iterable[int] | None = None,
    epsilon: Number | None = None,
    delta: Number | None = None,
    notion: str | None = None,
    order: Number | None = None,
    budget: Number | Sequence[Number] | None = None,
    digits: int = 12,
    adjacency: str | None = None,
    **parameters: Any,
) -> Check | NotionCheck:
    """Fail unless ``mechanism`` certainly keeps its budget at every size of ``n``.

    The budget is (``epsilon``, ``delta``), without ``delta`` with δ = 0, or ``budget`` in a
    ``notion`` (renyi, with its ``order``, zcdp, gdp, kl, tv); if none is given it is what the
    mechanism states, or what that implies.  The message of the failure shows the worst pair of
    datasets and the output that tells them apart.  What is undecided fails as well.  ``parameters``
    are those of a mechanism given by name.  Returns the audit.

    >>> assert_private("EHDS", n="10..12", epsilon="4/5").verdict.value
    'within'
    >>> assert_private("EHDS", n="10..12", notion="zcdp", budget="1/8").verdict.value
    'within'
    """
    __tracebackhide__ = True
    settings = {"digits": digits, "adjacency": adjacency, **parameters}
    if notion is None:
        if budget is not None or order is not None:
            raise ParameterError("notion", "budget and order go with a notion")
        if epsilon is None and delta is not None:
            raise ParameterError("delta", f"delta = {delta} is given without epsilon; give both")
        given = None if epsilon is None else (epsilon, 0 if delta is None else delta)
        found = check(mechanism, n, budget=given, **settings)
        if found.verdict is not Verdict.WITHIN:
            raise AssertionError(_message(found.audit) + default_in_words(found.audit.subject))
        return found
    if epsilon is not None or delta is not None:
        raise ParameterError("epsilon", "a notion has a budget, not epsilon and delta")
    measured = check_notion(mechanism, n, notion, order=order, budget=budget, **settings)
    if measured.verdict is not Verdict.WITHIN:
        by_default = default_in_words(measured.audit.subject)
        raise AssertionError(_notion_message(measured.audit) + by_default)
    return measured


def _message(audit: Audit) -> str:
    from dpaudit.audit.words import excess_in_words

    kept = f"private to ε = {' and δ = '.join(audit.subject.budget)}"
    bad = [result for result in audit.results if result.verdict is Verdict.EXCEEDS]
    if bad:
        worst = max(bad, key=lambda result: result.epsilon.upper)
        return f"{audit.subject.mechanism} is not {kept}: {excess_in_words(audit, worst)}"
    return f"{audit.subject.mechanism} is not certainly {kept}: {_doubt(audit)}"


def _notion_message(audit: NotionAudit) -> str:
    from dpaudit.notions.words import notion_excess_in_words

    kept = f"private to {audit.subject.label} = {audit.subject.budget}"
    bad = [result for result in audit.results if result.verdict is Verdict.EXCEEDS]
    if bad:
        worst = max(bad, key=lambda result: result.value.upper)
        return f"{audit.subject.mechanism} is not {kept}: {notion_excess_in_words(audit, worst)}"
    return f"{audit.subject.mechanism} is not certainly {kept}: {_doubt(audit)}"


def _doubt(audit: Audit | NotionAudit) -> str:
    doubtful: list[Any] = [r for r in audit.results if r.verdict is Verdict.UNDECIDED]
    undecided: list[UndecidedSize] = [*doubtful, *audit.undecided]
    return f"at n = {undecided[0].n}: {undecided[0].reason}" if undecided else "sizes are missing"
