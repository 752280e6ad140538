"""The recheck of privacy curves and trade-off functions: events at their pairs, values, and μ."""

from __future__ import annotations

import itertools
from fractions import Fraction
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.agreement import contains, well_formed
from dpaudit.recheck.findings import NotAReportError
from dpaudit.recheck.measures import largest_mu
from dpaudit.recheck.numbers import fraction, rational, same_number, value
from dpaudit.recheck.subject import Recheck, has_pair

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.recheck.findings import Findings
    from dpaudit.recheck.subject import How
    from dpaudit.results import (
        CurveReport,
        DeltaAt,
        Hulls,
        PrivacyCurve,
        Tradeoff,
        TradeoffReport,
        TypeTwoAt,
        Vertex,
    )

__all__ = ["check_curve", "check_tradeoff"]

_MOST_BITS = 100_000
PLACES = 6
"""The vertices of hulls are rounded to multiples of 2^−scale_bits, this far beyond the digits."""
HULLS = (
    "that no event of another pair lies above the upper hull of a privacy curve "
    "(--all-pairs computes them again)"
)
OUTPUTS = (
    "how many outputs the events of a curve consist of, where those of equal loss are put together"
)

Chain = list[tuple[mpf, mpf]]


def check_curve(curve: CurveReport, found: Findings, how: How) -> None:
    """Recheck the curves of one mechanism and note in ``found`` what agrees and what does not."""
    recheck = Recheck(curve, found, how, upper_ends=HULLS)
    recheck.head()
    recheck.sizes(curve.undecided)
    recheck.questions([[str(point.epsilon) for point in size.values] for size in curve.results])
    for size, where in recheck.sizes_at(curve.results):
        _check_hulls(recheck, size, where)
        _check_values(recheck, size, _delta_by, where)
        asked = any(same_number(point.epsilon, curve.budget.epsilon) for point in size.values)
        recheck.expect(asked, "budgets", where, "no δ is given at the ε of the budget")
        recheck.bounds(where)
        if recheck.coverage(size.n, None, size.pairs, where):
            recheck.attempt(where, _check_curve_at_pairs, recheck, size, where)


def _check_curve_at_pairs(recheck: Recheck, size: PrivacyCurve, where: str) -> None:
    """Check every δ and every event; where a δ of 0 has no pair, at that of the first event."""
    first = next(((v.x, v.y) for v in size.lower if has_pair(v)), None)
    for point in size.values:
        recheck.delta(point, size.n, where, first)
    _check_events(recheck, size, where)


def check_tradeoff(tradeoff: TradeoffReport, found: Findings, how: How) -> None:
    """Recheck trade-off functions and note in ``found`` what agrees and what does not."""
    recheck = Recheck(tradeoff, found, how, upper_ends=HULLS)
    recheck.head()
    recheck.sizes(tradeoff.undecided)
    recheck.questions([[str(point.type_one) for point in size.values] for size in tradeoff.results])
    for size, where in recheck.sizes_at(tradeoff.results):
        _check_hulls(recheck, size, where)
        _check_values(recheck, size, _type_two_by, where)
        recheck.bounds(where)
        if recheck.coverage(size.n, None, size.pairs, where):
            recheck.attempt(where, _check_tradeoff_at_pairs, recheck, size, where)


def _check_tradeoff_at_pairs(recheck: Recheck, size: Tradeoff, where: str) -> None:
    """Check every event, and μ at its pair, and over all pairs if that is asked for."""
    _check_events(recheck, size, where)
    definition = recheck.definition
    assert definition is not None
    recheck.narrow(size.mu, where, wanted=size.mu.upper.is_finite() or size.mu.lower.is_infinite())
    pair = recheck.pair((size.x, size.y), size.n, where)
    if pair is None:
        return
    mu = largest_mu(definition, *pair)
    message = f"μ is {mp.nstr(mu, 20)} there, not in {size.mu}"
    recheck.expect(recheck.inside(mu, size.mu), "μ", where, message)
    if recheck.how.all_pairs:
        ways = list(recheck.both_ways(size.n))
        recheck.over_all_pairs(
            "μ", lambda: [max(largest_mu(definition, *way) for way in ways)], [size.mu], where
        )


