"""Integrals over the line of products of exponentials between knots, by Gauss's rule.

Between two knots such an integrand is an entire function.  Left of the first knot, and right of the
last, it is a polynomial in u = e^(−r·distance) without a constant term, so that the rule is exact.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from mpmath import mp, mpf
from mpmath.calculus.quadrature import GaussLegendre

from dpaudit.recheck.failures import UnknownDefinitionError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Nodes", "nodes"]

Nodes = list[tuple[mpf, mpf]]
"""Places and weights."""

_MOST_NODES = 800


def nodes(knots: Sequence[mpf], rate: mpf, degree: int, growth: mpf, *, left: bool = True) -> Nodes:
    """Return the nodes for integrands that change their formula at ``knots`` alone, in order.

    Args:
        knots: where the formula changes.
        rate: r > 0.
        degree: of the polynomials in e^(−r·distance) outside the knots.
        growth: the integrand is a sum of e^(a·z) with \\|a\\| at most this.
        left: whether there is anything left of the first knot.
    """
    found = []
    for low, high in pairwise(knots):
        found += _unit_rule_between(low, high, growth)
    outside = _rule(_level((degree + 1) / 2), mp.prec)
    for end, sign in ((knots[-1], 1), (knots[0], -1)):
        if sign == 1 or left:
            found += [(end - sign * mp.log(u) / rate, weight / (rate * u)) for u, weight in outside]
    return found


def _unit_rule_between(low: mpf, high: mpf, growth: mpf) -> Nodes:
    """Return nodes so many that what is left out is below 10^−dps of the whole.

    On the ellipse where the rule's error is looked at, e^(a·z) is at most e^(X·ρ/2 + X) for X half
    the growth over the whole piece; the best ρ = 4N/X makes the error (e·X/(4N))^(2N), N nodes.
    """
    half = float(growth * (high - low) / 2)
    wanted = (mp.dps + 15) * math.log(10) + 6 * half
    count = 4
    while count <= _MOST_NODES and (
        4 * count <= math.e * half or 2 * count * math.log(4 * count / (math.e * half)) < wanted
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
