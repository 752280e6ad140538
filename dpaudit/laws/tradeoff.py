"""The trade-off function of a pair, and the smallest μ of Gaussian privacy (Dong, Roth, Su 2022).

T(P, Q)(a) is the smallest type II error of a test of P against Q at type I error a.  By the
Neyman-Pearson lemma the best tests reject on the events S = {Q/P large}; with finitely many ratios
the function is convex and piecewise linear between the points (P(S), 1 − Q(S)), S the prefixes of
the outputs sorted by Q/P.  G_μ(a) = Φ(Φ⁻¹(1 − a) − μ) is convex, so it lies below a chord wherever
it lies below the chord's ends: T(P, Q) ≥ G_μ everywhere if and only if it is at those points, and

    μ = max over prefixes S of Φ⁻¹(Q(S)) − Φ⁻¹(P(S)).

G_μ is its own inverse, so T(Q, P) = T(P, Q)⁻¹ gives the same μ: one direction of a pair decides.

Masses are balls, so the order of two ratios may be unknown.  Sorting is therefore done in integers,
with masses of Q rounded up and of P rounded down (where Q(S) ≤ ½), or the other way round for the
complement of S (where Q(S) ≥ ½).  Rounded like that the measures allow every event at least what
it really has, so the chain of their prefixes bounds μ from above whatever the true order is; and
every event, sorted well or not, bounds it from below.

The trade-off function of a whole mechanism follows from its certified privacy curve.  Over all
pairs and both directions, f(a) is the largest convex function that no test of one
neighbour against the other gets below: the largest f for which the mechanism is f-private (Dong,
Roth and Su 2022).  The hull of a :class:`~dpaudit.results.PrivacyCurve` consists of the points
(Q(S), P(S)) of rejection events S, so type I error a = Q(S) goes with type II error 1 − P(S).  The
hull that bounds the curve from above bounds f from below, and the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, ball
from dpaudit.numbers.enclosure import enclose, enclose_real, unit_interval
from dpaudit.numbers.normal import normal_quantile
from dpaudit.numbers.real import rational
from dpaudit.results import Enclosure, Hulls, TypeTwoAt, Vertex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.laws.losses import Losses


__all__ = [
    "GaussianFit",
    "gaussian_fit",
    "mu_from_above",
    "mu_from_below",
    "tradeoff_points",
    "type_two",
]


@dataclass(frozen=True)
class GaussianFit:
    """The smallest μ with T(P, Q) ≥ G_μ, and the errors of the test that needs it."""

    ball: Ball
    """μ, +∞ where no μ will do."""
    type_one: Fraction | None
    """The type I error P(S) there (rounded), None where μ is infinite."""
    type_two: Fraction | None
    """The type II error 1 − Q(S) there (rounded), None where μ is infinite."""


class _Masses(NamedTuple):
    """One atom, at a common scale: bounds of its masses, ``y`` where the event is to be likely."""

    x_low: int
    x_high: int
    y_low: int
    y_high: int


def gaussian_fit(forward: Losses, backward: Losses) -> GaussianFit:
    """Return the fit for the pair whose losses in both directions are given."""
    if forward.infinite or backward.infinite:
        return GaussianFit(balls.infinite_ball(), None, None)
    bits = balls.working_precision() + _depth([*forward.p, *forward.q])
    p = [balls.fixed_point(mass, bits) for mass in forward.p]
    q = [balls.fixed_point(mass, bits) for mass in forward.q]
    events = [_Masses(*a, *b) for a, b in zip(p, q, strict=True)]
    complements = [_Masses(*b, *a) for a, b in zip(p, q, strict=True)]
    best: GaussianFit | None = None
    bound = Ball(0)  # the empty event
    half = Fraction(1 << bits, 2)
    doubt = sum(high - low for low, high in q)  # an event may be rounded past ½ and not be there
    for masses, inverted in ((events, False), (complements, True)):
        limit = half + doubt if inverted else half
        for point in _chain(masses, limit, by_y=not inverted):
            fit = _fit(point, 1 << bits, inverted=inverted)
            bound = bound.max(fit.ball)
            if best is None or balls.certainly_less(best.ball, fit.ball):
                best = fit
    assert best is not None, "an output distribution needs outputs"
    return GaussianFit(balls.nonnegative(bound), best.type_one, best.type_two)


def _depth(masses: list[Ball]) -> int:
    """Return how many bits the smallest mass begins after the point."""
    smallest = balls.lower_fraction(min(masses, key=float))
    if smallest <= 0:
        raise PrecisionNeeded("a probability cannot be distinguished from 0 at this precision")
    return max(0, smallest.denominator.bit_length() - smallest.numerator.bit_length()) + 8


class _Point(NamedTuple):
    """Bounds of both masses of an event, as multiples of the scale."""

    x_low: Fraction
    x_high: Fraction
    y_low: Fraction
    y_high: Fraction


def _chain(masses: list[_Masses], limit: Fraction, *, by_y: bool) -> list[_Point]:
    """Return the prefixes by decreasing y_high/x_low, until y (or x) passes ``limit``.

    The last step is cut where it passes: a point of the chord.
    """

    def by_ratio(left: _Masses, right: _Masses) -> int:
        return right.y_high * left.x_low - left.y_high * right.x_low

    points: list[_Point] = []
    x_low = x_high = y_low = y_high = 0
    for mass in sorted(masses, key=cmp_to_key(by_ratio)):
        before = (x_low, x_high, y_low, y_high)
        x_low, x_high = x_low + mass.x_low, x_high + mass.x_high
        y_low, y_high = y_low + mass.y_low, y_high + mass.y_high
        reached = y_high if by_y else x_low
        if reached >= limit:
            start = before[3] if by_y else before[0]
            part = (limit - start) / (reached - start)
            if part:
                # From below, the cut step counts as a randomised test: a part of its last atom.
                after = (x_low, x_high, y_low, y_high)
                cut = [a + part * (b - a) for a, b in zip(before, after, strict=True)]
                points.append(_Point(*cut))
            return points
        points.append(_Point(*map(Fraction, (x_low, x_high, y_low, y_high))))
    raise PrecisionNeeded("the output probabilities do not add up to 1")


def _fit(point: _Point, scale: int, *, inverted: bool) -> GaussianFit:
    low = _quantile(point.y_low / scale) - _quantile(point.x_high / scale)
    high = _quantile(point.y_high / scale) - _quantile(point.x_low / scale)
    x, y = point.x_low / scale, point.y_high / scale
    type_one, type_two = (1 - y, x) if inverted else (x, 1 - y)
    return GaussianFit(low.union(high), type_one, type_two)


def _quantile(probability: Fraction) -> Ball:
    """Return Φ⁻¹, through the tail that is nearer."""
    if 2 * probability > 1:
        return -normal_quantile(ball(1 - probability))
    return normal_quantile(ball(probability))


def mu_from_below(curve: Hulls, digits: int) -> tuple[Decimal, Vertex]:
    """Return a μ below which f ≥ G_μ fails, and the event on the lower hull that shows it.

    Every event S needs Φ⁻¹(P(S)) − Φ⁻¹(Q(S)); the hull has P rounded down and Q rounded up.
    """
    scale = 1 << curve.scale_bits
    best = Decimal(0), curve.lower[-1]
    for vertex in curve.lower:
        if 0 < vertex.q < vertex.p < scale:
            p, q = Fraction(vertex.p, scale), Fraction(vertex.q, scale)
            mu = enclose(balls.nonnegative(_quantile(p) - _quantile(q)), digits).lower
            best = max(best, (mu, vertex), key=lambda pair: pair[0])
    return best


def mu_from_above(curve: Hulls, digits: int) -> Decimal:
    """Return a μ with f ≥ G_μ, from the hull above the curve; +∞ where it shows none.

    G_μ is convex: it lies below f if it does at the points where f, as that hull has it, bends.
    """
    scale = 1 << curve.scale_bits
    most = Decimal(0)
    for vertex in curve.upper:
        if vertex.q < vertex.p:
            if vertex.q == 0 or vertex.p >= scale:
                return Decimal("Infinity")
            p, q = Fraction(vertex.p, scale), Fraction(vertex.q, scale)
            most = max(most, enclose(_quantile(p) - _quantile(q), digits).upper)
    return most


def type_two(curve: Hulls, type_one: Fraction, digits: int) -> TypeTwoAt:
    """Return f at ``type_one``, enclosed."""
    scale = 1 << curve.scale_bits
    most = _power(curve.upper, type_one * scale, scale)
    least = _power(curve.lower, type_one * scale, scale)
    low, high = (enclose_real(rational(1 - power), digits) for power in (most, least))
    value = unit_interval(Enclosure(low.lower, high.upper))
    return TypeTwoAt(value.lower, value.upper, type_one=rational(type_one))


def tradeoff_points(hull: Sequence[Vertex], bits: int) -> list[tuple[Fraction, Fraction]]:
    """Return the points (type I, type II) where f bends, as one of the hulls gives them.

    Both ends, (0, f(0)) and (1, 0), are among them.
    """
    scale = 1 << bits
    points = [(Fraction(v.q, scale), max(Fraction(0), 1 - Fraction(v.p, scale))) for v in hull]
    inside = [point for point in points if point[0] < 1]
    return [*inside, (Fraction(1), Fraction(0))]


def _power(hull: Sequence[Vertex], at: Fraction, scale: int) -> Fraction:
    """Return the height of the concave chain at ``at``, as a probability."""
    if at >= hull[-1].q:
        # Beyond the last event only certain rejection is left, from there to (1, 1) in a line.
        end, height = hull[-1].q, Fraction(hull[-1].p)
        if end < scale:
            height += (scale - height) * (at - end) / (scale - end)
        return min(Fraction(1), height / scale)
    for left, right in pairwise(hull):
        if left.q <= at <= right.q and left.q < right.q:
            part = (at - left.q) / (right.q - left.q)
            return min(Fraction(1), (left.p + part * (right.p - left.p)) / scale)
    return min(Fraction(1), Fraction(hull[0].p, scale))
