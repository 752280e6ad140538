"""The probability of a zone of independent continuous draws: closed forms, or balls.

The differences of a zone, those left out that follow from others, form a graph.  Its components
are independent.  One that is a tree has a closed form for Laplace, exponential and uniform noise
(:mod:`dpaudit.programs.trees`); a star of Gumbel draws of one scale has one of its own; a star with
Gaussian draws is integrated rigorously in balls.  A component with a circle is cut in two by one
more comparison until none is left.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import ONE, Real, add_up, rational
from dpaudit.programs.gumbel import gumbel_star
from dpaudit.programs.refusal import Refused
from dpaudit.programs.trees import Leaf, Tree, mass, rooted
from dpaudit.programs.zones import ORIGIN, Edges, closure, meets, reduced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.numbers.expsum import ExpSum
    from dpaudit.programs.noises import Draw
    from dpaudit.programs.trees import End
    from dpaudit.programs.zones import Edge

__all__ = [
    "Weight",
    "bounds_of",
    "common_rate",
    "components",
    "halves",
    "is_circle",
    "leaf_of",
    "plus",
    "probability",
    "product",
]

Weight = Real | Ball

_MOST_TERMS = 512
"""A product of independent parts with more terms is a ball: nobody reads it."""


def product(left: Weight, right: Weight) -> Weight:
    """Return the product, a closed form where both are and it is not too long."""
    if left is ONE:
        return right
    if (
        isinstance(left, Real)
        and isinstance(right, Real)
        and len(left.coordinates()) * len(right.coordinates()) <= _MOST_TERMS
    ):
        return _times(left, right)
    return _ball(left) * _ball(right)


@lru_cache(maxsize=1 << 15)
def _times(left: Real, right: Real) -> Real:
    return left * right


def plus(left: Weight, right: Weight) -> Weight:
    """Return the sum, a closed form where both are."""
    if isinstance(left, Real) and isinstance(right, Real):
        return left + right
    return _ball(left) + _ball(right)


def _ball(weight: Weight) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight


def probability(draws: Sequence[Draw], zone: Mapping[Edge, Fraction]) -> Weight:
    """Return the probability that ``draws``, one to a node, lie in a ``zone``.

    Raises ``Refused`` for what has neither a closed form nor an integral here.
    """
    needed = reduced(zone)
    total: Weight = ONE
    for nodes in components(needed):
        inside = {edge: c for edge, c in needed.items() if nodes & set(edge)}
        total = product(total, _of_component(draws, nodes, inside))
    return total


def components(edges: Mapping[Edge, Fraction]) -> list[set[int]]:
    """Return the sets of nodes that differences connect; the origin connects nothing."""
    found: list[set[int]] = []
    for edge in edges:
        own = set(edge) - {ORIGIN}
        touched = [nodes for nodes in found if nodes & own]
        found = [nodes for nodes in found if not nodes & own]
        found.append(own.union(*touched))
    return found


def _of_component(draws: Sequence[Draw], nodes: set[int], edges: Edges) -> Weight:
    differences = {edge: c for edge, c in edges.items() if ORIGIN not in edge}
    if is_circle(nodes, edges):
        first, second = (probability(draws, half) for half in halves(nodes, edges))
        return plus(first, second)
    bounds = {node: bounds_of(node, edges) for node in nodes}
    degree = dict.fromkeys(sorted(nodes), 0)
    for u, v in differences:
        degree[u] += 1
        degree[v] += 1
    root = max(degree, key=lambda node: degree[node])
    kinds = {draws[node].kind for node in nodes}
    if kinds == {"gumbel"}:
        return gumbel_star(draws, root, bounds, differences)
    if "gumbel" in kinds:
        raise Refused("Gumbel noise is compared with noise of another kind", inside=False)
    rate = common_rate([draws[node] for node in nodes])
    tree = rooted(root, lambda node: leaf_of(draws[node], rate), bounds, differences)
    if "gaussian" in kinds:
        from dpaudit.programs.quadrature import integral

        return integral(tree, rate)
    return _value(tree, rate)


def bounds_of(node: int, edges: Mapping[Edge, Fraction]) -> tuple[End, End]:
    """Return the bounds of one node."""
    low = (-edges[ORIGIN, node],) if (ORIGIN, node) in edges else ()
    high = (edges[node, ORIGIN],) if (node, ORIGIN) in edges else ()
    return low, high


def is_circle(nodes: set[int], edges: Edges) -> bool:
    """Tell whether the differences of a component are more than those of a tree."""
    differences = {frozenset(edge) for edge in edges if ORIGIN not in edge}
    return len(differences) >= len(nodes)


def halves(nodes: set[int], edges: Edges) -> tuple[Edges, Edges]:
    """Return both halves of a component that one more comparison makes."""
    whole = closure(edges)
    potential = _potential(nodes, edges)
    for u in sorted(nodes):
        for v in sorted(nodes):
            c = potential[u] - potential[v]
            if u < v:
                below, above = meets(whole, (u, v), c), meets(whole, (v, u), -c)
                if below is not None and above is not None:
                    return below, above
    raise Refused("comparisons of unknowns form a circle whose shifts do not agree", inside=False)


def _potential(nodes: set[int], edges: Edges) -> dict[int, Fraction]:
    """Return shifts that make the differences comparisons with 0, as far as they do."""
    found: dict[int, Fraction] = {}
    for start in sorted(nodes):
        if start in found:
            continue
        found[start] = Fraction(0)
        waiting = [start]
        while waiting:
            node = waiting.pop()
            for (u, v), c in edges.items():
                if node in (u, v) and ORIGIN not in (u, v):
                    other = v if node == u else u
                    if other not in found:
                        found[other] = found[node] - c if node == u else found[node] + c
                        waiting.append(other)
    return found


def common_rate(draws: Sequence[Draw]) -> Real:
    """Return λ: 1, or the first rate that is not rational."""
    rates = (
        ONE / draw.scale
        for draw in draws
        if draw.kind in ("laplace", "exponential") and draw.scale.as_fraction() is None
    )
    return next(rates, ONE)


@lru_cache(maxsize=1 << 12)
def leaf_of(draw: Draw, common: Real) -> Leaf:
    """Return the density of a draw, with its rate as a multiple of λ."""
    if draw.kind == "uniform":
        low, high = sorted(end * draw.factor for end in draw.ends)
        return Leaf(draw.kind, Fraction(0), (low, high))
    none = Fraction(0), Fraction(0)
    if draw.kind == "gaussian":
        scale = draw.scale.as_fraction()
        if scale is None:
            raise Refused(
                f"a Gaussian draw of standard deviation {draw.scale}: it must be rational",
                inside=False,
            )
        return Leaf(draw.kind, 1 / (scale * draw.factor), none)
    rate = (ONE / draw.scale / common).as_fraction()
    if rate is None:
        raise Refused(
            f"noise of scale {draw.scale} is compared with noise of scale {ONE / common}: scales "
            "must be rational multiples of one another",
            inside=False,
        )
    return Leaf(draw.kind, rate / draw.factor, none)


@lru_cache(maxsize=1 << 15)
def _value(tree: Tree, rate: Real) -> Real:
    fraction = rate.as_fraction()
    found = mass(tree)
    return _written(found if fraction is None else found.folded(fraction), rate)


@lru_cache(maxsize=1 << 15)
def _written(found: ExpSum, rate: Real) -> Real:
    """Return an exponential sum in closed form, equal ones as one object."""
    return add_up(
        rational(q) * (rate * rational(-s)).exp() * (rate**j if j else ONE)
        for (j, s), q in found.terms.items()
    )
