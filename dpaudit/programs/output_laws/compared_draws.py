"""Densities of one draw that is given out and compared with others, some of them Gaussian.

With X at the root of a tree of comparisons the density is f(x)·Π over links of the probability that
the subtree lies where X = x lets it: a distribution function for one draw, an integral for more.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.laws.analytic import FarOut, Shape, Unsettled
from dpaudit.laws.line_shapes import LineShape
from dpaudit.laws.mixed import excess_of_parts, peak_of_parts
from dpaudit.laws.parts import Part
from dpaudit.numbers.ball import Ball, ball, pi_ball
from dpaudit.numbers.real import ZERO, Real, rational
from dpaudit.programs.zones.quadrature import density, integral
from dpaudit.programs.zones.trees import Link, Tree, factor, function

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.laws.suprema import Peak
    from dpaudit.numbers.quadrature import ComplexBall

__all__ = ["ComparedPart"]


@dataclass(frozen=True)
class ComparedPart(Part):
    """The density of a·X + c for the root X of a tree of comparisons, with λ the rate."""

    tree: Tree
    rate: Real
    a: Fraction
    c: Fraction

    def mass(self) -> Ball:
        return integral(self.tree, self.rate)

    def peak(self, other: Part) -> Peak:
        return peak_of_parts(self, other)

    def excess(self, other: Part, factor: Ball) -> Ball:
        return excess_of_parts(self, other, factor)

    def shape(self) -> Shape:
        return _Moved(_TreeShape(self.tree, self.rate), self.a, self.c)


class _TreeShape(Shape):
    """The density of the root of a tree, cut where it may lie."""

    def __init__(self, tree: Tree, rate: Real) -> None:
        self.tree, self.rate = tree, rate
        self.density = density(tree, rate)

    @property
    def breaks(self) -> tuple[Fraction, ...]:
        inner = {x for one in self.density.factors for x in one.breaks}
        return tuple(sorted(inner.union(self.tree.low, self.tree.high)))

    def around(self, point: Fraction) -> Callable[[ComplexBall], ComplexBall] | None:
        tree = self.tree
        if (tree.low and point < tree.low[0]) or (tree.high and point > tree.high[0]):
            return None
        return self.density.at(point)

    def reach(self, bits: int) -> tuple[Fraction, Fraction, Ball]:
        return self.density.ends(bits)

    def far_out(self, side: int, start: Fraction) -> list[FarOut]:
        tree = self.tree
        if tree.low if side < 0 else tree.high:
            return []
        if tree.leaf.kind == "gaussian":
            total = [_normal_far_out(abs(tree.leaf.rate))]
        else:
            alone = function(tree._replace(low=(), high=(), children=()))
            total = LineShape(alone, self.rate).far_out(side, start)
        for link in tree.children:
            if not total:
                return []
            total = _times(total[0], _link_far_out(link, self.rate, side, start))
        return total


def _times(one: FarOut, others: list[FarOut]) -> list[FarOut]:
    return [
        FarOut(
            one.square + other.square,
            one.line + other.line,
            one.power + other.power,
            one.factor * other.factor,
        )
        for other in others
    ]


def _normal_far_out(rate: Fraction) -> FarOut:
    height = ball(rate) / (2 * pi_ball()).sqrt()
    return FarOut(rational(rate * rate / 2), ZERO, 0, height)


def _link_far_out(link: Link, rate: Real, side: int, start: Fraction) -> list[FarOut]:
    """Return how the probability of one subtree falls, or what it tends to."""
    leaf = link.tree
    if leaf.leaf.kind != "gaussian":
        if _has_gaussian(leaf):
            raise Unsettled
        return LineShape(factor(link), rate).far_out(side, start)
    if leaf.children or leaf.low or leaf.high or (link.low and link.high):
        raise Unsettled
    scale = abs(leaf.leaf.rate)
    (shift,) = link.low or link.high
    steps = (start + shift) * scale * side
    if steps <= 1:
        raise Unsettled
    # The leaf is below x + high, or above x + low: certain far out on one side, rare on the other.
    tail = (ball(steps) / Ball(2).sqrt()).erfc() / 2
    if bool(link.high) == (side > 0):
        return [FarOut(ZERO, ZERO, 0, (1 - tail).union(Ball(1)))]
    # Mills: φ(t)/t·t²/(1 + t²) < Φ(−t) < φ(t)/t, with t = scale·|x + shift|.
    least = ball(steps * steps) / ball(1 + steps * steps)
    near = ball(abs(start) / abs(start + shift)).union(Ball(1))
    height = (-ball(scale * scale * shift * shift / 2)).exp() / (
        ball(scale) * (2 * pi_ball()).sqrt()
    )
    return [
        FarOut(
            rational(scale * scale / 2),
            rational(-scale * scale * shift),
            -1,
            height * near * least.union(Ball(1)),
        )
    ]


def _has_gaussian(tree: Tree) -> bool:
    return tree.leaf.kind == "gaussian" or any(_has_gaussian(link.tree) for link in tree.children)


class _Moved(Shape):
    """The density of a·X + c."""

    def __init__(self, inner: Shape, a: Fraction, c: Fraction) -> None:
        self.inner, self.a, self.c = inner, a, c

    @property
    def breaks(self) -> tuple[Fraction, ...]:
        return tuple(sorted(self.a * x + self.c for x in self.inner.breaks))

    def around(self, point: Fraction) -> Callable[[ComplexBall], ComplexBall] | None:
        found = self.inner.around((point - self.c) / self.a)
        if found is None:
            return None
        if self.a == 1 and self.c == 0:
            return found
        factor, shift, height = ball(1 / self.a), ball(self.c), ball(1 / abs(self.a))
        return lambda z: found((z - shift) * factor) * height

    def reach(self, bits: int) -> tuple[Fraction, Fraction, Ball]:
        low, high, beyond = self.inner.reach(bits)
        ends = sorted((self.a * low + self.c, self.a * high + self.c))
        return ends[0], ends[1], beyond

    def far_out(self, side: int, start: Fraction) -> list[FarOut]:
        inner = (start - self.c) / self.a
        own = side if self.a > 0 else -side
        if inner * own <= 0 or start * side <= 0:
            raise Unsettled
        return [self._far_out(one, start) for one in self.inner.far_out(own, inner)]

    def _far_out(self, one: FarOut, start: Fraction) -> FarOut:
        """Return κ·|y|^k·exp(−s·y² + r·y) for y = (x − c)/a as one of x."""
        a, c = rational(self.a), rational(self.c)
        square = one.square / (a * a)
        line = one.line / a + rational(2) * square * c
        rest = -(square * c * c + one.line * c / a).ball()
        # |y|^k = |x|^k·|1 − c/x|^k/|a|^k, and 1 − c/x tends to 1.
        near = ball(abs(1 - self.c / start)).union(Ball(1))
        power = near**one.power if one.power >= 0 else 1 / near**-one.power
        size = ball(abs(self.a) ** (-one.power - 1))
        return FarOut(square, line, one.power, one.factor * rest.exp() * power * size)
