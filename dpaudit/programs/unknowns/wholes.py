"""The countable draws: where they lie, and the probability of that in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.numbers.ball import Ball, ball, precision, working_precision
from dpaudit.numbers.real import ONE, ZERO, Real, add_up, rational
from dpaudit.programs.exploring.subsamplers import Enclosed
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.unknowns.noises import Draw, probability_between

__all__ = [
    "EVERYWHERE",
    "Interval",
    "Support",
    "WholeDraw",
    "chance",
    "difference",
    "intersection",
    "nearest",
    "size",
]

Rounding = tuple[Draw, Fraction, Fraction | None, Fraction | None]
"""A continuous draw, a shift, and between which ends their sum lies."""
Interval = tuple[int | None, int | None]
"""The whole numbers from one to another, both included; None for no end."""
Support = tuple[Interval, ...]
"""Intervals in increasing order, none of them empty, no two of them overlapping."""

EVERYWHERE: Support = ((None, None),)
"""All whole numbers."""


@dataclass(frozen=True, slots=True)
class WholeDraw:
    """A countable draw."""

    kind: str
    """``geometric``, ``discrete_laplace``, ``discrete_gaussian``, ``integers``, ``table`` or
    ``rounded`` or ``wrapped``."""
    parameter: Real
    """p, the scale, the standard deviation, or how many there are."""
    table: tuple[tuple[int, Real], ...] = ()
    """The numbers of a ``table``, in increasing order, with their probabilities."""
    rounding: Rounding | None = None
    """Of ``rounded``: ⌊x + shift⌋ for a continuous draw x, where x + shift is between two ends.

    Its probabilities are those of x, so that they add up to that of lying between the ends.
    """

    wrapping: tuple[WholeDraw, int, int] | None = None
    """Of ``wrapped``: another draw Z, ±1 and c, for (±Z + c) modulo the parameter."""

    def tail_ratio(self) -> Real | None:
        """Return the quotient of the probabilities of neighbouring numbers in both tails.

        None for a draw whose tails are not geometric from 1 on, and below 0.
        """
        if self.kind == "geometric" and self.parameter != ONE:
            return ONE - self.parameter
        if self.kind == "discrete_laplace":
            return (-ONE / self.parameter).exp()
        if self.rounding is not None and self.rounding[2:] == (None, None):
            draw = self.rounding[0]
            if draw.kind == "laplace":
                return (-ONE / (draw.scale * rational(abs(draw.factor)))).exp()
        return None

    def support(self) -> Support:
        """Return where it lies."""
        if self.kind == "geometric":
            return ((0, None),)
        if self.kind in ("integers", "wrapped"):
            return ((0, self.count - 1),)
        if self.kind == "table":
            return tuple((value, value) for value, _ in self.table)
        if self.rounding is not None:
            _, _, low, high = self.rounding
            first = None if low is None else math.floor(low)
            return ((first, None if high is None else math.ceil(high) - 1),)
        return EVERYWHERE

    @property
    def count(self) -> int:
        """Number of values of ``integers`` or ``wrapped``."""
        found = self.parameter.as_fraction()
        assert found is not None
        return int(found)


def size(support: Support) -> int | None:
    """Return how many numbers a support has; None for endlessly many.

    >>> size(((0, 3), (5, 7)))
    7
    """
    total = 0
    for low, high in support:
        if low is None or high is None:
            return None
        total += high - low + 1
    return total


def nearest(support: Support, number: int) -> int:
    """Return the number in a support that is nearest to another.

    >>> nearest(((None, 3), (7, None)), 6)
    7
    """
    ends = [end for part in support for end in part if end is not None]
    if intersection(support, ((number, number),)):
        return number
    return min(ends, key=lambda end: abs(end - number))


def intersection(left: Support, right: Support) -> Support:
    """Return what two supports have in common.

    >>> intersection(((0, None),), ((None, 3), (5, 7)))
    ((0, 3), (5, 7))
    """
    found: list[Interval] = []
    for a, b in left:
        for c, d in right:
            low = c if a is None or (c is not None and c > a) else a
            high = d if b is None or (d is not None and d < b) else b
            if low is None or high is None or low <= high:
                found.append((low, high))
    if len(found) < 2:
        return tuple(found)
    return tuple(sorted(found, key=lambda one: (one[0] is not None, one[0] or 0)))


def difference(left: Support, right: Support) -> Support:
    """Return what of ``left`` is not in ``right``.

    >>> difference(((0, None),), ((2, 3),))
    ((0, 1), (4, None))
    """
    outside = left
    for low, high in right:
        rest: list[Interval] = []
        if low is not None:
            rest.append((None, low - 1))
        if high is not None:
            rest.append((high + 1, None))
        outside = intersection(outside, tuple(rest))
    return outside


def chance(draw: WholeDraw | Enclosed, support: Support) -> Real | Ball:
    """Return the probability that a draw lies in a support, exactly where there is a closed form.

    An interval with two ends of a geometric draw of either kind is a difference of two tails.
    """
    if isinstance(draw, Enclosed):
        return draw.ball()
    if draw.kind == "discrete_gaussian":
        return _discrete_gaussian_chance(draw.parameter, support)
    if draw.rounding is None and support == draw.support():
        return ONE
    if draw.kind == "table":
        return add_up(p for value, p in draw.table if intersection(support, ((value, value),)))
    parts = [_of_interval(draw, *interval) for interval in support]
    if any(isinstance(part, Ball) for part in parts):
        balls = (part if isinstance(part, Ball) else part.ball() for part in parts)
        return sum(balls, Ball(0))
    return add_up(part for part in parts if isinstance(part, Real))


def _of_rounded(rounding: Rounding, first: int | None, last: int | None) -> Real | Ball:
    """Return P(first ≤ ⌊x + shift⌋ ≤ last, low < x + shift < high)."""
    draw, shift, low, high = rounding
    lows = [Fraction(end) - shift for end in (first, low) if end is not None]
    after = None if last is None else last + 1
    highs = [Fraction(end) - shift for end in (after, high) if end is not None]
    return probability_between(draw, max(lows, default=None), min(highs, default=None))


_MOST_BITS = 1 << 17
"""An exact power of more bits is a ball instead."""


def _is_long(draw: WholeDraw, k: int) -> bool:
    """Tell whether the probability of a number so far out would be a quotient of large numbers."""
    if draw.kind == "geometric":
        exact = draw.parameter.as_fraction()
    else:
        ratio = draw.tail_ratio()
        exact = None if ratio is None else ratio.as_fraction()
    return exact is not None and k * exact.denominator.bit_length() > _MOST_BITS


def _far_out(draw: WholeDraw, low: int | None, high: int | None) -> Ball:
    """Return P(low ≤ Z ≤ high) of a geometric or a discrete Laplace draw, as a ball."""
    if draw.kind == "discrete_laplace":
        return _far_out_of_two_sides(draw, low, high)
    first = 0 if low is None else max(low, 0)
    with precision(working_precision() + _GUARD_BITS + first.bit_length()):
        rest = (ONE - draw.parameter).ball()
        found = rest**first
        return found if high is None else found * (1 - rest ** (high - first + 1))


def _far_out_of_two_sides(draw: WholeDraw, low: int | None, high: int | None) -> Ball:
    far = max(abs(end) for end in (low, high) if end is not None)
    with precision(working_precision() + _GUARD_BITS + far.bit_length()):
        t = (-ONE / draw.parameter).exp().ball()
        height = (1 - t) / (1 + t)
        if low is not None and high is not None and low == high:
            return height * t ** abs(low)

        def tail(k: int) -> Ball:  # P(Z ≥ k) for k ≥ 1
            return t**k / (1 + t)

        if low is not None and low >= 1:
            return tail(low) - (Ball(0) if high is None else tail(high + 1))
        if high is not None and high <= -1:
            return tail(-high) - (Ball(0) if low is None else tail(1 - low))
        rest = Ball(0) if low is None else tail(1 - low)
        return 1 - rest - (Ball(0) if high is None else tail(high + 1))


def _of_interval(draw: WholeDraw, low: int | None, high: int | None) -> Real | Ball:
    if draw.rounding is not None:
        return _of_rounded(draw.rounding, low, high)
    if draw.wrapping is not None:
        assert low is not None
        assert high is not None
        return _of_wrapped(draw, draw.wrapping, low, high)
    if draw.kind == "integers":
        assert low is not None
        assert high is not None
        return rational(high - low + 1) / draw.parameter
    if _is_long(draw, max(abs(low or 0), abs(high or 0))):
        return _far_out(draw, low, high)
    if low is not None and low == high:
        return _point(draw, low)
    from_low = ONE if low is None else _tail(draw, low)
    return from_low - (ZERO if high is None else _tail(draw, high + 1))


def _of_wrapped(
    draw: WholeDraw, wrapping: tuple[WholeDraw, int, int], low: int, high: int
) -> Real | Ball:
    """Return the probability that ±Z + c leaves a remainder between two numbers."""
    base, sign, c = wrapping
    modulus = draw.count
    first, last = (low - c, high - c) if sign > 0 else (c - high, c - low)
    start = first % modulus
    ends = [(start, start + last - first)]
    if ends[0][1] >= modulus:
        ends = [(start, modulus - 1), (0, ends[0][1] - modulus)]
    ratio = base.tail_ratio()
    assert ratio is not None
    parts: list[Real | Ball] = []
    around = 1 - ratio.ball() ** modulus if _is_long(base, modulus) else ONE - ratio**modulus
    for u, v in ends:
        parts.append(chance(base, ((u, v),)))
        # Numbers farther out leave it with probabilities that fall by the same factor each time.
        for far in (modulus, -modulus):
            inside = intersection(base.support(), ((u + far, v + far),))
            if inside:
                mass = chance(base, inside)
                if isinstance(mass, Real) and isinstance(around, Real):
                    parts.append(mass / around)
                else:
                    parts.append(_as_ball(mass) / _as_ball(around))
    if all(isinstance(part, Real) for part in parts):
        return add_up(part for part in parts if isinstance(part, Real))
    return sum(map(_as_ball, parts), Ball(0))


def _as_ball(number: Real | Ball) -> Ball:
    return number.ball() if isinstance(number, Real) else number


def _point(draw: WholeDraw, k: int) -> Real:
    if draw.kind == "geometric":
        return draw.parameter * (ONE - draw.parameter) ** k
    t = (-ONE / draw.parameter).exp()
    return (ONE - t) * t ** abs(k) / (ONE + t)


def _tail(draw: WholeDraw, k: int) -> Real:
    """Return P(Z ≥ k)."""
    if draw.kind == "geometric":
        return (ONE - draw.parameter) ** max(k, 0)
    t = (-ONE / draw.parameter).exp()
    if k >= 1:
        return t**k / (ONE + t)
    return ONE - t ** (1 - k) / (ONE + t)


_GUARD_BITS = 20
_MOST_TERMS = 1 << 20


def _discrete_gaussian_chance(sd: Real, support: tuple[tuple[int | None, int | None], ...]) -> Ball:
    """Return the probability that a discrete Gaussian draw lies in a support.

    It is a sum of e^(−k²/2σ²) in balls, with a bound of the rest.
    """
    bits = working_precision()
    with precision(bits + _GUARD_BITS):
        variance = (rational(2) * sd * sd).ball()
        far = math.ceil(float(sd) * (math.isqrt(2 * bits) + 4)) + 1
        if far > _MOST_TERMS:
            raise Refused(
                f"a discrete Gaussian draw of standard deviation {sd} needs a sum of more than "
                f"{far} terms, and the limit is {_MOST_TERMS}; use a smaller standard deviation",
                inside=False,
            )
        whole = _masses(variance, -far, far)
        beyond = _beyond(variance, far)
        inside = Ball(0)
        for low, high in support:
            first = -far if low is None else max(low, -far)
            last = far if high is None else min(high, far)
            if first <= last:
                inside += _masses(variance, first, last)
            if low is None or high is None or low < -far or high > far:
                inside += Ball(0).union(beyond)
        return inside / (whole + Ball(0).union(beyond))


def _masses(variance: Ball, first: int, last: int) -> Ball:
    return sum(((-ball(k * k) / variance).exp() for k in range(first, last + 1)), Ball(0))


def _beyond(variance: Ball, far: int) -> Ball:
    """Return a bound of Σ e^(−k²/2σ²) over |k| > far: a geometric series from the first on."""
    first = (-ball((far + 1) ** 2) / variance).exp()
    ratio = (-ball(2 * far + 3) / variance).exp()
    return 2 * first / (1 - ratio)
