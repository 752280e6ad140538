"""What lies between the two hulls of a result, in fractions: nothing cancels, no width is lost."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from dpaudit.notions.tradeoff import tradeoff_points
from dpaudit.report.figures.known import between
from dpaudit.results import Hulls, Vertex

__all__ = ["bounds_of_tradeoff", "hockey_sticks", "widest"]

Points = list[tuple[Fraction, Fraction]]


def hockey_sticks(
    chain: Sequence[Vertex], scale: int, factors: Sequence[Fraction]
) -> list[Fraction]:
    """Return max(0, max over events of P − a·Q) for each a, which increase, by one walk."""
    found = []
    place = len(chain) - 1

    def height(index: int, factor: Fraction) -> int:
        return chain[index].p * factor.denominator - factor.numerator * chain[index].q

    for factor in factors:
        while place and height(place - 1, factor) >= height(place, factor):
            place -= 1
        best = Fraction(height(place, factor), factor.denominator * scale)
        found.append(max(Fraction(0), best))
    return found


def widest(curve: Hulls) -> Decimal:
    """Return the largest distance of the two bounds of δ(ε) over all ε ≥ 0, rounded up.

    Both are piecewise linear in a = e^ε, so that it is attained where one of them bends.
    """
    scale = 1 << curve.scale_bits
    bends = {Fraction(1)}
    for chain in (curve.lower, curve.upper):
        nothing = [(0, 0)] if chain[0].p else []
        corners = [*nothing, *((vertex.q, vertex.p) for vertex in chain)]
        slopes = (Fraction(p - p0, q - q0) for (q0, p0), (q, p) in pairwise(corners) if q > q0)
        bends |= {slope for slope in slopes if slope > 1}
    factors = sorted(bends)
    both = [hockey_sticks(chain, scale, factors) for chain in (curve.lower, curve.upper)]
    return max(map(between, *(_at_most_one(heights) for heights in both)))


def _at_most_one(heights: Sequence[Fraction]) -> list[Fraction]:
    return [min(height, Fraction(1)) for height in heights]


def bounds_of_tradeoff(result: Hulls) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """Return abscissae, and the bounds of f there from below and above, where one of them bends."""
    below, above = (
        tradeoff_points(hull, result.scale_bits) for hull in (result.upper, result.lower)
    )
    x = sorted({a for a, _ in (*below, *above)})
    return x, _interpolated(below, x), _interpolated(above, x)


def _interpolated(points: Points, x: Sequence[Fraction]) -> list[Fraction]:
    """Return the heights at ``x`` of the chain through ``points``, both in increasing order."""
    found = []
    place = 0
    for a in x:
        while place + 2 < len(points) and points[place + 1][0] < a:
            place += 1
        (a0, b0), (a1, b1) = points[place], points[min(place + 1, len(points) - 1)]
        part = (a - a0) / (a1 - a0) if a1 > a0 and a > a0 else Fraction(0)
        found.append(b0 + part * (b1 - b0))
    return found
