"""Functions that are polynomial × exponential between breakpoints, as functions of balls."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.laws.analytic import FarOut, Shape, Unsettled
from dpaudit.laws.evaluation import leading
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, ball
from dpaudit.numbers.quadrature import ComplexBall, complex_ball
from dpaudit.numbers.real import ZERO, Real, rational

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.piecewise import Piece, Piecewise

__all__ = ["LineShape", "written"]

_FAR = 64
"""Largest number of doublings of a distance."""


@dataclass(frozen=True)
class LineShape(Shape):
    """A function Σ c·y^k·e^(r·y) of y = λx on each piece, with λ the rate."""

    function: Piecewise
    rate: Real

    @property
    def breaks(self) -> tuple[Fraction, ...]:
        return self.function.breaks

    def around(self, point: Fraction) -> Callable[[ComplexBall], ComplexBall] | None:
        piece = self.function.pieces[bisect_right(self.function.breaks, point)]
        return written(piece, self.rate) if piece else None

    def reach(self, bits: int) -> tuple[Fraction, Fraction, Ball]:
        most = Ball(2) ** -(bits + 4)
        ends, beyond = [], Ball(0)
        breaks = self.function.breaks or (Fraction(0),)
        for start, side in ((breaks[0], -1), (breaks[-1], 1)):
            step = Fraction(1)
            for _ in range(_FAR):
                end = start + side * step
                outer = (None, end) if side < 0 else (end, None)
                mass = self.function.integral(*outer).ball(self.rate)
                if balls.certainly_less_or_equal(mass, most):
                    break
                step *= 2
            ends.append(end)
            beyond += mass.max(Ball(0))
        return ends[0], ends[1], beyond

    def far_out(self, side: int, start: Fraction) -> list[FarOut]:
        piece = self.function.pieces[0 if side < 0 else -1]
        if not piece:
            return []
        k, r = leading(piece, side)
        scale = self.rate.ball()
        y = scale * ball(abs(start))
        total = piece[k, r].ball(self.rate)
        for (power, other), c in piece.items():
            if (power, other) == (k, r):
                continue
            falls = ball(abs(r - other)) * y
            if not balls.certainly_less_or_equal(Ball(power - k), falls):
                raise Unsettled
            size = abs(c.ball(self.rate)) * balls.integer_power(y, power - k) * (-falls).exp()
            total += size.union(-size)
        total *= balls.integer_power(scale, k) * (-1 if side < 0 and k % 2 else 1)
        return [FarOut(ZERO, rational(r) * self.rate, k, total)]


def written(
    piece: Piece, rate: Real, times: Ball | int = 1
) -> Callable[[ComplexBall], ComplexBall]:
    """Return a piece of such a function, times a constant, as one of complex balls."""
    scale = rate.ball()
    terms = [(k, ball(r) * scale, c.ball(rate) * times) for (k, r), c in piece.items()]

    def value(z: ComplexBall) -> ComplexBall:
        total = complex_ball(Ball(0))
        for k, r, c in terms:
            total += (r * z).exp() * c * (scale * z) ** k if k else (r * z).exp() * c
        return total

    return value
