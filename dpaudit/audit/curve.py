"""The whole privacy curve ε ↦ δ(ε) of a mechanism at one size, as an exact object.

For one pair, δ(ε) = max over events S of P(S) − e^ε·Q(S), attained at S = {loss > ε}.  Sorting the
outputs by their loss makes those events prefixes, so the pair's curve is given by the points
(Q(S), P(S)) of the prefixes, a concave chain from (0, 0) to (1, 1); it is piecewise linear in e^ε
with the losses as breakpoints.  Over all pairs, both directions, the curve is given by the upper
concave hull of all chains, which is the pairs' common trade-off function as well.

Probabilities are balls.  Two hulls are built in integers, at a scale of 2^bits: one from
probabilities moved outward (P up, Q down), one from probabilities moved inward.  All further
arithmetic on them is exact, so at *every* ε the true δ(ε) lies between the two.

Outputs that have a density have no list of events; :mod:`dpaudit.audit.supported` gives vertices of
the two hulls from δ at finitely many ε.
"""

from __future__ import annotations

from decimal import Context, Decimal
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from dpaudit.audit.certify import Known, epsilons_at, screened_entries
from dpaudit.audit.measure import Measure, Needs, Progress, ignore
from dpaudit.audit.plan import WORTH_A_SCREEN, Pairs, Plan, pairs_planned
from dpaudit.audit.scan import compared, raising_precision
from dpaudit.audit.supported import supported_points
from dpaudit.audit.verdicts import check_epsilon_at
from dpaudit.numbers.ball import Ball, ball, fixed_point, maximum, precision, working_precision
from dpaudit.numbers.enclosure import enclose, unit_interval
from dpaudit.results import CurveReport, DeltaAt, Enclosure, Hulls, Natural, PrivacyCurve, Vertex

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
    from fractions import Fraction

    from dpaudit.audit.quantity import PairOfLaws
    from dpaudit.audit.supported import Point
    from dpaudit.laws.law import OutputLaws
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.numbers.real import Real


__all__ = [
    "MOST_EVENTS",
    "CertifiedCurve",
    "Curves",
    "Event",
    "certified",
    "privacy_curve",
    "worst_events",
]


class Event(NamedTuple):
    """An event with its probabilities, as integers at the scale 2^bits of its curve."""

    q: int
    """2^bits·Q(event), Q the law at ``y``."""
    p: int
    """2^bits·P(event), P the law at ``x``."""
    outputs: int
    """Number of outputs (or ranges of equal loss) in the event, by decreasing loss."""
    x: Hashable
    """The dataset of the numerator; None for the empty event."""
    y: Hashable
    """The dataset of the denominator."""

    def vertex(self) -> Vertex:
        """Return the event as a vertex of a curve."""
        return Vertex(Natural(self.q), Natural(self.p), self.outputs, self.x, self.y)


class CertifiedCurve(PrivacyCurve, frozen=True, kw_only=True):
    """A privacy curve with balls at hand, to be asked for δ at any ε."""

    def delta(self, epsilon: Real, digits: int) -> DeltaAt:
        """Return δ(ε) with the pair that is worst there, 10^−digits wide if the hulls allow it."""
        with precision(self.scale_bits):
            scale = Ball(1) / (Ball(1) * (1 << self.scale_bits))
            factor = epsilon.ball().exp()
            from_above = maximum((v.p - factor * v.q) * scale for v in self.upper)
            values = [(v.p - factor * v.q) * scale for v in self.lower]
            from_below = maximum(values)
            # Floats choose the pair that is shown; the interval does not depend on it.
            best = self.lower[max(range(len(values)), key=lambda index: float(values[index]))]
            value = unit_interval(
                Enclosure(enclose(from_below, digits).lower, enclose(from_above, digits).upper)
            )
        return DeltaAt(value.lower, value.upper, epsilon=epsilon, x=best.x, y=best.y)

    def breakpoints(self) -> Iterator[float]:
        """Iterate over the ε at which the worst event changes, in decreasing order (as floats)."""
        with precision(64):
            for left, right in zip(self.lower, self.lower[1:], strict=False):
                if right.q > left.q and right.p > left.p:
                    yield float((ball(right.p - left.p) / ball(right.q - left.q)).log())


_SPARE_BITS = 16  # for sums of many probabilities
EMPTY_EVENT = Event(0, 0, 0, None, None)

_MOST_BITS = 100_000


def certified(hulls: Hulls, pairs: int | None) -> CertifiedCurve:
    """Return the curve of hulls that were computed elsewhere.

    ``pairs`` is how many there are, where that is known here.  Raises ``ValueError`` for hulls that
    cannot be.
    """
    if pairs is not None and hulls.pairs != pairs:
        raise ValueError(f"there are {pairs} pairs at n = {hulls.n}, not {hulls.pairs}")
    if not 1 <= hulls.scale_bits <= _MOST_BITS or not (hulls.upper and hulls.lower):
        raise ValueError("its hulls are invalid")
    return CertifiedCurve(hulls.n, hulls.pairs, hulls.scale_bits, hulls.upper, hulls.lower)


