"""Audits in one notion over many sizes, one after the other or side by side on any executor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.audit.plan import Pairs
from dpaudit.audit.result import UndecidedSize
from dpaudit.audit.sweep import subject_of
from dpaudit.audit.workers import largest_first
from dpaudit.errors import PrecisionError
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

__all__ = ["assemble_notion", "estimated_notion_seconds", "notion_subject", "sweep_notion"]

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
        adjacency=mechanism.adjacency(plan.adjacency).name,
        at=at if at is None or isinstance(at, str) else ",".join(map(str, at)),
        digits=plan.digits,
        loaded=subject_of(mechanism, plan).loaded,
    )
