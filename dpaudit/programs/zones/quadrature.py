"""Probabilities that have no closed form, in balls: trees with Gaussian draws.

The unknown at the root is integrated over, between the points where any factor changes its formula;
a Gaussian leaf contributes a distribution function, a subtree of other noise its exact piecewise
form, and any other subtree an integral of its own.  Few comparisons of Gaussian draws alone need no
integral of an integral (:mod:`dpaudit.programs.zones.orthants`).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.laws.line_shapes import written
from dpaudit.numbers.ball import Ball, ball, pi_ball, precision, working_precision
from dpaudit.numbers.quadrature import (
    ComplexBall,
    complex_ball,
    integrate,
    integrate_between,
    normal_below,
)
from dpaudit.programs.zones.orthants import MOST_COMPARISONS, comparisons, orthants
from dpaudit.programs.zones.trees import factor, function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dpaudit.numbers.piecewise import Piecewise
    from dpaudit.numbers.real import Real
    from dpaudit.programs.zones.trees import End, Link, Tree

__all__ = ["Density", "density", "integral"]

_GUARD_BITS = 20


class _Factor(NamedTuple):
    """A function of one real number that is entire between its breakpoints."""

    breaks: tuple[Fraction, ...]
    at: Callable[[Fraction], Callable[[ComplexBall], ComplexBall]]
    """Gives the entire function that holds around a number that is no breakpoint."""


def integral(tree: Tree, rate: Real) -> Ball:
    """Return the probability of a tree with Gaussian draws, where λ is ``rate``."""
    return _integral(tree, rate, working_precision())


@lru_cache(maxsize=1 << 12)
def _integral(tree: Tree, rate: Real, bits: int) -> Ball:
    with precision(bits + _GUARD_BITS):
        compared = _as_orthants(tree)
        if compared is not None:
            return compared
        factors = _links(tree.children, rate)
        root = _root(tree, rate)
        low, high, missing = _ends(tree, rate, bits)
        found = _over([root, *factors], low, high)
        return found + missing


class Density(NamedTuple):
    """The density of the root of a tree, where its own ends do not cut it."""

    tree: Tree
    rate: Real
    factors: tuple[_Factor, ...]

    def at(self, point: Fraction) -> Callable[[ComplexBall], ComplexBall]:
        """Return the entire function that holds around a number that is no breakpoint."""
        return _together(self.factors, point)

    def ends(self, bits: int) -> tuple[Fraction, Fraction, Ball]:
        """Return two numbers between which nearly all mass lies, and a ball of the rest."""
        return _ends(self.tree, self.rate, bits)


def density(tree: Tree, rate: Real) -> Density:
    """Return the density of the root, times the probability of what hangs on it."""
    return Density(tree, rate, (_root(tree, rate), *_links(tree.children, rate)))


def _as_orthants(tree: Tree) -> Ball | None:
    """Return the probability of Gaussian draws where that is cheaper without eliminating any."""
    if not _all_gaussian(tree):
        return None
    found, variances = comparisons(tree)
    nested = any(link.tree.children for link in tree.children)
    if len(found) > MOST_COMPARISONS or (len(found) == MOST_COMPARISONS and not nested):
        return None
    return orthants(found, variances)


def _over(factors: list[_Factor], low: Fraction, high: Fraction) -> Ball:
    """Return the integral of a product between two numbers, piece by piece."""
    inner = {point for one in factors for point in one.breaks if low < point < high}
    points = [low, *sorted(inner), high]
    total = Ball(0)
    for left, right in itertools.pairwise(points):
        total += integrate(_together(factors, (left + right) / 2), ball(left), ball(right))
    return total


def _together(factors: Sequence[_Factor], point: Fraction) -> Callable[[ComplexBall], ComplexBall]:
    """Return the product of the entire functions that hold around a point."""
    parts = [one.at(point) for one in factors]

    def value(z: ComplexBall) -> ComplexBall:
        found = parts[0](z)
        for part in parts[1:]:
            found *= part(z)
        return found

    return value


def _is_gaussian(tree: Tree) -> bool:
    return tree.leaf.kind == "gaussian"


def _all_gaussian(tree: Tree) -> bool:
    return _is_gaussian(tree) and all(_all_gaussian(link.tree) for link in tree.children)


def _has_gaussian(tree: Tree) -> bool:
    return _is_gaussian(tree) or any(_has_gaussian(link.tree) for link in tree.children)


def _root(tree: Tree, rate: Real) -> _Factor:
    """Return the density of the root with respect to x."""
    if _is_gaussian(tree):
        return _Factor((), lambda _: _gaussian_density(tree.leaf.rate))
    alone = tree._replace(low=(), high=(), children=())
    return _piecewise(function(alone), rate, rate.ball())


def _gaussian_density(rate: Fraction) -> Callable[[ComplexBall], ComplexBall]:
    height = ball(rate) / (2 * pi_ball()).sqrt()
    half = ball(rate * rate / 2)
    return lambda z: (-half * z * z).exp() * height


def _ends(tree: Tree, rate: Real, bits: int) -> tuple[Fraction, Fraction, Ball]:
    """Return between which numbers to integrate, and a ball of what lies beyond."""
    leaf = tree.leaf
    if _is_gaussian(tree):
        far = Fraction(math.isqrt(2 * bits) + 2) / abs(leaf.rate)
        tail = (ball(far * leaf.rate) / Ball(2).sqrt()).erfc()
    elif leaf.kind == "uniform":
        far, tail = max(map(abs, leaf.ends)), Ball(0)
    else:
        steps = Fraction(bits + 2)  # each step of one scale takes a factor e
        far = steps / abs(leaf.rate) / Fraction(max(1, math.floor(float(rate) * 1024)), 1024)
        tail = (-ball(far * abs(leaf.rate)) * rate.ball()).exp()
    low, high = -far, far
    low = max(low, tree.low[0]) if tree.low else low
    high = min(high, tree.high[0]) if tree.high else high
    low, high = min(low, far), max(high, -far)
    return (low, max(low, high), Ball(0).union(tail))


def _piecewise(given: Piecewise, rate: Real, times: Ball) -> _Factor:
    """Return a piecewise function of y = λx, times a constant, as one of x."""

    def at(point: Fraction) -> Callable[[ComplexBall], ComplexBall]:
        index = sum(1 for one in given.breaks if one <= point)
        return written(given.pieces[index], rate, times)

    return _Factor(given.breaks, at)


def _links(links: tuple[Link, ...], rate: Real) -> list[_Factor]:
    """Return the factors of all subtrees; those that are alike are computed once at each point."""
    return [_power(_link(link, rate), count) for link, count in Counter(links).items()]


def _power(one: _Factor, count: int) -> _Factor:
    if count == 1:
        return one

    def at(point: Fraction) -> Callable[[ComplexBall], ComplexBall]:
        value = one.at(point)

        def power(z: ComplexBall) -> ComplexBall:
            once = value(z)
            found = once
            for _ in range(count - 1):
                found = found * once
            return found

        return power

    return _Factor(one.breaks, at)


def _link(link: Link, rate: Real) -> _Factor:
    """Return y ↦ ∫ F(x)·1[low < x − y < high] dx."""
    tree = link.tree
    if not _has_gaussian(tree):
        return _piecewise(factor(link), rate, Ball(1))
    if tree.children or not _is_gaussian(tree):
        return _nested(link, rate)

    def at(point: Fraction) -> Callable[[ComplexBall], ComplexBall]:
        low = _later(tree.low, link.low, point, max)
        high = _later(tree.high, link.high, point, min)
        if low is not None and high is not None and low.at(point) >= high.at(point):
            return lambda z: complex_ball(Ball(0))
        slope = ball(tree.leaf.rate)

        def value(z: ComplexBall) -> ComplexBall:
            one = complex_ball(Ball(1))
            if low is None:
                return one if high is None else normal_below(high.of(z) * slope)
            if high is None:
                return normal_below(-low.of(z) * slope)
            return normal_below(high.of(z) * slope) - normal_below(low.of(z) * slope)

        return value

    return _Factor(tuple(sorted(_crossings(link))), at)


class _Line(NamedTuple):
    """y ↦ y + shift, or a constant."""

    moves: bool
    shift: Fraction

    def at(self, y: Fraction) -> Fraction:
        return self.shift + y if self.moves else self.shift

    def of(self, z: ComplexBall) -> ComplexBall:
        return z + ball(self.shift) if self.moves else complex_ball(ball(self.shift))


def _later(
    own: End, linked: End, y: Fraction, choose: Callable[[Iterable[Fraction]], Fraction]
) -> _Line | None:
    """Return which of the ends counts near ``y``."""
    lines = [_Line(False, end) for end in own] + [_Line(True, end) for end in linked]
    if not lines:
        return None
    best = choose(line.at(y) for line in lines)
    return next(line for line in lines if line.at(y) == best)


def _crossings(link: Link) -> set[Fraction]:
    """Return where an end of the leaf itself meets one that moves."""
    own = (*link.tree.low, *link.tree.high)
    return {end - shift for end in own for shift in (*link.low, *link.high)}


def _nested(link: Link, rate: Real) -> _Factor:
    """Return y ↦ ∫ F(x)·1[low < x − y < high] dx as an integral of its own for each y.

    Between two breakpoints of y the breakpoints of F that lie inside are the same; an end that
    moves with y is reached from the last of them, where F is entire.
    """
    tree = link.tree
    inner = [_root(tree, rate), *_links(tree.children, rate)]
    kinks = sorted({point for one in inner for point in one.breaks})
    first, last, missing = _ends(tree._replace(low=(), high=()), rate, working_precision())
    fixed = {*kinks, *tree.low, *tree.high, first, last}
    breaks = {point - shift for point in fixed for shift in (*link.low, *link.high)}

    def at(point: Fraction) -> Callable[[ComplexBall], ComplexBall]:
        low = _later(tree.low, link.low, point, max) or _Line(False, first)
        high = _later(tree.high, link.high, point, min) or _Line(False, last)
        left, right = low.at(point), high.at(point)
        if left >= right:  # nothing, or a part of what lies beyond the ends
            return lambda z: complex_ball(missing)
        points = [left, *(one for one in kinks if left < one < right), right]
        pieces = [_together(inner, (a + b) / 2) for a, b in itertools.pairwise(points)]
        between = Ball(0) if link.low and link.high else missing
        for piece, a, b in zip(pieces[1:-1], points[1:-2], points[2:-1], strict=True):
            between += integrate(piece, ball(a), ball(b))

        def value(z: ComplexBall) -> ComplexBall:
            if len(pieces) == 1:
                return integrate_between(pieces[0], low.of(z), high.of(z)) + between
            below = integrate_between(pieces[0], low.of(z), complex_ball(ball(points[1])))
            above = integrate_between(pieces[-1], complex_ball(ball(points[-2])), high.of(z))
            return below + above + between

        return value

    return _Factor(tuple(sorted(breaks)), at)