# Measured on one core, in seconds.
_CURVE_ENTRY, _SCREENED_CURVE_ENTRY = 2e-5, 6e-8


class Curves(Measure[PrivacyCurve, CurveReport]):
    """The whole curve δ(ε), with its values at the ε of the plan."""

    schema = "dpaudit.curve/1"
    document = CurveReport
    sized = PrivacyCurve

    @property
    def needs(self) -> Needs:
        return Needs(patterns=True)

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> PrivacyCurve:
        curve = privacy_curve(mechanism, n, plan, progress)
        known = Known(curve.values, read=curve.delta)
        return replace(curve, at_delta=epsilons_at(mechanism, n, plan, known))

    def seconds(self, mechanism: Mechanism[Any], n: int, plan: Plan) -> float:
        entries = pairs_planned(mechanism, n, plan) * mechanism.entries(n)
        screened = screened_entries(mechanism, n, plan) is not None
        return (_SCREENED_CURVE_ENTRY if screened else _CURVE_ENTRY) * entries

    def points(self, plan: Plan) -> Sequence[Real]:
        held = () if plan.budget is None else (plan.budget.epsilon,)
        return sorted({*held, *plan.at_eps}, key=float)

    def judged(self, result: PrivacyCurve, plan: Plan, pairs: int | None) -> PrivacyCurve:
        curve = certified(result, pairs)
        values = [curve.delta(at, plan.digits) for at in self.points(plan)]
        # Whoever has the hulls reads these digits off them, so any other are wrong.
        if list(map(str, values)) != list(map(str, result.values)):
            raise ValueError("its δ are not those of its hulls")
        for found in result.at_delta:
            check_epsilon_at(found)
            for point in found.points:
                read = curve.delta(point.epsilon, plan.digits)
                if not (read.lower <= point.upper and point.lower <= read.upper):
                    raise ValueError(f"δ({point.epsilon}) is not that of its hulls")
        return replace(curve, values=tuple(values), at_delta=result.at_delta)

    def points_of(self, result: PrivacyCurve) -> Sequence[Real]:
        return [point.epsilon for point in result.values]

    def fields(self, plan: Plan, known: dict[str, Any]) -> dict[str, Any]:
        return {"budget": plan.budget}


def _chain(atoms: Iterable[tuple[int, int]], x: Hashable, y: Hashable) -> list[Event]:
    """Return the prefix events of ``atoms`` (p, q) sorted by p/q from the largest."""

    def by_ratio(left: tuple[int, int], right: tuple[int, int]) -> int:
        # Cross products: q may be 0, and integers are exact.
        return right[0] * left[1] - left[0] * right[1]

    ordered = sorted((atom for atom in atoms if atom[0] > 0), key=cmp_to_key(by_ratio))
    chain: list[Event] = []
    p_total = q_total = 0
    for outputs, (p, q) in enumerate(ordered, start=1):
        p_total += p
        q_total += q
        chain.append(Event(q_total, p_total, outputs, x, y))
    return chain


