"""Zones taken apart into trees: once for all zones that compare the same draws with other numbers.

Many paths and datasets have the same comparisons, with other numbers, and many of their trees are
the same but for the names of the draws.  So the comparisons alone are taken apart first.  Of each
zone it is then left to put its numbers in, and to see which tree that is, in whatever order.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.numbers.real import ONE, Real
from dpaudit.programs.exploring.shifts import picked
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.zones.trees import Leaf, Link, Tree
from dpaudit.programs.zones.zones import ORIGIN, is_forest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dpaudit.programs.unknowns.noises import Draw
    from dpaudit.programs.zones.trees import End
    from dpaudit.programs.zones.zones import Edge

__all__ = [
    "Numbered", "bounds_of", "common_rate", "components", "leaf_of", "root_of", "trees_of",
]  # fmt: skip

_MOST = 1 << 15
"""So many shapes and trees are kept at a time."""

Ratio = tuple[int, int]
"""A number as numerator and denominator, whose hash is faster than a Fraction's."""


class _Node(NamedTuple):
    """An unknown: its density, at which places of a zone its bounds are, and what hangs on it."""

    leaf: Leaf
    low: int | None
    high: int | None
    children: tuple[tuple[int | None, int | None, _Node, Numbered | None], ...]
    """Places of the bounds of each difference, and the subtree: known where it has no numbers."""


class _Rooted(NamedTuple):
    """A component of a zone without its numbers."""

    node: _Node
    rate: Real
    kinds: frozenset[str]
    picked: Callable[[Sequence[Ratio]], tuple[Ratio, ...]]
    """Picks its numbers out of those of the zone."""
    known: dict[tuple[Ratio, ...], Numbered]
    """The trees that it made with numbers so far, where it is one of several components."""


class Numbered:
    """A tree with a number of its own, and what is known of it."""

    __slots__ = ("number", "tree", "values")

    def __init__(self, tree: Tree) -> None:
        """Give the next number."""
        self.number = next(_counted)
        self.tree = tree
        self.values: dict[Real, Real] = {}
        """Its probabilities, by rate."""


_counted = count()
_FIRST = itemgetter(0)


_roots: dict[tuple[tuple[Draw, ...], tuple[Edge, ...]], _Rooted] = {}
_shapes: dict[tuple[tuple[Draw, ...], tuple[Edge, ...]], list[_Rooted] | None] = {}
_trees: dict[tuple[object, ...], Numbered] = {}
_links: dict[tuple[Ratio | None, Ratio | None, int], tuple[int, Link]] = {}


def trees_of(
    draws: tuple[Draw, ...], edges: tuple[Edge, ...], values: Iterable[Fraction]
) -> list[tuple[Numbered, Real, frozenset[str]]] | None:
    """Return the trees of a zone with their rates and kinds of noise; None for other zones.

    ``values`` are the numbers of its ``edges``.

    Those have differences that make circles, or some that may follow from others, or Gumbel noise.
    Raises ``Refused`` for scales that no integral here takes together.
    """
    key = draws, edges
    if key not in _shapes:
        if max(len(_shapes), len(_trees), len(_links)) > _MOST:
            for kept in (_roots, _shapes, _trees, _links):
                kept.clear()
        _shapes[key] = _taken_apart(draws, edges)
    shape = _shapes[key]
    if shape is None:
        return None
    numbers = [c.as_integer_ratio() for c in values]
    if len(shape) == 1:
        (one,) = shape
        return [(_tree(one.node, numbers), one.rate, one.kinds)]
    found = []
    for one in shape:
        own = one.picked(numbers)
        tree = one.known.get(own)
        if tree is None:
            tree = one.known[own] = _tree(one.node, own)
        found.append((tree, one.rate, one.kinds))
    return found


def _taken_apart(draws: tuple[Draw, ...], zone: tuple[Edge, ...]) -> list[_Rooted] | None:
    if not is_forest(zone):
        return None
    parts = components(zone)
    if any(draws[node].kind == "gumbel" for nodes in parts for node in nodes):
        return None
    found = []
    for nodes in parts:
        order = sorted(nodes)
        own = {ORIGIN: ORIGIN, **{node: index for index, node in enumerate(order)}}
        at = [place for place, edge in enumerate(zone) if nodes & set(edge)]
        edges = [edge for edge in zone if nodes & set(edge)]
        key = tuple(draws[node] for node in order), tuple((own[u], own[v]) for u, v in edges)
        if key not in _roots:
            _roots[key] = _rooted(*key)
        found.append(_roots[key]._replace(picked=picked(at)))
    return found


