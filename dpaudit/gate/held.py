"""What an entry asks for by the name of its measure, and how the numbers found stand to it.

Audits come with a verdict about their budget.  Privacy curves, trade-off functions and calibrations
state none: an entry holds their numbers to its bounds, and the verdict follows from both.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.accuracy.measure import Errors
from dpaudit.accuracy.metrics import METRICS
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.curve import Curves
from dpaudit.audit.plan import DEFAULT_TYPE_ONE, read_sizes
from dpaudit.audit.standing import excess_in_words, in_words, side, standing
from dpaudit.calibration.sweep import Calibrations
from dpaudit.errors import ParameterError, UsageError, nearest
from dpaudit.intervals.measure import OverInterval
from dpaudit.intervals.pieces import highest_ratio, read_interval
from dpaudit.mechanisms.parameters import PositiveParameter, budget_parts
from dpaudit.mechanisms.parameters import read_budget as exact_budget
from dpaudit.notions.measure import ask, check_notion_name
from dpaudit.notions.tradeoff_sweep import Tradeoffs, read_type_one
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, order, rational
from dpaudit.results import (
    AccuracyReport,
    Audit,
    Bound,
    CalibratedSize,
    CalibrationReport,
    CurveReport,
    Enclosure,
    IntervalAudit,
    MeasuredAudit,
    TradeoffReport,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.numbers.real import Real
    from dpaudit.results import Budget, Reported

__all__ = [
    "CHECKS",
    "FIELDS",
    "Row",
    "bounds_of",
    "field_of",
    "measure_of",
    "question_of",
    "rows_of",
]

OWN_EPSILON = "epsilon"
"""The budget of an interval that holds every nominal ε to itself."""

_FIELDS = {
    "curve": "curve",
    "tradeoff": "tradeoff",
    "calibrate": "calibration",
    "accuracy": "accuracy",
}
FIELDS = ("audit", "notion", "interval", *_FIELDS.values())
"""The fields of a finding that hold what entries come to."""


def field_of(entry: Entry) -> str:
    """Return the field of a finding that holds what an entry comes to."""
    if entry.interval is not None:
        return "interval"
    return _FIELDS.get(entry.measure, "audit" if entry.notion is None else "notion")


def measure_of(mechanism: Any, entry: Entry) -> Measure[Any, Any]:
    """Return what an entry asks; ``mechanism`` may be what stands for one, and states a budget."""
    if entry.interval is not None:
        constant = entry.budget not in (None, OWN_EPSILON)
        return OverInterval(read_interval(entry.interval), constant=constant)
    if entry.measure == "curve":
        return Curves()
    if entry.measure == "tradeoff":
        return Tradeoffs(read_type_one(DEFAULT_TYPE_ONE))
    if entry.measure == "calibrate":
        return Calibrations()
    if entry.measure == "accuracy":
        return Errors(entry.metric or METRICS[0])
    if entry.notion is None:
        return EpsilonDelta()
    return ask(mechanism, entry.notion, order=entry.order, budget=_parts(entry))


def question_of(entry: Entry) -> dict[str, Any]:
    """Return the budget of an entry's plan, and further ε at which δ(ε) is wanted."""
    if entry.measure == "curve":
        first, *further = bounds_of(entry)
        return {"budget": (first.at, first.limit), "at_eps": [bound.at for bound in further]}
    if entry.measure in ("tradeoff", "accuracy") or entry.notion is not None:
        return {"budget": 1}  # of no account: it is in the bounds, or in the measure
    return {"budget": _parts(entry)}


def bounds_of(entry: Entry) -> tuple[Bound, ...]:
    """Return what the numbers of an entry are held to; nothing where a report has a verdict."""
    if entry.measure == "curve":
        return tuple(Bound(budget.delta, budget.epsilon) for budget in _points(entry))
    if entry.measure == "tradeoff":
        return (Bound(_positive(_one(entry, "which is μ"), "budget")),)
    if entry.measure == "accuracy":
        return (Bound(_positive(_one(entry, "the mean error"), "budget")),)
    if entry.measure == "calibrate":
        return (Bound(_positive(entry.nominal, "nominal")),)
    return ()


def _check_sizes(entry: Entry) -> None:
    if entry.n is not None:
        read_sizes(entry.n)


