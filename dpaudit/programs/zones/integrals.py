"""The probability of a zone of independent continuous draws: closed forms, or balls.

The differences of a zone, those left out that follow from others, form a graph.  Its components
are independent.  One that is a tree has a closed form for Laplace, exponential and uniform noise
(:mod:`dpaudit.programs.zones.trees`); a star of Gumbel draws of one scale has one of its own; a
star with Gaussian draws is integrated rigorously in balls.  A component with a circle is cut in
two by one more comparison until none is left.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import ONE, ZERO, Real, add_up, rational
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.unknowns.noises import probability_between
from dpaudit.programs.zones.shapes import (
    bounds_of,
    common_rate,
    components,
    leaf_of,
    root_of,
    trees_of,
)
from dpaudit.programs.zones.trees import Tree, mass, mirrored, rooted
from dpaudit.programs.zones.zones import ORIGIN, Edges, closure, meets, reduced

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from dpaudit.numbers.expsum import ExpSum
    from dpaudit.programs.unknowns.noises import Draw
    from dpaudit.programs.zones.components import Piece
    from dpaudit.programs.zones.trees import End
    from dpaudit.programs.zones.zones import Edge

__all__ = [
    "Weight",
    "halves",
    "is_circle",
    "plus",
    "probabilities",
    "probability",
    "product",
    "value_of",
]

Weight = Real | Ball

_MOST_TERMS = 512
"""A product of independent parts with more terms is a ball: nobody reads it."""


def product(left: Weight, right: Weight, most_terms: int = _MOST_TERMS) -> Weight:
    """Return the product, a closed form where both are and it is not too long."""
    if left is ONE:
        return right
    if (
        isinstance(left, Real)
        and isinstance(right, Real)
        and left.term_count() * right.term_count() <= most_terms
    ):
        return _times(left, right)
    return _ball(left) * _ball(right)


_sums: dict[Real, ExpSum] = {}
"""Cached exponential sums of closed forms, at λ = 1: those multiply faster."""


@lru_cache(maxsize=1 << 15)
def _times(left: Real, right: Real) -> Real:
    if left in _sums and right in _sums:
        return _written(_sums[left] * _sums[right], ONE)
    return left * right


def plus(left: Weight, right: Weight) -> Weight:
    """Return the sum, a closed form where both are."""
    if left is ZERO:
        return right
    if isinstance(left, Real) and isinstance(right, Real):
        return left + right
    return _ball(left) + _ball(right)


def _ball(weight: Weight) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight


_searched: dict[tuple[tuple[Draw, ...], frozenset[tuple[Edge, Fraction]]], Real] = {}
_MOST_KEPT = 1 << 16


def probability(
    draws: tuple[Draw, ...],
    edges: tuple[Edge, ...],
    numbers: Sequence[Fraction],
    most_terms: int = _MOST_TERMS,
) -> Weight:
    """Return the probability that ``draws``, one to a node, lie in the zone of these ``edges``.

    A product of independent parts is a closed form where it has ``most_terms`` or fewer.
    Raises ``Refused`` for what has neither a closed form nor an integral here.
    """
    total: Weight = ONE
    for value in probabilities(draws, edges, numbers):
        total = product(total, value, most_terms)
    return total


def probabilities(
    draws: tuple[Draw, ...], edges: tuple[Edge, ...], numbers: Sequence[Fraction]
) -> list[Weight]:
    """Return the probabilities of the independent parts of a zone; see :func:`probability`."""
    trees = trees_of(draws, edges, numbers)
    if trees is None:
        return [_of_others(draws, dict(zip(edges, numbers, strict=True)))]
    found = []
    for tree, rate, kinds in trees:
        if rate in tree.values:
            value: Weight = tree.values[rate]
        else:
            value = _integrated(tree.tree, rate, kinds)
            if isinstance(value, Real):
                tree.values[rate] = value
        found.append(value)
    return found


def value_of(piece: Piece) -> Weight:
    """Return the probability of a component; one in closed form is kept with it."""
    if piece.value is not None:
        known: Real = piece.value
        return known
    draws, edges, numbers, _ = piece.component
    value = probability(draws, edges, numbers)
    if isinstance(value, Real):
        piece.value = value
    return value


def _of_others(draws: tuple[Draw, ...], zone: Mapping[Edge, Fraction]) -> Weight:
    key = draws, frozenset(zone.items())
    if key in _searched:
        return _searched[key]
    needed = reduced(zone)
    total: Weight = ONE
    for nodes in components(needed):
        inside = {edge: c for edge, c in needed.items() if nodes & set(edge)}
        total = product(total, _of_component(draws, nodes, inside))
    if isinstance(total, Real):
        if len(_searched) > _MOST_KEPT:
            _searched.clear()
        _searched[key] = total
    return total


def _of_component(draws: tuple[Draw, ...], nodes: set[int], edges: Edges) -> Weight:
    differences = {edge: c for edge, c in edges.items() if ORIGIN not in edge}
    if is_circle(nodes, edges):
        first, second = (
            probability(draws, tuple(half), list(half.values())) for half in halves(nodes, edges)
        )
        return plus(first, second)
    bounds = {node: bounds_of(node, edges) for node in nodes}
    root = root_of(nodes, list(differences))
    kinds = {draws[node].kind for node in nodes}
    if kinds == {"gumbel"}:
        return _gumbel_star(draws, root, bounds, differences)
    if "gumbel" in kinds:
        raise Refused(
            "Gumbel noise is compared with noise of another kind, which dpaudit cannot follow",
            inside=False,
        )
    rate = common_rate([draws[node] for node in nodes])
    tree = rooted(root, lambda node: leaf_of(draws[node], rate), bounds, differences)
    return _integrated(tree, rate, kinds)


def _integrated(tree: Tree, rate: Real, kinds: Collection[str]) -> Weight:
    if "gaussian" in kinds:
        from dpaudit.programs.zones.quadrature import integral

        return integral(tree, rate)
    return _value(tree, rate)


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
    raise Refused(
        "the comparisons of random draws form a cycle that dpaudit cannot follow", inside=False
    )


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


@lru_cache(maxsize=1 << 15)
def _value(tree: Tree, rate: Real) -> Real:
    other = mirrored(tree)
    if other < tree:
        return _value(other, rate)
    fraction = rate.as_fraction()
    found = mass(tree)
    return _written(found if fraction is None else found.folded(fraction), rate)


@lru_cache(maxsize=1 << 15)
def _written(found: ExpSum, rate: Real) -> Real:
    """Return an exponential sum in closed form, equal ones as one object."""
    total: dict[Any, Fraction] = {}
    for (j, s), q in found.terms.items():
        for monomial, c in _power(rate, j, s).items():
            total[monomial] = total[monomial] + q * c if monomial in total else q * c
    number = ONE.of(total)
    if rate == ONE:
        if len(_sums) > _MOST_KEPT:
            _sums.clear()
        _sums[number] = found
    return number


@lru_cache(maxsize=1 << 14)
def _power(rate: Real, j: int, s: Fraction) -> Mapping[Any, Fraction]:
    """Return the terms of λ^j·t^s."""
    return ((rate * rational(-s)).exp() * (rate**j if j else ONE)).coordinates()


def _gumbel_star(
    draws: Sequence[Draw],
    root: int,
    bounds: Mapping[int, tuple[End, End]],
    edges: Mapping[Edge, Fraction],
) -> Weight:
    """Return the probability of a star of Gumbel draws; ``Refused`` for any other tree.

    They are the exponential mechanism in another guise.  With u = e^(−κx) a Gumbel draw x of rate κ
    is exponential, and c + x is the largest of several with the probability w/Σw, w = e^(κc).
    Whatever lies above the centre is taken out by inclusion and exclusion.
    """
    if len(bounds) == 1:
        ((node, ends),) = bounds.items()
        return probability_between(draws[node], *(end[0] if end else None for end in ends))
    scales = {draws[node].scale * rational(draws[node].factor) for node in bounds}
    if len(scales) > 1 or any(draws[node].factor < 0 for node in bounds):
        raise Refused(
            "Gumbel draws with different scales, or negated ones, are compared, "
            "which dpaudit cannot follow",
            inside=False,
        )
    if any(end for ends in bounds.values() for end in ends):
        raise Refused(
            "a Gumbel draw is compared both with a number and with another Gumbel "
            "draw, which dpaudit cannot follow",
            inside=False,
        )
    (scale,) = scales
    below: list[Real] = []
    above: list[Real] = []
    for (u, v), c in edges.items():
        if root not in (u, v) or (v, u) in edges:
            raise Refused(
                "the comparisons of Gumbel draws do not all involve the same draw, "
                "which dpaudit cannot follow",
                inside=False,
            )
        # x_child ≤ root + c has the probability e^(−w·u) where u = e^(−κ·root), w = e^(−κ·c).
        if v == root:
            below.append((rational(-c) / scale).exp())
        else:
            above.append((rational(c) / scale).exp())
    base = add_up([ONE, *below])
    return add_up(
        rational((-1) ** size) / add_up([base, *some])
        for size in range(len(above) + 1)
        for some in combinations(above, size)
    )
