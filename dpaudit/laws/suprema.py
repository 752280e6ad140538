"""Two densities of one number side by side: the largest ratio, and the mass that one has over."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.errors import PrecisionError
from dpaudit.laws.closed import EXACT_FROM
from dpaudit.laws.independent import log_ratio
from dpaudit.laws.stretches import End, Point, Stretch, folded, inside, stretches
from dpaudit.numbers.ball import (
    Ball,
    Sign,
    certainly_less,
    certainly_less_or_equal,
    contenders,
    infinite_ball,
    maximum,
    nonnegative,
    sign,
    working_precision,
)
from dpaudit.numbers.piecewise import Integrals
from dpaudit.numbers.real import rational

if TYPE_CHECKING:
    from dpaudit.numbers.expsum import ExpSum
    from dpaudit.numbers.piecewise import Piecewise
    from dpaudit.numbers.real import Real

__all__ = ["Peak", "exact_ratio", "excess_mass", "folded", "largest_ratio", "trend"]


class Peak(NamedTuple):
    """The supremum of a log ratio: a ball, and above/below exactly, where it is one at an end."""

    ball: Ball
    forms: tuple[ExpSum, ExpSum] | None
    where: str
    """Where it is attained, or what it is the limit at."""

    @property
    def infinite(self) -> bool:
        """Tell whether the ratio has no bound."""
        return not self.ball.is_finite()


def largest_ratio(p: Piecewise, q: Piecewise, rate: Real) -> Peak:
    """Return the supremum of ln(p/q) where p is positive; both :func:`folded`, and p not 0."""
    points: list[Point] = []
    for stretch in stretches(p, q, rate, extremes=True):
        points += stretch.ends
    endless = [point for point in points if not point.ball.is_finite()]
    if any(sign(point.ball) is Sign.POSITIVE for point in endless):
        worst = next(point for point in endless if sign(point.ball) is Sign.POSITIVE)
        return Peak(infinite_ball(), None, worst.where)
    points = [point for point in points if point.ball.is_finite()]
    best = [points[i] for i in contenders([point.ball for point in points])]
    first = best[0]
    if all(
        point.forms is not None and first.forms is not None and _same(point.forms, first.forms)
        for point in best
    ):
        return Peak(first.ball, first.forms, first.where)
    sharpest = min(best, key=lambda point: float(point.ball.rad()))
    return Peak(maximum(point.ball for point in best), None, sharpest.where)


def trend(p: Piecewise, q: Piecewise, rate: Real) -> int | None:
    """Return 1 where ln(p/q) certainly never falls, −1 where it never rises, 0 for constant ones.

    None where neither is certain, and where one of the two is 0 somewhere.
    """
    found = set()
    if any(not piece for piece in (*p.pieces, *q.pieces)):
        return None
    steps = []
    before: Point | None = None
    for stretch in sorted(stretches(p, q, rate), key=_place):
        low, high = stretch.ends
        if low is high and low.forms is None:
            return None
        steps.append((low, high))
        if before is not None and stretch.low in {*p.breaks, *q.breaks}:
            steps.append((before, low))
        before = high
    for low, high in steps:
        if low.forms is not None and high.forms is not None and _same(low.forms, high.forms):
            continue
        if certainly_less(low.ball, high.ball):
            found.add(1)
        elif certainly_less(high.ball, low.ball):
            found.add(-1)
        else:
            return None
    return None if len(found) > 1 else max(found, default=0)


def _place(stretch: Stretch) -> tuple[bool, Fraction]:
    return stretch.low is not None, stretch.low or Fraction(0)


def excess_mass(p: Piecewise, q: Piecewise, rate: Real, factor: Ball) -> Ball:
    """Return ∫ (p − ``factor``·q)₊ dy, factor > 0."""
    total = Ball(0)
    limit = factor.log()
    of_p, of_q = Integrals(p, rate), Integrals(q, rate)
    waiting = list(stretches(p, q, rate))
    smallest = Fraction(1, 1 << working_precision() // 2)
    steps = 0
    while waiting:
        part = waiting.pop()
        left, right = (point.ball for point in part.ends)
        if certainly_less_or_equal(left, limit) and certainly_less_or_equal(right, limit):
            continue
        above = of_p.between(part.low, part.high)
        if _at_least(left, limit) and _at_least(right, limit):
            below = of_q.between(part.low, part.high)
            total += nonnegative(above - factor * below)
            continue
        middle = _middle(part.low, part.high, smallest)
        steps += 1
        if middle is None or steps > 4 * working_precision() or part.ends[0] is part.ends[1]:
            # Here p − factor·q is at most p·(1 − factor/e^g) for the largest log ratio g.
            most = -(limit - left.max(right)).expm1()
            share = nonnegative(most) if most.is_finite() else Ball(1)
            total += Ball(0).union(above * share.min(Ball(1)))
            continue
        point = inside(p, q, rate, middle)
        waiting.append(Stretch(part.low, middle, (part.ends[0], point)))
        waiting.append(Stretch(middle, part.high, (point, part.ends[1])))
    return total


def _at_least(value: Ball, limit: Ball) -> bool:
    return certainly_less_or_equal(limit, value)


def _middle(low: End, high: End, smallest: Fraction) -> Fraction | None:
    if low is None and high is None:
        return Fraction(0)
    if low is None:
        assert high is not None
        return high - max(Fraction(1), abs(high))
    if high is None:
        return low + max(Fraction(1), abs(low))
    return None if high - low < smallest else (low + high) / 2


def _same(one: tuple[ExpSum, ExpSum], other: tuple[ExpSum, ExpSum]) -> bool:
    return one == other or one[0] * other[1] == one[1] * other[0]


def exact_ratio(above: ExpSum, below: ExpSum, rate: Real) -> Real | None:
    """Return the logarithm of a quotient in closed form; None for a long one at few bits."""
    quotient = above.monomial_quotient(below)
    if quotient is None:
        if working_precision() < EXACT_FROM:
            return None
        try:
            return log_ratio(above.at(rate), below.at(rate))
        except PrecisionError:
            return None
    ((j, s), coefficient) = next(iter(quotient.terms.items()))
    loss = rational(coefficient).ln() - rate * rational(s)
    return loss if j == 0 else loss + rational(j) * rate.ln()
