"""Stretches between the turning points of the log ratio of two densities.

Both are polynomial × exponential between breakpoints (:mod:`dpaudit.numbers.piecewise`).  The sign
of N = P'Q − PQ' is that of the derivative of ln(P/Q), so where N has one sign the ratio is largest
at an end, exactly; an interval is halved until N has one sign on each part, or the part is so small
that the mean value theorem encloses the ratio.  Near an end where N is 0 Taylor's formula with the
zero divided out decides, and far out the leading term does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.laws.evaluation import (
    Sum,
    Terms,
    exactly,
    has_sign,
    in_balls,
    keeps_sign,
    leading,
    settled_from,
    slope_of,
    terms_of,
    value_at,
    zero_inside,
)
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, ball
from dpaudit.numbers.expsum import EXPSUM_ONE, EXPSUM_ZERO, ExpSum
from dpaudit.numbers.piecewise import Piece, Piecewise, derivative
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


def stretches(p: Piecewise, q: Piecewise, rate: Real, *, extremes: bool = False) -> list[Stretch]:
    """Return the stretches of two densities; those of the opposite direction are these, negated.

    With ``extremes`` those are left out on which the log ratio is certainly neither largest nor
    smallest: it need not be known where it turns there.
    """
    key = rate, balls.working_precision(), extremes
    for one, other, found in _FOUND.get((p.breaks, q.breaks, *key), ()):
        if one == p and other == q:
            return found
    for one, other, found in _FOUND.get((q.breaks, p.breaks, *key), ()):
        if one == q and other == p:
            return [_negated(stretch) for stretch in found]
    if len(_FOUND) > _MOST_FOUND:
        _FOUND.clear()
    listed = list(_walked(p, q, rate, extremes=extremes))
    _FOUND.setdefault((p.breaks, q.breaks, *key), []).append((p, q, listed))
    return listed


def _negated(stretch: Stretch) -> Stretch:
    low, high = stretch.ends
    first = Point(-low.ball, low.forms and (low.forms[1], low.forms[0]), low.where)
    if low is high:
        return Stretch(stretch.low, stretch.high, (first, first))
    second = Point(-high.ball, high.forms and (high.forms[1], high.forms[0]), high.where)
    return Stretch(stretch.low, stretch.high, (first, second))


@dataclass(frozen=True)
class _Piece:
    """One piece of both densities, neither of them 0."""

    sides: tuple[Piece, Piece]
    slope: Sum
    """N = P'Q − PQ', empty where the ratio is constant."""
    outer: tuple[End, End]
    ends: tuple[Point, Point]


_Between = tuple[Ball, Ball] | None
"""A small and a large value of the log ratio, if only its extremes are wanted."""


def _walked(p: Piecewise, q: Piecewise, rate: Real, *, extremes: bool) -> Iterator[Stretch]:
    breaks = sorted({*p.breaks, *q.breaks})
    one = Piecewise((), ({(0, Fraction(0)): EXPSUM_ONE},))
    # Added to 0, both are cut at the breakpoints of either.
    refined = [Piecewise(tuple(breaks), ({},) * (len(breaks) + 1)) + f * one for f in (p, q)]
    ends: list[End] = [None, *breaks, None]
    found = []
    for index in range(len(breaks) + 1):
        above, below = (f.pieces[index] if breaks else f.pieces[0] for f in refined)
        low, high = ends[index], ends[index + 1]
        if above and below:
            found.append(_piece_of(above, below, rate, (low, high)))
        elif above or below:
            endless = balls.infinite_ball() if above else -balls.infinite_ball()
            point = Point(endless, None, _interval(low, high))
            yield Stretch(low, high, (point, point))
    values = [end.ball for piece in found for end in piece.ends if end.ball.is_finite()]
    between = (min(values, key=float), max(values, key=float)) if extremes and values else None
    for piece in found:
        yield from _of_piece(piece, rate, between)


def _piece_of(p: Piece, q: Piece, rate: Real, outer: tuple[End, End]) -> _Piece:
    slope = slope_of(p, q, rate)
    if not slope:
        power = max(p)
        point = _form(p[power], q[power], rate, _interval(*outer))
        return _Piece((p, q), slope, outer, (point, point))
    low, high = outer
    return _Piece(
        (p, q),
        slope,
        outer,
        (
            _limit(p, q, rate, -1) if low is None else _end_point(p, q, rate, low),
            _limit(p, q, rate, 1) if high is None else _end_point(p, q, rate, high),
        ),
    )


def _interval(low: End, high: End) -> str:
    return f"({'-inf' if low is None else low}, {'inf' if high is None else high})"


def _of_piece(piece: _Piece, rate: Real, between: _Between) -> Iterator[Stretch]:
    """Yield the stretches of one piece of both."""
    (p, q), slope, (low, high), ends = piece.sides, piece.slope, piece.outer, piece.ends
    if not slope:
        yield Stretch(low, high, ends)
        return
    near, far = low, high
    if low is None:
        near = settled_from(slope, rate, -1, high)
        start = ends[1] if near == high else _between(p, q, rate, near)
        yield Stretch(None, near, (ends[0], start))
    if high is None:
        far = settled_from(slope, rate, 1, near)
        start = ends[0] if far == low else _between(p, q, rate, far)
        yield Stretch(far, None, (start, ends[1]))
    assert near is not None
    assert far is not None
    if near < far:
        yield from _finite(piece, rate, (near, far), between)


def _finite(
    piece: _Piece, rate: Real, reach: tuple[Fraction, Fraction], between: _Between
) -> Iterator[Stretch]:
    """Yield the stretches between two numbers, which are ends of the piece or settled."""
    (p, q), scale, terms = piece.sides, rate.ball(), terms_of(piece.slope)
    orders = [
        0 if end != outer or has_sign(value_at(terms, scale * ball(end)))
        else _order(p, q, rate, end)
        for end, outer in zip(reach, piece.outer, strict=True)
    ]  # fmt: skip
    smallest = Fraction(1, 1 << balls.working_precision() // 2)

    def point(x: Fraction) -> Point:
        return piece.ends[piece.outer.index(x)] if x in piece.outer else _between(p, q, rate, x)

    waiting = [reach]
    while waiting:
        low, high = waiting.pop()
        zeros = [
            (end, order)
            for end, order in zip(reach, orders, strict=True)
            if order and end in (low, high)
        ]
        known = has_sign(value_at(terms, scale * ball(low).union(ball(high)))) or any(
            keeps_sign(terms, scale, (low, high), *zero)
            for zero in (zeros or [((low + high) / 2, 0)])
        )
        if known:
            yield Stretch(low, high, (point(low), point(high)))
            continue
        small = high - low < smallest
        if small or between is not None:
            value = _enclosed(piece.sides, terms, rate, (low, high))
            if between is not None and _is_between(value, between):
                continue
            if small:
                if not value.is_finite():
                    raise PrecisionNeeded(
                        "a ratio of densities cannot be distinguished from 0 at this precision"
                    )
                found = Point(value, None, f"x = {float((low + high) / 2):.12g}")
                yield Stretch(low, high, (found, found))
                continue
        turn = zero_inside(terms, scale, (low, high))
        if turn is not None:
            yield Stretch(low, turn[0], (point(low), point(turn[0])))
            yield Stretch(turn[1], high, (point(turn[1]), point(high)))
            waiting.append(turn)
            continue
        middle = (low + high) / 2
        waiting += [(low, middle), (middle, high)]


def _enclosed(
    sides: tuple[Piece, Piece], terms: Terms, rate: Real, reach: tuple[Fraction, Fraction]
) -> Ball:
    """Return a ball of the log ratio between two numbers, by the mean value theorem."""
    low, high = reach
    scale = rate.ball()
    around, y = scale * ball(low).union(ball(high)), scale * ball((low + high) / 2)
    above, below = (in_balls(one, rate) for one in sides)
    slope = value_at(terms, around) / (value_at(above, around) * value_at(below, around))
    return (value_at(above, y) / value_at(below, y)).log() + slope * (around - y)


def _is_between(value: Ball, between: tuple[Ball, Ball]) -> bool:
    return (
        value.is_finite()
        and balls.certainly_less(between[0], value)
        and balls.certainly_less(value, between[1])
    )


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


def _form(above: ExpSum, below: ExpSum, rate: Real, where: str) -> Point:
    value = (above.ball(rate) / below.ball(rate)).log()
    if not value.is_finite():
        raise PrecisionNeeded("a density cannot be distinguished from 0 at this precision")
    return Point(value, (above, below), where)


def _end_point(p: Piece, q: Piece, rate: Real, x: Fraction) -> Point:
    """Return the log ratio at an end of a piece, a limit from inside where a density is 0."""
    # Where both are 0, the ratio goes to that of their derivatives (L'Hôpital).
    for _ in range(64):
        above, below = exactly(p, x, rate), exactly(q, x, rate)
        if above.is_zero() and below.is_zero():
            p, q = derivative(p), derivative(q)
            continue
        if below.is_zero():
            return Point(balls.infinite_ball(), None, f"x -> {x}")
        if above.is_zero():
            return Point(-balls.infinite_ball(), None, f"x -> {x}")
        return _form(above, below, rate, f"x = {x}")
    raise PrecisionNeeded("a density cannot be distinguished from 0 at this precision")


def _between(p: Piece, q: Piece, rate: Real, x: Fraction) -> Point:
    y = rate.ball() * ball(x)
    value = (value_at(in_balls(p, rate), y) / value_at(in_balls(q, rate), y)).log()
    if not value.is_finite():
        raise PrecisionNeeded("a density cannot be distinguished from 0 at this precision")
    return Point(value, None, _at(x))


def _at(x: Fraction) -> str:
    return f"x = {x if x.denominator < _LONG else f'{float(x):.12g}'}"


_LONG = 1 << 10
"""A number with such a denominator is shown as a decimal."""


def _limit(p: Piece, q: Piece, rate: Real, side: int) -> Point:
    (k, r), (m, s) = leading(p, side), leading(q, side)
    where = f"x -> {'-' if side < 0 else ''}inf"
    if (k, r) == (m, s):
        return _form(p[k, r], q[m, s], rate, where)
    grows = (side * r, k) > (side * s, m)
    return Point(balls.infinite_ball() if grows else -balls.infinite_ball(), None, where)


def inside(p: Piecewise, q: Piecewise, rate: Real, x: Fraction) -> Point:
    """Return the log ratio at a number that is no breakpoint."""
    y = rate.ball() * ball(x)
    above, below = (value_at(in_balls(_piece(one, x), rate), y) for one in (p, q))
    return Point((above / below).log(), None, _at(x))


def _piece(function: Piecewise, x: Fraction) -> Piece:
    return function.pieces[sum(1 for point in function.breaks if point <= x)]
