"""The Python interface to intervals: ``dpaudit.check_interval`` and ``curve_interval``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit import results
from dpaudit.api.finished import Judged, Sizes, swept
from dpaudit.api.plans import chosen, make_plan, own_parameters
from dpaudit.audit.plan import sizes_of
from dpaudit.errors import ParameterError
from dpaudit.mechanisms.parameters import OVER_INTERVALS, is_interval
from dpaudit.questions.interval.curves import CurvesOverInterval, read_ratios
from dpaudit.questions.interval.measure import OverInterval
from dpaudit.questions.interval.reading import TAKEN, Interval, end_of, interval_among

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Number


__all__ = ["IntervalCheck", "IntervalCurves", "check_interval", "curve_interval"]


class IntervalCheck(Judged[results.IntervalAudit, results.IntervalSize]):
    """Result of :func:`check_interval`: bounds and verdicts for every value of a parameter.

    Exports: tables, JSON, CSV, a figure of the bounds on ε over the parameter.
    """

    @property
    def kept(self) -> tuple[results.NominalEpsilon, ...]:
        """The nominal ε that are certified to keep the budget at every size, as intervals."""
        return self.report.kept


class IntervalCurves(Sizes[results.IntervalCurveReport, results.IntervalCurve]):
    """Result of :func:`curve_interval`: bounds on δ for every value of a parameter.

    Exports: tables, JSON, CSV, a figure of the bounds on δ over the parameter.
    """


def check_interval(
    name: str,
    n: int | str | Iterable[int] | None = None,
    *,
    eps: str | None = None,
    budget: Number | Sequence[Number] | None = None,
    jobs: int = 1,
    **parameters: Any,
) -> IntervalCheck:
    """Audit a mechanism for every value of a parameter between two ends.

    Args:
        name: a mechanism's name.
        n: sizes, as for :func:`dpaudit.check`.
        eps: ``"FIRST..LAST"``, two rational numbers above 0, in nats: every real number between
            them. Instead of ε, one of gamma, delta, scale, sigma and prior (the same for every
            category) may be such an interval.
        budget: ε in nats, or (ε, δ), for the verdict; by default each nominal ε is compared with
            itself as its budget, with the δ that the mechanism states.
        jobs: number of processes that share the sizes.
        parameters: the mechanism's other parameters.

    Returns:
        The audit: ``.verdict`` for every ε between, ``.kept``, the nominal ε that certainly keep
        the budget, and for each size the lines that enclose the realised ε in nats.

    Raises:
        UsageError: for bad input, and for a mechanism that cannot be audited over an interval of ε.

    >>> found = check_interval("EHDS", n=10, eps="1/10..2")
    >>> print(found.verdict.value, [(one.first, one.last) for one in found.kept])
    within [('0.1', '2')]
    >>> found = check_interval("LSHist", n=10, eps="1/10..2", budget=1)
    >>> print(found.verdict.value, [(one.first, one.last) for one in found.kept])
    exceeds [('0.1', '1')]
    """
    subject, interval, parameter = _asked(name, eps, parameters, n=n, budget=budget, jobs=jobs)
    plan = make_plan(subject, budget=budget)
    measure = OverInterval(interval, parameter, budget is not None)
    return IntervalCheck(swept(measure, subject, sizes_of(subject, n), plan, jobs))


def curve_interval(
    name: str,
    n: int | str | Iterable[int] | None = None,
    *,
    eps: str | None = None,
    at_ratio: Iterable[Number] | str | None = None,
    at_eps: Iterable[Number] = (),
    jobs: int = 1,
    **parameters: Any,
) -> IntervalCurves:
    """Return bounds on δ for every value of a parameter between two ends.

    δ depends on the nominal ε and on the ε′ at which it is read.  The result has it for every
    nominal ε, at the chosen ε′.

    Args:
        name: a mechanism's name.
        n: sizes, as for :func:`dpaudit.check`.
        eps: ``"FIRST..LAST"``, as for :func:`check_interval`; gamma, delta, scale, sigma or prior
            may be given in its place.
        at_ratio: ratios r ≥ 0, rational numbers, for ε′ = r·ε; without ``at_eps`` by default 0,
            1/4, 1/2, 3/4 and 1.
        at_eps: fixed ε′ in nats.
        jobs: number of processes that share the sizes.
        parameters: the mechanism's other parameters.

    Returns:
        The curves: each size in ``.results`` has ``.bands``, one for each ε′, with pieces of the
        interval on which δ lies between two lines.

    Raises:
        UsageError: for bad input, and for a mechanism that cannot be audited over an interval of
            the parameter.

    >>> found = curve_interval("LSHist", n=10, eps="1/10..2", at_ratio="1/2,1")
    >>> half, whole = found.results[0].bands
    >>> all(piece.zero for piece in whole.pieces), any(piece.zero for piece in half.pieces)
    (True, False)
    """
    subject, interval, parameter = _asked(name, eps, parameters, n=n, jobs=jobs)
    plan = make_plan(subject, held="never", at_eps=at_eps)
    ratios = read_ratios(at_ratio, parameter, others=bool(plan.at_eps))
    measure = CurvesOverInterval(interval, parameter, ratios)
    return IntervalCurves(swept(measure, subject, sizes_of(subject, n), plan, jobs))


def _asked(
    name: str, eps: str | None, parameters: dict[str, Any], **asked: Any
) -> tuple[Mechanism[Any], Interval, str]:
    """Return the mechanism with one end of the interval, the interval, and whose it is."""
    given = own_parameters(parameters if eps is None else {**parameters, "eps": eps})
    prior = given.get("prior")
    if isinstance(prior, (list, tuple)) and any(map(is_interval, prior)):
        given["prior"] = ",".join(map(str, prior))
    found = interval_among(given)
    if found is None:
        wrong = [one for one in given if one in OVER_INTERVALS or is_interval(given[one])]
        first = (wrong or ["epsilon"])[0]
        option = "eps" if first == "epsilon" else first
        raise ParameterError(option, f"{option} = {given.get(first)}: {TAKEN}")
    parameter, interval = found
    given[parameter] = end_of(parameter, given[parameter], interval, given.get("k"))
    return chosen(name, given, **asked), interval, parameter
