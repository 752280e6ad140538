"""Entries of a gate about calibrations: the nominal ε that has to be found safe."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.errors import UsageError
from dpaudit.gate.entries import EntryQuestion, positive
from dpaudit.gate.rows import SHARE_DIGITS, Row, quotient
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.enclosure import enclose_real
from dpaudit.numbers.real import order, rational
from dpaudit.questions.calibrate.size import nominal_of
from dpaudit.questions.calibrate.sweep import Calibrations
from dpaudit.results import Bound, Enclosure, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.audit.plan import Plan
    from dpaudit.gate.config import Entry
    from dpaudit.numbers.real import Real
    from dpaudit.results import CalibratedSize, CalibrationReport

__all__ = ["ENTRY"]


class _Calibrate(EntryQuestion):
    measure = "calibrate"
    keys = ("nominal",)
    schema = "dpaudit.calibration/1"
    has_events = False
    searched = ("epsilon",)

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        return Calibrations()

    def bounds(self, entry: Entry) -> tuple[Bound, ...]:
        return (Bound(positive(entry.nominal, "nominal")),)

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        return {**super().checks(), "nominal": _check_nominal}

    def check_budget(self, entry: Entry) -> None:
        super().check_budget(entry)
        if entry.budget is not None and entry.parameters.keys() & {"eps", "epsilon"}:
            raise UsageError("calibrate searches the mechanism's own ε; leave epsilon out")

    def chosen(self, stands_for: Any, plan: Plan) -> dict[str, str]:
        return {"epsilon": str(nominal_of(stands_for, plan.held_to.epsilon))}

    def rows(self, report: CalibrationReport, bounds: Sequence[Bound]) -> list[Row]:
        return [_nominal(one, bounds[0].limit) for one in report.results]


def _check_nominal(entry: Entry) -> None:
    ENTRY.bounds(entry)


class _NominalRow(Row):
    """The safe nominal ε of a calibration, which may be larger than its limit, not smaller."""

    def share(self) -> Enclosure:
        return quotient(enclose_real(self.limit, SHARE_DIGITS), self.value)

    def kept(self) -> str:
        return (
            f"the nominal ε {self.value.lower} keeps the budget, and at least {self.limit} is "
            "required"
        )


def _nominal(size: CalibratedSize, limit: Real) -> Row:
    """Return how a safe nominal ε stands: too small for certain where a failing one is, too."""
    safe, failing = (
        None if text is None else rational(Fraction(text)) for text in (size.nominal, size.failing)
    )
    assert safe is not None
    verdict, reason = Verdict.UNDECIDED, ""
    if order(safe, limit) in (Sign.POSITIVE, Sign.ZERO):
        verdict = Verdict.WITHIN
    elif failing is not None and order(failing, limit) in (Sign.NEGATIVE, Sign.ZERO):
        verdict = Verdict.EXCEEDS
    else:
        reason = (
            f"the largest safe nominal ε found is {size.nominal}, and no value up to {limit} "
            "is known to fail"
        )
    found = Decimal(size.nominal)
    excess = (
        f"at n = {size.n}: the nominal ε {size.failing} exceeds the budget, and at least {limit} "
        "is required"
    )
    value = Enclosure(found, found)
    return _NominalRow(
        size.n, verdict, reason, "ε", value, limit, False, excess, found.copy_negate()
    )


ENTRY = _Calibrate()
