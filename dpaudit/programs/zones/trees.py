"""Probabilities of zones whose differences form a forest: unknowns are eliminated leaf by leaf.

A tree of unknowns x_v with independent densities f_v, with each x_v between two numbers and each
difference x_child − x_parent between two others, has the probability

    ∫ F_root(y) dy,   F_v(y) = f_v(y)·1[x_v allowed]·Π over children c ∫ F_c(x)·1[x − y allowed] dx.

Piecewise polynomial × exponential densities are closed under this
(:mod:`dpaudit.numbers.piecewise`), so the result is one exponential sum.  Equal subtrees are
eliminated once, whichever path or dataset they belong to.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.laws.noise import Exponential, Laplace
from dpaudit.numbers.expsum import ExpSum
from dpaudit.numbers.piecewise import ONE_EVERYWHERE, Piecewise, constant, indicator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dpaudit.programs.zones.zones import Edge

__all__ = ["End", "Leaf", "Link", "Tree", "factor", "function", "mass", "mirrored", "rooted"]

End = tuple[Fraction, ...]
"""The end of an interval: one number, or none for no end."""


class Leaf(NamedTuple):
    """The density of one unknown: a kind, its rate, and the ends of a uniform one."""

    kind: str
    rate: Fraction
    """The rate as a multiple of λ, negative for mirrored noise; 0 for a uniform draw."""
    ends: tuple[Fraction, Fraction]


class Tree(NamedTuple):
    """An unknown, where it lies, and what hangs on it."""

    leaf: Leaf
    low: End
    high: End
    children: tuple[Link, ...]


class Link(NamedTuple):
    """A subtree whose root minus its parent lies between two numbers."""

    low: End
    high: End
    tree: Tree


def rooted(
    node: int,
    leaf: Callable[[int], Leaf],
    bounds: Mapping[int, tuple[End, End]],
    edges: Mapping[Edge, Fraction],
    parent: int | None = None,
) -> Tree:
    """Return the tree that hangs on ``node``, in an order that does not depend on names."""
    near = {v for edge in edges for v in edge if node in edge} - {node}
    children = []
    for child in near - ({parent} if parent is not None else set()):
        # x_node − x_child ≤ c bounds x_child − x_node from below by −c.
        low = (-edges[node, child],) if (node, child) in edges else ()
        high = (edges[child, node],) if (child, node) in edges else ()
        children.append(Link(low, high, rooted(child, leaf, bounds, edges, node)))
    return Tree(leaf(node), *bounds.get(node, ((), ())), tuple(sorted(children)))


def mirrored(tree: Tree) -> Tree:
    """Return the tree of the numbers with the other sign, which has the same probability."""
    kind, rate, (low, high) = tree.leaf
    leaf = Leaf(kind, -rate if kind == "exponential" else rate, (-high, -low))
    children = [
        Link(_opposite(one.high), _opposite(one.low), mirrored(one.tree)) for one in tree.children
    ]
    return Tree(leaf, _opposite(tree.high), _opposite(tree.low), tuple(sorted(children)))


def _opposite(end: End) -> End:
    return tuple([-x for x in end])


@lru_cache(maxsize=1 << 16)
def mass(tree: Tree) -> ExpSum:
    """Return the probability of a tree, exactly."""
    return function(tree).integral()


@lru_cache(maxsize=1 << 14)
def function(tree: Tree) -> Piecewise:
    """Return F of the root."""
    cut = _density(tree.leaf)
    if tree.low or tree.high:
        cut = cut.between(tree.low[0] if tree.low else None, tree.high[0] if tree.high else None)
    return cut * _product(tree.children)


@lru_cache(maxsize=1 << 14)
def _product(links: tuple[Link, ...]) -> Piecewise:
    if len(links) < 2:
        return factor(links[0]) if links else ONE_EVERYWHERE
    # Equal ones stand beside one another: trees with other numbers of each share these products.
    middle = len(links) // 2
    ends = [place for place in range(1, len(links)) if links[place - 1] != links[place]]
    cut = min(ends, key=lambda place: abs(place - middle), default=middle)
    return _product(links[:cut]) * _product(links[cut:])


@lru_cache(maxsize=1 << 14)
def factor(link: Link) -> Piecewise:
    """Return y ↦ ∫ F(x)·1[low < x − y < high] dx."""
    below = _cumulative(link.tree)
    above = below.shifted(-link.high[0]) if link.high else constant(mass(link.tree))
    return above + _negative(below.shifted(-link.low[0])) if link.low else above


@lru_cache(maxsize=1 << 14)
def _cumulative(tree: Tree) -> Piecewise:
    return function(tree).cumulative()


def _negative(function: Piecewise) -> Piecewise:
    pieces = tuple({power: -c for power, c in piece.items()} for piece in function.pieces)
    return Piecewise(function.breaks, pieces)


@lru_cache(maxsize=1 << 10)
def _density(leaf: Leaf) -> Piecewise:
    """Return the density with respect to y = λx."""
    if leaf.kind == "uniform":
        low, high = leaf.ends
        inside = indicator(low, high)
        height = ExpSum.term(1 / (high - low), j=-1)
        pieces = tuple({power: c * height for power, c in one.items()} for one in inside.pieces)
        return Piecewise(inside.breaks, pieces)
    if leaf.kind == "laplace":
        return Laplace(leaf.rate).density(0)
    found = Exponential(abs(leaf.rate)).density(0)
    return found if leaf.rate > 0 else found.mirrored()