# -- hulls and what is read from them


def _points(side: tuple[Vertex, ...], size: Hulls) -> Chain:
    """Return the points (q, p) of a hull as probabilities."""
    scale = mpf(2) ** size.scale_bits
    return [(vertex.q / scale, vertex.p / scale) for vertex in side]


def _enough(recheck: Recheck, size: Hulls) -> int:
    """Return how many decimals the points of the hulls need."""
    digits: int = max(recheck.dps, int(size.scale_bits * 0.302) + 10)
    return digits


def _slack(recheck: Recheck) -> mpf:
    return mpf(10) ** -(recheck.subject.digits + PLACES)


def _check_hulls(recheck: Recheck, size: Hulls, where: str) -> None:
    """Check that the two hulls are concave chains from 0 to 1."""
    if not 1 <= size.scale_bits <= _MOST_BITS:
        raise NotAReportError(f"scale_bits = {size.scale_bits}")
    with mp.workdps(_enough(recheck, size)):
        for name, side in (("upper", size.upper), ("lower", size.lower)):
            hull = _points(side, size)
            rising = all(a < b for a, b in itertools.pairwise(hull))
            slopes = [
                (b[1] - a[1]) / (b[0] - a[0]) if b[0] > a[0] else mp.inf
                for a, b in itertools.pairwise(hull)
            ]
            concave = all(a > b for a, b in itertools.pairwise(slopes))
            whole = bool(hull) and hull[0][0] == 0 and hull[-1][1] >= 1 - _slack(recheck)
            message = f"the {name} hull is not concave from 0 to 1"
            recheck.expect(whole and rising and concave, "hulls", where, message)


def _check_values(
    recheck: Recheck,
    size: PrivacyCurve | Tradeoff,
    read: Callable[[Any, Chain], tuple[str, mpf]],
    where: str,
) -> None:
    """Check that the values shown lie between what the two hulls give; ``read`` reads them."""
    with mp.workdps(_enough(recheck, size)):
        hulls = [_points(side, size) for side in (size.upper, size.lower)]
        for point in size.values:
            inside = well_formed(point, recheck.subject.digits)
            for hull in hulls:
                name, ends = read(point, hull)
                inside = inside and contains(point, ends, _slack(recheck))
            message = f"{name} of the hulls is not in {point}"
            recheck.expect(inside, "values of curves", where, message)


def _delta_by(point: DeltaAt, hull: Chain) -> tuple[str, mpf]:
    """Return the name of a δ and what it is by a hull."""
    factor = mp.exp(value(point.epsilon))
    largest = max([p - factor * q for q, p in hull] or [mpf(0)])
    return f"δ({point.epsilon})", min(max(largest, 0), 1)


def _type_two_by(point: TypeTwoAt, hull: Chain) -> tuple[str, mpf]:
    """Return the name of a type II error and what it is by a hull."""
    try:
        exact = rational(str(point.type_one))
    except ValueError:
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        raise NotAReportError(f"type_one = {point.type_one}: must be a fraction from 0 to 1")
    at = fraction(exact)
    points = [*hull, (mpf(1), mpf(1))]
    power = max([p for q, p in points if q <= at], default=mpf(0))
    for (q, p), (right, height) in itertools.pairwise(points):
        if q < at < right:
            power = max(power, p + (height - p) * (at - q) / (right - q))
    return f"f({point.type_one})", 1 - min(power, mpf(1))