def _check_budget(entry: Entry) -> None:
    bounded = entry.measure in ("curve", "tradeoff", "accuracy")
    parts = None if bounded else _parts(entry)
    if bounded:
        bounds_of(entry)
    elif parts is not None and entry.notion is not None:
        ask(None, entry.notion, order=entry.order, budget=parts)
    elif parts is not None:
        exact_budget(parts)
    if entry.measure == "calibrate" and parts and entry.parameters.keys() & {"eps", "epsilon"}:
        raise UsageError("with it the mechanism's own ε is what is searched; give no epsilon")


def _check_notion(entry: Entry) -> None:
    if entry.notion is not None:
        if entry.measure != "check":
            raise UsageError(f'it does not go with measure = "{entry.measure}"')
        if entry.notion != "renyi":
            check_notion_name(entry.notion, None)


def _check_order(entry: Entry) -> None:
    if isinstance(entry.order, bool):
        raise UsageError(f"{str(entry.order).lower()} is not a number")
    if entry.notion is not None:
        check_notion_name(entry.notion, entry.order)
    elif entry.order is not None:
        raise UsageError('it goes with notion = "renyi"')


def _check_interval(entry: Entry) -> None:
    if entry.interval is None:
        return
    read_interval(entry.interval)
    if entry.measure != "check" or entry.notion is not None or entry.at is not None:
        raise UsageError("it goes with no other measure, no notion and no dataset")
    if entry.parameters.keys() & {"eps", "epsilon"}:
        raise UsageError("with it every ε of the interval is looked at; give no epsilon")


def _check_nominal(entry: Entry) -> None:
    if entry.measure == "calibrate":
        bounds_of(entry)
    elif entry.nominal is not None:
        raise UsageError('it goes with measure = "calibrate"')


def _check_at(entry: Entry) -> None:
    if entry.measure == "accuracy" and entry.at is None:
        raise UsageError('measure = "accuracy" needs the data, as "2,3" or [2, 3]')
    if isinstance(entry.at, str) and not entry.at:
        raise UsageError("it is empty")


def _check_metric(entry: Entry) -> None:
    if entry.metric is not None and entry.measure != "accuracy":
        raise UsageError('it goes with measure = "accuracy"')
    if entry.metric not in (None, *METRICS):
        raise UsageError(f"no metric {entry.metric!r}; {nearest(str(entry.metric), METRICS)}")


CHECKS = {
    "n": _check_sizes,
    "notion": _check_notion,
    "order": _check_order,
    "budget": _check_budget,
    "nominal": _check_nominal,
    "interval": _check_interval,
    "at": _check_at,
    "metric": _check_metric,
}
"""By the key of an entry, what raises ``UsageError`` for a value that makes no sense."""


def _parts(entry: Entry) -> list[Any] | None:
    """Return the budget as one or two numbers, or None for the mechanism's own."""
    if entry.budget is None or (entry.interval is not None and entry.budget == OWN_EPSILON):
        return None
    if isinstance(entry.budget, bool):
        raise UsageError(f"{str(entry.budget).lower()} is not a number")
    return list(budget_parts(entry.budget, "must be EPSILON or [EPSILON, DELTA]"))


def _one(entry: Entry, what: str) -> Any:
    parts = _parts(entry)
    if parts is None or len(parts) != 1:
        raise UsageError(f'measure = "{entry.measure}" needs one number, {what}')
    return parts[0]


def _points(entry: Entry) -> list[Budget]:
    """Return the points that a curve has to stay below."""
    given = entry.budget
    several = isinstance(given, list) and bool(given) and isinstance(given[0], list)
    listed = (
        [list(budget_parts(one, "must be [EPSILON, DELTA]")) for one in given]
        if several
        else ([_parts(entry) or []])
    )
    if not all(len(one) == 2 for one in listed):
        raise UsageError('measure = "curve" needs [EPSILON, DELTA], or several of them')
    points = [exact_budget(one) for one in listed]
    if len({str(point.epsilon) for point in points}) < len(points):
        raise UsageError("one ε is given twice")
    return points


def _positive(given: Any, name: str) -> Real:
    if given is None or isinstance(given, (bool, list, dict)):
        raise ParameterError(name, "a number is needed")
    return PositiveParameter(name, "", "", "").read(given)


class Row(NamedTuple):
    """One number of a report beside what it is held to."""

    n: int
    """The size."""
    verdict: Verdict
    """How it stands."""
    reason: str
    """Why it is undecided; empty otherwise."""
    label: str
    """What the number is called."""
    value: Enclosure
    """The number."""
    limit: Real
    """What it may be at most; at least, for a nominal ε."""
    covered: bool
    """Whether all pairs were covered, so that what is not told from the limit may be a tie."""
    excess: str
    """In words: by how much it exceeds, and where; empty where it does not."""
    close: Decimal
    """The larger, the closer to the limit."""

    def kept(self) -> str:
        """Return in words how it keeps its limit."""
        exact = self.value.exact
        if exact is not None and len(str(exact)) <= _LONGEST_EXACT:
            return f"{self.label} = {exact} exactly, budget {self.limit}"
        return f"{self.label} ≤ {self.value.upper}, budget {self.limit}"


