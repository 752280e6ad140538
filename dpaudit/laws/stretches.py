"""How the log ratio of two densities rises and falls: the stretches between its turning points.

Both are polynomial × exponential between breakpoints (:mod:`dpaudit.numbers.piecewise`).  The sign
of N = P'Q − PQ' is that of the derivative of ln(P/Q), so where N has one sign the ratio is largest
at an end, exactly; an interval is halved until N has one sign on each part, or the part is so small
that the mean value theorem encloses the ratio.  Near an end where N is 0 Taylor's formula with the
zero divided out decides, and far out the leading term does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.laws.evaluation import (
    Sum,
    exactly,
    has_sign,
    in_balls,
    keeps_sign,
    leading,
    numbers,
    settled_from,
    terms_of,
    value_at,
)
from dpaudit.numbers.ball import (
    Ball,
    PrecisionNeeded,
    ball,
    infinite_ball,
    working_precision,
)
from dpaudit.numbers.expsum import EXPSUM_ONE, EXPSUM_ZERO, ExpSum
from dpaudit.numbers.piecewise import Piece, Piecewise, derivative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.numbers.real import Real

__all__ = ["End", "Point", "Stretch", "folded", "inside", "stretches"]

End = Fraction | None
"""The end of an interval; None for ∓∞."""


@dataclass(frozen=True)
class Point:
    """The log ratio at one end of a stretch: a number, or ±∞ (``certain``)."""

    ball: Ball
    forms: tuple[ExpSum, ExpSum] | None
    where: str


@dataclass(frozen=True)
class Stretch:
    """An interval on which the log ratio rises or falls, or is enclosed where neither is known."""

    low: End
    high: End
    ends: tuple[Point, Point]
    """The log ratio at both ends; twice the same enclosure where it is not known to be monotone."""


def folded(function: Piecewise, rate: Real) -> Piecewise:
    """Return the function with a rational λ multiplied into the coefficients."""
    fraction = rate.as_fraction()
    if fraction is None:
        return function
    pieces = []
    for piece in function.pieces:
        found = {power: c.folded(fraction) for power, c in piece.items()}
        pieces.append({power: c for power, c in found.items() if not c.is_zero()})
    return Piecewise(function.breaks, tuple(pieces))


_FOUND: dict[Any, list[tuple[Piecewise, Piecewise, list[Stretch]]]] = {}
_MOST_FOUND = 1 << 12


def stretches(p: Piecewise, q: Piecewise, rate: Real) -> list[Stretch]:
    """Return the stretches of two densities; those of the opposite direction are these, negated."""
    bits = working_precision()
    for one, other, found in _FOUND.get((p.breaks, q.breaks, rate, bits), ()):
        if one == p and other == q:
            return found
    for one, other, found in _FOUND.get((q.breaks, p.breaks, rate, bits), ()):
        if one == q and other == p:
            return [_negated(stretch) for stretch in found]
    if len(_FOUND) > _MOST_FOUND:
        _FOUND.clear()
    listed = list(_walked(p, q, rate))
    _FOUND.setdefault((p.breaks, q.breaks, rate, bits), []).append((p, q, listed))
    return listed


def _negated(stretch: Stretch) -> Stretch:
    low, high = stretch.ends
    first = Point(-low.ball, low.forms and (low.forms[1], low.forms[0]), low.where)
    if low is high:
        return Stretch(stretch.low, stretch.high, (first, first))
    second = Point(-high.ball, high.forms and (high.forms[1], high.forms[0]), high.where)
    return Stretch(stretch.low, stretch.high, (first, second))


def _walked(p: Piecewise, q: Piecewise, rate: Real) -> Iterator[Stretch]:
    breaks = sorted({*p.breaks, *q.breaks})
    one = Piecewise((), ({(0, Fraction(0)): EXPSUM_ONE},))
    refined = [Piecewise(tuple(breaks), ({},) * (len(breaks) + 1)) + f * one for f in (p, q)]
    ends: list[End] = [None, *breaks, None]
    for index in range(len(breaks) + 1):
        above, below = (f.pieces[index] if breaks else f.pieces[0] for f in refined)
        low, high = ends[index], ends[index + 1]
        if not above or not below:
            if not above and not below:
                continue
            endless = infinite_ball() if above else -infinite_ball()
            point = Point(endless, None, _interval(low, high))
            yield Stretch(low, high, (point, point))
            continue
        yield from _of_piece(above, below, rate, low, high)


def _interval(low: End, high: End) -> str:
    return f"({'-inf' if low is None else low}, {'inf' if high is None else high})"


def _of_piece(p: Piece, q: Piece, rate: Real, low: End, high: End) -> Iterator[Stretch]:
    """Yield the stretches of one piece of both."""
    slope = _slope(p, q, rate)
    if not slope:
        power = max(p)
        point = _form(p[power], q[power], rate, _interval(low, high))
        yield Stretch(low, high, (point, point))
        return
    near, far = low, high
    if low is None:
        near = settled_from(slope, rate, -1, high)
        start = _end_point(p, q, rate, near) if near == high else _between(p, q, rate, near)
        yield Stretch(None, near, (_limit(p, q, rate, -1), start))
    if high is None:
        far = settled_from(slope, rate, 1, near)
        start = _end_point(p, q, rate, far) if far == low else _between(p, q, rate, far)
        yield Stretch(far, None, (start, _limit(p, q, rate, 1)))
    assert near is not None
    assert far is not None
    if near < far:
        yield from _finite((p, q), rate, slope, (near, far), (low, high))


def _finite(
    sides: tuple[Piece, Piece],
    rate: Real,
    slope: Sum,
    between: tuple[Fraction, Fraction],
    outer: tuple[End, End],
) -> Iterator[Stretch]:
    (p, q), scale, terms = sides, rate.ball(), terms_of(slope)
    orders = [
        0 if end != outer[place] or has_sign(value_at(terms, scale * ball(end)))
        else _order(p, q, rate, end)
        for place, end in enumerate(between)
    ]  # fmt: skip
    smallest = Fraction(1, 1 << working_precision() // 2)

    def point(x: Fraction) -> Point:
        return _end_point(p, q, rate, x) if x in outer else _between(p, q, rate, x)

    waiting = [between]
    while waiting:
        low, high = waiting.pop()
        around = scale * ball(low).union(ball(high))
        zeros = [
            (end, order)
            for end, order in zip(between, orders, strict=True)
            if order and end in (low, high)
        ]
        known = has_sign(value_at(terms, around)) or any(
            keeps_sign(terms, scale, (low, high), *zero)
            for zero in (zeros or [((low + high) / 2, 0)])
        )
        if known:
            yield Stretch(low, high, (point(low), point(high)))
        elif high - low < smallest:
            middle = (low + high) / 2
            y = scale * ball(middle)
            above, below = (in_balls(one, rate) for one in (p, q))
            value = (value_at(above, y) / value_at(below, y)).log()
            value += (
                value_at(terms, around)
                / (value_at(above, around) * value_at(below, around))
                * (around - y)
            )
            if not value.is_finite():
                raise PrecisionNeeded("a ratio of densities is not separated from zero")
            found = Point(value, None, f"x = {float(middle):.12g}")
            yield Stretch(low, high, (found, found))
        else:
            middle = (low + high) / 2
            waiting += [(low, middle), (middle, high)]


def _order(p: Piece, q: Piece, rate: Real, x: Fraction) -> int:
    """Return the number of the first derivative of N = p'q − pq' that is not exactly 0 at x."""
    above, below = [exactly(p, x, rate)], [exactly(q, x, rate)]
    for order in range(64):
        p, q = derivative(p), derivative(q)
        above.append(exactly(p, x, rate))
        below.append(exactly(q, x, rate))
        total = EXPSUM_ZERO
        for i in range(order + 1):
            ways = Fraction(math.comb(order, i))
            total += (above[order - i + 1] * below[i]).times(ways)
            total += (above[order - i] * below[i + 1]).times(-ways)
        if not total.is_zero():
            return order
    return 0


def _slope(p: Piece, q: Piece, rate: Real) -> Sum:
    """Return N = p'q − pq' in balls, without terms that are exactly 0; empty for N = 0."""
    found: Sum = {}
    made_of: dict[tuple[int, Fraction], list[tuple[ExpSum, ExpSum, int]]] = {}
    for left, right, factor in ((derivative(p), q, 1), (p, derivative(q), -1)):
        for (k, r), c in numbers(left, rate):
            for (m, s), d in numbers(right, rate):
                power = k + m, r + s
                found[power] = found.get(power, Ball(0)) + factor * c * d
                made_of.setdefault(power, []).append((left[k, r], right[m, s], factor))
    fraction = rate.as_fraction()
    for power in [power for power, c in found.items() if not has_sign(c)]:
        exact = EXPSUM_ZERO
        for above, below, factor in made_of[power]:
            exact += (above * below).times(Fraction(factor))
        if (exact if fraction is None else exact.folded(fraction)).is_zero():
            del found[power]
    return found


def _form(above: ExpSum, below: ExpSum, rate: Real, where: str) -> Point:
    value = (above.ball(rate) / below.ball(rate)).log()
    if not value.is_finite():
        raise PrecisionNeeded("a density is not separated from zero")
    return Point(value, (above, below), where)


def _end_point(p: Piece, q: Piece, rate: Real, x: Fraction) -> Point:
    """Return the log ratio at an end of a piece, a limit from inside where a density is 0."""
    for _ in range(64):
        above, below = exactly(p, x, rate), exactly(q, x, rate)
        if above.is_zero() and below.is_zero():
            p, q = derivative(p), derivative(q)
            continue
        if below.is_zero():
            return Point(infinite_ball(), None, f"x -> {x}")
        if above.is_zero():
            return Point(-infinite_ball(), None, f"x -> {x}")
        return _form(above, below, rate, f"x = {x}")
    raise PrecisionNeeded("a density is not separated from zero")


def _between(p: Piece, q: Piece, rate: Real, x: Fraction) -> Point:
    y = rate.ball() * ball(x)
    value = (value_at(in_balls(p, rate), y) / value_at(in_balls(q, rate), y)).log()
    if not value.is_finite():
        raise PrecisionNeeded("a density is not separated from zero")
    return Point(value, None, f"x = {x}")


def _limit(p: Piece, q: Piece, rate: Real, side: int) -> Point:
    (k, r), (m, s) = leading(p, side), leading(q, side)
    where = f"x -> {'-' if side < 0 else ''}inf"
    if (k, r) == (m, s):
        return _form(p[k, r], q[m, s], rate, where)
    grows = (side * r, k) > (side * s, m)
    return Point(infinite_ball() if grows else -infinite_ball(), None, where)


def inside(p: Piecewise, q: Piecewise, rate: Real, x: Fraction) -> Point:
    """Return the log ratio at a number that is no breakpoint."""
    y = rate.ball() * ball(x)
    above, below = (value_at(in_balls(_piece(one, x), rate), y) for one in (p, q))
    return Point((above / below).log(), None, f"x = {x}")


def _piece(function: Piecewise, x: Fraction) -> Piece:
    return function.pieces[sum(1 for point in function.breaks if point <= x)]
