"""The density of what a program prints, from the zone of the draws behind it.

The coordinates of an output are affine forms of draws.  Draws that neither a constraint nor a
coordinate connects are independent, so the density is a product over components: one coordinate
that is one draw has the function that is left when the tree of its zone is eliminated from there;
one that is a sum of draws is a convolution; and several that bound one hidden draw from the same
side depend on one another through its distribution function at the least (or largest) of them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.laws.bells import Bell
from dpaudit.laws.coupled import Coupled
from dpaudit.laws.mixed import mixed
from dpaudit.laws.parts import Line, Part, Term
from dpaudit.laws.suprema import folded
from dpaudit.numbers.expsum import EXPSUM_ONE, ExpSum
from dpaudit.numbers.piecewise import Piecewise, constant
from dpaudit.numbers.real import ONE, Real, rational
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.output_laws.compared_draws import ComparedPart
from dpaudit.programs.zones.components import pieces_of
from dpaudit.programs.zones.integrals import Weight, halves, is_circle, product, value_of
from dpaudit.programs.zones.shapes import bounds_of, common_rate, components, leaf_of
from dpaudit.programs.zones.trees import Tree, function, mass, rooted
from dpaudit.programs.zones.zones import ORIGIN, Edge, Edges, reduced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpaudit.programs.output_laws.printed_draws import Form
    from dpaudit.programs.unknowns.noises import Draw
    from dpaudit.programs.zones.components import Piece

__all__ = ["term"]


class _Setting(NamedTuple):
    """The draws of a component."""

    draws: tuple[Draw, ...]
    rate: Real


def term(
    draws: tuple[Draw, ...],
    edges: tuple[Edge, ...],
    numbers: Sequence[Fraction],
    forms: tuple[Form, ...],
    weight: Weight,
) -> Term:
    """Return the density of the coordinates that have these ``forms``, times a weight.

    The ``draws`` lie in the zone of these ``edges``, with their numbers.

    Raises ``Refused`` for a density that is not followed.
    """
    pieces = pieces_of(draws, edges, numbers, forms)
    if pieces is None:
        needed = reduced(dict(zip(edges, numbers, strict=True)))
        pieces = pieces_of(draws, tuple(needed), needed.values(), forms, reduced=True)
        assert pieces is not None
    parts: list[tuple[tuple[int, ...], Part]] = []
    bare, scale = weight, EXPSUM_ONE
    for group, piece in pieces:
        if group:
            parts.append((group, _part_of(piece)))
            continue
        found = value_of(piece)
        weight = product(weight, found)
        exact = _exact_mass_of(piece)
        if exact is None:
            bare = product(bare, found)
        else:
            scale = exact if scale is EXPSUM_ONE else scale * exact
    if len(parts) > 1:
        parts.sort(key=lambda item: item[0])
    return Term(
        weight,
        tuple([part for _, part in parts]),
        tuple([group for group, _ in parts]),
        bare,
        scale,
    )


_parts: dict[Part, Part] = {}


def _part_of(piece: Piece) -> Part:
    if piece.part is None:
        if len(_parts) > 1 << 14:
            _parts.clear()
        one = piece.component
        found = _part(one.draws, set(range(len(one.draws))), one.zone(), list(one.forms))
        piece.part = _parts.setdefault(found, found)  # equal ones are told by what they are
    part: Part = piece.part
    return part


def _exact_mass_of(piece: Piece) -> ExpSum | None:
    if "exact" not in piece.found:
        one = piece.component
        piece.exact = _exact_mass(one.draws, set(range(len(one.draws))), one.zone())
        piece.found.add("exact")
    exact: ExpSum | None = piece.exact
    return exact


def _exact_mass(draws: tuple[Draw, ...], nodes: set[int], edges: Edges) -> ExpSum | None:
    """Return the probability of an independent component at λ = 1, if it is an exponential sum."""
    kinds = {draws[node].kind for node in nodes}
    if kinds & {"gaussian", "gumbel"}:
        return None
    setting = _Setting(draws, common_rate([draws[node] for node in nodes]))
    if setting.rate != ONE:
        return None
    found = _function(setting, nodes, edges, min(nodes))
    whole = mass(found) if isinstance(found, Tree) else found.integral()
    return whole.folded(Fraction(1))


def _part(draws: Sequence[Draw], nodes: set[int], edges: Edges, forms: list[Form]) -> Part:
    kinds = {draws[node].kind for node in nodes}
    if "gumbel" in kinds:
        raise Refused(
            "Gumbel noise is returned as a number, which dpaudit cannot follow; "
            "return only comparisons of it",
            inside=False,
        )
    if "gaussian" in kinds:
        return _bell(draws, nodes, edges, forms)
    setting = _Setting(tuple(draws), common_rate([draws[node] for node in nodes]))
    if len(forms) > 1:
        return _coupled(setting, nodes, edges, forms)
    (form,) = forms
    if len(form.terms) == 1:
        ((node, a),) = form.terms
        found = _function(setting, nodes, edges, node)
    else:
        node, a = form.terms[0]
        found, a = _sum(setting, nodes, edges, dict(form.terms))
    return Line(_moved(found, a, form.constant, setting.rate), setting.rate)


@lru_cache(maxsize=1 << 12)
def _rescaled(tree: Tree, a: Fraction, c: Fraction, rate: Real) -> Piecewise:
    return folded(_moved_only(function(tree), a, c), rate)


def _moved_only(found: Piecewise, a: Fraction, c: Fraction) -> Piecewise:
    return (found if a == 1 else found.scaled(a)).shifted(c)


def _moved(found: Piecewise | Tree, a: Fraction, c: Fraction, rate: Real) -> Piecewise:
    """Return the density of a·X + c."""
    if isinstance(found, Tree):
        return _rescaled(found, a, c, rate)
    return folded(_moved_only(found, a, c), rate)


def _function(setting: _Setting, nodes: set[int], edges: Edges, root: int) -> Piecewise | Tree:
    """Return the density of one draw, with all others of its component inside their zone."""
    own, factor = set(nodes), EXPSUM_ONE
    parts = components(edges)
    if not any(root in part for part in parts):
        parts.append({root})
    total: Piecewise | Tree | None = None
    for part in parts:
        inside = {edge: c for edge, c in edges.items() if part & set(edge)}
        if is_circle(part, inside):
            pieces = [
                _whole(setting, part, half, root if root in part else None)
                for half in halves(part, inside)
            ]
            if root in part:
                total = _plain(pieces[0]) + _plain(pieces[1])
            else:
                factor *= _number(pieces[0]) + _number(pieces[1])
        elif root in part:
            total = _tree(setting, part, inside, root)
        else:
            factor *= mass(_tree(setting, part, inside, min(part)))
    assert total is not None, own
    return total if factor == EXPSUM_ONE else _plain(total) * constant(factor)


def _whole(
    setting: _Setting, part: set[int], edges: Edges, root: int | None
) -> Piecewise | Tree | ExpSum:
    needed = reduced(edges)
    if root is not None:
        return _function(setting, part, needed, root)
    found = _function(setting, part, needed, min(part))
    return _plain(found).integral()


def _number(found: Piecewise | Tree | ExpSum) -> ExpSum:
    assert isinstance(found, ExpSum)
    return found


def _plain(found: Piecewise | Tree | ExpSum) -> Piecewise:
    assert not isinstance(found, ExpSum)
    return function(found) if isinstance(found, Tree) else found


def _tree(setting: _Setting, nodes: set[int], edges: Edges, root: int) -> Tree:
    differences = {edge: c for edge, c in edges.items() if ORIGIN not in edge}
    bounds = {node: bounds_of(node, edges) for node in nodes}
    return rooted(
        root, lambda node: leaf_of(setting.draws[node], setting.rate), bounds, differences
    )


def _sum(
    setting: _Setting, nodes: set[int], edges: Edges, row: dict[int, Fraction]
) -> tuple[Piecewise, Fraction]:
    """Return the density of Σ (a/a_p)·X for a draw p that nothing else bounds, and a_p."""
    for p in sorted(row, reverse=True):
        others = {node: a / row[p] for node, a in row.items() if node != p}
        bounds = _bounds_of_sum(edges, p, others)
        if bounds is None:
            continue
        left = {edge: c for edge, c in edges.items() if p not in edge}
        own = {edge: c for edge, c in edges.items() if p in edge and ORIGIN in edge}
        found = function(_tree(setting, {p}, own, p))
        reached: set[int] = set()
        for node, a in others.items():
            part = next((n for n in components(left) if node in n), {node})
            if reached & part:
                break
            reached |= part
            inside = {edge: c for edge, c in left.items() if part & set(edge)}
            found = _plain(_function(setting, part, inside, node)).scaled(a).convolved(found)
        else:
            assert nodes == reached | {p}
            return found.between(*bounds), row[p]
    raise Refused(
        "a sum of random draws is returned, and one of them is also compared with other draws; "
        "dpaudit cannot follow this",
        inside=False,
    )


def _bounds_of_sum(
    edges: Edges, p: int, others: Mapping[int, Fraction]
) -> tuple[Fraction | None, Fraction | None] | None:
    """Return between which numbers X_p − X_z lies; None where X_p is bounded by other draws."""
    low: Fraction | None = None
    high: Fraction | None = None
    for (u, v), c in edges.items():
        if p not in (u, v) or ORIGIN in (u, v):
            continue
        other = v if u == p else u
        if others != {other: Fraction(-1)}:
            return None
        if u == p:
            high = c
        else:
            low = -c
    return low, high


def _bell(draws: Sequence[Draw], nodes: set[int], edges: Edges, forms: list[Form]) -> Part:
    is_alone = len(nodes) == 1 and all(ORIGIN in edge for edge in edges)
    if edges and not is_alone and len(forms) == 1 and len(forms[0].terms) == 1:
        return _compared(draws, nodes, edges, forms[0])
    if (
        len(forms) > 1
        or (edges and not is_alone)
        or any(draws[node].kind != "gaussian" for node in nodes)
    ):
        raise Refused(
            "dpaudit cannot follow a Gaussian draw in a returned sum if the program also compares "
            "the draw, returns it in a second number, or adds other noise to it",
            inside=False,
        )
    variance = rational(0)
    for node, a in forms[0].terms:
        variance += (draws[node].scale * rational(draws[node].factor * a)) ** 2
    if not edges:
        return Bell(forms[0].constant, variance)
    ((node, a),) = forms[0].terms
    bounds = bounds_of(node, edges)
    ends = [a * end[0] + forms[0].constant if end else None for end in bounds]
    low, high = ends if a > 0 else ends[::-1]
    return Bell(forms[0].constant, variance, low, high)


def _compared(draws: Sequence[Draw], nodes: set[int], edges: Edges, form: Form) -> Part:
    """Return the density of one draw that is compared with others."""
    if is_circle(nodes, edges):
        found = [_compared(draws, nodes, reduced(half), form) for half in halves(nodes, edges)]
        return mixed([(ONE, part) for part in found])
    ((node, a),) = form.terms
    setting = _Setting(tuple(draws), common_rate([draws[one] for one in nodes]))
    tree = _tree(setting, nodes, edges, node)
    return ComparedPart(tree, setting.rate, a, form.constant)


def _coupled(setting: _Setting, nodes: set[int], edges: Edges, forms: list[Form]) -> Part:
    """Return the density of several draws that bound one hidden draw from the same side."""
    refused = Refused(
        "several numbers are returned that are also compared with one another; dpaudit cannot "
        "follow their joint distribution",
        inside=False,
    )
    if any(len(form.terms) > 1 for form in forms):
        raise refused
    shown = {form.terms[0][0]: form for form in forms}
    if len(shown) < len(forms) or any(set(edge) <= shown.keys() for edge in edges):
        raise refused
    hidden = {edge: c for edge, c in edges.items() if not set(edge) & shown.keys()}
    parts = [set(part) for part in components(hidden)]
    alone = nodes - shown.keys() - set().union(*parts)
    own: dict[int, set[int]] = {node: {node} for node in shown}
    shared: tuple[set[int], dict[int, Edges]] | None = None
    for part in [*parts, *({node} for node in alone)]:
        near = {node for edge in edges for node in edge if node in shown and set(edge) & part}
        if len(near) == 1:
            own[near.pop()] |= part
        elif shared is None:
            shared = part, {}
        else:
            raise refused
    if shared is None:
        raise refused
    middle = shared[0]
    links = {
        edge: c for edge, c in edges.items() if set(edge) & middle and set(edge) & shown.keys()
    }
    roots = {node for edge in links for node in edge if node in middle}
    sides = {edge[0] in middle for edge in links}
    if len(roots) > 1 or len(sides) > 1:
        raise refused
    (root,), (below,) = roots, sides  # below: X_root − X_shown ≤ c
    inside = {edge: c for edge, c in edges.items() if set(edge) & middle and edge not in links}
    density = _plain(_function(setting, middle, inside, root))
    if any(form.terms[0][1] <= 0 for form in forms):
        raise refused
    lines, shifts = [], []
    for node, form in shown.items():
        ((_, a),) = form.terms
        if a != 1:
            raise refused
        part = own[node]
        around = {e: c for e, c in edges.items() if set(e) & part and not set(e) & middle}
        c = next(c for edge, c in links.items() if node in edge)
        found = _function(setting, part, around, node)
        # In v = X_shown + c (or X_shown − c from above) the bound of the hidden draw is v itself.
        shift = c if below else -c
        lines.append(_moved(found, Fraction(1), shift, setting.rate))
        shifts.append(shift - form.constant)
    reach = density.cumulative()
    if not below:
        reach = constant(density.integral()) + reach * constant(EXPSUM_ONE.times(Fraction(-1)))
    return Coupled(tuple(lines), folded(reach, setting.rate), tuple(shifts), below, setting.rate)
