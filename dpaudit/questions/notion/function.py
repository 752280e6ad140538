"""An audit in another notion of privacy as a function: ``dpaudit.check_notion``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit import results
from dpaudit.api.finished import Audited, Judged, swept
from dpaudit.api.plans import chosen, make_plan
from dpaudit.audit.plan import DEFAULT_DIGITS, sizes_of
from dpaudit.questions.notion.measure import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number


__all__ = ["NotionCheck", "check_notion"]


class NotionCheck(
    Audited[results.MeasuredAudit, results.MeasuredSize],
    Judged[results.MeasuredAudit, results.MeasuredSize],
):
    """Result of :func:`check_notion`; exports: tables, JSON, a figure of the value over n.

    For an audit of one size, :attr:`value` and :attr:`witness` are that size's.
    """

    @property
    def value(self) -> results.Enclosure:
        """Value of the measure at the only size."""
        return self.only.value

    @property
    def witness(self) -> results.MeasuredWitness:
        """The worst pair of the only size."""
        return self.only.witness


def check_notion(
    name: str | Mechanism[Any] | Callable[..., Any],
    n: int | str | Iterable[int] | None,
    notion: str,
    *,
    order: Number | None = None,
    budget: Number | Sequence[Number] | None = None,
    adjacency: str | None = None,
    at: str | Sequence[int] | None = None,
    digits: int = DEFAULT_DIGITS,
    jobs: int = 1,
    **parameters: object,
) -> NotionCheck:
    """Audit a mechanism in another notion of privacy, such as Rényi DP, zCDP or Gaussian DP.

    Args:
        name: a mechanism's name, or a mechanism (then no ``parameters``).
        n: a size, sizes, or text like ``"10..180..10"``; None if the datasets of the mechanism do
            not depend on a size.
        notion: pure, approximate, renyi (or rdp), zcdp (or cdp), gdp (or gaussian), kl or tv.
        order: the α of renyi; 1 and ``"inf"`` stand for the limits.
        budget: the budget in that notion (a divergence in nats, ρ, μ or a distance); by default the
            bound that the stated ε implies.
        adjacency: the neighbouring relation, as for :func:`check`.
        at: only pairs that contain this dataset (counts), or ``"uniform"`` data.
        digits: intervals are at most 10^−digits wide.
        jobs: number of processes that share the work; the result does not depend on it.
        parameters: the mechanism's parameters; numbers as int, Fraction, Decimal, float or text.

    Returns:
        The audit: ``.verdict``, and for each size the value in the notion with its witness.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    >>> found = check_notion("NotesLaplace", 10, "zcdp", budget="1/8")
    >>> print(found.verdict.value, found.value.exact, found.witness.order)
    within 1/5 - exp(-2/5)/5 1
    """
    asked: dict[str, Any] = {"adjacency": adjacency, "at": at, "digits": digits}
    held: dict[str, Any] = {"order": order, "budget": budget}
    subject = chosen(name, parameters, n=n, notion=notion, jobs=jobs, **asked, **held)
    question = ask(subject, notion, **held)
    plan = make_plan(subject, held="never", **asked)  # the budget is the measure's
    return NotionCheck(swept(question, subject, sizes_of(subject, n), plan, jobs))
