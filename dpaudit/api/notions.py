"""The Python interface to other notions of privacy: ``dpaudit.check_notion``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import Finished, swept
from dpaudit.api.plans import chosen, make_plan
from dpaudit.audit.plan import DEFAULT_DIGITS
from dpaudit.audit.sizes import sizes_of
from dpaudit.notions.question import ask
from dpaudit.results import MeasuredAudit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.exact.real import Number
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.results import MeasuredSize, MeasuredWitness, Verdict

__all__ = ["NotionCheck", "check_notion"]


class NotionCheck(Finished[MeasuredAudit]):
    """A finished audit in a notion of privacy, with its ways out: tables, JSON, the figure.

    For an audit of one size, :attr:`value` and :attr:`witness` are that size's.
    """

    @property
    def audit(self) -> MeasuredAudit:
        """All findings."""
        return self.report

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all sizes."""
        return self.report.verdict

    @property
    def results(self) -> tuple[MeasuredSize, ...]:
        """One result for each size, in increasing order of n."""
        return self.report.results

    @property
    def only(self) -> MeasuredSize:
        """The result of the only size; ``ValueError`` if there are more.

        Raises ``PrecisionError`` if something could not be enclosed at the precision cap.
        """
        found: MeasuredSize = self.only_result()
        return found

    @property
    def value(self) -> Enclosure:
        """What was measured at the only size."""
        return self.only.value

    @property
    def witness(self) -> MeasuredWitness:
        """The worst pair of the only size."""
        return self.only.witness


def check_notion(
    name: str | Mechanism[Any],
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
    """Audit a mechanism in the ``notion`` pure, approximate, renyi, zcdp, gdp, kl or tv.

    ``n`` None is the one size of a mechanism whose datasets do not depend on it; ``order`` is the
    α of renyi (1 and "inf" stand for the limits); ``budget`` is in the notion, by default what the
    stated ε implies; other arguments as in :func:`check`.

    >>> found = check_notion("NotesLaplace", 10, "zcdp", budget="1/8")
    >>> print(found.verdict.value, found.value.exact, found.witness.order)
    within 1/5 - exp(-2/5)/5 1
    """
    asked = {"order": order, "budget": budget, "adjacency": adjacency, "at": at}
    subject = chosen(name, parameters, n=n, notion=notion, digits=digits, jobs=jobs, **asked)
    question = ask(subject, notion, order=order, budget=budget)
    # The plan's own budget is of no account here.
    plan = make_plan(subject, budget=1, adjacency=adjacency, at=at, digits=digits)
    sizes = sizes_of(subject, n)
    return NotionCheck(swept(question, subject, sizes, plan, jobs))
