"""Entries of a gate about every value of a parameter in an interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dpaudit.errors import UsageError
from dpaudit.gate.entries import EntryQuestion, budget_of
from dpaudit.gate.rows import Row, pair_in_words
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, ZERO, order
from dpaudit.questions.interval.measure import OverInterval
from dpaudit.questions.interval.pieces import highest_ratio
from dpaudit.questions.interval.reading import end_of, read_named_interval
from dpaudit.results import symbol_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.results import Bound, IntervalAudit

__all__ = ["ENTRY"]

_OWN_EPSILON = "epsilon"
"""The budget that holds every nominal ε of an interval to itself."""


class _Interval(EntryQuestion):
    measure = "check"
    key = "interval"
    keys = ("interval",)
    schema = "dpaudit.interval/1"
    has_events = False

    def parameters(self, entry: Entry) -> dict[str, Any]:
        """Return what the mechanism is made with: one end of the interval."""
        name, interval = read_named_interval(str(entry.interval))
        _, _, text = str(entry.interval).rpartition("=")
        return {**entry.parameters, name: end_of(name, text, interval, entry.parameters.get("k"))}

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        constant = entry.budget not in (None, _OWN_EPSILON)
        parameter, interval = read_named_interval(str(entry.interval))
        return OverInterval(interval, parameter, constant)

    def settings(self, entry: Entry) -> dict[str, Any]:
        return {"budget": budget_of(_without_own(entry))}

    def checks(self) -> Mapping[str, Callable[[Entry], None]]:
        return {**super().checks(), "interval": _check_interval}

    def check_budget(self, entry: Entry) -> None:
        super().check_budget(_without_own(entry))

    def rows(self, report: IntervalAudit, bounds: Sequence[Bound]) -> list[Row]:
        return [_over_interval(report, size) for size in report.results]


def _without_own(entry: Entry) -> Entry:
    """Return an entry that has a budget only if it is a constant."""
    return replace(entry, budget=None) if entry.budget == _OWN_EPSILON else entry


def _check_interval(entry: Entry) -> None:
    name, _ = read_named_interval(str(entry.interval))
    if entry.at is not None:
        raise UsageError("an interval is audited over all pairs; leave out at")
    if entry.parameters.keys() & ({"eps", "epsilon"} if name == "epsilon" else {name}):
        told = f"the interval covers every {symbol_of(name)} between its ends; leave {name} out"
        raise UsageError(told)
    if name != "epsilon" and entry.budget == _OWN_EPSILON:
        raise UsageError(f"an interval of {name} needs a constant budget")


def _over_interval(report: IntervalAudit, size: Any) -> Row:
    """Return the row of the realised ε over its budget, where that is largest."""
    value = highest_ratio(size.pieces, report.budget)
    excess = ""
    if size.exceeded is not None:
        point = size.exceeded
        of_epsilon = report.parameter == "epsilon"
        where = "the nominal ε" if of_epsilon else f"{symbol_of(report.parameter)} ="
        found, delta = point.found, point.found.delta
        of_delta = order(report.budget.delta, ZERO) is Sign.POSITIVE
        told = f"δ({delta.epsilon}) ≥ {delta.lower}" if of_delta else f"ε ≥ {found.epsilon.lower}"
        excess = (
            f"realised {told} at {where} {point.epsilon}, budget {report.budget}: n = {size.n}, "
            f"{pair_in_words(delta if of_delta else found.witness)}"
        )
    # A piece that is undecided may be within on one side and exceed on the other: it is no tie.
    covered = False
    by_delta = any(piece.delta is not None for piece in size.pieces)
    label = "realised ε or δ / budget" if by_delta else "realised ε / budget"
    return Row(size.n, size.verdict, size.reason, label, value, ONE, covered, excess, value.upper)


ENTRY = _Interval()
