"""Zones: sets of real unknowns that are cut out by bounds and by bounds on differences.

A zone is a graph: an edge (u, v) of weight c says x_u − x_v ≤ c, and :data:`ORIGIN` stands for the
number 0, so that a bound of one unknown is an edge as well (difference bound matrices, Dill 1989).
Unknowns have densities here, so what happens at c itself has probability 0 and is left open.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = [
    "ORIGIN", "Edge", "Edges", "closure", "covers", "implied", "is_forest", "meets", "reaches",
    "reduced", "upper",
]  # fmt: skip

ORIGIN = -1
"""The node of the number 0."""

Edge = tuple[int, int]
Edges = dict[Edge, Fraction]
"""(u, v) → c for x_u − x_v ≤ c."""


def upper(edges: Mapping[Edge, Fraction], u: int, v: int) -> Fraction | None:
    """Return the least c with x_u − x_v ≤ c everywhere in a zone that is not empty; None for +∞."""
    onward: dict[int, list[tuple[int, Fraction]]] = {}
    if u != v and not (any(edge[0] == u for edge in edges) and any(edge[1] == v for edge in edges)):
        return None  # as of a draw of which nothing is decided yet
    for (left, right), c in edges.items():
        onward.setdefault(left, []).append((right, c))
    best: dict[int, Fraction] = {u: Fraction(0)}
    waiting = [u]
    while waiting:
        node = waiting.pop()
        so_far = best[node]
        for following, c in onward.get(node, ()):
            length = so_far + c
            if following not in best or length < best[following]:
                best[following] = length
                waiting.append(following)
    return best.get(v)


def reaches(edges: Iterable[Edge], u: int, v: int) -> bool:
    """Tell whether anything bounds x_u − x_v from above, whatever the numbers are."""
    found, waiting = {u}, [u]
    while waiting:
        node = waiting.pop()
        for left, right in edges:
            if left == node and right not in found:
                found.add(right)
                waiting.append(right)
    return v in found


def implied(edges: Mapping[Edge, Fraction], u: int, v: int, c: Fraction) -> bool | None:
    """Tell whether x_u − x_v < c is certain (True), impossible (False) or open (None) in a zone."""
    above = upper(edges, u, v)
    if above is not None and above <= c:
        return True
    below = upper(edges, v, u)
    return False if below is not None and -below >= c else None


def closure(edges: Mapping[Edge, Fraction]) -> Edges:
    """Return every edge that follows: the same for the same zone."""
    found: Edges = dict(edges)
    nodes = {node for edge in edges for node in edge}
    for middle in nodes:
        into = [(u, c) for (u, v), c in found.items() if v == middle]
        out = [(v, c) for (u, v), c in found.items() if u == middle]
        for u, first in into:
            for v, second in out:
                if u != v and first + second < found.get((u, v), first + second + 1):
                    found[u, v] = first + second
    return found


def is_forest(edges: Iterable[Edge]) -> bool:
    """Tell whether no circle connects nodes, the origin among them: nothing follows then."""
    parent: dict[int, int] = {}

    def top(node: int) -> int:
        while node in parent:
            node = parent[node]
        return node

    for u, v in {(min(edge), max(edge)) for edge in edges}:
        first, second = top(u), top(v)
        if first == second:
            return False
        parent[first] = second
    return True


def reduced(edges: Mapping[Edge, Fraction]) -> Edges:
    """Return the edges of a zone without those that follow from the others."""
    found = dict(edges)
    if is_forest(edges):
        return found
    # Bounds cut a density and cost nothing: rather than one of them, a difference is left out.
    for edge in sorted(edges, key=lambda edge: ORIGIN in edge):
        c = found.pop(edge)
        without = upper(found, *edge)
        if without is None or without > c:
            found[edge] = c
    return found


def meets(edges: Mapping[Edge, Fraction], more: Edge, c: Fraction) -> Edges | None:
    """Return the zone where x_u − x_v ≤ c as well; None if that has no interior."""
    u, v = more
    below = upper(edges, v, u)
    if below is not None and -below >= c:
        return None
    found = dict(edges)
    if more not in found or c < found[more]:
        found[more] = c
    return found


def covers(
    zones: Iterable[Mapping[Edge, Fraction]],
    hull: Mapping[Edge, Fraction],
    told: Callable[[], None] = lambda: None,
) -> bool:
    """Tell whether disjoint ``zones`` fill a zone ``hull`` but for a null set.

    It is ``told`` whenever a part of the hull is found to be filled by one of them.
    """
    touching = []
    for zone in zones:
        crossing = [(edge, c) for edge, c in zone.items() if implied(hull, *edge, c) is not True]
        if not crossing:
            told()
            return True
        if all(implied(hull, *edge, c) is None for edge, c in crossing):
            touching.append((zone, crossing[0]))
    if not touching:
        return False
    (u, v), c = min((crossing for _, crossing in touching), key=lambda item: item[0])
    inside, outside = meets(hull, (u, v), c), meets(hull, (v, u), -c)
    remaining = [zone for zone, _ in touching]
    return all(part is None or covers(remaining, part, told) for part in (inside, outside))
