"""Entries of a gate about privacy curves: points that they have to stay below."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.audit.curve import Curves
from dpaudit.errors import UsageError
from dpaudit.gate.entries import EntryQuestion, budget_of
from dpaudit.gate.rows import Row, bounded_row, pair_in_words
from dpaudit.mechanisms.parameters import budget_parts
from dpaudit.mechanisms.parameters import read_budget as exact_budget
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import order
from dpaudit.results import Bound, Budget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.results import CurveReport

__all__ = ["ENTRY"]


class _Curve(EntryQuestion):
    measure = "curve"
    schema = "dpaudit.curve/1"

    def measured(self, mechanism: Any, entry: Entry) -> Measure[Any, Any]:
        return Curves()

    def settings(self, entry: Entry) -> dict[str, Any]:
        first, *further = self.bounds(entry)
        return {"budget": (first.at, first.limit), "at_eps": [bound.at for bound in further]}

    def bounds(self, entry: Entry) -> tuple[Bound, ...]:
        return tuple(Bound(budget.delta, budget.epsilon) for budget in _points(entry))

    def check_budget(self, entry: Entry) -> None:
        self.bounds(entry)

    def rows(self, report: CurveReport, bounds: Sequence[Bound]) -> list[Row]:
        return list(_deltas(report, bounds))


def _points(entry: Entry) -> list[Budget]:
    """Return the points that a curve has to stay below."""
    given = entry.budget
    several = isinstance(given, list) and bool(given) and isinstance(given[0], list)
    listed = (
        [list(budget_parts(one, "must be [EPSILON, DELTA]")) for one in given]
        if several
        else ([budget_of(entry) or []])
    )
    if not all(len(one) == 2 for one in listed):
        raise UsageError('measure = "curve" needs budget = [EPSILON, DELTA], or a list of these')
    points = [exact_budget(one) for one in listed]
    if len({str(point.epsilon) for point in points}) < len(points):
        raise UsageError("budget lists the same ε twice; give each ε one δ")
    return points


def _deltas(report: CurveReport, bounds: Sequence[Bound]) -> Iterator[Row]:
    """Iterate over δ at every ε with a bound; ``ValueError`` where a curve is not read there."""
    for curve in report.results:
        for bound in bounds:
            assert bound.at is not None
            found = [one for one in curve.values if order(one.epsilon, bound.at) is Sign.ZERO]
            if len(found) != 1:
                raise ValueError(f"its curve at n = {curve.n} must have one δ at ε = {bound.at}")
            worst = pair_in_words(found[0])
            yield bounded_row(curve.n, f"δ({bound.at})", found[0].value, bound.limit, worst)


ENTRY = _Curve()