_LONGEST_EXACT = 40
"""A longer closed form tells a reader less than its digits."""


class _NominalRow(Row):
    """The safe nominal ε of a calibration, which may be larger than its limit, not smaller."""

    def kept(self) -> str:
        return f"the nominal ε {self.value.lower} keeps the budget, at least {self.limit} is asked"


def rows_of(report: Reported, bounds: Sequence[Bound]) -> list[Row]:
    """Return every number of a report that is held to something, with the verdict that follows."""
    if isinstance(report, (Audit, MeasuredAudit)):
        return [_audited(report, result) for result in report.results]
    if isinstance(report, IntervalAudit):
        return [_over_interval(report, size) for size in report.results]
    if isinstance(report, CurveReport):
        return list(_deltas(report, bounds))
    if isinstance(report, TradeoffReport):
        return [_at_most(one.n, "μ", one.mu, bounds[0].limit, _pair(one)) for one in report.results]
    if isinstance(report, AccuracyReport):
        return [
            _at_most(one.n, "mean error", one.mean, bounds[0].limit, in_words(one.dataset))
            for one in report.results
        ]
    assert isinstance(report, CalibrationReport)
    return [_nominal(one, bounds[0].limit) for one in report.results]


def _audited(audit: Any, result: Any) -> Row:
    value = audit.judged(result)
    return Row(
        result.n,
        result.verdict,
        result.reason,
        audit.label,
        value,
        audit.limit,
        result.pairs_covered == result.pairs,
        excess_in_words(audit, result) if result.verdict is Verdict.EXCEEDS else "",
        value.upper,
    )


def _over_interval(report: IntervalAudit, size: Any) -> Row:
    """Return the row of the realised ε over its budget, where that is largest."""
    value = highest_ratio(size.pieces, report.budget)
    excess = ""
    if size.exceeded is not None:
        point = size.exceeded
        excess = (
            f"realised ε ≥ {point.found.epsilon.lower} at the nominal ε {point.epsilon}, budget "
            f"{report.budget}: n = {size.n}, {_pair(point.found.witness)}"
        )
    covered = size.pairs_covered == size.pairs
    label = "realised ε / budget"
    return Row(size.n, size.verdict, size.reason, label, value, ONE, covered, excess, value.upper)


def _deltas(report: CurveReport, bounds: Sequence[Bound]) -> Iterator[Row]:
    """Iterate over δ at every ε with a bound; ``ValueError`` where a curve is not read there."""
    for curve in report.results:
        for bound in bounds:
            assert bound.at is not None
            found = [one for one in curve.values if order(one.epsilon, bound.at) is Sign.ZERO]
            if len(found) != 1:
                raise ValueError(f"its curve at n = {curve.n} is not read at {bound.at}")
            worst = _pair(found[0])
            yield _at_most(curve.n, f"δ({bound.at})", found[0].value, bound.limit, worst)


def _pair(worst: Any) -> str:
    return f"{in_words(worst.x)} against {in_words(worst.y)}"


def _at_most(n: int, label: str, value: Enclosure, limit: Real, worst: str) -> Row:
    verdict = standing(side(value, limit))
    where = f"at n = {n}, with {worst}"
    excess = f"{where}: realised {label} ≥ {value.lower}, budget {limit}"
    if value.lower.is_infinite():
        excess = f"{where}: realised {label} is infinite, budget {limit}"
    close = value.upper - Decimal(float(limit)) if value.upper.is_finite() else value.upper
    reason = f"its interval [{value.lower}, {value.upper}] does not tell {label} from {limit}"
    undecided = verdict is Verdict.UNDECIDED
    return Row(n, verdict, reason * undecided, label, value, limit, True, excess, close)


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
        reason = f"the nominal ε found is {size.nominal}, and none up to {limit} is known to fail"
    found = Decimal(size.nominal)
    excess = (
        f"at n = {size.n}: the nominal ε {size.failing} exceeds the budget, and at least {limit} "
        "is asked"
    )
    value = Enclosure(found, found)
    return _NominalRow(size.n, verdict, reason, "ε", value, limit, False, excess, -found)
