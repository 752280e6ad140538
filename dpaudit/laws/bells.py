"""Gaussian densities of one number, whole or between two ends."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.errors import LawError
from dpaudit.laws.analytic import FarOut, Shape
from dpaudit.laws.parts import Part
from dpaudit.laws.suprema import Peak
from dpaudit.numbers.ball import Ball, Sign, ball, infinite_ball, pi_ball
from dpaudit.numbers.normal import normal_cdf
from dpaudit.numbers.real import ONE, Real, order, rational

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.quadrature import ComplexBall

__all__ = ["Bell", "excess_of_shift"]


@dataclass(frozen=True)
class Bell(Part):
    """A Gaussian density of a mean and a variance, 0 outside of its ends."""

    mean: Fraction
    variance: Real
    low: Fraction | None = None
    """The least number that is given out; None for no end."""
    high: Fraction | None = None

    @property
    def rate(self) -> Real:
        """Return 1/v, in which its ratio to a mixture of one variance is written."""
        return ONE / self.variance

    def mass(self) -> Ball:
        if self.low is None and self.high is None:
            return Ball(1)
        return self._between(self.low, self.high)

    def _between(self, low: Fraction | Ball | None, high: Fraction | Ball | None) -> Ball:
        """Return the mass between two numbers, from the tail that is smaller."""
        width = self.variance.ball().sqrt()

        def at(x: Fraction | Ball) -> Ball:
            return ((x if isinstance(x, Ball) else ball(x)) - ball(self.mean)) / width

        ends = [None if end is None else at(end) for end in (low, high)]
        if ends[0] is not None and float(ends[0].mid()) > 0:
            # Φ(b) − Φ(a) = Φ(−a) − Φ(−b), without cancellation above the mean
            ends = [None if end is None else -end for end in ends[::-1]]
        first = Ball(0) if ends[0] is None else normal_cdf(ends[0])
        return (Ball(1) if ends[1] is None else normal_cdf(ends[1])) - first

    def peak(self, other: Part) -> Peak:
        """Return the largest log ratio: of one variance and two means it is at an end."""
        q = self._like(other)
        if (self.low, self.high) != (None, None) or (q.low, q.high) != (None, None):
            return self._peak_between(q)
        found = order(self.variance, q.variance)
        if found in (Sign.POSITIVE, Sign.ZERO):
            where = "x -> inf" if self.mean >= q.mean else "x -> -inf"
            return Peak(infinite_ball(), None, where)
        gap = q.variance.ball() - self.variance.ball()
        moved = ball((self.mean - q.mean) ** 2)
        value = (q.variance.ball() / self.variance.ball()).log() / 2 + moved / (2 * gap)
        above = rational(self.mean) * q.variance - rational(q.mean) * self.variance
        mean = above / (q.variance - self.variance)
        return Peak(value, None, f"x = {float(mean):.12g}")

    def _peak_between(self, q: Bell) -> Peak:
        """Return the largest log ratio where an end cuts one of the densities."""
        self._check_width(q)
        if q.low is not None and (self.low is None or self.low < q.low):
            return Peak(infinite_ball(), None, f"x < {float(q.low):.12g}")
        if q.high is not None and (self.high is None or self.high > q.high):
            return Peak(infinite_ball(), None, f"x > {float(q.high):.12g}")
        end = self.high if self.mean >= q.mean else self.low
        if self.mean == q.mean:
            end = self.low if self.high is None else self.high
        if end is None:
            return Peak(infinite_ball(), None, "x -> inf" if self.mean >= q.mean else "x -> -inf")
        squares = (end - q.mean) ** 2 - (end - self.mean) ** 2
        value = (rational(squares) / (rational(2) * self.variance)).ball()
        return Peak(value, None, f"x = {float(end):.12g}")

    def excess(self, other: Part, factor: Ball) -> Ball | None:
        """Return the mass over (Balle and Wang 2018, Theorem 8); None for two variances."""
        q = self._like(other)
        cut = (self.low, self.high, q.low, q.high) != (None,) * 4
        if self.variance != q.variance:
            if cut:
                self._check_width(q)
            return None
        if cut:
            return self._excess_between(q, factor)
        mu = ball(abs(self.mean - q.mean)) / self.variance.ball().sqrt()
        return excess_of_shift(mu, factor)

    def _excess_between(self, q: Bell, factor: Ball) -> Ball:
        """Return the mass over between the ends of both, and all of it elsewhere.

        The loss is linear, so that it is above ln(factor) on one side of a number.
        """
        lows = [end for end in (self.low, q.low) if end is not None]
        highs = [end for end in (self.high, q.high) if end is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        if low is not None and high is not None and low >= high:
            return self.mass()
        inside = self._between(low, high)
        outside = (self.mass() - inside).max(Ball(0))
        if self.mean == q.mean:
            return outside + ((1 - factor) * inside).max(Ball(0))
        change = self.variance.ball() * factor.log() / ball(self.mean - q.mean)
        turn = ball((self.mean + q.mean) / 2) + change
        first: Fraction | Ball | None = low
        last: Fraction | Ball | None = high
        if low is not None:
            turn = turn.max(ball(low))
        if high is not None:
            turn = turn.min(ball(high))
        if self.mean > q.mean:
            first = turn
        else:
            last = turn
        above = self._between(first, last) - factor * q._between(first, last)
        return outside + above.max(Ball(0))

    def shape(self) -> Shape:
        return _BellShape(self)

    def squared_shift(self, other: Part) -> Real | None:
        if not isinstance(other, Bell) or self.variance != other.variance:
            return None
        if (self.low, self.high, other.low, other.high) != (None,) * 4:
            return None
        return rational((self.mean - other.mean) ** 2) / self.variance

    def _check_width(self, other: Bell) -> None:
        if self.variance != other.variance:
            raise LawError(
                "the program returns normal noise only above or below a threshold, and its "
                "standard deviation differs between two datasets; dpaudit cannot compare these"
            )

    def _like(self, other: Part) -> Bell:
        if not isinstance(other, Bell):
            raise LawError("dpaudit cannot compare a Gaussian density with one of another form")
        return other


class _BellShape(Shape):
    def __init__(self, bell: Bell) -> None:
        self.bell = bell

    @property
    def breaks(self) -> tuple[Fraction, ...]:
        return tuple(end for end in (self.bell.low, self.bell.high) if end is not None)

    def around(self, point: Fraction) -> Callable[[ComplexBall], ComplexBall] | None:
        bell = self.bell
        if (bell.low is not None and point < bell.low) or (
            bell.high is not None and point > bell.high
        ):
            return None
        half, height, mean = -1 / (2 * bell.variance.ball()), self._height(), ball(bell.mean)
        return lambda z: ((z - mean) * (z - mean) * half).exp() * height

    def _height(self) -> Ball:
        return 1 / (2 * pi_ball() * self.bell.variance.ball()).sqrt()

    def reach(self, bits: int) -> tuple[Fraction, Fraction, Ball]:
        bell = self.bell
        steps = math.isqrt(2 * bits) + 3
        far = Fraction(steps * math.ceil(float(bell.variance.ball().sqrt()) * 1024), 1024)
        low, high = bell.mean - far, bell.mean + far
        low = low if bell.low is None else min(max(low, bell.low), high)
        high = high if bell.high is None else max(min(high, bell.high), low)
        return low, high, 2 * normal_cdf(Ball(-steps))

    def far_out(self, side: int, start: Fraction) -> list[FarOut]:
        bell = self.bell
        if (bell.low if side < 0 else bell.high) is not None:
            return []
        square, line = ONE / (rational(2) * bell.variance), rational(bell.mean) / bell.variance
        height = self._height() * (-square.ball() * ball(bell.mean**2)).exp()
        return [FarOut(square, line, 0, height)]


def excess_of_shift(mu: Ball, factor: Ball) -> Ball:
    """Return ∫ (p − factor·q)₊ for two Gaussian densities, mu > 0 standard deviations apart."""
    at = factor.log() / mu
    return normal_cdf(mu / 2 - at) - factor * normal_cdf(-mu / 2 - at)
