"""The measure: the relative entropy of every pair, of which the largest counts."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

from dpaudit.questions.expected_loss.result import ExpectedLoss, ExpectedLossReport

from dpaudit.audit.measure import Measure
from dpaudit.errors import ParameterError
from dpaudit.questions.notion.measure import ask
from dpaudit.results.values import Enclosure

if TYPE_CHECKING:
    from dpaudit.audit.plan import Plan

__all__ = ["asked"]

_LN_2 = ("0.69314718055994530", "0.69314718055994531")


class _ExpectedLosses(Measure[ExpectedLoss, ExpectedLossReport]):
    schema = "dpaudit.expected-loss/1"
    document = ExpectedLossReport
    sized = ExpectedLoss
    entry_seconds = 1e-5

    def __init__(self, unit: str) -> None:
        self.unit = unit

    def at_size(self, mechanism: Any, n: int, plan: Plan, progress: Any) -> ExpectedLoss:
        found = ask(mechanism, "kl", budget=1).at_size(mechanism, n, plan, progress)
        loss = found.value if self.unit == "nats" else _in_bits(found.value)
        return ExpectedLoss(n, found.pairs, loss, found.witness.x, found.witness.y)

    def fields(self, plan: Plan, known: dict[str, Any]) -> dict[str, Any]:
        return {"unit": self.unit}


def _in_bits(nats: Enclosure) -> Enclosure:
    down, up = (Context(prec=15, rounding=one) for one in (ROUND_FLOOR, ROUND_CEILING))
    low, high = map(down.create_decimal, _LN_2)
    return Enclosure(down.divide(nats.lower, high), up.divide(nats.upper, low))


def asked(unit: str) -> _ExpectedLosses:
    """Return the measure in a unit."""
    if unit not in ("nats", "bits"):
        raise ParameterError("unit", f"unit = {unit}: must be nats or bits")
    return _ExpectedLosses(unit)
