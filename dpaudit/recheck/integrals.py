"""Integrals over the line of Laplace densities and what depends on them, by Gauss's rule.

Between two knots such an integrand is an entire function.  Left of the first knot, and right of the
last, it is a polynomial in u = e^(−r·distance) without a constant term, so that the rule is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from mpmath import mp, mpf
from mpmath.calculus.quadrature import GaussLegendre

from dpaudit.recheck.findings import UnknownDefinitionError
from dpaudit.recheck.numbers import fraction

__all__ = [
    "Nodes",
    "Printed",
    "ThresholdIntegrals",
    "laplace_above",
    "laplace_below",
    "laplace_density",
    "nodes",
]

Nodes = list[tuple[mpf, mpf]]
"""Places and weights."""

Printed = tuple[tuple[int, str], ...]
"""(answer of a query, what is printed for it); sorted, since the probability has no order."""

_Kind = tuple[frozenset[int], int]
"""The set of answers among some queries, and the number of these queries."""

_MOST_KEPT = 20_000
_MOST_NODES = 800


def laplace_density(rate: mpf, z: mpf) -> mpf:
    """Return the density at ``z``."""
    return rate * mp.exp(-rate * abs(z)) / 2


def laplace_below(rate: mpf, z: mpf) -> mpf:
    """Return P(noise < z)."""
    tail = mp.exp(-rate * abs(z)) / 2
    return tail if z < 0 else 1 - tail


def laplace_above(rate: mpf, z: mpf) -> mpf:
    """Return P(noise > z)."""
    return laplace_below(rate, -z)


def nodes(knots: Sequence[mpf], rate: mpf, degree: int, growth: mpf, *, left: bool = True) -> Nodes:
    """Return the nodes for integrands that change their formula at ``knots`` alone, in order.

    Args:
        knots: where the formula changes.
        rate: r > 0.
        degree: of the polynomials in e^(−r·distance) outside the knots.
        growth: the integrand is a sum of e^(a·z) with \\|a\\| at most this.
        left: whether there is anything left of the first knot.
    """
    mesh = []
    for low, high in pairwise(knots):
        mesh += _unit_rule_between(low, high, growth)
    outside = _rule(_level((degree + 1) / 2), mp.prec)
    for end, sign in ((knots[-1], 1), (knots[0], -1)):
        if sign == 1 or left:
            mesh += [(end - sign * mp.log(u) / rate, weight / (rate * u)) for u, weight in outside]
    return mesh


def _unit_rule_between(low: mpf, high: mpf, growth: mpf) -> Nodes:
    """Return nodes so many that what is left out is below 10^−dps of the whole.

    On the ellipse where the rule's error is looked at, e^(a·z) is at most e^(X·ρ/2 + X) for X half
    the growth over the whole piece; the best ρ = 4N/X makes the error (e·X/(4N))^(2N), N nodes.
    """
    half = float(growth * (high - low) / 2)
    needed = (mp.dps + 15) * math.log(10) + 6 * half
    count = 4
    while count <= _MOST_NODES and (
        4 * count <= math.e * half or 2 * count * math.log(4 * count / (math.e * half)) < needed
    ):
        count += 4
    return [
        (low + (high - low) * u, (high - low) * weight)
        for u, weight in _rule(_level(count), mp.prec)
    ]


def _level(count: float) -> int:
    """Return the level at which the rule has so many nodes, 3·2^(level − 1)."""
    if count > _MOST_NODES:
        raise UnknownDefinitionError("the integrals of its law take too many nodes")
    level = 1
    while 3 << (level - 1) < count:
        level += 1
    return level


@lru_cache(maxsize=64)
def _rule(level: int, prec: int) -> Nodes:
    """Return Gauss's rule on (0, 1)."""
    rule = GaussLegendre(mp).calc_nodes(level, prec + 30)
    return [((1 + x) / 2, weight / 2) for x, weight in rule]


class ThresholdIntegrals:
    """∫ f(z)·Π P(what is printed | z) dz, f the density of the noise of a threshold.

    Those of one mechanism at one precision; longer products are made of shorter ones.
    """

    def __init__(
        self,
        rate: mpf,
        shares: tuple[Fraction, Fraction],
        chance: Callable[[int, str, mpf], mpf],
        knots: Callable[[int], set[Fraction]],
    ) -> None:
        """Take what is integrated.

        Args:
            rate: λ; all exponents are multiples of it.
            shares: the rates of the noise of the threshold and of an answer, over λ.
            chance: the probability that a text is printed for an answer where the noise is z.
            knots: where that changes its formula.
        """
        self._rate = rate
        self._shares = shares
        self._chance = chance
        self._knots = knots
        self._meshes: dict[_Kind, Nodes] = {}
        self._chances: dict[tuple[_Kind, tuple[int, str]], list[mpf]] = {}
        self._columns: dict[tuple[_Kind, Printed], list[mpf]] = {}
        self._probabilities: dict[Printed, mpf] = {}

    def probability(self, printed: Printed) -> mpf:
        """Return the probability of what is printed under one noisy threshold."""
        if printed not in self._probabilities:
            if max(len(self._probabilities), len(self._columns)) > _MOST_KEPT:
                self._probabilities, self._columns = {}, {}
            kind = frozenset(answer for answer, _ in printed), len(printed)
            self._probabilities[printed] = mp.fsum(self._column(kind, printed))
        return self._probabilities[printed]

    def _column(self, kind: _Kind, printed: Printed) -> list[mpf]:
        """Return the integrand at every node, times its weight."""
        key = kind, printed
        if key not in self._columns:
            if printed:
                # Printed answers are sorted, so that many products begin alike.
                shorter = self._column(kind, printed[:-1])
                column = [a * b for a, b in zip(shorter, self._row(kind, printed[-1]), strict=True)]
            else:
                rate = self._rate * fraction(self._shares[0])
                column = [weight * laplace_density(rate, z) for z, weight in self._mesh(kind)]
            self._columns[key] = column
        return self._columns[key]

    def _row(self, kind: _Kind, entry: tuple[int, str]) -> list[mpf]:
        if (kind, entry) not in self._chances:
            self._chances[kind, entry] = [self._chance(*entry, z) for z, _ in self._mesh(kind)]
        return self._chances[kind, entry]

    def _mesh(self, kind: _Kind) -> Nodes:
        if kind not in self._meshes:
            answers, many = kind
            threshold, answer = self._shares
            # The largest unit that both rates are multiples of: the degree is lowest in it.
            step = Fraction(
                math.gcd(
                    threshold.numerator * answer.denominator,
                    answer.numerator * threshold.denominator,
                ),
                threshold.denominator * answer.denominator,
            )
            total = threshold + many * answer
            knots = sorted({Fraction(0)}.union(*map(self._knots, answers)))
            self._meshes[kind] = nodes(
                [fraction(knot) for knot in knots],
                self._rate * fraction(step),
                int(total / step),
                self._rate * fraction(total),
            )
        return self._meshes[kind]
