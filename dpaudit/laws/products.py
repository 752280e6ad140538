"""Excess of a product of two or three pairs of densities, from the curve of each.

The curve of a pair is h(a) = ∫ (p − a·q)₊: convex, falling, at least 0 and 1 − a.  Every such curve
belongs to a pair, and of two pairs the one with the smaller curve can be made from the other by
processing its outputs (Blackwell 1953), so that products keep the order.  A pair of a piecewise
linear curve is a list of points: masses q_k under Q and a_k·q_k under P for a bend at a_k, where
the slope grows by q_k.  Then, with the curve h₂ of the rest,

    ∫ (p·p₂ − a·q·q₂)₊ = Σ over bends of a_k·q_k·h₂(a/a_k).

*From above* the bends are those of the lines through points of the curve (Doroshenko et al. 2022).
*From below* they are those of the largest of some lines that are nowhere above the curve: one for
each two neighbouring points, of a slope that is hardly below that of the line through both, and
lowered by what that line may be above the curve between them, which the lines to its left and to
its right bound since the curve is convex.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from dpaudit.numbers.ball import Ball, ball, certainly_less, lower_fraction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["MOST_PAIRS", "Curve", "excess_of_product"]

MOST_PAIRS = 3
"""Pairs whose product is bounded; more would take too long."""
_POINTS = {2: 80, 3: 32}
"""Number of points at which a curve is looked at, by the number of pairs."""
_LESS, _LEAST = 1e-9, 1e-60
"""Part by which the slope of a line is lowered to be certainly below that of a curve, and what a
slope of 0 is lowered by."""
_FAR_OUT = 80.0
"""Distance of a last point from the others, where a curve has no end."""


class Curve:
    """The curve of one pair, and between which losses it bends."""

    def __init__(
        self,
        value: Callable[[Ball], Ball | None],
        ends: tuple[float, float],
        *,
        is_open: bool = False,
    ) -> None:
        """Take ∫ (p − a·q)₊ as a function of a > 0, and the least and the largest loss, or about.

        Both densities have mass 1.  The curve ``is_open`` if no loss is the largest.
        """
        self.value = value
        self.ends = ends
        self.is_open = is_open

    def points(self, count: int) -> list[tuple[Fraction, Ball]] | None:
        """Return points of the curve, at about equal distances of the loss; None where unknown."""
        low, high = self.ends
        losses = [low + (high - low) * k / count for k in range(count + 1)]
        if self.is_open:
            losses.append(high + _FAR_OUT)
        found = []
        for loss in losses:
            a = Fraction(math.exp(loss))
            value = self.value(ball(a))
            if value is None:
                return None
            found.append((a, value.max(Ball(0)).min(Ball(1))))
        return found


def excess_of_product(curves: Sequence[Curve], factor: Ball) -> Ball | None:
    """Return a ball around ∫ (Πp − factor·Πq)₊ for pairs with these curves; None where unknown."""
    first, *others = curves
    if not others:
        return first.value(factor)
    points = first.points(_POINTS[len(curves)])
    if points is None:
        return None
    found = []
    for bends, rest in (_from_below(points), _from_above(points)):
        total = rest
        for a, mass in bends:
            more = excess_of_product(others, factor / a)
            if more is None:
                return None
            total = total + mass * more
        found.append(total)
    return found[0].union(found[1]).max(Ball(0))


def _from_above(points: Sequence[tuple[Fraction, Ball]]) -> tuple[list[tuple[Ball, Ball]], Ball]:
    """Return bends as pairs of a_k and a_k·q_k, and the mass of P that Q does not have."""
    slopes = [(points[0][1] - 1) / ball(points[0][0])]
    slopes += [_slope(left, right) for left, right in pairwise(points)]
    slopes.append(Ball(0))
    bends = [
        (ball(a), ball(a) * (after - before).max(Ball(0)))
        for (a, _), before, after in zip(points, slopes, slopes[1:], strict=False)
    ]
    return bends, points[-1][1]


def _from_below(points: Sequence[tuple[Fraction, Ball]]) -> tuple[list[tuple[Ball, Ball]], Ball]:
    """Return bends of lines below the curve, as pairs of a_k and a_k·q_k; nothing is beyond."""
    slopes = [Ball(-1), *(_slope(left, right) for left, right in pairwise(points)), Ball(0)]
    lines = [(Fraction(-1), Fraction(1)), (Fraction(0), Fraction(0))]
    for index, (left, right) in enumerate(pairwise(points), 1):
        line = _line_below(left, right, slopes[index - 1 : index + 2])
        if line is not None:
            lines.append(line)
    bends = []
    for (slope, start), (next_slope, next_start) in pairwise(_envelope(lines)):
        a = (start - next_start) / (next_slope - slope)
        if a > 0:
            bends.append((ball(a), ball(a * (next_slope - slope))))
    return bends, Ball(0)


def _slope(left: tuple[Fraction, Ball], right: tuple[Fraction, Ball]) -> Ball:
    return (right[1] - left[1]) / ball(right[0] - left[0])


def _line_below(
    left: tuple[Fraction, Ball], right: tuple[Fraction, Ball], slopes: Sequence[Ball]
) -> tuple[Fraction, Fraction] | None:
    """Return slope and start of a line that is nowhere above a convex curve through two points.

    ``slopes`` are those of the lines through the points and their neighbours: before, through
    both, and after.  None where the curve is too flat there to tell them apart.
    """
    before, through, after = slopes
    slope = Fraction(float(through.lower()) * (1 + _LESS) - _LEAST)
    steep = ball(slope)
    if not certainly_less(steep, through):
        return None
    # To the right of ``a`` a smaller slope, to the left of ``b`` a larger one, is lower still.
    before, after = before.min(steep), after.max(steep)
    (a, low), (b, high) = left, right
    # Beyond ``b`` and before ``a`` the curve is above the line through both.
    above = [
        steep * ball(b) - high,
        steep * ball(a) - low + (through - steep) * ball(a),
    ]
    # Between them it is above the lines to the left and to the right; where these meet is worst.
    gap = after - before
    meeting = a
    if certainly_less(Ball(0), gap):
        x = (low - high + after * ball(b) - before * ball(a)) / gap
        meeting = min(max(Fraction(float(x.mid())), a), b) if x.is_finite() else a
    at = ball(meeting)
    above.append(steep * at - (low + before * (at - ball(a))))
    above.append(steep * at - (high + after * (at - ball(b))))
    return slope, min(lower_fraction(-one) for one in above)


def _envelope(lines: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """Return the lines of which the largest of all consists, by slope."""
    kept: list[tuple[Fraction, Fraction]] = []
    for slope, start in sorted(lines):
        if kept and kept[-1][0] == slope:
            kept.pop()  # the other starts lower
        while len(kept) >= 2:
            (first, first_start), (second, second_start) = kept[-2:]
            # The second is nowhere the largest if the new one passes the first before it does.
            if (first_start - start) * (second - first) <= (first_start - second_start) * (
                slope - first
            ):
                kept.pop()
            else:
                break
        kept.append((slope, start))
    return kept
