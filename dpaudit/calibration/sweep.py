"""Calibration as a measure: the largest nominal ε that is certified to keep a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dpaudit import results
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.measure import Measure, head
from dpaudit.calibration.size import CalibrationGoal, calibrate_size, nominal_of, with_nominal
from dpaudit.errors import SizeError

if TYPE_CHECKING:
    from dpaudit.audit.plan import Plan
    from dpaudit.audit.screen import Share
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["Calibrations"]


_AUDITS = 14  # that a calibration takes, about


@dataclass(frozen=True)
class Calibrations(
    Measure[results.CalibratedSize | results.Uncalibrated, results.CalibrationReport]
):
    """The safe nominal ε, the failing one above it, and what is gained."""

    schema = "dpaudit.calibration/1"
    sized = results.CalibratedSize

    question: CalibrationGoal = CalibrationGoal()  # noqa: RUF009  (it is immutable)
    """The tolerance, and where the mean error is wanted."""

    def check(self, sizes: Sequence[int]) -> None:
        dataset = self.question.dataset
        if dataset is not None and set(sizes) != {sum(dataset)}:
            raise SizeError(f"the data have {sum(dataset)} records: give no other n")

    def at_size(
        self,
        mechanism: Mechanism[Any],
        n: int,
        plan: Plan,
        progress: Callable[[int], None] = lambda pairs: None,
        share: Share | None = None,
    ) -> results.CalibratedSize | results.Uncalibrated:
        found = calibrate_size(mechanism, n, plan, self.question)
        progress(mechanism.adjacency(plan.adjacency).pair_count(n))
        return found

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        return _AUDITS * EpsilonDelta().seconds(mechanism, n, plan)

    def without_result(self, n: int, reason: str) -> results.Uncalibrated:
        return results.Uncalibrated(n, results.Verdict.UNDECIDED, reason)

    def report(
        self, mechanism: Mechanism[Any], sizes: Sequence[int], plan: Plan, found: Iterable[Any]
    ) -> results.CalibrationReport:
        finished = sorted(found, key=lambda result: result.n)
        done = {result.n for result in finished}
        missing = tuple(n for n in sizes if n not in done)
        verdicts = [size.verdict for size in finished] + [
            results.Verdict.UNDECIDED for _ in missing
        ]
        tolerance = self.question.tolerance
        nominal = nominal_of(mechanism, plan.budget.epsilon)
        return results.CalibrationReport(
            sizes=tuple(sorted(set(sizes))),
            schema=self.schema,
            budget=plan.budget,
            tolerance=str(Decimal(tolerance.numerator) / Decimal(tolerance.denominator)),
            results=tuple(size for size in finished if isinstance(size, results.CalibratedSize)),
            uncalibrated=tuple(size for size in finished if isinstance(size, results.Uncalibrated)),
            missing=missing,
            verdict=results.worst_verdict(verdicts),
            **head(with_nominal(mechanism, nominal), plan),
        )
