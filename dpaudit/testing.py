"""Privacy as an assertion in tests: ``assert_private(mechanism, n=…, budget=…)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, overload

from dpaudit.api.plans import chosen
from dpaudit.audit.plan import DEFAULT_DIGITS
from dpaudit.audit.verdicts import default_in_words, excess_in_words, short_number
from dpaudit.errors import ParameterError
from dpaudit.questions.check.function import Check, check
from dpaudit.questions.notion.function import NotionCheck, check_notion
from dpaudit.results import Audit, MeasuredAudit, UndecidedSize, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number

__all__ = ["assert_private"]


@overload
def assert_private(
    mechanism: str | Mechanism[Any],
    *,
    n: int | str | Iterable[int] | None = None,
    budget: Number | Sequence[Number] | None = None,
    notion: None = None,
    digits: int = DEFAULT_DIGITS,
    adjacency: str | None = None,
    **parameters: Any,
) -> Check: ...
@overload
def assert_private(
    mechanism: str | Mechanism[Any],
    *,
    n: int | str | Iterable[int] | None = None,
    budget: Number | Sequence[Number] | None = None,
    notion: str,
    order: Number | None = None,
    digits: int = DEFAULT_DIGITS,
    adjacency: str | None = None,
    **parameters: Any,
) -> NotionCheck: ...
def assert_private(
    mechanism: str | Mechanism[Any],
    *,
    n: int | str | Iterable[int] | None = None,
    budget: Number | Sequence[Number] | None = None,
    notion: str | None = None,
    order: Number | None = None,
    digits: int = DEFAULT_DIGITS,
    adjacency: str | None = None,
    **parameters: Any,
) -> Check | NotionCheck:
    """Fail unless ``mechanism`` certainly keeps its budget at every size of ``n``.

    Args:
        mechanism: a mechanism's name, or a mechanism (then no ``parameters``).
        n: the sizes; they may be left out where datasets do not depend on n.
        budget: ε, (ε, δ), or such a text; in the ``notion`` if one is named.  By default what the
            mechanism states, or what that implies.
        notion: renyi, zcdp, gdp, kl, tv, pure or approximate; by default (ε, δ).
        order: the order α of renyi.
        digits: intervals are at most 10^−digits wide.
        adjacency: the neighbouring relation; by default the mechanism's own.
        parameters: what a mechanism given by name is run with; ``eps`` is its own ε.

    Returns:
        The audit.

    Raises:
        AssertionError: for a budget that is exceeded, with the worst pair of datasets and the
            output that tells them apart, and for one that is not certainly kept.
        UsageError: for anything that is not allowed, ``epsilon`` among it: it could mean either.
            So for a mechanism that states no budget, where none is given.

    >>> assert_private("EHDS", n="10..12", budget="4/5").verdict == "within"
    True
    >>> assert_private("EHDS", n="10..12", notion="zcdp", budget="1/8").verdict == "within"
    True
    """
    __tracebackhide__ = True
    if "epsilon" in parameters:
        _refuse_epsilon(parameters)
    if notion is None:
        if order is not None:
            raise ParameterError("order", f'order = {order}: it applies only to notion="renyi"')
        subject = chosen(mechanism, parameters, n=n, budget=budget, digits=digits)
        if budget is None:
            _ = subject.nominal  # refuses what states nothing: an assertion holds it to something
        found = check(subject, n, budget=budget, digits=digits, adjacency=adjacency)
        if found.verdict is not Verdict.WITHIN:
            raise AssertionError(_message(found.audit) + default_in_words(found.audit))
        return found
    settings = {"digits": digits, "adjacency": adjacency, **parameters}
    measured = check_notion(mechanism, n, notion, order=order, budget=budget, **settings)
    if measured.verdict is not Verdict.WITHIN:
        by_default = default_in_words(measured.audit)
        raise AssertionError(_message(measured.audit) + by_default)
    return measured


def _refuse_epsilon(given: Mapping[str, object]) -> NoReturn:
    """Refuse the word that once was the budget here, and is a mechanism's own ε elsewhere."""
    epsilon, delta = given["epsilon"], given.get("delta")
    budget = f'"{epsilon}"' if delta is None else f'("{epsilon}", "{delta}")'
    raise ParameterError(
        "epsilon",
        f"epsilon = {epsilon}: write budget={budget} for the budget, or "
        f'eps="{epsilon}" for the ε that the mechanism is run with',
    )


def _message(audit: Any) -> str:
    budget = getattr(audit.budget, "epsilon", None)
    if budget is None:
        kept = f"private to {audit.label} = {short_number(audit.limit)}"
    else:
        kept = f"private to ε = {short_number(budget)} and δ = {short_number(audit.budget.delta)}"
    bad = [result for result in audit.results if result.verdict is Verdict.EXCEEDS]
    if bad:
        worst = max(bad, key=lambda result: audit.judged(result).upper)
        return f"{audit.mechanism} is not {kept}: {excess_in_words(audit, worst)}"
    return f"{audit.mechanism} is not certainly {kept}: {_doubt(audit)}"


def _doubt(audit: Audit | MeasuredAudit) -> str:
    doubtful: list[Any] = [r for r in audit.results if r.verdict is Verdict.UNDECIDED]
    undecided: list[UndecidedSize] = [*doubtful, *audit.undecided]
    return f"at n = {undecided[0].n}: {undecided[0].reason}" if undecided else "sizes are missing"
