"""The components of a zone and of what is shown of its draws, counted from 0 in each.

Components share no draws, so that what is known of one holds beside whatever others.  Many paths
and datasets have the same components: edges and forms alone are taken apart first, for all zones
that differ in their numbers, and what is found of a component with its numbers is kept with it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.programs.exploring.shifts import picked
from dpaudit.programs.output_laws.printed_draws import Form
from dpaudit.programs.zones.shapes import components
from dpaudit.programs.zones.zones import ORIGIN, Edge, Edges, is_forest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dpaudit.programs.exploring.run import Terms
    from dpaudit.programs.unknowns.noises import Draw

__all__ = ["Component", "Piece", "pieces_of"]


class Component(NamedTuple):
    """A component with its draws counted from 0: the same for many paths and datasets."""

    draws: tuple[Draw, ...]
    edges: tuple[Edge, ...]
    numbers: tuple[Fraction, ...]
    forms: tuple[Form, ...]

    def zone(self) -> Edges:
        """Return where the draws lie."""
        return dict(zip(self.edges, self.numbers, strict=True))


class Piece:
    """A component with its numbers, the same object for equal ones, and what is known of it."""

    __slots__ = ("component", "exact", "found", "part", "value")

    def __init__(self, component: Component) -> None:
        """Know nothing yet."""
        self.component = component
        self.part: Any = None
        """Its density, where something of it is shown."""
        self.exact: Any = None
        """Its probability as an exponential sum."""
        self.value: Any = None
        """Its probability in closed form."""
        self.found: set[str] = set()
        """Names of those that were looked for."""


Ratio = tuple[int, int]
"""A number as numerator and denominator, whose hash is faster than a Fraction's."""


class _Template:
    """A component without its numbers."""

    __slots__ = ("draws", "edges", "pieces", "terms")

    def __init__(self, draws: tuple[Draw, ...], edges: tuple[Edge, ...], terms: tuple[Terms, ...]):
        self.draws, self.edges, self.terms = draws, edges, terms
        self.pieces: dict[tuple[Any, Any], Piece] = {}

    def piece(self, numbers: tuple[Ratio, ...], constants: tuple[Ratio, ...]) -> Piece:
        """Return the component with its numbers, and with the constants of its forms."""
        found = self.pieces.get((numbers, constants))
        if found is None:
            if len(self.pieces) > _MOST:
                self.pieces.clear()
            forms = (Form(t, Fraction(*c)) for t, c in zip(self.terms, constants, strict=True))
            own = tuple(Fraction(*c) for c in numbers)
            found = Piece(Component(self.draws, self.edges, own, tuple(forms)))
            self.pieces[numbers, constants] = found
        return found


class _Placed(NamedTuple):
    """Position of a component in a zone."""

    group: tuple[int, ...]
    """Its coordinates."""
    numbers: Callable[[Sequence[Ratio]], tuple[Ratio, ...]]
    """Picks its numbers out of those of the zone."""
    constants: Callable[[Sequence[Ratio]], tuple[Ratio, ...]]
    template: _Template


_MOST = 1 << 14
_placed: dict[tuple[Any, ...], tuple[_Placed, ...] | None] = {}
_templates: dict[tuple[Any, ...], _Template] = {}


def pieces_of(
    draws: tuple[Draw, ...],
    edges: tuple[Edge, ...],
    numbers: Iterable[Fraction],
    forms: Sequence[Form],
    *,
    reduced: bool = False,
) -> list[tuple[tuple[int, ...], Piece]] | None:
    """Return the components that edges, and what is shown of which draws, make of a zone.

    Each comes with the numbers of the ``forms`` that are its own.  None where some edges may follow
    from others, unless the zone was ``reduced``.
    """
    key = draws, edges, tuple([form.terms for form in forms]), reduced
    if key not in _placed:
        if max(len(_placed), len(_templates)) > _MOST:
            _placed.clear()
            _templates.clear()
        told = reduced or is_forest(edges)
        _placed[key] = tuple(_taken_apart(*key[:3])) if told else None
    placed = _placed[key]
    if placed is None:
        return None
    ratios = [c.as_integer_ratio() for c in numbers]
    constants = [form.constant.as_integer_ratio() for form in forms]
    return [
        (one.group, one.template.piece(one.numbers(ratios), one.constants(constants)))
        for one in placed
    ]


def _taken_apart(
    draws: tuple[Draw, ...], edges: tuple[Edge, ...], terms: tuple[Terms, ...]
) -> Iterator[_Placed]:
    shown = [tuple(node for node, _ in row) for row in terms]
    for nodes, group in _components(edges, shown):
        order = sorted(nodes)
        own = {ORIGIN: ORIGIN, **{node: index for index, node in enumerate(order)}}
        places = [place for place, edge in enumerate(edges) if nodes & set(edge)]
        key = (
            tuple(draws[node] for node in order),
            tuple((own[edges[place][0]], own[edges[place][1]]) for place in places),
            tuple(tuple((own[node], a) for node, a in terms[i]) for i in group),
        )
        template = _templates.setdefault(key, _Template(*key))
        yield _Placed(group, picked(places), picked(group), template)


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
