"""Audits in one notion over many sizes, one after the other or side by side on any executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.audit.plan import Pairs
from dpaudit.audit.result import UndecidedSize
from dpaudit.audit.standing import check_enclosure, side, standing, with_verdict
from dpaudit.audit.sweep import subject_of
from dpaudit.audit.workers import largest_first
from dpaudit.errors import DpauditError, LawError, PrecisionError
from dpaudit.mechanisms.parameters import parameter_text
from dpaudit.notions.measure import measure_size
from dpaudit.notions.notion import Approximate
from dpaudit.notions.result import NotionAudit, NotionResult, NotionSubject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.notions.question import Question

__all__ = [
    "assemble_notion",
    "estimated_notion_seconds",
    "judged_notion_again",
    "notion_subject",
    "sweep_notion",
]

_SECONDS_PER_ENTRY = 4e-5  # measured on one core: a law, its losses and a rough supremum


def estimated_notion_seconds(mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
    """Return about how long one size takes, for planning only."""
    pairs = mechanism.adjacency(plan.adjacency).pair_count(n)
    return _SECONDS_PER_ENTRY * pairs * mechanism.entries(n)


def sweep_notion(
    question: Question,
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    tick: Callable[[int], None] = lambda pairs: None,
) -> Iterator[NotionResult | UndecidedSize]:
    """Iterate over the audits of ``sizes`` as they are finished (in order without an executor).

    A size at which something cannot be enclosed does not end the sweep.
    """
    for n in sizes:
        Pairs(mechanism, n, plan)  # a dataset that is none is found before any work is done
    if executor is None or workers < 2:
        for n in sizes:
            yield _measured(mechanism, n, plan, question, tick)
        return
    for result in largest_first(executor, _measured, mechanism, sizes, plan, question):
        if isinstance(result, NotionResult):
            tick(result.pairs_covered)
            yield _judged(mechanism, result, plan, question)
        else:
            yield result


def _measured(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    question: Question,
    tick: Callable[[int], None] = lambda pairs: None,
) -> NotionResult | UndecidedSize:
    try:
        return measure_size(mechanism, n, plan, question, tick)
    except PrecisionError as error:
        return UndecidedSize(n, str(error))


def _judged(
    mechanism: Mechanism[Any], result: NotionResult, plan: Plan, question: Question
) -> NotionResult:
    """Return what another process has found, with the verdict that follows from its numbers."""
    try:
        return judged_notion_again(result, question, Pairs(mechanism, result.n, plan).expected)
    except (ValueError, DpauditError) as error:
        raise LawError(f"a worker gave no result at n = {result.n}: {error}") from None


def judged_notion_again(
    result: NotionResult, question: Question, pairs: int | None = None
) -> NotionResult:
    """Return a result with the verdict that follows from its value, whatever it says.

    ``pairs`` is how many there are, where that is known.  Raises ``ValueError`` for a value that is
    none; see :func:`dpaudit.audit.standing.judged_again`.
    """
    check_enclosure(result.value)
    if pairs is not None and result.pairs != pairs:
        raise ValueError(f"there are {pairs} pairs at n = {result.n}, not {result.pairs}")
    verdict = standing(side(result.value, question.budget))
    return with_verdict(result, verdict)


def assemble_notion(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    question: Question,
    found: Iterable[NotionResult | UndecidedSize],
) -> NotionAudit:
    """Return the audit made of what a sweep over ``sizes`` has ``found``."""
    finished = sorted(found, key=lambda result: result.n)
    done = {result.n for result in finished}
    return NotionAudit(
        subject=notion_subject(mechanism, plan, question),
        sizes=tuple(sorted(set(sizes))),
        results=tuple(result for result in finished if isinstance(result, NotionResult)),
        missing=tuple(n for n in sizes if n not in done),
        undecided=tuple(result for result in finished if isinstance(result, UndecidedSize)),
    )


def notion_subject(mechanism: Mechanism[Any], plan: Plan, question: Question) -> NotionSubject:
    """Return what an audit of ``mechanism`` is about."""
    notion, stated, at = question.notion, mechanism.stated, plan.at
    subject = subject_of(mechanism, plan)
    return NotionSubject(
        mechanism=mechanism.name,
        parameters={name: parameter_text(value) for name, value in mechanism.values().items()},
        stated=None if stated is None else (str(stated.epsilon), str(stated.delta)),
        notion=notion.name,
        order=notion.order_text,
        symbol=notion.symbol,
        label=notion.label,
        budget=str(question.budget),
        budget_epsilon=str(notion.epsilon) if isinstance(notion, Approximate) else None,
        implied=question.implied,
        adjacency=subject.adjacency,
        at=at if at is None or isinstance(at, str) else ",".join(map(str, at)),
        digits=plan.digits,
        loaded=subject.loaded,
        adjacency_defaulted=subject.adjacency_defaulted,
        epsilon_unit=subject.epsilon_unit,
    )
