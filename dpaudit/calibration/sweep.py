"""Calibrations over many sizes, one after the other or side by side on any executor."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dpaudit.audit.plan import Pairs
from dpaudit.audit.result import Verdict
from dpaudit.audit.sweep import estimated_seconds, subject_of
from dpaudit.audit.workers import largest_first
from dpaudit.calibration.result import CalibratedSize, Calibration, Uncalibrated
from dpaudit.calibration.size import Question, calibrate_size, nominal_of, with_nominal
from dpaudit.errors import PrecisionError, SizeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism

__all__ = [
    "assemble_calibration",
    "estimated_calibration_seconds",
    "sweep_calibrations",
]

_AUDITS = 14


def estimated_calibration_seconds(mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
    """Return about how long the calibration of one size takes, for planning only."""
    return _AUDITS * estimated_seconds(mechanism, n, plan)


def sweep_calibrations(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    *,
    executor: Executor | None = None,
    workers: int = 1,
    tick: Callable[[int], None] = lambda pairs: None,
    question: Question | None = None,
) -> Iterator[CalibratedSize | Uncalibrated]:
    """Iterate over the calibrations of ``sizes`` as they are finished.

    Sizes are calibrated side by side on ``executor``, of about so many ``workers``.  ``tick`` is
    told the pairs of every size that is finished.
    """
    question = question or Question()
    if question.dataset is not None and set(sizes) != {sum(question.dataset)}:
        raise SizeError(f"the data have {sum(question.dataset)} records: give no other n")
    for n in sizes:
        Pairs(mechanism, n, plan)
    pairs = mechanism.adjacency(plan.adjacency).pair_count
    if executor is None:
        for n in sizes:
            yield _calibrated(mechanism, n, plan, question)
            tick(pairs(n))
        return
    for result in largest_first(executor, _calibrated, mechanism, sizes, plan, question):
        tick(pairs(result.n))
        yield result


def _calibrated(
    mechanism: Mechanism[Any], n: int, plan: Plan, question: Question
) -> CalibratedSize | Uncalibrated:
    try:
        return calibrate_size(mechanism, n, plan, question)
    except PrecisionError as error:
        return Uncalibrated(n, Verdict.UNDECIDED, str(error))


def assemble_calibration(
    mechanism: Mechanism[Any],
    sizes: Sequence[int],
    plan: Plan,
    found: Iterable[CalibratedSize | Uncalibrated],
    question: Question,
) -> Calibration:
    """Return the calibration made of what a sweep over ``sizes`` has ``found``."""
    finished = sorted(found, key=lambda result: result.n)
    done = {result.n for result in finished}
    tolerance = Decimal(question.tolerance.numerator) / Decimal(question.tolerance.denominator)
    return Calibration(
        subject=subject_of(
            with_nominal(mechanism, nominal_of(mechanism, plan.budget.epsilon)), plan
        ),
        tolerance=str(tolerance),
        sizes=tuple(sorted(set(sizes))),
        results=tuple(size for size in finished if isinstance(size, CalibratedSize)),
        uncalibrated=tuple(size for size in finished if isinstance(size, Uncalibrated)),
        missing=tuple(n for n in sizes if n not in done),
    )
