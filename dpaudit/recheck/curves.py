"""The recheck of privacy curves and trade-off functions: events at their pairs, values, and μ."""

from __future__ import annotations

import itertools
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.agreement import NOISE, contains, end, well_formed
from dpaudit.recheck.findings import Findings, NotAReportError
from dpaudit.recheck.measures import BY_RATIO, largest_mu
from dpaudit.recheck.numbers import rational, same_number, shown_digits, value
from dpaudit.recheck.subject import Recheck, delta_questions, has_pair
from dpaudit.results import Enclosure

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.recheck.options import RecheckOptions
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
_SPARE = 40
"""Decimals that events are computed with beyond those of a hull's vertices."""
_BETWEEN = (mpf("0.3"), mpf("0.5"), mpf("0.7"))
"""Places between the slopes of two edges of a hull at which δ is computed, as parts of the way."""
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


def check_curve(curve: CurveReport, findings: Findings, options: RecheckOptions) -> None:
    """Recheck the curves of a mechanism; note in ``findings`` what agrees and what does not."""
    recheck = Recheck(curve, findings, options, upper_ends=HULLS)
    recheck.head()
    recheck.sizes()
    recheck.questions(
        [
            [*(str(point.epsilon) for point in size.values), *delta_questions(size)]
            for size in curve.results
        ]
    )
    if curve.budget is None:
        message = "the mechanism states a budget, but the report compares it with none"
        recheck.expect(curve.stated is None, "budgets", recheck.name, message)
    for size, where in recheck.sizes_at(curve.results):
        _check_hulls(recheck, size, where)
        _check_values(recheck, size, _is_delta, where)
        _check_beside_hulls(recheck, size, where)
        if curve.budget is not None:
            epsilon = curve.budget.epsilon
            present = any(same_number(point.epsilon, epsilon) for point in size.values)
            recheck.expect(present, "budgets", where, "no δ is given at the ε of the budget")
        recheck.bounds(where)
        if recheck.coverage(size.n, None, size.pairs, where):
            recheck.attempt(where, _check_curve_at_pairs, recheck, size, where)


def _check_curve_at_pairs(recheck: Recheck, size: PrivacyCurve, where: str) -> None:
    """Check every δ and every event; where a δ of 0 has no pair, at that of the first event."""
    first = next(((v.x, v.y) for v in size.lower if has_pair(v)), None)
    for point in size.values:
        recheck.delta(point, size.n, where, first)
    for claim in size.at_delta:
        recheck.epsilon_at(claim, size.n, where, first)
    if recheck.options.all_pairs:
        points = [point for claim in size.at_delta for point in claim.points]
        recheck.deltas_over_all_pairs(points, size.n, where)
    _check_events(recheck, size, where)


def check_tradeoff(tradeoff: TradeoffReport, findings: Findings, options: RecheckOptions) -> None:
    """Recheck trade-off functions and note in ``findings`` what agrees and what does not."""
    recheck = Recheck(tradeoff, findings, options, upper_ends=HULLS)
    recheck.head()
    recheck.sizes()
    recheck.questions([[str(point.type_one) for point in size.values] for size in tradeoff.results])
    for size, where in recheck.sizes_at(tradeoff.results):
        _check_hulls(recheck, size, where)
        _check_values(recheck, size, _is_type_two, where)
        recheck.bounds(where)
        if recheck.coverage(size.n, None, size.pairs, where):
            recheck.attempt(where, _check_tradeoff_at_pairs, recheck, size, where)


def _check_tradeoff_at_pairs(recheck: Recheck, size: Tradeoff, where: str) -> None:
    """Check every event, and μ at its pair, and over all pairs if that is asked for."""
    _check_events(recheck, size, where)
    definition = recheck.defined
    recheck.narrow(
        size.mu, where, required=size.mu.upper.is_finite() or size.mu.lower.is_infinite()
    )
    pair = recheck.pair((size.x, size.y), size.n, where)
    if pair is None:
        return
    (mu,), (inside,) = recheck.agree(lambda: [largest_mu(definition, *pair)], [size.mu])
    message = f"μ is {shown_digits(mu, 20)} there, not in {size.mu}"
    recheck.expect(inside, "μ", where, message)
    if recheck.options.all_pairs:
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
    digits: int = max(recheck.dps, int(size.scale_bits * 0.302) + _SPARE)
    return digits


def _slack(recheck: Recheck) -> mpf:
    """Return how far a vertex may be rounded, on the side that keeps what it says true."""
    return mpf(10) ** -(recheck.subject.digits + PLACES)


def _doubt(size: mpf) -> mpf:
    """Return what may be lost of positive numbers that add up to ``size``, however small it is."""
    return size * mpf(10) ** (NOISE - mp.dps)


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
            least = 1 if side is size.upper else 1 - _slack(recheck)
            whole = bool(hull) and hull[0][0] == 0 and hull[-1][1] >= least
            message = f"the {name} hull is not concave from 0 to 1"
            recheck.expect(whole and rising and concave, "hulls", where, message)


