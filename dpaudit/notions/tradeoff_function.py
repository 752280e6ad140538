"""The trade-off function of a whole mechanism, from its certified privacy curve.

Over all pairs and both directions, f(a) is the largest convex function that no test of one
neighbour against the other gets below: the largest f for which the mechanism is f-private (Dong,
Roth and Su 2022).  The hull of a :class:`~dpaudit.results.PrivacyCurve` consists of the points
(Q(S), P(S)) of rejection events S, so type I error a = Q(S) goes with type II error 1 − P(S).  The
hull that bounds the curve from above bounds f from below, and the other way round.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from dpaudit.exact.enclosure import Enclosure, enclose_real, unit_interval
from dpaudit.exact.real import rational
from dpaudit.results import TypeTwoAt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.results import Hulls, Vertex

__all__ = ["tradeoff_points", "type_two"]


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
