"""Audits over many sizes, one after the other or side by side on any executor."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import audit_size
from dpaudit.audit.curve import CurveAudit, PrivacyCurve, privacy_curve
from dpaudit.audit.plan import Pairs
from dpaudit.audit.result import Audit, SizeResult, Source, Subject, UndecidedSize
from dpaudit.audit.standing import judged_again
from dpaudit.audit.workers import as_finished, largest_first
from dpaudit.data.adjacency import Substitution
from dpaudit.errors import DpauditError, LawError, PrecisionError
from dpaudit.mechanisms.parameters import parameter_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from dpaudit.audit.plan import Plan
    from dpaudit.audit.screen import Share
    from dpaudit.laws.screen import Extremes, FloatLaws
    from dpaudit.mechanisms.base import Budget, Mechanism

__all__ = [
    "assemble",
    "assemble_curves",
    "estimated_curve_seconds",
    "estimated_seconds",
    "subject_of",
    "sweep",
    "sweep_curves",
    "useful_workers",
]

# Measured on one core, in seconds: what a screened size, each of its datasets and each of its
# entries costs, and what an entry costs in balls.
_SCREENED_SIZE, _SCREENED_DATASET, _SCREENED_ENTRY = 1e-3, 1.2e-5, 2e-8
_BALL_ENTRY, _CURVE_ENTRY, _SCREENED_CURVE_ENTRY = 2e-6, 2e-5, 6e-8
_SECONDS_WORTH_SHARING = 0.25


def estimated_seconds(mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
    """Return about how long the audit of one size takes, for planning only."""
    entries = _screened_entries(mechanism, plan, n)
    if entries is None:
        return _BALL_ENTRY * _ball_entries(mechanism, n, plan)
    datasets = mechanism.adjacency(plan.adjacency).dataset_count(n)
    return _SCREENED_SIZE + _SCREENED_DATASET * datasets + _SCREENED_ENTRY * entries


def estimated_curve_seconds(mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
    """Return about how long the privacy curve of one size takes, for planning only."""
    entries = _ball_entries(mechanism, n, plan)
    screened = _screened_entries(mechanism, plan, n) is not None
    return (_SCREENED_CURVE_ENTRY if screened else _CURVE_ENTRY) * entries


def _ball_entries(mechanism: Mechanism[Any], n: int, plan: Plan) -> int:
    return mechanism.adjacency(plan.adjacency).pair_count(n) * mechanism.entries(n)


def _screened_entries(mechanism: Mechanism[Any], plan: Plan, n: int) -> int | None:
    if plan.engine != "screen" or plan.at is not None:
        return None
    if not isinstance(mechanism.adjacency(plan.adjacency), Substitution):
        return None
    return mechanism.screened_entries(n)


def useful_workers(mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan, jobs: int) -> int:
    """Return how many of ``jobs`` workers would have something to do in :func:`sweep`."""
    return jobs if _shared(mechanism, sizes, plan, jobs) else min(jobs, len(sizes))


def sweep(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    tick: Callable[[int], None] = lambda pairs: None,
) -> Iterator[SizeResult | UndecidedSize]:
    """Iterate over the audits of ``sizes`` as they are finished (in order without an executor).

    With an ``executor`` of about so many ``workers``, sizes are audited side by side; one that
    would keep a worker busy when the others have finished is shared by all of them.  ``tick`` is
    told how many pairs have been covered since it was last called.  Whoever iterates may stop at
    any time and keeps what has been yielded.  A size at which something cannot be enclosed does
    not end the sweep.
    """
    _check(mechanism, sizes, plan)
    if executor is None:
        for n in sizes:
            yield _audited(mechanism, n, plan, tick)
        return
    shared = _shared(mechanism, sizes, plan, workers)
    # The largest sizes first: they take longest, and workers finish together.
    whole = sorted(set(sizes) - shared, reverse=True)
    for future in as_finished([executor.submit(_audited, mechanism, n, plan) for n in whole]):
        result = future.result()
        if isinstance(result, SizeResult):
            result = _judged(mechanism, result, plan)
            tick(result.pairs_covered)
        yield result
    for n in sorted(shared):
        yield _audited(mechanism, n, plan, tick, partial(_parts, executor, mechanism))


def _audited(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    tick: Callable[[int], None] = lambda pairs: None,
    share: Share | None = None,
) -> SizeResult | UndecidedSize:
    try:
        return audit_size(mechanism, n, plan, tick, share)
    except PrecisionError as error:
        return UndecidedSize(n, str(error))


def _judged(mechanism: Mechanism[Any], result: SizeResult, plan: Plan) -> SizeResult:
    """Return what another process has found, with the verdict that follows from its numbers."""
    try:
        return judged_again(result, plan.budget, Pairs(mechanism, result.n, plan).expected)
    except (ValueError, DpauditError) as error:
        raise LawError(f"a worker gave no result at n = {result.n}: {error}") from None


def _shared(mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan, workers: int) -> set[int]:
    """Return the sizes that take longer than half of what each worker has to do."""
    if _screened_entries(mechanism, plan, sizes[0]) is None:
        return set()
    seconds = {n: estimated_seconds(mechanism, n, plan) for n in sizes}
    long = max(_SECONDS_WORTH_SHARING, sum(seconds.values()) / (2 * workers))
    return {n for n in sizes if seconds[n] > long}


def _parts(executor: Executor, mechanism: Mechanism[Any], laws: FloatLaws) -> Iterator[Extremes]:
    from dpaudit.audit.screen import screened_part
    from dpaudit.laws.screen import part_count

    parts = range(part_count(laws))
    futures = deque(executor.submit(screened_part, mechanism, laws.n, part) for part in parts)
    while futures:
        yield futures.popleft().result()


def sweep_curves(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    tick: Callable[[int], None] = lambda pairs: None,
) -> Iterator[PrivacyCurve | UndecidedSize]:
    """Iterate over the privacy curves of ``sizes`` as they are finished; see :func:`sweep`.

    δ is enclosed to 10^−digits at every ε of the plan.
    """
    _check(mechanism, sizes, plan)
    if executor is None:
        for n in sizes:
            yield _curve(mechanism, n, plan, tick)
        return
    for curve in largest_first(executor, _curve, mechanism, sizes, plan):
        if isinstance(curve, PrivacyCurve):
            tick(curve.pairs)
        yield curve


def _curve(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    tick: Callable[[int], None] = lambda pairs: None,
) -> PrivacyCurve | UndecidedSize:
    try:
        return privacy_curve(mechanism, n, plan, tick)
    except PrecisionError as error:
        return UndecidedSize(n, str(error))


def _check(mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan) -> None:
    """Find a dataset that is none before any work is done."""
    for n in sizes:
        Pairs(mechanism, n, plan)


def assemble(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    found: Iterable[SizeResult | UndecidedSize],
) -> Audit:
    """Return the audit made of what a sweep over ``sizes`` has ``found``."""
    finished = sorted(found, key=lambda result: result.n)
    done = {result.n for result in finished}
    return Audit(
        subject=subject_of(mechanism, plan),
        sizes=tuple(sorted(set(sizes))),
        results=tuple(result for result in finished if isinstance(result, SizeResult)),
        missing=tuple(n for n in sizes if n not in done),
        undecided=tuple(result for result in finished if isinstance(result, UndecidedSize)),
    )


def assemble_curves(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    found: Iterable[PrivacyCurve | UndecidedSize],
) -> CurveAudit:
    """Return the curves of a sweep over ``sizes`` with their values at the ε of the plan."""
    finished = sorted(found, key=lambda curve: curve.n)
    done = {curve.n for curve in finished}
    curves = tuple(curve for curve in finished if isinstance(curve, PrivacyCurve))
    epsilons = sorted({plan.budget.epsilon, *plan.at_eps}, key=float)
    return CurveAudit(
        subject=subject_of(mechanism, plan),
        epsilons=tuple(map(str, epsilons)),
        sizes=tuple(sorted(set(sizes))),
        curves=curves,
        values=tuple(
            tuple(curve.delta(epsilon, plan.digits) for epsilon in epsilons) for curve in curves
        ),
        missing=tuple(n for n in sizes if n not in done),
        undecided=tuple(curve for curve in finished if isinstance(curve, UndecidedSize)),
    )


def subject_of(mechanism: Mechanism[Any], plan: Plan) -> Subject:
    """Return what an audit of ``mechanism`` with ``plan`` is about."""
    origin, relation = mechanism.origin, mechanism.adjacency(plan.adjacency)
    return Subject(
        mechanism=mechanism.name,
        parameters={name: parameter_text(value) for name, value in mechanism.values().items()},
        stated=None if mechanism.stated is None else _texts(mechanism.stated),
        budget=_texts(plan.budget),
        adjacency=relation.name,
        at=plan.at if plan.at is None or isinstance(plan.at, str) else _counts_text(plan.at),
        digits=plan.digits,
        loaded=None if origin is None else Source(origin.reference, origin.sha256),
        adjacency_defaulted=relation.defaulted,
        epsilon_unit=mechanism.epsilon_unit,
    )


def _texts(budget: Budget) -> tuple[str, str]:
    return str(budget.epsilon), str(budget.delta)


def _counts_text(counts: tuple[int, ...]) -> str:
    return ",".join(map(str, counts))