def _check_values(
    recheck: Recheck,
    size: PrivacyCurve | Tradeoff,
    is_read: Callable[[Any, tuple[Vertex, ...], Hulls], tuple[str, bool]],
    where: str,
) -> None:
    """Check that the values shown hold what either hull gives, as ``is_read`` tells."""
    with mp.workdps(_enough(recheck, size)):
        for point in size.values:
            inside = well_formed(point, recheck.subject.digits)
            for side in (size.upper, size.lower):
                name, read = is_read(point, side, size)
                inside = inside and read
            message = f"{name} of the hulls is not in {point}"
            recheck.expect(inside, "values of curves", where, message)


def _is_delta(point: DeltaAt, side: tuple[Vertex, ...], size: Hulls) -> tuple[str, bool]:
    """Return the name of a δ, and whether it holds what a hull gives."""
    delta, doubt = _delta_of_hull(point, side, size)
    return f"δ({point.epsilon})", contains(point, delta, doubt)


def _delta_of_hull(point: DeltaAt, side: tuple[Vertex, ...], size: Hulls) -> tuple[mpf, mpf]:
    """Return δ of a hull at the ε of a point, and by how much it may be off."""
    factor = mp.exp(value(point.epsilon))
    above = [(p - factor * q, p + factor * q) for q, p in _points(side, size)]
    largest, terms = max(above, default=(mpf(0), mpf(0)))
    return min(max(largest, mpf(0)), mpf(1)), _doubt(terms)


def _check_beside_hulls(recheck: Recheck, size: PrivacyCurve, where: str) -> None:
    """Check that no δ(ε) at the ends of an ε at a δ is apart from what the hulls leave."""
    with mp.workdps(_enough(recheck, size)):
        for point in (point for claim in size.at_delta for point in claim.points):
            lower, doubt = _delta_of_hull(point, size.lower, size)
            reached = Enclosure(point.lower, Decimal("Infinity"))
            upper, upper_doubt = _delta_of_hull(point, size.upper, size)
            most = Enclosure(Decimal(0), point.upper)
            agrees = contains(most, lower, doubt) and contains(reached, upper, upper_doubt)
            message = f"δ({point.epsilon}) of the hulls is not in {point}"
            recheck.expect(agrees, "ε at δ", where, message)


def _is_type_two(point: TypeTwoAt, side: tuple[Vertex, ...], size: Hulls) -> tuple[str, bool]:
    """Return the name of a type II error, and whether it holds what a hull gives, exactly."""
    try:
        exact = rational(str(point.type_one))
    except ValueError:
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        raise NotAReportError(f"type_one = {point.type_one}: must be a fraction from 0 to 1")
    scale = 2**size.scale_bits
    at = exact * scale
    points = [*((int(vertex.q), int(vertex.p)) for vertex in side), (scale, scale)]
    power = Fraction(max((p for q, p in points if q <= at), default=0))
    for (q, p), (right, height) in itertools.pairwise(points):
        if q < at < right:
            power = max(power, p + (height - p) * (at - q) / (right - q))
    error = 1 - min(power / scale, Fraction(1))
    lower, upper = end(point.lower), end(point.upper)
    read = lower is not None and upper is not None and lower <= error <= upper
    return f"f({point.type_one})", read


def _check_events(recheck: Recheck, size: Hulls, where: str) -> None:
    """Check that the event of every vertex has its two probabilities at its pair.

    Over all pairs, if that is asked for, no event may lie above the upper hull.
    """
    chains: dict[tuple[str, str], Chain | None] = {}
    with mp.workdps(_enough(recheck, size)):
        if recheck.defined.has_density:
            _check_supports(recheck, size, where)
            return
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
                    # One of the two datasets may have a record more than the size says.
                    most = recheck.defined.output_count(size.n + 1)
                    message = f"an event of {vertex.outputs} outputs has different probabilities"
                    counted = _counts(recheck, chain, point, vertex.outputs, most)
                    if counted is not None:
                        recheck.expect(counted, "outputs of events", where, message)
        if recheck.options.all_pairs:
            upper = _points(size.upper, size)
            for x, y in recheck.both_ways(size.n):
                below = _lies_below(_chain(recheck, (x, y)), upper)
                message = f"an event of {x} and {y} lies above the upper hull"
                recheck.expect(below, "pairs below the hull", where, message)


