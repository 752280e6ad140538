"""The Python interface to other notions of privacy: ``dpaudit.check_notion``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.api.finished import only_result
from dpaudit.api.plans import chosen, make_plan
from dpaudit.audit.plan import DEFAULT_DIGITS
from dpaudit.audit.sizes import sizes_of
from dpaudit.audit.workers import check_jobs, executor_for
from dpaudit.notions.question import ask
from dpaudit.notions.sweep import assemble_notion, sweep_notion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.audit.result import Verdict
    from dpaudit.exact.enclosure import Enclosure
    from dpaudit.exact.real import Number
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.notions.result import NotionAudit, NotionResult, NotionWitness

__all__ = ["NotionCheck", "check_notion"]


@dataclass(frozen=True)
class NotionCheck:
    """A finished audit in a notion of privacy, with its ways out: the table and JSON.

    For an audit of one size, :attr:`value` and :attr:`witness` are that size's.
    """

    audit: NotionAudit
    """All findings."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all sizes."""
        return self.audit.verdict

    @property
    def results(self) -> tuple[NotionResult, ...]:
        """One result for each size, in increasing order of n."""
        return self.audit.results

    @property
    def only(self) -> NotionResult:
        """The result of the only size; ``ValueError`` if there are more.

        Raises ``PrecisionError`` if something could not be enclosed at the precision cap.
        """
        return only_result(self.results, self.audit.undecided)

    @property
    def value(self) -> Enclosure:
        """What was measured at the only size."""
        return self.only.value

    @property
    def witness(self) -> NotionWitness:
        """The worst pair of the only size."""
        return self.only.witness

    def to_json(self) -> str:
        """Return the JSON document."""
        from dpaudit.report.notions import render_notions

        return render_notions([self.audit], "json").decode()

    def __str__(self) -> str:
        """Return the table."""
        from dpaudit.report.notions import render_notions

        return render_notions([self.audit], "text").decode()


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
    workers = min(check_jobs(jobs), len(sizes))
    with executor_for(workers) as executor:
        found = list(
            sweep_notion(question, subject, sizes, plan, executor=executor, workers=workers)
        )
    return NotionCheck(assemble_notion(subject, sizes, plan, question, found))
