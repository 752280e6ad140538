"""Two densities of one number side by side: the largest ratio, and the mass that one has over."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.errors import PrecisionError
from dpaudit.laws.independent import log_ratio
from dpaudit.laws.law import EXACT_FROM
from dpaudit.laws.stretches import End, Point, Stretch, folded, inside, stretches
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, Sign
from dpaudit.numbers.piecewise import Integrals
from dpaudit.numbers.real import rational

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.expsum import ExpSum
    from dpaudit.numbers.piecewise import Piecewise
    from dpaudit.numbers.real import Real

__all__ = ["Peak", "exact_ratio", "excess_mass", "folded", "largest_ratio", "trend"]


class Peak(NamedTuple):
    """The supremum of a log ratio: a ball, and above/below exactly, where it is one at an end."""

    ball: Ball
    forms: tuple[ExpSum, ExpSum] | None
    where: str
    """Place at which the supremum is attained, or that it is the limit at, in words."""

    @property
    def infinite(self) -> bool:
        """Tell whether the ratio has no bound."""
        return not self.ball.is_finite()


def largest_ratio(p: Piecewise, q: Piecewise, rate: Real) -> Peak:
    """Return the supremum of ln(p/q) where p is positive; both :func:`folded`, and p not 0."""
    points: list[Point] = []
    for stretch in stretches(p, q, rate, extremes=True):
        points += stretch.ends
    # −∞ is a ratio that falls to 0: it is never the supremum.
    endless = [point for point in points if not point.ball.is_finite()]
    if any(balls.sign(point.ball) is Sign.POSITIVE for point in endless):
        worst = next(point for point in endless if balls.sign(point.ball) is Sign.POSITIVE)
        return Peak(balls.infinite_ball(), None, worst.where)
    points = [point for point in points if point.ball.is_finite()]
    best = [points[i] for i in balls.contenders([point.ball for point in points])]
    first = best[0]
    if all(
        point.forms is not None and first.forms is not None and _same(point.forms, first.forms)
        for point in best
    ):
        return Peak(first.ball, first.forms, first.where)
    sharpest = min(best, key=lambda point: float(point.ball.rad()))
    return Peak(balls.maximum(point.ball for point in best), None, sharpest.where)


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
        if balls.certainly_less(low.ball, high.ball):
            found.add(1)
        elif balls.certainly_less(high.ball, low.ball):
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
    smallest = Fraction(1, 1 << balls.working_precision() // 2)
    steps = 0

    def over(low: End, high: End) -> Ball:
        if low == high:
            return Ball(0)
        return balls.nonnegative(of_p.between(low, high) - factor * of_q.between(low, high))

    def value(x: Fraction) -> Point:
        return inside(p, q, rate, x)

    while waiting:
        part = waiting.pop()
        left, right = (_side(point, limit) for point in part.ends)
        if left is right is Sign.NEGATIVE:
            continue
        if left is right is Sign.POSITIVE:
            total += over(part.low, part.high)
            continue
        middle = _middle(part.low, part.high, smallest)
        if part.ends[0] is not part.ends[1] and middle is not None:
            if part.low is None or part.high is None or left is right:
                steps += 1
                # An endless stretch could be cut for ever: what is left at last is bounded as one.
                if steps <= 4 * balls.working_precision():
                    point = value(middle)
                    waiting.append(Stretch(part.low, middle, (part.ends[0], point)))
                    waiting.append(Stretch(middle, part.high, (point, part.ends[1])))
                    continue
            else:
                whole, part = part, _crossing(part, limit, smallest, value)
                if left is Sign.POSITIVE:
                    total += over(whole.low, part.low)
                if right is Sign.POSITIVE:
                    total += over(part.high, whole.high)
        # Here p − factor·q is at most p·(1 − factor/e^g) for the largest log ratio g.
        most = -(limit - part.ends[0].ball.max(part.ends[1].ball)).expm1()
        share = balls.nonnegative(most) if most.is_finite() else Ball(1)
        total += Ball(0).union(of_p.between(part.low, part.high) * share.min(Ball(1)))
    return total


def _side(point: Point, limit: Ball) -> Sign:
    """Tell on which side of a limit a log ratio is, where it is not certainly beyond it."""
    if balls.certainly_less_or_equal(point.ball, limit):
        return Sign.NEGATIVE
    return Sign.POSITIVE if balls.certainly_less_or_equal(limit, point.ball) else Sign.UNDECIDED


def _crossing(
    part: Stretch, limit: Ball, smallest: Fraction, value: Callable[[Fraction], Point]
) -> Stretch:
    """Return where in a stretch between two numbers the log ratio passes a limit.

    It rises or falls there, and is on two different sides at the ends, or on none at one of them;
    ``value`` gives it between them.
    """
    low, high = part.low, part.high
    assert low is not None
    assert high is not None
    ends = list(part.ends)
    sides = [_side(point, limit) for point in ends]
    grain = 1 << balls.working_precision()
    while high - low >= smallest:
        width, before = high - low, (low, high)
        guess = low + width * _share(*(float(point.ball - limit) for point in ends))
        for near in (guess - width / 256, guess + width / 256, (low + high) / 2):
            if high - low < width / 2:
                break
            x = Fraction(round(near * grain), grain)
            if not low < x < high:
                continue
            point = value(x)
            side = _side(point, limit)
            if side is Sign.UNDECIDED or side not in sides:
                continue
            if side is sides[0]:
                low, ends[0] = x, point
            else:
                high, ends[1] = x, point
        if (low, high) == before:
            break
    return Stretch(low, high, (ends[0], ends[1]))


def _share(left: float, right: float) -> Fraction:
    """Return about what part of an interval lies before the zero of a straight line."""
    share = left / (left - right) if isfinite(left) and isfinite(right) and left != right else 0.5
    return Fraction(min(max(share, 0.0), 1.0))


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
        if balls.working_precision() < EXACT_FROM:
            return None
        try:
            return log_ratio(above.at(rate), below.at(rate))
        except PrecisionError:
            return None
    ((j, s), coefficient) = next(iter(quotient.terms.items()))
    loss = rational(coefficient).ln() - rate * rational(s)
    return loss if j == 0 else loss + rational(j) * rate.ln()