def _rooted(draws: tuple[Draw, ...], edges: tuple[Edge, ...]) -> _Rooted:
    places = {edge: place for place, edge in enumerate(edges)}
    kinds, rate = frozenset(draw.kind for draw in draws), common_rate(draws)
    differences = [edge for edge in edges if ORIGIN not in edge]
    near: list[set[int]] = [set() for _ in draws]
    for u, v in differences:
        near[u].add(v)
        near[v].add(u)

    def node_of(node: int, parent: int | None) -> _Node:
        children = []
        for child in near[node] - {parent}:
            below = node_of(child, node)
            alone = not below.children and below.low is below.high is None
            known = _tree(below, ()) if alone else None
            children.append((places.get((node, child)), places.get((child, node)), below, known))
        low, high = places.get((ORIGIN, node)), places.get((node, ORIGIN))
        return _Node(leaf_of(draws[node], rate), low, high, tuple(children))

    root = node_of(root_of(set(range(len(draws))), differences), None)
    return _Rooted(root, rate, kinds, picked(range(len(edges))), {})


def _tree(node: _Node, numbers: Sequence[Ratio]) -> Numbered:
    """Return the tree with its numbers, the same object for equal trees."""
    links = []
    for low, high, child, known in node.children:
        tree = known or _tree(child, numbers)
        # x_node − x_child ≤ c bounds x_child − x_node from below by −c.
        key = (
            None if low is None else numbers[low],
            None if high is None else numbers[high],
            tree.number,
        )
        found = _links.get(key)
        if found is None:
            link = Link(_end(key[0], -1), _end(key[1], 1), tree.tree)
            found = _links[key] = next(_counted), link
        links.append(found)
    if len(links) > 1:
        links.sort(key=_FIRST)
    low_end = None if node.low is None else numbers[node.low]
    high_end = None if node.high is None else numbers[node.high]
    key_of_tree = id(node.leaf), low_end, high_end, *map(_FIRST, links)
    numbered = _trees.get(key_of_tree)
    if numbered is None:
        children = tuple(sorted(link for _, link in links))
        numbered = _trees[key_of_tree] = Numbered(
            Tree(node.leaf, _end(low_end, -1), _end(high_end, 1), children)
        )
    return numbered


def _end(ratio: Ratio | None, sign: int) -> End:
    return () if ratio is None else (sign * Fraction(*ratio),)


def root_of(nodes: set[int], differences: Sequence[Edge]) -> int:
    """Return the node of which most differences are."""
    degree = dict.fromkeys(sorted(nodes), 0)
    for u, v in differences:
        degree[u] += 1
        degree[v] += 1
    return max(degree, key=lambda node: degree[node])


def components(edges: Iterable[Edge]) -> list[set[int]]:
    """Return the sets of nodes that differences connect; the origin connects nothing."""
    found: list[set[int]] = []
    for edge in edges:
        own = set(edge) - {ORIGIN}
        touched = [nodes for nodes in found if nodes & own]
        found = [nodes for nodes in found if not nodes & own]
        found.append(own.union(*touched))
    return found


def bounds_of(node: int, edges: Mapping[Edge, Fraction]) -> tuple[End, End]:
    """Return the bounds of one node."""
    low = (-edges[ORIGIN, node],) if (ORIGIN, node) in edges else ()
    high = (edges[node, ORIGIN],) if (node, ORIGIN) in edges else ()
    return low, high


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
                f"a Gaussian draw has the standard deviation {draw.scale}; it must be rational",
                inside=False,
            )
        return Leaf(draw.kind, 1 / (scale * draw.factor), none)
    rate = (ONE / draw.scale / common).as_fraction()
    if rate is None:
        raise Refused(
            f"noise of scale {draw.scale} is compared with noise of scale {ONE / common}; scales "
            "must be rational multiples of one another",
            inside=False,
        )
    return Leaf(draw.kind, rate / draw.factor, none)
