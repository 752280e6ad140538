"""Two densities of one number side by side: the largest ratio, and the mass that one has over.

Both are polynomial × exponential between breakpoints (:mod:`dpaudit.numbers.piecewise`).  The sign
of N = P'Q − PQ' is that of the derivative of ln(P/Q), so where N has one sign the ratio is largest
at an end, exactly; an interval is halved until N has one sign on each part, or the part is so small
that the mean value theorem encloses the ratio.  Near an end where N is 0 its first derivative that
is not decides, and far out its leading term does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.numbers.ball import (
    Ball,
    PrecisionNeeded,
    Sign,
    ball,
    certainly_less,
    certainly_less_or_equal,
    contenders,
    infinite_ball,
    integer_power,
    maximum,
    nonnegative,
    sign,
    working_precision,
)
from dpaudit.numbers.expsum import EXPSUM_ONE, EXPSUM_ZERO, ExpSum
from dpaudit.numbers.piecewise import Piece, Piecewise, derivative

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dpaudit.numbers.real import Real

__all__ = ["Peak", "excess_mass", "folded", "largest_ratio", "trend"]

End = Fraction | None

_FAR = 400
"""How often a tail is moved outward, to twice the distance each time, until it is settled."""


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


@dataclass(frozen=True)
class _Point:
    """The log ratio at one end of a stretch: a number, or ±∞ (``certain``)."""

    ball: Ball
    forms: tuple[ExpSum, ExpSum] | None
    where: str


@dataclass(frozen=True)
class _Stretch:
    """An interval on which the log ratio rises or falls, or is enclosed where neither is known."""

    low: End
    high: End
    ends: tuple[_Point, _Point]
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


def largest_ratio(p: Piecewise, q: Piecewise, rate: Real) -> Peak:
    """Return the supremum of ln(p/q) where p is positive; both :func:`folded`, and p not 0."""
    points: list[_Point] = []
    for stretch in _stretches(p, q, rate):
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
    before: _Point | None = None
    for stretch in sorted(_stretches(p, q, rate), key=_place):
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


def _place(stretch: _Stretch) -> tuple[bool, Fraction]:
    return stretch.low is not None, stretch.low or Fraction(0)


def excess_mass(p: Piecewise, q: Piecewise, rate: Real, factor: Ball) -> Ball:
    """Return ∫ (p − ``factor``·q)₊ dy, factor > 0."""
    total = Ball(0)
    limit = factor.log()
    waiting = list(_stretches(p, q, rate))
    smallest = Fraction(1, 1 << working_precision() // 2)
    steps = 0
    while waiting:
        part = waiting.pop()
        left, right = (point.ball for point in part.ends)
        if certainly_less_or_equal(left, limit) and certainly_less_or_equal(right, limit):
            continue
        above = p.integral(part.low, part.high).ball(rate)
        if _at_least(left, limit) and _at_least(right, limit):
            below = q.integral(part.low, part.high).ball(rate)
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
        point = _inside(p, q, rate, middle)
        waiting.append(_Stretch(part.low, middle, (part.ends[0], point)))
        waiting.append(_Stretch(middle, part.high, (point, part.ends[1])))
    return total


def _at_least(value: Ball, limit: Ball) -> bool:
    return certainly_less_or_equal(limit, value)


def _middle(low: End, high: End, smallest: Fraction) -> Fraction | None:
    if low is None and high is None:
        return Fraction(0)
    if low is None:
        assert high is not None
        return high - max(1, abs(high))
    if high is None:
        return low + max(1, abs(low))
    return None if high - low < smallest else (low + high) / 2


def _inside(p: Piecewise, q: Piecewise, rate: Real, x: Fraction) -> _Point:
    y = rate.ball() * ball(x)
    above, below = (_at(_balls(_piece(one, x), rate), y) for one in (p, q))
    return _Point((above / below).log(), None, f"x = {x}")


def _piece(function: Piecewise, x: Fraction) -> Piece:
    return function.pieces[sum(1 for point in function.breaks if point <= x)]


def _same(one: tuple[ExpSum, ExpSum], other: tuple[ExpSum, ExpSum]) -> bool:
    return one == other or one[0] * other[1] == one[1] * other[0]


_FOUND: dict[Any, list[tuple[Piecewise, Piecewise, list[_Stretch]]]] = {}
_MOST_FOUND = 1 << 12


def _stretches(p: Piecewise, q: Piecewise, rate: Real) -> list[_Stretch]:
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


def _negated(stretch: _Stretch) -> _Stretch:
    low, high = stretch.ends
    first = _Point(-low.ball, low.forms and (low.forms[1], low.forms[0]), low.where)
    if low is high:
        return _Stretch(stretch.low, stretch.high, (first, first))
    second = _Point(-high.ball, high.forms and (high.forms[1], high.forms[0]), high.where)
    return _Stretch(stretch.low, stretch.high, (first, second))


def _walked(p: Piecewise, q: Piecewise, rate: Real) -> Iterator[_Stretch]:
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
            point = _Point(endless, None, _interval(low, high))
            yield _Stretch(low, high, (point, point))
            continue
        yield from _of_piece(above, below, rate, low, high)


def _interval(low: End, high: End) -> str:
    return f"({'-inf' if low is None else low}, {'inf' if high is None else high})"


def _of_piece(p: Piece, q: Piece, rate: Real, low: End, high: End) -> Iterator[_Stretch]:
    """Yield the stretches of one piece of both."""
    slope = _slope(p, q, rate)
    if not slope:
        power = max(p)
        point = _form(p[power], q[power], rate, _interval(low, high))
        yield _Stretch(low, high, (point, point))
        return
    near, far = low, high
    if low is None:
        near = _settled_from(slope, rate, -1, high)
        start = _end_point(p, q, rate, near) if near == high else _between(p, q, rate, near)
        yield _Stretch(None, near, (_limit(p, q, rate, -1), start))
    if high is None:
        far = _settled_from(slope, rate, 1, near)
        start = _end_point(p, q, rate, far) if far == low else _between(p, q, rate, far)
        yield _Stretch(far, None, (start, _limit(p, q, rate, 1)))
    assert near is not None
    assert far is not None
    if near < far:
        yield from _finite(p, q, rate, slope, (near, far), (low, high))


def _finite(
    p: Piece,
    q: Piece,
    rate: Real,
    slope: _Sum,
    between: tuple[Fraction, Fraction],
    outer: tuple[End, End],
) -> Iterator[_Stretch]:
    scale, terms = rate.ball(), _terms_of(slope)
    orders = [
        0 if end != outer[place] or _has_sign(_at(terms, scale * ball(end)))
        else _order(p, q, rate, end)
        for place, end in enumerate(between)
    ]  # fmt: skip
    smallest = Fraction(1, 1 << working_precision() // 2)

    def point(x: Fraction) -> _Point:
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
        known = _has_sign(_at(terms, around)) or any(
            _keeps_sign(terms, scale, low, high, *zero)
            for zero in (zeros or [((low + high) / 2, 0)])
        )
        if known:
            yield _Stretch(low, high, (point(low), point(high)))
        elif high - low < smallest:
            middle = (low + high) / 2
            y = scale * ball(middle)
            above, below = (_balls(one, rate) for one in (p, q))
            value = (_at(above, y) / _at(below, y)).log()
            value += _at(terms, around) / (_at(above, around) * _at(below, around)) * (around - y)
            if not value.is_finite():
                raise PrecisionNeeded("a ratio of densities is not separated from zero")
            found = _Point(value, None, f"x = {float(middle):.12g}")
            yield _Stretch(low, high, (found, found))
        else:
            middle = (low + high) / 2
            waiting += [(low, middle), (middle, high)]


_TAYLOR = 16
"""How many terms of a Taylor series are taken."""


def _has_sign(value: Ball) -> bool:
    return sign(value) in (Sign.POSITIVE, Sign.NEGATIVE)


def _keeps_sign(
    terms: _Terms, scale: Ball, low: Fraction, high: Fraction, centre: Fraction, order: int
) -> bool:
    """Tell whether Taylor's formula around a zero of that ``order`` shows that there is no other.

    The remainder takes in the derivative over the whole interval, and the zero is divided out.
    """
    around = scale * ball(low).union(ball(high))
    steps = scale * ball(low - centre).union(ball(high - centre))
    count = order + _TAYLOR
    total = _coefficient(_with_powers(terms, around), around, count)
    near = scale * ball(centre)
    powers = _with_powers(terms, near)
    for j in range(count - 1, order - 1, -1):
        total = total * steps + _coefficient(powers, near, j)
    return _has_sign(total)


def _with_powers(terms: _Terms, y: Ball) -> _Terms:
    return tuple((k, r, c * (r * y).exp()) for k, r, c in terms)


def _coefficient(terms: _Terms, y: Ball, j: int) -> Ball:
    """Return the j-th Taylor coefficient at y of Σ c·y^k·e^(r·y), given c·e^(r·y) for c."""
    total = Ball(0)
    for k, r, c in terms:
        if not k:
            total += c * integer_power(r, j) / math.factorial(j)
            continue
        for i in range(min(j, k) + 1):
            part = integer_power(y, k - i) * integer_power(r, j - i) * math.comb(k, i)
            total += c * part / math.factorial(j - i)
    return total


def _order(p: Piece, q: Piece, rate: Real, x: Fraction) -> int:
    """Return the number of the first derivative of N = p'q − pq' that is not exactly 0 at x."""
    above, below = [_exactly(p, x, rate)], [_exactly(q, x, rate)]
    for order in range(64):
        p, q = derivative(p), derivative(q)
        above.append(_exactly(p, x, rate))
        below.append(_exactly(q, x, rate))
        total = EXPSUM_ZERO
        for i in range(order + 1):
            ways = Fraction(math.comb(order, i))
            total += (above[order - i + 1] * below[i]).times(ways)
            total += (above[order - i] * below[i + 1]).times(-ways)
        if not total.is_zero():
            return order
    return 0


def _slope(p: Piece, q: Piece, rate: Real) -> _Sum:
    """Return N = p'q − pq' in balls, without terms that are exactly 0; empty for N = 0."""
    found: _Sum = {}
    made_of: dict[tuple[int, Fraction], list[tuple[ExpSum, ExpSum, int]]] = {}
    for left, right, factor in ((derivative(p), q, 1), (p, derivative(q), -1)):
        for (k, r), c in _numbers(left, rate):
            for (m, s), d in _numbers(right, rate):
                power = k + m, r + s
                found[power] = found.get(power, Ball(0)) + factor * c * d
                made_of.setdefault(power, []).append((left[k, r], right[m, s], factor))
    fraction = rate.as_fraction()
    for power in [power for power, c in found.items() if not _has_sign(c)]:
        exact = EXPSUM_ZERO
        for above, below, factor in made_of[power]:
            exact += (above * below).times(Fraction(factor))
        if (exact if fraction is None else exact.folded(fraction)).is_zero():
            del found[power]
    return found


def _terms_of(slope: _Sum) -> _Terms:
    return tuple((k, ball(r), c) for (k, r), c in slope.items())


def _numbers(piece: Piece, rate: Real) -> list[tuple[tuple[int, Fraction], Ball]]:
    powers = list(piece)
    return [(power, c) for power, (_, _, c) in zip(powers, _balls(piece, rate), strict=True)]


@lru_cache(maxsize=1 << 12)
def _value_of(
    piece: tuple[tuple[tuple[int, Fraction], ExpSum], ...], x: Fraction, rate: Fraction | None
) -> ExpSum:
    found = Piecewise((), (dict(piece),)).at(x)
    return found if rate is None else found.folded(rate)


def _exactly(piece: Piece, x: Fraction, rate: Real) -> ExpSum:
    return _value_of(tuple(piece.items()), x, rate.as_fraction())


def _form(above: ExpSum, below: ExpSum, rate: Real, where: str) -> _Point:
    value = (above.ball(rate) / below.ball(rate)).log()
    if not value.is_finite():
        raise PrecisionNeeded("a density is not separated from zero")
    return _Point(value, (above, below), where)


def _end_point(p: Piece, q: Piece, rate: Real, x: Fraction) -> _Point:
    """Return the log ratio at an end of a piece, a limit from inside where a density is 0."""
    for _ in range(64):
        above, below = _exactly(p, x, rate), _exactly(q, x, rate)
        if above.is_zero() and below.is_zero():
            p, q = derivative(p), derivative(q)
            continue
        if below.is_zero():
            return _Point(infinite_ball(), None, f"x -> {x}")
        if above.is_zero():
            return _Point(-infinite_ball(), None, f"x -> {x}")
        return _form(above, below, rate, f"x = {x}")
    raise PrecisionNeeded("a density is not separated from zero")


def _between(p: Piece, q: Piece, rate: Real, x: Fraction) -> _Point:
    y = rate.ball() * ball(x)
    value = (_at(_balls(p, rate), y) / _at(_balls(q, rate), y)).log()
    if not value.is_finite():
        raise PrecisionNeeded("a density is not separated from zero")
    return _Point(value, None, f"x = {x}")


def _leading(piece: Iterable[tuple[int, Fraction]], side: int) -> tuple[int, Fraction]:
    """Return the power (k, r) that is the largest far out on one side."""
    return max(piece, key=lambda power: (side * power[1], power[0]))


def _limit(p: Piece, q: Piece, rate: Real, side: int) -> _Point:
    (k, r), (m, s) = _leading(p, side), _leading(q, side)
    where = f"x -> {'-' if side < 0 else ''}inf"
    if (k, r) == (m, s):
        return _form(p[k, r], q[m, s], rate, where)
    grows = (side * r, k) > (side * s, m)
    return _Point(infinite_ball() if grows else -infinite_ball(), None, where)


def _settled_from(slope: _Sum, rate: Real, side: int, other: End) -> Fraction:
    """Return from where on outward the leading term decides the sign."""
    start = Fraction(0) if other is None else other
    steps = Fraction(0)
    for _ in range(_FAR):
        x = start + side * steps
        if _is_settled(slope, rate, side, x):
            return x
        steps = 2 * steps if steps else Fraction(1)
    raise PrecisionNeeded("the leading term of a density is not separated from zero")


def _is_settled(slope: _Sum, rate: Real, side: int, x: Fraction) -> bool:
    lead = _leading(slope, side)
    if len(slope) == 1 and (lead[0] == 0 or side * x >= 0):
        return _has_sign(slope[lead])
    if side * x <= 0:
        return False
    size = rate.ball() * ball(abs(x))
    rest = Ball(0)
    for power, c in slope.items():
        if power != lead:
            a, d = power[0] - lead[0], side * (lead[1] - power[1])
            if a > 0 and not certainly_less_or_equal(ball(Fraction(a)), ball(d) * size):
                return False
            rest += abs(c) * integer_power(size, a) * (-ball(d) * size).exp()
    return certainly_less(rest, abs(slope[lead]))


_Sum = dict[tuple[int, Fraction], Ball]
_Terms = tuple[tuple[int, Ball, Ball], ...]


def _balls(piece: Piece, rate: Real) -> _Terms:
    return _terms(tuple(piece.items()), rate, working_precision())


@lru_cache(maxsize=1 << 12)
def _terms(
    piece: Sequence[tuple[tuple[int, Fraction], ExpSum]], rate: Real, bits: int
) -> _Terms:
    return tuple((k, ball(r), c.ball(rate)) for (k, r), c in piece)


def _at(terms: _Terms, y: Ball) -> Ball:
    total = Ball(0)
    for k, r, c in terms:
        value = c * (r * y).exp()
        total += value * integer_power(y, k) if k else value
    return total
