"""The components of a zone and of what is shown of its draws, counted from 0 in each.

Many paths and datasets have the same components, with other draws before them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.programs.printed import Form
from dpaudit.programs.shapes import components
from dpaudit.programs.zones import ORIGIN, Edge, Edges

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dpaudit.programs.noises import Draw

__all__ = ["Component", "Split", "split_apart"]


class Component(NamedTuple):
    """A component with its draws counted from 0: the same for many paths and datasets."""

    draws: tuple[Draw, ...]
    edges: tuple[Edge, ...]
    numbers: tuple[Fraction, ...]
    forms: tuple[Form, ...]

    def zone(self) -> Edges:
        """Return where the draws lie."""
        return dict(zip(self.edges, self.numbers, strict=True))


class Split(NamedTuple):
    """Which draws, edges and coordinates make a component."""

    nodes: tuple[int, ...]
    group: tuple[int, ...]
    edges: tuple[Edge, ...]
    """Those of the component, between its draws as they are counted in it."""
    places: tuple[int, ...]
    """Where their numbers stand."""

    def moved(self, form: Form) -> Form:
        """Return a form of the draws as they are counted in the component."""
        terms = tuple((self.nodes.index(node), a) for node, a in form.terms)
        return Form(terms, form.constant)


@lru_cache(maxsize=1 << 14)
def split_apart(edges: tuple[Edge, ...], shown: tuple[tuple[int, ...], ...]) -> tuple[Split, ...]:
    """Return the components that edges, and what is shown of which draws, make."""
    found = []
    for nodes, group in _components(edges, shown):
        order = sorted(nodes)
        own = {ORIGIN: ORIGIN, **{node: index for index, node in enumerate(order)}}
        places = tuple(place for place, edge in enumerate(edges) if nodes & set(edge))
        counted = tuple((own[edges[place][0]], own[edges[place][1]]) for place in places)
        found.append(Split(tuple(order), group, counted, places))
    return tuple(found)


def _components(
    edges: Iterable[Edge], shown: Iterable[tuple[int, ...]]
) -> list[tuple[set[int], tuple[int, ...]]]:
    found = [(nodes, set[int]()) for nodes in components(edges)]
    for place, row in enumerate(shown):
        touched = [one for one in found if one[0] & set(row)]
        found = [one for one in found if not one[0] & set(row)]
        found.append(
            (set(row).union(*(n for n, _ in touched)), {place}.union(*(g for _, g in touched)))
        )
    return [(nodes, tuple(sorted(group))) for nodes, group in found]
