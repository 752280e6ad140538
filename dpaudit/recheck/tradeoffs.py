"""The recheck of trade-off functions: their events, what f is between the hulls, and μ."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.curves import HULLS, PLACES, check_events, check_hulls, enough, hulls
from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.intervals import contains, show, well_formed
from dpaudit.recheck.measures import gaussian_tests
from dpaudit.recheck.numbers import fraction, rational
from dpaudit.recheck.subject import Recheck

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.further_reports import SizedTradeoff, Tradeoff
    from dpaudit.recheck.known import OwnMechanism
    from dpaudit.recheck.verification import Findings

__all__ = ["check_tradeoff"]


def check_tradeoff(
    tradeoff: Tradeoff,
    own: Sequence[OwnMechanism],
    found: Findings,
    *,
    all_pairs: bool = False,
    tick: Callable[[str], None] = lambda what: None,
) -> None:
    """Recheck trade-off functions and note in ``found`` what agrees and what does not."""
    recheck = Recheck(tradeoff, own, found, all_pairs=all_pairs, tick=tick, upper_ends=HULLS)
    recheck.head()
    recheck.sizes([size.n for size in tradeoff.results])
    recheck.questions([[point.type_one for point in size.values] for size in tradeoff.results])
    for size in tradeoff.results:
        where = f"{recheck.name} at n = {size.n}"
        tick(where)
        check_hulls(recheck, size, where)
        _check_values(recheck, size, where)
        recheck.bounds(where)
        if recheck.coverage(size.n, None, size.pairs, where):
            try:
                check_events(recheck, size, where)
                _check_fit(recheck, size, where)
            except UnknownDefinitionError as error:
                found.unknown(where, str(error))


def _check_values(recheck: Recheck, size: SizedTradeoff, where: str) -> None:
    """Check that f lies between what the two hulls give."""
    digits = recheck.subject.digits
    with mp.workdps(enough(recheck, size)):
        slack = mpf(10) ** -(digits + PLACES)
        sides = hulls(size)
        for point in size.values:
            at = _type_one(point.type_one)
            inside = all(contains(point.interval, 1 - _power(hull, at), slack) for hull in sides)
            narrow = well_formed(point.interval, digits)
            message = f"f({point.type_one}) of the hulls is not in {show(point.interval)}"
            recheck.found.expect(inside and narrow, "values of curves", where, message)


def _type_one(text: str) -> mpf:
    try:
        at = rational(text)
    except ValueError:
        raise NotAReportError(f"type_one = {text[:40]!r} is no fraction") from None
    if not 0 <= at <= 1:
        raise NotAReportError(f"type_one = {text}: must be from 0 to 1")
    return fraction(at)


def _power(hull: list[tuple[mpf, mpf]], at: mpf) -> mpf:
    """Return the largest P(S) of a test S with Q(S) ≤ ``at``, by the concave chain."""
    points = [*hull, (mpf(1), mpf(1))]
    power = max([p for q, p in points if q <= at], default=mpf(0))
    for (q, p), (right, height) in itertools.pairwise(points):
        if q < at < right:
            power = max(power, p + (height - p) * (at - q) / (right - q))
    return min(power, mpf(1))


def _check_fit(recheck: Recheck, size: SizedTradeoff, where: str) -> None:
    """Check μ at its pair, and over all pairs if that is asked for."""
    definition = recheck.definition
    assert definition is not None
    narrow = well_formed(size.mu, recheck.subject.digits)
    message = f"{show(size.mu)} is no interval of the width that is promised"
    recheck.found.expect(narrow, "intervals", where, message)
    pair = recheck.pair((size.x, size.y), size.n, where)
    if pair is None:
        return
    with mp.workdps(recheck.dps):
        mu = _mu(definition, *pair)
        message = f"μ is {mp.nstr(mu, 20)} there, not in {show(size.mu)}"
        recheck.found.expect(recheck.inside(mu, size.mu), "μ", where, message)
        if recheck.all_pairs:
            pairs = definition.pairs(size.n, recheck.relation, recheck.subject.at)
            both = (way for pair in pairs for way in (pair, pair[::-1]))
            largest = max(_mu(definition, x, y) for x, y in both)
            message = f"over all pairs μ is {mp.nstr(largest, 20)}, not in {show(size.mu)}"
            inside = recheck.inside(largest, size.mu)
            recheck.found.expect(inside, "μ over all pairs", where, message)


def _mu(definition: Definition, x: Any, y: Any) -> mpf:
    return max((test.mu for test in gaussian_tests(definition, x, y)), default=mpf(0))
