"""Orthant probabilities of few Gaussian comparisons, as one-dimensional integrals.

Comparisons of sums of independent Gaussian draws with numbers say that normal variables with unit
variances and correlations ρ_ij lie below numbers h_i.  Along R(t) = I + t·(R − I) the probability
changes by (Plackett 1954)

    d/dt Φ(h; R(t)) = Σ_{i<j} ρ_ij·φ₂(h_i, h_j; t·ρ_ij)·P(the others below | X_i = h_i, X_j = h_j),

and at t = 0 it is a product.  With at most three comparisons the last factor is 1 or a distribution
function, whatever tree the comparisons make, where eliminating one draw after another would nest
integrals.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.numbers.ball import Ball, ball, pi_ball
from dpaudit.numbers.quadrature import complex_ball, integrate, normal_below

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.numbers.quadrature import ComplexBall
    from dpaudit.programs.zones.trees import End, Tree

__all__ = ["MOST_COMPARISONS", "comparisons", "orthants"]

MOST_COMPARISONS = 3
"""More comparisons would need integrals of integrals."""


class Comparison(NamedTuple):
    """A sum of draws that lies between two ends."""

    factors: tuple[tuple[int, int], ...]
    """Node → factor."""
    low: End
    high: End


class _Below(NamedTuple):
    """A sum of draws that lies below a number."""

    factors: dict[int, int]
    bound: Fraction


def comparisons(tree: Tree) -> tuple[list[Comparison], list[Fraction]]:
    """Return all comparisons of a tree, and the variances of its draws, numbered from the root."""
    found: list[Comparison] = []
    variances: list[Fraction] = []

    def visit(tree: Tree) -> int:
        node = len(variances)
        variances.append(1 / tree.leaf.rate**2)
        if tree.low or tree.high:
            found.append(Comparison(((node, 1),), tree.low, tree.high))
        for link in tree.children:
            child = visit(link.tree)
            if link.low or link.high:
                found.append(Comparison(((child, 1), (node, -1)), link.low, link.high))
        return node

    visit(tree)
    return found, variances


def orthants(given: Sequence[Comparison], variances: Sequence[Fraction]) -> Ball | None:
    """Return the probability of at most three comparisons of Gaussian draws.

    None where the sums that are compared depend on one another linearly.
    """
    total = Ball(0)
    for sides in itertools.product(*map(_sides, given)):
        sign = prod(side[0] for side in sides)
        one = _orthant([side[1] for side in sides], variances)
        if one is None:
            return None
        total += sign * one
    return total


def _sides(given: Comparison) -> Iterator[tuple[int, _Below]]:
    """Return comparisons with one number whose probabilities, with these signs, add up to it."""
    factors = dict(given.factors)
    if given.high:
        yield 1, _Below(factors, given.high[0])
        if given.low:
            yield -1, _Below(factors, given.low[0])
    else:
        yield 1, _Below({node: -a for node, a in factors.items()}, -given.low[0])


def _orthant(given: Sequence[_Below], variances: Sequence[Fraction]) -> Ball | None:
    count = range(len(given))
    covariance = [
        [
            sum((a * right.factors.get(v, 0) * variances[v] for v, a in left.factors.items()),
                Fraction(0))
            for right in given
        ]
        for left in given
    ]  # fmt: skip
    if _determinant(covariance) <= 0:
        return None
    lengths = [ball(covariance[i][i]).sqrt() for i in count]
    bounds = [ball(one.bound) / length for one, length in zip(given, lengths, strict=True)]
    total = Ball(1)
    for bound in bounds:
        total *= normal_below(complex_ball(bound)).real
    rho = {
        (i, j): ball(covariance[i][j]) / (lengths[i] * lengths[j])
        for i in count
        for j in count
        if covariance[i][j]
    }
    for i, j in itertools.combinations(count, 2):
        if (i, j) in rho:
            total += _change(i, j, bounds, rho)
    return total


def _determinant(matrix: list[list[Fraction]]) -> Fraction:
    if not matrix:
        return Fraction(1)
    first, *rest = matrix
    return sum(
        (
            (-1) ** place
            * entry
            * _determinant([[*row[:place], *row[place + 1 :]] for row in rest])
            for place, entry in enumerate(first)
        ),
        Fraction(0),
    )


def _change(i: int, j: int, bounds: Sequence[Ball], rho: dict[tuple[int, int], Ball]) -> Ball:
    """Return by how much one correlation changes the probability, from t = 0 to t = 1."""
    x, y, between = bounds[i], bounds[j], rho[i, j]
    height = between / (2 * pi_ball())
    squares, mixed = (x * x + y * y) / 2, x * y
    others = [k for k in range(len(bounds)) if k not in (i, j)]

    def value(t: ComplexBall) -> ComplexBall:
        r = t * between
        free = 1 - r * r
        found = height * ((r * mixed - squares) / free).exp() / free.sqrt(analytic=True)
        for k in others:
            p, q = t * rho.get((i, k), Ball(0)), t * rho.get((j, k), Ball(0))
            # given X_i = x and X_j = y, X_k has this mean and variance, both times 1 − r²
            mean = (p - r * q) * x + (q - r * p) * y
            spread = free - p * p - q * q + 2 * r * p * q
            found *= normal_below((bounds[k] * free - mean) / (free * spread).sqrt(analytic=True))
        return found

    return integrate(value, Ball(0), Ball(1))
