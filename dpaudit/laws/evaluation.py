"""Sums Σ c·y^k·e^(r·y) in balls: their values, and where they keep their sign."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign
from dpaudit.numbers.expsum import EXPSUM_ZERO, ExpSum
from dpaudit.numbers.piecewise import Piece, Piecewise
from dpaudit.numbers.real import Real

__all__ = [
    "Sum", "Terms", "exactly", "has_sign", "in_balls", "keeps_sign", "leading", "numbers",
    "settled_from", "slope_of", "terms_of", "value_at", "zero_inside",
]  # fmt: skip

Sum = dict[tuple[int, Fraction], Ball]
"""The coefficient of y^k·e^(r·y) for each power (k, r)."""
Terms = tuple[tuple[int, Ball, Ball], ...]
"""Each k, r and coefficient."""

_FAR = 400
"""Largest number of doublings of the distance at which a tail is settled."""


_TAYLOR = 16
"""Number of terms of a Taylor series."""


def has_sign(value: Ball) -> bool:
    """Tell whether a ball shows a sign."""
    return balls.sign(value) in (Sign.POSITIVE, Sign.NEGATIVE)


def keeps_sign(
    terms: Terms, scale: Ball, ends: tuple[Fraction, Fraction], centre: Fraction, order: int
) -> bool:
    """Tell whether Taylor's formula around a zero of that ``order`` shows that there is no other.

    The remainder takes in the derivative over the whole interval, and the zero is divided out.
    """
    low, high = ends
    around = scale * balls.ball(low).union(balls.ball(high))
    steps = scale * balls.ball(low - centre).union(balls.ball(high - centre))
    count = order + _TAYLOR
    total = _coefficient(_with_powers(terms, around), around, count)
    for coefficient in reversed(_coefficients(terms, scale * balls.ball(centre), count)[order:]):
        total = total * steps + coefficient
    return has_sign(total)


def zero_inside(
    terms: Terms, scale: Ball, ends: tuple[Fraction, Fraction]
) -> tuple[Fraction, Fraction] | None:
    """Return where between two numbers the only zero is, by Newton's method in intervals.

    Each step intersects with m − N(m)/N'; None where it does not lie inside, and half as wide.
    """
    slopes = tuple((k, r, c * r) for k, r, c in terms)
    slopes += tuple((k - 1, r, c * k) for k, r, c in terms if k)
    found = None
    low, high = ends
    while True:
        rise = value_at(slopes, scale * balls.ball(low).union(balls.ball(high)))
        if not has_sign(rise):
            return found
        middle = (low + high) / 2
        zero = balls.ball(middle) - value_at(terms, scale * balls.ball(middle)) / (rise * scale)
        if not zero.is_finite():
            return found
        inside = balls.lower_fraction(zero), balls.upper_fraction(zero)
        if not low < inside[0] <= inside[1] < high or inside[1] - inside[0] > (high - low) / 2:
            return found
        found = low, high = inside


def _with_powers(terms: Terms, y: Ball) -> Terms:
    return tuple((k, r, c * (r * y).exp()) for k, r, c in terms)


def _coefficient(terms: Terms, y: Ball, j: int) -> Ball:
    """Return the j-th Taylor coefficient at y of Σ c·y^k·e^(r·y), given c·e^(r·y) for c."""
    total = Ball(0)
    for k, r, c in terms:
        if not k:
            total += c * balls.integer_power(r, j) / math.factorial(j)
            continue
        for i in range(min(j, k) + 1):
            part = balls.integer_power(y, k - i) * balls.integer_power(r, j - i) * math.comb(k, i)
            total += c * part / math.factorial(j - i)
    return total


def _coefficients(terms: Terms, y: Ball, count: int) -> list[Ball]:
    """Return the first Taylor coefficients at y of Σ c·y^k·e^(r·y)."""
    total = [Ball(0)] * count
    for k, r, c in terms:
        row = [c * (r * y).exp()]
        for j in range(1, count):
            row.append(row[-1] * r / j)
        for _ in range(k):  # times y + h
            row = [above * y + below for above, below in zip(row, [Ball(0), *row], strict=False)]
        total = [one + other for one, other in zip(total, row, strict=True)]
    return total


def terms_of(slope: Sum) -> Terms:
    """Return a sum as terms."""
    return tuple((k, balls.ball(r), c) for (k, r), c in slope.items())


def numbers(piece: Piece, rate: Real) -> list[tuple[tuple[int, Fraction], Ball]]:
    """Return a piece with its coefficients in balls."""
    powers = list(piece)
    return [(power, c) for power, (_, _, c) in zip(powers, in_balls(piece, rate), strict=True)]


@lru_cache(maxsize=1 << 12)
def _value_of(
    piece: tuple[tuple[tuple[int, Fraction], ExpSum], ...], x: Fraction, rate: Fraction | None
) -> ExpSum:
    found = Piecewise((), (dict(piece),)).at(x)
    return found if rate is None else found.folded(rate)


def exactly(piece: Piece, x: Fraction, rate: Real) -> ExpSum:
    """Return the value of a piece at x, exactly."""
    return _value_of(tuple(piece.items()), x, rate.as_fraction())


def leading(piece: Iterable[tuple[int, Fraction]], side: int) -> tuple[int, Fraction]:
    """Return the power (k, r) that is the largest far out on one side."""
    return max(piece, key=lambda power: (side * power[1], power[0]))


def settled_from(slope: Sum, rate: Real, side: int, other: Fraction | None) -> Fraction:
    """Return from where on outward the leading term decides the sign."""
    start = Fraction(0) if other is None else other
    steps = Fraction(0)
    for _ in range(_FAR):
        x = start + side * steps
        if _is_settled(slope, rate, side, x):
            return x
        steps = 2 * steps if steps else Fraction(1)
    raise PrecisionNeeded(
        "the leading term of a density cannot be distinguished from 0 at this precision"
    )


def _is_settled(slope: Sum, rate: Real, side: int, x: Fraction) -> bool:
    lead = leading(slope, side)
    if len(slope) == 1 and (lead[0] == 0 or side * x >= 0):
        return has_sign(slope[lead])
    if side * x <= 0:
        return False
    size = rate.ball() * balls.ball(abs(x))
    rest = Ball(0)
    for power, c in slope.items():
        if power != lead:
            a, d = power[0] - lead[0], side * (lead[1] - power[1])
            if a > 0 and not balls.certainly_less_or_equal(
                balls.ball(Fraction(a)), balls.ball(d) * size
            ):
                return False
            rest += abs(c) * balls.integer_power(size, a) * (-balls.ball(d) * size).exp()
    return balls.certainly_less(rest, abs(slope[lead]))


def slope_of(p: Piece, q: Piece, rate: Real) -> Sum:
    """Return N = p'q − pq' in balls, without terms that are exactly 0; empty for N = 0."""
    found: Sum = {}
    made_of: dict[tuple[int, Fraction], list[tuple[ExpSum, ExpSum, Fraction]]] = {}
    right = numbers(q, rate)
    for (k, r), c in numbers(p, rate):
        for (m, s), d in right:
            both = c * d
            # (y^k·e^(ry))'·y^m·e^(sy) − y^k·e^(ry)·(y^m·e^(sy))' has these two terms.
            for power, factor in (((k + m, r + s), r - s), ((k + m - 1, r + s), Fraction(k - m))):
                if factor:
                    found[power] = found.get(power, Ball(0)) + balls.ball(factor) * both
                    made_of.setdefault(power, []).append((p[k, r], q[m, s], factor))
    fraction = rate.as_fraction()
    for power in [power for power, c in found.items() if not has_sign(c)]:
        exact = EXPSUM_ZERO
        for above, below, factor in made_of[power]:
            exact += (above * below).times(factor)
        if (exact if fraction is None else exact.folded(fraction)).is_zero():
            del found[power]
    return found


def in_balls(piece: Piece, rate: Real) -> Terms:
    """Return a piece as terms."""
    return _terms(tuple(piece.items()), rate, balls.working_precision())


@lru_cache(maxsize=1 << 12)
def _terms(piece: Sequence[tuple[tuple[int, Fraction], ExpSum]], rate: Real, bits: int) -> Terms:
    return tuple((k, balls.ball(r), c.ball(rate)) for (k, r), c in piece)


def value_at(terms: Terms, y: Ball) -> Ball:
    """Return the value at y."""
    total = Ball(0)
    for k, r, c in terms:
        value = c * (r * y).exp()
        total += value * balls.integer_power(y, k) if k else value
    return total