def _check_supports(recheck: Recheck, size: Hulls, where: str) -> None:
    """Check the hulls of outputs with a density by δ, at the slopes of their edges and between.

    A hull from above is to be at least δ of each pair; one from below, whose vertices reach δ
    somewhere between the slopes on both of their sides, at most that of the pair of a vertex.
    """
    reported = {(str(v.x), str(v.y)): (v.x, v.y) for v in (*size.upper, *size.lower) if has_pair(v)}
    pairs = [recheck.pair(pair, size.n, where) for pair in reported.values()]
    ways = [pair for pair in pairs if pair is not None]
    if recheck.options.all_pairs:
        ways = list(recheck.both_ways(size.n))
    for above, side in ((True, size.upper), (False, size.lower)):
        points = _points(side, size)
        edges = [
            (mp.log((b[1] - a[1]) / (b[0] - a[0])), b)
            for a, b in itertools.pairwise(points)
            if a[1] < b[1]
        ]
        # Between the slopes of two edges the vertex that they share gives the largest value.
        places = edges + [
            (here + part * (there - here), vertex)
            for (here, vertex), (there, _) in itertools.pairwise(edges)
            for part in _BETWEEN
        ]
        right = bool(ways)
        for epsilon, (q, p) in places:
            factor = mp.exp(epsilon)
            delta = max(recheck.defined.delta(*way, epsilon) for way in ways)
            read = p - factor * q
            doubt = _slack(recheck) * (1 + factor)
            right = right and (delta <= read + doubt if above else read <= delta + doubt)
        message = f"δ is beyond the {'upper' if above else 'lower'} hull"
        recheck.expect(right, "hulls at slopes", where, message)


def _lies_below(chain: Chain, hull: Chain) -> bool:
    """Tell whether no point of ``chain`` lies above the concave ``hull``.

    Beyond its last point the hull goes on level: no event is more likely than certain.
    """
    place = 0
    for q, p in chain:
        while place + 1 < len(hull) and hull[place + 1][0] <= q:
            place += 1
        left, slope = hull[place], mpf(0)
        if place + 1 < len(hull):
            right = hull[place + 1]
            slope = (right[1] - left[1]) / (right[0] - left[0])
        height = left[1] + slope * (q - left[0])
        if p > height + _doubt(p + left[1] + slope * q):
            return False
    return True


def _chain(recheck: Recheck, pair: tuple[Any, Any]) -> Chain:
    """Return (Q, P) of the events {loss above a threshold}, from the empty one on."""
    masses = [(p, q) for p, q in recheck.defined.masses(*pair) if p > 0]
    chain = [(mpf(0), mpf(0))]
    for p, q in sorted(masses, key=BY_RATIO):
        chain.append((chain[-1][0] + q, chain[-1][1] + p))
    return chain


def _counts(
    recheck: Recheck, chain: Chain, point: tuple[mpf, mpf], outputs: int, most: int | None
) -> bool | None:
    """Tell whether the event of so many outputs, by decreasing loss, has these probabilities.

    Where outputs of equal loss are put together, how many of those there are is not computed again:
    there are no more than ``most``, all outputs, and else nothing is said.
    """
    if recheck.defined.lists_outputs:
        return 1 <= outputs < len(chain) and all(
            abs(a - b) <= _slack(recheck) for a, b in zip(chain[outputs], point, strict=True)
        )
    recheck.findings.take(OUTPUTS)
    return None if 1 <= outputs <= (most or outputs) else False


def _is_below(chain: Chain, point: tuple[mpf, mpf]) -> bool:
    """Tell whether a point is below a concave chain: below each of its lines, and its end."""
    highest = chain[-1][1]
    return bool(point[1] <= highest + _doubt(highest)) and all(
        _height(point, left, right) <= 0 for left, right in itertools.pairwise(chain)
    )


def _height(point: tuple[mpf, mpf], left: tuple[mpf, mpf], right: tuple[mpf, mpf]) -> mpf:
    """Return how far a point is above a line, times its run; 0 where that is not told from it."""
    (q, p), rise, run = point, right[1] - left[1], right[0] - left[0]
    off = (p - left[1]) * run - (q - left[0]) * rise
    doubt = _doubt((p + left[1]) * right[0] + (q + left[0]) * right[1])
    return mpf(0) if abs(off) <= doubt else off


def _lies_on(chain: Chain, point: tuple[mpf, mpf], slack: mpf, *, above: bool) -> bool:
    """Tell whether a point lies on the concave chain, no further off than ``slack``.

    One of an upper hull may be rounded up alone, one of a lower hull down: ``above`` says which.
    """
    q, p = point
    for left, right in itertools.pairwise(chain):
        if left[0] - slack <= q <= right[0] + slack and left[1] - slack <= p <= right[1] + slack:
            rise, run = right[1] - left[1], right[0] - left[0]
            off = _height(point, left, right)
            if above and off < 0:
                continue
            if abs(off) <= slack * (rise + run) + slack**2:
                return above or _is_below(chain, point)
    return False
