"""Calibration as a measure: the largest nominal ε that is certified to keep a budget."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit import results
from dpaudit.arithmetic import DECIMALS
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.measure import Measure, Needs, Progress, head
from dpaudit.audit.verdicts import judged_again
from dpaudit.errors import SizeError
from dpaudit.questions.calibrate.search import MOST_OUTPUTS
from dpaudit.questions.calibrate.size import (
    CalibrationGoal,
    calibrate_size,
    nominal_of,
    with_nominal,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.plan import Plan
    from dpaudit.mechanisms.base import Mechanism


__all__ = ["Calibrations"]


_AUDITS = 14  # that a calibration takes, about


@dataclass(frozen=True)
class Calibrations(
    Measure[results.CalibratedSize | results.Uncalibrated, results.CalibrationReport]
):
    """The safe nominal ε, the failing one above it, and what is gained."""

    schema = "dpaudit.calibration/1"
    document = results.CalibrationReport
    sized = results.CalibratedSize
    over_sizes = True
    without = "uncalibrated"

    question: CalibrationGoal = CalibrationGoal()  # noqa: RUF009  (it is immutable)
    """The tolerance, and where the mean error is wanted."""

    @property
    def needs(self) -> Needs:
        return Needs(listing=MOST_OUTPUTS)

    def subject(self, mechanism: Mechanism[Any], plan: Plan) -> Mechanism[Any]:
        """Return the mechanism with the ε of its budget as the nominal ε."""
        return with_nominal(mechanism, nominal_of(mechanism, plan.held_to.epsilon))

    def check(self, sizes: Sequence[int]) -> None:
        dataset = self.question.dataset
        if dataset is not None and set(sizes) != {sum(dataset)}:
            raise SizeError(
                f"the data have {sum(dataset)} records; leave n out, or give that number"
            )

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> results.CalibratedSize | results.Uncalibrated:
        size = calibrate_size(mechanism, n, plan, self.question)
        progress(mechanism.adjacency(plan.adjacency).pair_count(n))
        return size

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        return _AUDITS * EpsilonDelta().seconds(mechanism, n, plan)

    def without_result(self, n: int, reason: str) -> results.Uncalibrated:
        return results.Uncalibrated(n, results.Verdict.UNDECIDED, reason)

    def judged(self, result: Any, plan: Plan, pairs: int | None) -> Any:
        audits = {
            name: judged_again(audit, plan.held_to, pairs)
            for name in ("before", "realised", "exceeded")
            if (audit := getattr(result, name)) is not None
        }
        safe = _decimal(result.nominal)
        if safe <= 0 or audits["realised"].verdict is not results.Verdict.WITHIN:
            raise ValueError("its safe nominal ε does not keep the budget")
        if (result.failing is None) is not (result.exceeded is None):
            raise ValueError("it must have both a failing nominal ε and its audit, or neither")
        if result.failing is not None:
            near = safe < _decimal(result.failing) <= safe + self.question.tolerance
            if not near or audits["exceeded"].verdict is not results.Verdict.EXCEEDS:
                raise ValueError(
                    "its failing nominal ε does not exceed the budget, or is not within the "
                    "tolerance above the safe one"
                )
        if any(audit.n != result.n for audit in audits.values()):
            raise ValueError("the size of one of its audits is not its n")
        stated = [getattr(result, name).verdict for name in audits]
        follows = [audit.verdict for audit in audits.values()]
        if stated != follows or result.verdict is not results.Verdict.WITHIN:
            raise ValueError("its verdicts do not follow from its numbers")
        return result

    def about(self, mechanism: Mechanism[Any], plan: Plan, sizes: Sequence[Any]) -> dict[str, Any]:
        return head(mechanism, plan)

    def fields(self, plan: Plan, document: dict[str, Any]) -> dict[str, Any]:
        tolerance = self.question.tolerance
        return {
            "budget": plan.held_to,
            "tolerance": str(
                DECIMALS.divide(Decimal(tolerance.numerator), Decimal(tolerance.denominator))
            ),
            "verdict": self.verdict(document),
        }


def _decimal(text: str) -> Fraction:
    if re.fullmatch(r"[0-9]{1,400}(\.[0-9]{1,400})?", text) is None:
        raise ValueError(f"{text[:40]!r} is not a decimal number")
    return Fraction(text)
