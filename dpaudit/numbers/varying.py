"""Numbers that move with one parameter, on one piece of it: a value, a slope, and how far it goes.

On the piece c − h ≤ t ≤ c + h a :class:`Varying` stands for a function f(t) by a ball of f(c) and
one that contains every slope (f(t) − f(s))/(t − s) there.  So f(t) lies in f(c) + slope·[−h, h],
and its two cones at c are at most h times the width of the slopes apart: the square of h for what
is smooth.  A maximum has the slopes of all that may be the largest (it is Lipschitz, and slopes of
chords lie in the hull of its derivatives: Clarke 1983, Th. 2.3.7, Lebourg).

It takes the operations of :data:`~dpaudit.numbers.ball.Ball` and of
:class:`~dpaudit.numbers.real.Real`, so that what is written for numbers serves for functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.numbers.ball import Ball, ball
from dpaudit.numbers.closed_form import Real

__all__ = ["Varying", "fixed", "shares"]


@dataclass(frozen=True, slots=True, eq=False)
class Varying:
    """A function of the parameter on one piece.

    >>> t = Varying.parameter(Fraction(1), Fraction(2))
    >>> square = t * t
    >>> str(square.at_middle), bool(square.slope.contains(2) and square.slope.contains(4))
    ('2.25000000000000', True)
    """

    at_middle: Ball
    """Its value in the middle of the piece."""
    slope: Ball
    """The slopes of all its chords."""
    reach: Ball
    """The parameter less its middle: 0 ± h."""

    @classmethod
    def parameter(cls, low: Fraction, high: Fraction) -> Varying:
        """Return the parameter itself, from ``low`` to ``high``."""
        half = ball((high - low) / 2)
        return cls(ball((low + high) / 2), Ball(1), (-half).union(half))

    @property
    def range(self) -> Ball:
        """A ball of all its values."""
        return self.at_middle + self.slope * self.reach

    def _with(self, at_middle: Ball, slope: Ball) -> Varying:
        return Varying(at_middle, slope, self.reach)

    def __neg__(self) -> Varying:
        """Return −f."""
        return self._with(-self.at_middle, -self.slope)

    def __add__(self, other: Any) -> Varying:
        """Return f + g."""
        if isinstance(other, Varying):
            return self._with(self.at_middle + other.at_middle, self.slope + other.slope)
        return self._with(self.at_middle + fixed(other), self.slope)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Varying:
        """Return f − g."""
        if isinstance(other, Varying):
            return self._with(self.at_middle - other.at_middle, self.slope - other.slope)
        return self._with(self.at_middle - fixed(other), self.slope)

    def __rsub__(self, other: Any) -> Varying:
        """Return g − f for a number g."""
        return self._with(fixed(other) - self.at_middle, -self.slope)

    def __mul__(self, other: Any) -> Varying:
        """Return f·g."""
        if isinstance(other, Varying):
            return self._with(
                self.at_middle * other.at_middle,
                self.slope * other.range + self.range * other.slope,
            )
        times = fixed(other)
        return self._with(self.at_middle * times, self.slope * times)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Varying:
        """Return f/g."""
        if isinstance(other, Varying):
            quotient: Varying = self * other.reciprocal()
            return quotient
        by = fixed(other)
        return self._with(self.at_middle / by, self.slope / by)

    def __rtruediv__(self, other: Any) -> Varying:
        """Return g/f for a number g."""
        quotient: Varying = self.reciprocal() * other
        return quotient

    def __gt__(self, other: Any) -> bool:
        """Tell whether it is certainly larger all over the piece, as balls do."""
        return bool(self.range > (other.range if isinstance(other, Varying) else fixed(other)))

    def reciprocal(self) -> Varying:
        """Return 1/f."""
        squared = self.range * self.range
        return self._with(1 / self.at_middle, -self.slope / squared)

    def exp(self) -> Varying:
        """Return e^f."""
        return self._with(self.at_middle.exp(), self.slope * self.range.exp())

    def log(self) -> Varying:
        """Return ln f."""
        return self._with(self.at_middle.log(), self.slope / self.range)

    ln = log

    def sqrt(self) -> Varying:
        """Return √f."""
        return self._with(self.at_middle.sqrt(), self.slope / (2 * self.range.sqrt()))

    def lgamma(self) -> Varying:
        """Return lnΓ(f)."""
        return self._with(self.at_middle.lgamma(), self.slope * self.range.digamma())

    def max(self, other: Varying | Ball) -> Varying:
        """Return the larger of two at every place."""
        if not isinstance(other, Varying):
            other = self._with(other, Ball(0))
        if self > other:
            return self
        if other > self:
            return other
        return self._with(self.at_middle.max(other.at_middle), self.slope.union(other.slope))

    def min(self, other: Varying | Ball) -> Varying:
        """Return the smaller of two at every place."""
        return -(-self).max(-other)

    def ball(self) -> Varying:
        """Return itself: what asks for a ball gets what varies."""
        return self

    def lower(self) -> Ball:
        """Return an exact number that it is nowhere below."""
        return self.range.lower()

    def upper(self) -> Ball:
        """Return an exact number that it is nowhere above."""
        return self.range.upper()

    def is_finite(self) -> bool:
        """Tell whether value and slopes are known."""
        return bool(self.at_middle.is_finite() and self.slope.is_finite())


def fixed(number: Any) -> Ball:
    """Return the ball of a number that does not move."""
    if isinstance(number, Ball):
        return number
    return number.ball() if isinstance(number, Real) else ball(number)


_PASSES = 2
"""Number of passes in which ranges and slopes of shares narrow each other."""


def shares(logs: Sequence[Varying]) -> list[Varying]:
    """Return e^f_i/Σ e^f_j for functions f_i on one piece.

    The slope of ln p_i is f_i′ − Σ p_j·f_j′, a mean of slopes, so that what f_i and the sum have in
    common cancels before anything is rounded.  The mean is first taken to be anywhere among the
    slopes; every pass then has narrower p_j, about a centre, as the p_j add up to 1.

    >>> t = Varying.parameter(Fraction(1), Fraction(2))
    >>> first, second = shares([t, t + 1])
    >>> bool((first.at_middle * (1 + Ball(1).exp())).contains(1)), float(first.slope.rad()) < 1e-9
    (True, True)
    """
    reach = logs[0].reach
    weights = [one.at_middle.exp() for one in logs]
    total = sum(weights, Ball(0))
    at_middle = [weight / total for weight in weights]
    centre = sum((p * one.slope for p, one in zip(at_middle, logs, strict=True)), Ball(0)).mid()
    off = [one.slope - centre for one in logs]
    mean = off[0]
    for one in off[1:]:
        mean = mean.union(one)
    for _ in range(_PASSES):
        ranges = [
            p * ((slope - mean) * reach).exp() for p, slope in zip(at_middle, off, strict=True)
        ]
        mean = sum((p * slope for p, slope in zip(ranges, off, strict=True)), Ball(0))
    found = []
    for p, slope in zip(at_middle, off, strict=True):
        logarithmic = slope - mean
        found.append(Varying(p, p * (logarithmic * reach).exp() * logarithmic, reach))
    return found
