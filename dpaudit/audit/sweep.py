"""Audits over many sizes, one after the other or side by side on any executor."""

from __future__ import annotations

from concurrent.futures import as_completed
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import audit_size
from dpaudit.audit.curve import CurveAudit, PrivacyCurve, privacy_curve
from dpaudit.audit.plan import Pairs
from dpaudit.audit.result import Audit, SizeResult, Subject
from dpaudit.mechanisms.parameters import parameter_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Budget, Mechanism

__all__ = ["assemble", "assemble_curves", "estimated_work", "sweep", "sweep_curves"]


def estimated_work(mechanism: Mechanism[Any], sizes: Iterable[int], plan: Plan) -> int:
    """Return about how many (pair, output) entries the sweep will look at, for planning only."""
    relation = mechanism.adjacency(plan.adjacency)
    return sum(relation.pair_count(n) * mechanism.entries(n) for n in sizes)


def sweep(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    *,
    executor: Executor | None = None,
    tick: Callable[[int], None] = lambda pairs: None,
) -> Iterator[SizeResult]:
    """Iterate over the audits of ``sizes`` as they are finished (in order without an executor).

    ``tick`` is told how many pairs have been covered since it was last called.  Whoever iterates
    may stop at any time and keeps what has been yielded.
    """
    _check(mechanism, sizes, plan)
    if executor is None:
        for n in sizes:
            yield audit_size(mechanism, n, plan, tick)
        return
    # The largest sizes first: they take longest, and workers finish together.
    futures = [executor.submit(audit_size, mechanism, n, plan) for n in sorted(sizes, reverse=True)]
    for future in as_completed(futures):
        result = future.result()
        tick(result.pairs_covered)
        yield result


def sweep_curves(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    *,
    executor: Executor | None = None,
    tick: Callable[[int], None] = lambda pairs: None,
) -> Iterator[PrivacyCurve]:
    """Iterate over the privacy curves of ``sizes`` as they are finished; see :func:`sweep`.

    δ is enclosed to 10^−digits at every ε of the plan.
    """
    _check(mechanism, sizes, plan)
    if executor is None:
        for n in sizes:
            yield privacy_curve(mechanism, n, plan, tick)
        return
    futures = [
        executor.submit(privacy_curve, mechanism, n, plan) for n in sorted(sizes, reverse=True)
    ]
    for future in as_completed(futures):
        curve = future.result()
        tick(curve.pairs)
        yield curve


def _check(mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan) -> None:
    """Find a dataset that is none before any work is done."""
    for n in sizes:
        Pairs(mechanism, n, plan)


def assemble(
    mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan, results: Iterable[SizeResult]
) -> Audit:
    """Return the audit made of the finished ``results`` of a sweep over ``sizes``."""
    finished = sorted(results, key=lambda result: result.n)
    done = {result.n for result in finished}
    missing = tuple(n for n in sizes if n not in done)
    return Audit(_subject(mechanism, plan), tuple(finished), missing)


def assemble_curves(
    mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan, curves: Iterable[PrivacyCurve]
) -> CurveAudit:
    """Return the curves of a sweep over ``sizes`` with their values at the ε of the plan."""
    finished = sorted(curves, key=lambda curve: curve.n)
    done = {curve.n for curve in finished}
    epsilons = sorted({plan.budget.epsilon, *plan.at_eps}, key=float)
    return CurveAudit(
        subject=_subject(mechanism, plan),
        epsilons=tuple(map(str, epsilons)),
        curves=tuple(finished),
        values=tuple(
            tuple(curve.delta(epsilon, plan.digits) for epsilon in epsilons) for curve in finished
        ),
        missing=tuple(n for n in sizes if n not in done),
    )


def _subject(mechanism: Mechanism[Any], plan: Plan) -> Subject:
    return Subject(
        mechanism=mechanism.name,
        parameters={name: parameter_text(value) for name, value in mechanism.values().items()},
        stated=None if mechanism.stated is None else _texts(mechanism.stated),
        budget=_texts(plan.budget),
        adjacency=mechanism.adjacency(plan.adjacency).name,
        at=plan.at if plan.at is None or isinstance(plan.at, str) else _counts_text(plan.at),
        digits=plan.digits,
    )


def _texts(budget: Budget) -> tuple[str, str]:
    return str(budget.epsilon), str(budget.delta)


def _counts_text(counts: tuple[int, ...]) -> str:
    return ",".join(map(str, counts))