def _check_events(recheck: Recheck, size: Hulls, where: str) -> None:
    """Check that the event of every vertex has its two probabilities at its pair.

    Over all pairs, if that is asked for, no event may lie above the upper hull.
    """
    chains: dict[tuple[str, str], Chain | None] = {}
    with mp.workdps(_enough(recheck, size)):
        slack = _slack(recheck)
        for above, side in ((True, size.upper), (False, size.lower)):
            for vertex, point in zip(side, _points(side, size), strict=True):
                if not has_pair(vertex):
                    empty = point == (0, 0) and vertex.outputs == 0
                    recheck.expect(empty, "events", where, "an event has no pair")
                    continue
                key = (str(vertex.x), str(vertex.y))
                if key not in chains:
                    pair = recheck.pair((vertex.x, vertex.y), size.n, where)
                    chains[key] = None if pair is None else _chain(recheck, pair)
                chain = chains[key]
                if chain is not None:
                    message = f"no event has probabilities ({vertex.q}, {vertex.p})"
                    on_it = _lies_on(chain, point, slack, above=above)
                    recheck.expect(on_it, "events", where, message)
                    message = f"an event of {vertex.outputs} outputs has other probabilities"
                    counted = _counts(recheck, chain, point, vertex.outputs)
                    recheck.expect(counted, "outputs of events", where, message)
        if recheck.how.all_pairs:
            upper = _points(size.upper, size)
            for x, y in recheck.both_ways(size.n):
                below = _lies_below(_chain(recheck, (x, y)), upper, _lost())
                message = f"an event of {x} and {y} lies above the upper hull"
                recheck.expect(below, "pairs below the hull", where, message)


def _lies_below(chain: Chain, hull: Chain, slack: mpf) -> bool:
    """Tell whether no point of ``chain`` lies above the concave ``hull`` by more than ``slack``.

    Beyond its last point the hull goes on level: no event is more likely than certain.
    """
    place = 0
    for q, p in chain:
        while place + 1 < len(hull) and hull[place + 1][0] <= q:
            place += 1
        height = hull[place][1]
        if place + 1 < len(hull):
            right = hull[place + 1]
            run = right[0] - hull[place][0]
            height += (right[1] - height) * (q - hull[place][0]) / run
        if p > height + slack:
            return False
    return True


def _chain(recheck: Recheck, pair: tuple[Any, Any]) -> Chain:
    """Return (Q, P) of the events {loss above a threshold}, from the empty one on."""
    assert recheck.definition is not None

    def by_ratio(a: tuple[mpf, mpf], b: tuple[mpf, mpf]) -> int:
        return int(mp.sign(b[0] * a[1] - a[0] * b[1]))

    masses = [(p, q) for p, q in recheck.definition.masses(*pair) if p > 0]
    chain = [(mpf(0), mpf(0))]
    for p, q in sorted(masses, key=cmp_to_key(by_ratio)):
        chain.append((chain[-1][0] + q, chain[-1][1] + p))
    return chain


def _lost() -> mpf:
    """Return what may be lost of probabilities that are added up."""
    return mpf(10) ** (8 - mp.dps)


def _counts(recheck: Recheck, chain: Chain, point: tuple[mpf, mpf], outputs: int) -> bool:
    """Tell whether the event of so many outputs, by decreasing loss, has these probabilities."""
    definition = recheck.definition
    if definition is None or not definition.lists_outputs:
        recheck.found.take(OUTPUTS)
        return outputs >= 1
    if not 1 <= outputs < len(chain):
        return False
    pairs = zip(chain[outputs], point, strict=True)
    return all(abs(a - b) <= _slack(recheck) for a, b in pairs)


def _is_below(chain: Chain, point: tuple[mpf, mpf]) -> bool:
    """Tell whether a point is below a concave chain: below each of its lines, and its end."""
    q, p = point
    return bool(p <= chain[-1][1] + _lost()) and all(
        (p - left[1]) * (right[0] - left[0]) <= (q - left[0]) * (right[1] - left[1]) + _lost()
        for left, right in itertools.pairwise(chain)
    )


def _lies_on(chain: Chain, point: tuple[mpf, mpf], slack: mpf, *, above: bool) -> bool:
    """Tell whether a point lies on the concave chain, no further off than ``slack``.

    One of an upper hull may be rounded up alone, one of a lower hull down: ``above`` says which.
    """
    q, p = point
    for left, right in itertools.pairwise(chain):
        if left[0] - slack <= q <= right[0] + slack and left[1] - slack <= p <= right[1] + slack:
            rise, run = right[1] - left[1], right[0] - left[0]
            off = (p - left[1]) * run - (q - left[0]) * rise
            if above and off < -_lost():
                continue
            if abs(off) <= slack * (rise + run) + slack**2:
                return above or _is_below(chain, point)
    return False