def _hull(points: list[Event]) -> list[Event]:
    """Return the vertices of the upper concave hull, by increasing q."""
    hull: list[Event] = []
    for point in sorted(points, key=lambda v: (v.q, v.p)):
        if hull and hull[-1].q == point.q:
            if hull[-1].p == point.p:
                continue
            hull.pop()
        while len(hull) >= 2 and _not_above(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _not_above(left: Event, middle: Event, right: Event) -> bool:
    """Tell whether ``middle`` lies on or below the line from ``left`` to ``right``."""
    return (middle.p - left.p) * (right.q - left.q) <= (right.p - left.p) * (middle.q - left.q)


def privacy_curve(
    mechanism: Mechanism[Any],
    n: int,
    plan: Plan,
    progress: Callable[[int], None] = lambda pairs: None,
    type_one: Sequence[Fraction] = (),
) -> CertifiedCurve:
    """Return the privacy curve of ``mechanism`` at size ``n`` over all pairs of ``plan``.

    Between the ε of the plan, and the ``type_one`` errors, the hulls of outputs with a density are
    some way apart.  As in an audit, pairs that are certainly never the worst are screened out in
    floats.  The precision is raised until δ is enclosed to within 10^−digits at every ε of the
    plan.
    """
    pairs = Pairs(mechanism, n, plan)
    screened = None
    if plan.engine == "screen" and pairs.visited >= WORTH_A_SCREEN and not pairs.alike:
        from dpaudit.audit.screen import curve_pairs

        screened = curve_pairs(mechanism, pairs, progress)
    tell = progress if screened is None else ignore
    points = Curves().points(plan)
    widths = [Decimal("Infinity")] * len(points)

    def attempt() -> tuple[CertifiedCurve, bool]:
        nonlocal tell
        told, tell = tell, ignore
        if screened is None:
            curve = _build(mechanism.laws(), pairs, n, told, (points, type_one))
        else:
            found = _build(screened.book, screened.pairs, n, told, (points, type_one))
            curve = replace(found, pairs=screened.covered)
        values = tuple(curve.delta(at, plan.digits) for at in points)
        # More bits narrow what is rounded, and not what lies between two bounds.
        settled = all(
            one.is_tight(plan.digits) or one.width > before / 2
            for one, before in zip(values, widths, strict=True)
        )
        widths[:] = (one.width for one in values)
        return replace(curve, values=values), settled

    return raising_precision(attempt, plan, f"{mechanism.name} at n = {n}", _SPARE_BITS)


def _build(
    book: OutputLaws[Any],
    pairs: Iterable[tuple[Any, Any]],
    n: int,
    progress: Callable[[int], None],
    wanted: tuple[Sequence[Real], Sequence[Fraction]],
) -> CertifiedCurve:
    """Return the curve of all pairs, tight at the ε and the type I errors that are ``wanted``."""
    bits = working_precision()
    upper, lower = [EMPTY_EVENT], [EMPTY_EVENT]
    covered, each = 0, pairs.each if isinstance(pairs, Pairs) else 1
    many = pairs.visited if isinstance(pairs, Pairs) else 1
    for laws in compared(book, pairs):
        if laws.divergence.lists_atoms:
            sides = _listed(laws, bits)
        else:
            most = max(_FEWEST_PLACES, _PLACES // many)
            sides = _supported(laws, bits, wanted, most)
        for above, below in sides:
            upper, lower = _hull(upper + above), _hull(lower + below)
        covered += each
        progress(each)
    hulls = (tuple(event.vertex() for event in hull) for hull in (upper, lower))
    return CertifiedCurve(n, covered, bits, *hulls)


_PLACES, _FEWEST_PLACES = 400, 40
"""Numbers of ε at which δ of outputs with a density is looked at: over all pairs, and for each."""


Sides = tuple[list[Event], list[Event]]
"""Events of one direction of a pair, moved outward and moved inward."""


def _listed(laws: PairOfLaws, bits: int) -> Iterator[Sides]:
    """Yield the events of both directions of a pair whose outputs are listed."""
    for forward in (True, False):
        x, y = laws.ends(forward=forward)
        bounds = [
            (fixed_point(atom.p, bits), fixed_point(atom.q, bits))
            for atom in laws.divergence.atoms(forward=forward)
        ]
        # Outward: P up and Q down; then inward.
        yield (
            _chain(((p[1], max(q[0], 0)) for p, q in bounds), x, y),
            _chain(((p[0], q[1]) for p, q in bounds), x, y),
        )


def _supported(
    laws: PairOfLaws, bits: int, wanted: tuple[Sequence[Real], Sequence[Fraction]], most: int
) -> Iterator[Sides]:
    """Yield the vertices of both directions of a pair whose outputs have a density."""
    sides = supported_points(laws.divergence, *wanted, most=most)
    for forward in (True, False):
        x, y = laws.ends(forward=forward)
        above, below = ([_event(one, bits, x, y, forward) for one in side] for side in sides)
        yield above, below


def _event(point: Point, bits: int, x: Hashable, y: Hashable, forward: bool) -> Event:
    """Return a vertex as an event; what the other direction has is that of the complement."""
    if point == (0, 0) if forward else point == (1 << bits, 1 << bits):
        return EMPTY_EVENT
    q, p = (point.q, point.p) if forward else ((1 << bits) - point.p, (1 << bits) - point.q)
    return Event(q, p, 1, x, y)


MOST_EVENTS = 400
"""Number of events that are drawn, about."""

_SCREENED_WORK, _BALL_WORK = 20_000_000, 500_000


def worst_events(
    mechanism: Mechanism[Any], n: int, plan: Plan
) -> tuple[tuple[Decimal, Decimal], ...]:
    """Return (Q(S), P(S)) of the events S of the curve at ``n``, thinned out and rounded.

    They are for drawing alone.  There are none where the curve would take long.
    """
    work = mechanism.adjacency(plan.adjacency).pair_count(n) * mechanism.entries(n)
    if work > (_SCREENED_WORK if _is_screened(mechanism, n) else _BALL_WORK):
        return ()
    curve = privacy_curve(mechanism, n, plan)
    vertices = curve.lower[:: 1 + len(curve.lower) // MOST_EVENTS]
    scale = Decimal(1 << curve.scale_bits)
    shown = Context(prec=9)
    return tuple(
        (shown.divide(Decimal(v.q), scale), shown.divide(Decimal(v.p), scale))
        for v in (*vertices, curve.lower[-1])
    )


def _is_screened(mechanism: Mechanism[Any], n: int) -> bool:
    from dpaudit.screens.bounds import NotScreened

    try:
        return mechanism.screen(n) is not None
    except NotScreened:
        return False
