"""Two laws of outputs with independent entries that are tables, compared without a list of cells.

Numbers of an entry on which both laws have one quotient are one cell.  Entries that differ alike
are interchangeable (:mod:`dpaudit.laws.independent`), so that twenty that all differ have a case
for each number of them in a cell, and not one for each output.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from functools import lru_cache
from math import comb, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.laws.independent import IndependentLaw, Table, log_ratio
from dpaudit.laws.law import Atom, Divergence, Loss, Mass
from dpaudit.numbers.real import ONE, ZERO, Real
from dpaudit.programs.output_laws.printed_draws import with_places

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dpaudit.programs.output_laws.factors import Factor
    from dpaudit.programs.zones.integrals import Weight

    Terms = Mapping[Hashable, Sequence[tuple[Weight, tuple[Factor, ...]]]]

__all__ = ["product_divergence"]

_MANY = 4096
"""Fewer cells are listed."""
_ONE_SIDED = {False: "of the first alone", True: "of the second alone"}
"""Mark of the numbers that one of two laws gives, by whether it is the second."""


def product_divergence(
    p: Terms,
    q: Terms,
    vector: Callable[[Hashable], tuple[int, ...]],
    most: int,
) -> Divergence | None:
    """Return the comparison of two laws; None where they are no products, or have few cells.

    ``vector`` gives the numbers in the places of an output; there are at most so many cases.
    """
    if p.keys() != q.keys() or len(p) != 1:
        return None
    ((form, mine),) = p.items()
    (others,) = q.values()
    if not all(len(terms) == 1 and terms[0][0] == ONE for terms in (mine, others)):
        return None
    (_, first), (_, second) = mine[0], others[0]
    if not all(map(_is_table, (*first, *second))):
        return None
    differing = Counter((a, b) for a, b in zip(first, second, strict=True) if a != b)
    if prod(len(_merged(*pair).values) for pair in differing.elements()) <= _MANY:
        return None
    cases = prod(
        comb(count + len(_merged(*pair).p.weights) - 1, count) for pair, count in differing.items()
    )
    if cases > most:
        return None
    merged = [_merged(a, b) for a, b in zip(first, second, strict=True)]
    law = IndependentLaw(tuple(one.p for one in merged))
    other = IndependentLaw(tuple(one.q for one in merged))
    return _ShownDivergence(law.divergence_from(other), form, merged, vector)


def _is_table(factor: Factor) -> bool:
    draw = factor.draw
    return draw is not None and draw.kind == "table" and factor.support == draw.support()


class _Merged(NamedTuple):
    """Two laws of one place, in which numbers with one quotient of both are one."""

    p: Table
    q: Table
    values: dict[int, int]
    """Of every number, the one that stands for it."""


@lru_cache(maxsize=1 << 12)
def _merged(first: Factor, second: Factor) -> _Merged:
    """Return the laws of a place: the same objects for equal ones."""
    if first == second:
        table = _table(first)
        return _Merged(table, table, {value: value for value in table.weights})  # type: ignore[misc]
    p, q = _table(first), _table(second)
    standing: dict[Real | str, int] = {}
    values: dict[int, int] = {}
    mine: dict[Hashable, Real] = {}
    others: dict[Hashable, Real] = {}
    for value in sorted({**p.weights, **q.weights}):  # type: ignore[type-var]
        a, b = p.weight(value), q.weight(value)
        quotient = log_ratio(a, b) if ZERO not in (a, b) else _ONE_SIDED[a == ZERO]
        number = standing.setdefault(quotient, value)  # type: ignore[arg-type]
        values[value] = number  # type: ignore[index]
        mine[number] = mine.get(number, ZERO) + a
        others[number] = others.get(number, ZERO) + b
    return _Merged(Table(mine, ONE), Table(others, ONE), values)


def _table(factor: Factor) -> Table:
    assert factor.draw is not None
    weights = {factor.a * value + factor.c: weight for value, weight in factor.draw.table}
    return Table(weights, ONE)  # the whole of a law, as wholes.chance has it


class _ShownDivergence(Divergence):
    """A divergence of vectors of numbers, which stand in the places of outputs."""

    def __init__(
        self,
        divergence: Divergence,
        form: Hashable,
        merged: Sequence[_Merged],
        vector: Callable[[Hashable], tuple[int, ...]],
    ) -> None:
        self._divergence, self._form, self._vector = divergence, form, vector
        self._merged = merged

    def _shown(self, vector: Any) -> Hashable:
        shown: Hashable = with_places(self._form, lambda place: vector[place.index])
        return shown

    def max_loss(self, *, forward: bool) -> Loss:
        found = self._divergence.max_loss(forward=forward)
        return Loss(found.ball, found.exact, self._shown(found.output))

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        numbers = zip(self._vector(output), self._merged, strict=True)
        vector = tuple(one.values.get(number, number) for number, one in numbers)
        found = self._divergence.loss_at(vector, forward=forward)
        return Loss(found.ball, found.exact, output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        return self._divergence.hockey_stick(epsilon, forward=forward)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        for atom in self._divergence.atoms(forward=forward):
            yield Atom(atom.p, atom.q, self._shown(atom.output), atom.exact)
