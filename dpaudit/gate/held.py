"""Questions of entries by the name of their measure, and verdicts on the numbers found.

Audits come with a verdict about their budget.  Privacy curves, trade-off functions and calibrations
state none: an entry holds their numbers to its bounds, and the verdict follows from both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.accounting.certified import MAX_RUNS, read_rate, read_width
from dpaudit.accuracy.measure import Errors
from dpaudit.accuracy.metrics import METRICS
from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.curve import Curves
from dpaudit.audit.plan import DEFAULT_TYPE_ONE, read_sizes
from dpaudit.calibration.sweep import Calibrations
from dpaudit.errors import ParameterError, UsageError, nearest
from dpaudit.gate.samples import check_sampler
from dpaudit.intervals.asked import end_of, read_named_interval
from dpaudit.intervals.measure import OverInterval
from dpaudit.mechanisms.parameters import PositiveParameter, budget_parts
from dpaudit.mechanisms.parameters import read_budget as exact_budget
from dpaudit.notions.measure import ask, check_notion_name
from dpaudit.notions.tradeoff_sweep import Tradeoffs, read_type_one
from dpaudit.results import Bound, Budget, symbol_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.audit.measure import Measure
    from dpaudit.gate.config import Entry
    from dpaudit.numbers.real import Real


__all__ = [
    "CHECKS",
    "bounds_of",
    "measure_of",
    "parameters_of",
    "question_of",
    "schema_of",
]

OWN_EPSILON = "epsilon"
"""The budget of an interval that holds every nominal ε to itself."""

_SCHEMAS = {
    "curve": "dpaudit.curve/1",
    "tradeoff": "dpaudit.tradeoff/1",
    "calibrate": "dpaudit.calibration/1",
    "accuracy": "dpaudit.accuracy/2",
    "account": "dpaudit.account/2",
    "sample": "dpaudit.sample/1",
}


def schema_of(entry: Entry) -> str:
    """Return the schema of the report that an entry comes to."""
    if entry.interval is not None:
        return "dpaudit.interval/1"
    if entry.measure == "check":
        return "dpaudit.audit/1" if entry.notion is None else "dpaudit.notion/1"
    return _SCHEMAS[entry.measure]


def parameters_of(entry: Entry) -> dict[str, Any]:
    """Return what the mechanism of an entry is made with: of an interval, with one end."""
    if entry.interval is None:
        return entry.parameters
    name, interval = read_named_interval(entry.interval)
    _, _, text = entry.interval.rpartition("=")
    return {**entry.parameters, name: end_of(name, text, interval, entry.parameters.get("k"))}


def measure_of(mechanism: Any, entry: Entry) -> Measure[Any, Any]:
    """Return what an entry asks; ``mechanism`` may be what stands for one, and states a budget."""
    if entry.interval is not None:
        constant = entry.budget not in (None, OWN_EPSILON)
        parameter, interval = read_named_interval(entry.interval)
        return OverInterval(interval, parameter, constant)
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
    """Return the budget of an entry's plan, if it has one, and the ε at which δ(ε) is wanted."""
    if entry.measure == "curve":
        first, *further = bounds_of(entry)
        return {"budget": (first.at, first.limit), "at_eps": [bound.at for bound in further]}
    if entry.measure in ("tradeoff", "accuracy") or entry.notion is not None:
        return {"held": "never"}  # the budget is in the bounds, or in the measure
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
        sizes = read_sizes(entry.n)
        if entry.measure in ("account", "sample") and len(sizes) != 1:
            raise UsageError(f'measure = "{entry.measure}" is of one size')


def _check_runs(entry: Entry) -> None:
    given = (entry.compose, entry.sample_rate, entry.direction, entry.width)
    if entry.measure != "account":
        if given != (None,) * len(given):
            raise UsageError(
                'compose, sample-rate, direction and width go with measure = "account"'
            )
        return
    if entry.compose is None or not 1 <= entry.compose <= MAX_RUNS:
        raise UsageError(f"the number of runs must be from 1 to {MAX_RUNS}")
    if entry.direction is not None and entry.sample_rate is None:
        raise UsageError("direction is of samples; give sample-rate as well")
    if entry.sample_rate is not None:
        read_rate(entry.sample_rate)
    if entry.width is not None:
        read_width(entry.width)


def _check_of_sampler(key: str) -> Callable[[Entry], None]:
    """Return the check of one key of a sampler, or that no other entry has it."""

    def check(entry: Entry) -> None:
        if entry.measure == "sample":
            check_sampler(entry, key)
        elif key in _OF_SAMPLERS and getattr(entry, key) is not None:
            raise UsageError('draws, error, against, seed and events go with measure = "sample"')

    return check


_OF_SAMPLERS = ("draws", "error", "against", "seed", "events")
_LOOKED_AT = (*_OF_SAMPLERS, "adjacency", "ties", "digits", "precision_cap")


def _check_budget(entry: Entry) -> None:
    bounded = entry.measure in ("curve", "tradeoff", "accuracy")
    parts = None if bounded else _parts(entry)
    if entry.measure == "account" and (parts is None or entry.notion is not None):
        raise UsageError('measure = "account" needs what all runs are held to, [EPSILON, DELTA]')
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
    name, _ = read_named_interval(entry.interval)
    if entry.measure != "check" or entry.notion is not None or entry.at is not None:
        raise UsageError("it goes with no other measure, no notion and no dataset")
    if entry.parameters.keys() & ({"eps", "epsilon"} if name == "epsilon" else {name}):
        told = f"with it every {symbol_of(name)} of the interval is looked at; give no {name}"
        raise UsageError(told)
    if name != "epsilon" and entry.budget == OWN_EPSILON:
        raise UsageError(f"an interval of {name} goes with a budget that is a constant")


def _check_nominal(entry: Entry) -> None:
    if entry.measure == "calibrate":
        bounds_of(entry)
    elif entry.nominal is not None:
        raise UsageError('it goes with measure = "calibrate"')


def _check_at(entry: Entry) -> None:
    if entry.measure == "sample":
        check_sampler(entry, "at")
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
    "compose": _check_runs,
    **{key: _check_of_sampler(key) for key in _LOOKED_AT},
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
