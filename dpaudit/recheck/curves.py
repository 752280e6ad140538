"""The recheck of privacy curves: every event at its pair, and every value between the two hulls."""

from __future__ import annotations

import itertools
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from mpmath import mp, mpf

from dpaudit.recheck.failures import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.intervals import contains, show, well_formed
from dpaudit.recheck.numbers import same_number, value
from dpaudit.recheck.subject import Recheck

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.recheck.further_reports import SizedTradeoff
    from dpaudit.recheck.known import OwnMechanism
    from dpaudit.recheck.reports import Curve, SizedCurve
    from dpaudit.recheck.verification import Findings

__all__ = ["HULLS", "PLACES", "check_curve", "check_events", "check_hulls", "enough", "hulls"]

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


def check_curve(
    curve: Curve,
    own: Sequence[OwnMechanism],
    found: Findings,
    *,
    all_pairs: bool = False,
    tick: Callable[[str], None] = lambda what: None,
) -> None:
    """Recheck the curves of one mechanism and note in ``found`` what agrees and what does not."""
    recheck = Recheck(curve, own, found, all_pairs=all_pairs, tick=tick, upper_ends=HULLS)
    recheck.head()
    recheck.sizes([size.n for size in curve.curves])
    recheck.questions([[point.epsilon for point in size.values] for size in curve.curves])
    for size in curve.curves:
        where = f"{recheck.name} at n = {size.n}"
        tick(where)
        check_hulls(recheck, size, where)
        _check_values(recheck, size, where)
        asked = any(same_number(point.epsilon, curve.budget.epsilon) for point in size.values)
        found.expect(asked, "budgets", where, "no δ is given at the ε of the budget")
        recheck.bounds(where)
        if recheck.coverage(size.n, None, size.pairs, where):
            try:
                for point in size.values:
                    recheck.delta(point, size.n, where, _first_pair(size))
                check_events(recheck, size, where)
            except UnknownDefinitionError as error:
                found.unknown(where, str(error))


def _first_pair(size: SizedCurve) -> tuple[Any, Any] | None:
    """Return the pair of the first event, where a δ of 0 has none of its own."""
    return next(((v.x, v.y) for v in size.lower if v.x is not None), None)


def _integer(text: str) -> int:
    if not text.isdecimal() or not text.isascii():
        raise NotAReportError(f"{text[:40]!r} is not a whole number")
    return int(text) if len(text) < 40_000 else 0


def hulls(size: SizedCurve | SizedTradeoff) -> tuple[Chain, Chain]:
    """Return the points (q, p) of the upper and the lower hull as probabilities."""
    scale = mpf(2) ** size.scale_bits
    upper, lower = (
        [(_integer(v.q) / scale, _integer(v.p) / scale) for v in side]
        for side in (size.upper, size.lower)
    )
    return upper, lower


def enough(recheck: Recheck, size: SizedCurve | SizedTradeoff) -> int:
    """Return how many decimals the points of the hulls need."""
    digits: int = max(recheck.dps, int(size.scale_bits * 0.302) + 10)
    return digits


def check_hulls(recheck: Recheck, size: SizedCurve | SizedTradeoff, where: str) -> None:
    """Check that the two hulls of a curve are concave chains from 0 to 1."""
    if not 1 <= size.scale_bits <= _MOST_BITS:
        raise NotAReportError(f"scale_bits = {size.scale_bits}")
    with mp.workdps(enough(recheck, size)):
        slack = mpf(10) ** -(recheck.subject.digits + PLACES)
        for name, hull in zip(("upper", "lower"), hulls(size), strict=True):
            rising = all(a < b for a, b in itertools.pairwise(hull))
            slopes = [
                (b[1] - a[1]) / (b[0] - a[0]) if b[0] > a[0] else mp.inf
                for a, b in itertools.pairwise(hull)
            ]
            concave = all(a > b for a, b in itertools.pairwise(slopes))
            whole = bool(hull) and hull[0][0] == 0 and hull[-1][1] >= 1 - slack
            message = f"the {name} hull is not concave from 0 to 1"
            recheck.found.expect(whole and rising and concave, "hulls", where, message)


def _check_values(recheck: Recheck, size: SizedCurve, where: str) -> None:
    """Check that δ lies between what the two hulls give."""
    with mp.workdps(enough(recheck, size)):
        slack = mpf(10) ** -(recheck.subject.digits + PLACES)
        sides = hulls(size)
        for point in size.values:
            factor = mp.exp(value(point.epsilon))
            ends = [max([p - factor * q for q, p in hull] or [mpf(0)]) for hull in sides]
            inside = all(contains(point.interval, min(max(end, 0), 1), slack) for end in ends)
            narrow = well_formed(point.interval, recheck.subject.digits)
            message = f"δ({point.epsilon}) of the hulls is not in {show(point.interval)}"
            recheck.found.expect(inside and narrow, "values of curves", where, message)


def check_events(recheck: Recheck, size: SizedCurve | SizedTradeoff, where: str) -> None:
    """Check that the event of every vertex has its two probabilities at its pair.

    Over all pairs, if that is asked for, no event may lie above the upper hull.
    """
    chains: dict[tuple[Any, Any], Chain | None] = {}
    with mp.workdps(enough(recheck, size)):
        ends = zip((True, False), (size.upper, size.lower), hulls(size), strict=True)
        for above, side, points in ends:
            for vertex, point in zip(side, points, strict=True):
                if vertex.x is None:
                    empty = point == (0, 0) and vertex.outputs == 0
                    recheck.found.expect(empty, "events", where, "an event has no pair")
                    continue
                key = (str(vertex.x), str(vertex.y))
                if key not in chains:
                    pair = recheck.pair((vertex.x, vertex.y), size.n, where)
                    chains[key] = None if pair is None else _chain(recheck, pair)
                chain = chains[key]
                if chain is not None:
                    slack = mpf(10) ** -(recheck.subject.digits + PLACES)
                    message = f"no event has probabilities ({vertex.q}, {vertex.p})"
                    on_it = _lies_on(chain, point, slack, above=above)
                    recheck.found.expect(on_it, "events", where, message)
                    message = f"an event of {vertex.outputs} outputs has other probabilities"
                    counted = _counts(recheck, chain, point, vertex.outputs)
                    recheck.found.expect(counted, "outputs of events", where, message)
        if recheck.all_pairs:
            _check_all_pairs(recheck, size, where)


def _check_all_pairs(recheck: Recheck, size: SizedCurve | SizedTradeoff, where: str) -> None:
    definition, (upper, _) = recheck.definition, hulls(size)
    assert definition is not None
    slack = _lost()
    for pair in definition.pairs(size.n, recheck.relation, recheck.subject.at):
        for x, y in (pair, pair[::-1]):
            below = _lies_below(_chain(recheck, (x, y)), upper, slack)
            message = f"an event of {x} and {y} lies above the upper hull"
            recheck.found.expect(below, "pairs below the hull", where, message)


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
    slack = mpf(10) ** -(recheck.subject.digits + PLACES)
    return all(abs(a - b) <= slack for a, b in zip(chain[outputs], point, strict=True))


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
