"""The law of outputs with whole numbers that are left open: noisy counts without an end.

Such an output has endlessly many values, or too many to list.  For a pair of datasets each place is
cut into cells: numbers, and runs of numbers on which every probability that counts there is the
same function up to a factor (a geometric tail is one).  On a product of cells the ratio of the two
laws is one number, so that cells in place of numbers change no divergence: the comparison of the
two tables of cells is that of the two laws, exactly.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from itertools import product as combinations
from math import prod
from numbers import Integral
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError
from dpaudit.laws.explicit import ExplicitLaw, OpenLaw
from dpaudit.laws.law import Mass
from dpaudit.mechanisms.user_laws import Mapped, held
from dpaudit.numbers.enclosure import exact_decimal
from dpaudit.numbers.real import ZERO, Real, real
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.output_laws.counted_products import product_divergence
from dpaudit.programs.output_laws.crossings import CrossedDivergence, Crossing
from dpaudit.programs.output_laws.factors import Factor
from dpaudit.programs.output_laws.normal_tails import Tail, TailedDivergence
from dpaudit.programs.output_laws.printed_draws import Counted, Decimals, Place, Truth, with_places
from dpaudit.programs.unknowns.wholes import WholeDraw, chance
from dpaudit.programs.zones.integrals import Weight, plus, probability, product

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

    from dpaudit.laws.law import Divergence, Law
    from dpaudit.programs.unknowns.wholes import Interval
    from dpaudit.programs.zones.regions import Region

__all__ = ["MOST_CELLS", "CountedLaw", "counted_law"]

MOST_CELLS = 100_000
"""Two laws that are cut into more cells are not compared."""
_MOST_DECIMALS = 20
"""A number with more decimals is shown as a fraction."""
_MOST_NUMBERS = 10_000
"""A run on which the laws are not alike is cut into so many numbers at most."""
_FEW = 200
"""A run of more numbers, on which the loss of two laws is linear, is seen as one."""
_ANY: Interval = (None, None)
"""The cell of all whole numbers."""


Term = tuple[Weight, tuple[Factor, ...]]
"""A weight, and the independent law of each place."""


def _is_number(cell: Interval) -> bool:
    return cell[0] is not None and cell[0] == cell[1]


def _told(cell: Interval, unit: int) -> Hashable:
    """Return what a report shows for a cell in parts of 1/unit: the number where it is one."""
    low, high = (end if end is None or unit == 1 else _decimal(Fraction(end, unit)) for end in cell)
    if low is not None and high is not None:
        return low if low == high else f"{low} to {high}"
    if low is None:
        return "any" if high is None else f"{high} or less"
    return f"{low} or more"


def _shown(form: Hashable, cells: Sequence[Interval], unit: int) -> Hashable:
    shown: Hashable = with_places(form, lambda place: _told(cells[place.index], unit))
    return shown


def _decimal(x: Fraction) -> str:
    """Return a number as its decimals where these end."""
    places = next((d for d in range(_MOST_DECIMALS) if (x * 10**d).denominator == 1), None)
    return str(x) if places is None else f"{exact_decimal(int(x * 10**places), places):f}"


def _opened(
    output: Any, open_: Sequence[Factor] = (), *, truths: bool = False
) -> tuple[Hashable, tuple[Factor, ...]]:
    """Return an output with a place for each of its whole numbers, and the law of each.

    With ``truths``, True and False have places as well.
    """
    found: list[Factor] = []

    def walk(part: Any) -> Any:
        if isinstance(part, tuple):
            return held(part, [walk(one) for one in part])
        if type(part) is Decimals:
            return Decimals(walk(part.number))
        if type(part) is Mapped:
            return held(part, [(key, walk(one)) for key, one in part.items])
        if type(part) is Truth:
            return Truth(walk(part.place))
        if truths and type(part) is bool:
            found.append(Factor(None, (), 1, int(part)))
            return Truth(Place(len(found) - 1))
        if isinstance(part, Place):
            found.append(open_[part.index])
        elif isinstance(part, Integral) and not isinstance(part, bool):
            found.append(Factor(None, (), 1, int(part)))
        elif type(part) in (float, Fraction) and math.isfinite(part):
            found.append(Factor(None, (), 1, real(part).as_fraction()))
            return Decimals(Place(len(found) - 1))
        else:
            return part
        return Place(len(found) - 1)

    return walk(output), tuple(found)


class CountedLaw(OpenLaw):
    """Fixed parts of outputs, and for each a mixture of products of laws of whole numbers."""

    def __init__(self, terms: Mapping[Hashable, Sequence[Term]], *, truths: bool = False) -> None:
        """Take the mixture of each output, by what is fixed of it, and if True has places in it."""
        self.terms = dict(terms)
        self._truths = truths

    def beside(self, law: ExplicitLaw) -> CountedLaw:
        listed = [(output, weight, None) for output, weight in law.weights.items()]
        return CountedLaw(_by_form(listed, truths=self._truths), truths=self._truths)

    def _with_truths(self) -> CountedLaw:
        """Return the same law with places for True and False."""
        listed = [
            (Counted(form), weight, own)
            for form, terms in self.terms.items()
            for weight, own in terms
        ]
        return CountedLaw(_by_form(listed, truths=True), truths=True)

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another law of the same mechanism, cell by cell."""
        if isinstance(other, ExplicitLaw):
            other = self.beside(other)
        if not isinstance(other, CountedLaw):
            raise LawError(
                "one dataset gives unbounded whole numbers and the other a continuous output; "
                "dpaudit cannot compare these"
            )
        if self._truths != other._truths:
            return self._with_truths().divergence_from(other._with_truths())
        unit = math.lcm(self._unit(), other._unit())
        if unit > 1:
            return self._in_units(unit)._divergence(other._in_units(unit), unit)
        return self._divergence(other)

    def _unit(self) -> int:
        """Return what makes all numbers whole when they are multiplied by it."""
        factors = (one for terms in self.terms.values() for _, own in terms for one in own)
        return math.lcm(*(part.denominator for one in factors for part in (one.a, one.c)))

    def _in_units(self, unit: int) -> CountedLaw:
        return CountedLaw(
            {
                form: [(weight, tuple(one.times(unit) for one in own)) for weight, own in terms]
                for form, terms in self.terms.items()
            },
            truths=self._truths,
        )

    def _divergence(self, other: CountedLaw, unit: int = 1) -> Divergence:
        if unit == 1:
            found = product_divergence(self.terms, other.terms, self._vector, MOST_CELLS)
            if found is not None:
                return found
        forms = [form for form in self.terms if form in other.terms]
        cells = {form: _cells(self.terms[form], other.terms[form]) for form in forms}
        compared = self._table(cells, unit).divergence_from(other._table(cells, unit))
        laws = self.terms, other.terms
        tails = [
            tail
            for form in forms
            for tail in _tails(form, cells[form], (laws[0][form], laws[1][form]), unit)
        ]
        runs = [
            run
            for form in forms
            for run in _crossings(form, cells[form], (laws[0][form], laws[1][form]), unit)
        ]
        whole = TailedDivergence(compared, tails) if tails else compared
        return CrossedDivergence(whole, runs) if runs else whole

    def _vector(self, output: Hashable) -> tuple[int, ...]:
        """Return the numbers in the places of an output."""
        return tuple(int(one.c) for one in _opened(output, truths=self._truths)[1])

    def _table(
        self, cells: Mapping[Hashable, Sequence[Sequence[Interval]]], unit: int
    ) -> ExplicitLaw:
        found: dict[Hashable, Weight] = {}
        for form, terms in self.terms.items():
            places = cells.get(form) or _cells(terms)
            weights: dict[tuple[int, ...], Weight] = {}
            for bare, factors in terms:
                masses = [
                    [(i, mass) for i, cell in enumerate(own) if (mass := factor.mass(cell)) != ZERO]
                    for factor, own in zip(factors, places, strict=True)
                ]
                for chosen in combinations(*masses):
                    part = bare
                    for _, mass in chosen:
                        part = product(part, mass)
                    index = tuple(i for i, _ in chosen)
                    weights[index] = plus(weights.get(index, ZERO), part)
            for index, weight in weights.items():
                told = _shown(form, [own[i] for own, i in zip(places, index, strict=True)], unit)
                if told in found:
                    raise LawError(
                        f"two different outputs would be written the same in a report: {told}"
                    )
                found[told] = weight
        return ExplicitLaw(found)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of one output."""
        form, numbers = _opened(output, truths=self._truths)
        total: Weight = ZERO
        for bare, factors in self.terms.get(form, ()):
            part = bare
            for factor, number in zip(factors, numbers, strict=True):
                part = product(part, factor.mass((number.c, number.c)))
            total = plus(total, part)
        exact = total if isinstance(total, Real) else None
        return Mass(total.ball() if isinstance(total, Real) else total, exact)

    def output_count(self) -> int | None:
        """Return None: some whole number has no end, or too many values."""
        return None


def _cells(terms: Sequence[Term], others: Sequence[Term] = ()) -> list[list[Interval]]:
    """Return the cells of each place for two laws that are made of these terms."""
    columns = [
        tuple(dict.fromkeys(factors[place] for _, factors in side) for side in (terms, others))
        for place in range(len(terms[0][1]))
    ]
    alone = sum(len(p | q) > 1 for p, q in columns) == 1
    found = [_cells_of_place(p, q, alone=alone) for p, q in columns]
    count = prod(map(len, found))
    if count > MOST_CELLS:
        raise LawError(
            f"the combinations of unbounded whole numbers need {count} parts, and the limit is "
            f"{MOST_CELLS}; clamp some of them"
        )
    return found


def _cells_of_place(
    p: Mapping[Factor, None], q: Mapping[Factor, None], *, alone: bool
) -> list[Interval]:
    """Return the cells of one place for laws of two sides; ``alone`` if all agree elsewhere."""
    factors = list({**p, **q})
    if len(factors) == 1:
        return [_ANY]
    starts = sorted(set().union(*(factor.starts() for factor in factors)))
    ends: list[int | None] = [None, *starts, None]
    found: list[Interval] = []
    for low, after in pairwise(ends):
        cell = low, None if after is None else after - 1
        there = [factor for factor in factors if factor.mass(cell) != ZERO]
        if not there:
            continue
        if _is_number(cell) or len({one.shape(cell) for one in there}) == 1:
            found.append(cell)
        elif (
            alone
            and (len(p.keys() & there), len(q.keys() & there)) == (1, 1)
            and _is_crossing(cell, there)
        ):
            found += _with_ends(cell, there[0])
        elif after is not None and low is not None and after - low <= _MOST_NUMBERS:
            found += [(number, number) for number in range(low, after)]
        elif (low is None or after is None) and all(map(there[0].is_alike, there)):
            found.append(cell)
        else:
            raise LawError(_why_not(there))
    return found


def _is_crossing(cell: Interval, factors: Sequence[Factor]) -> bool:
    """Tell whether the loss of two laws is linear on a run of many numbers."""
    low, high = cell
    return low is not None and high is not None and high - low > _FEW and _is_monotone(factors)


def _is_monotone(factors: Sequence[Factor]) -> bool:
    """Tell whether the quotient of any two laws rises or falls between starts."""
    if all(one.is_geometric() for one in factors):
        return len({one.lattice() for one in factors}) == 1
    wrapped = {one.wrapped() for one in factors}
    return len(wrapped) == 1 and None not in wrapped


def _with_ends(cell: Interval, factor: Factor) -> list[Interval]:
    """Return the first and the last number of a lattice in a cell, and what lies between them."""
    low, high = cell
    assert low is not None
    assert high is not None
    width = abs(int(factor.a))
    first = low + (factor.c - low) % width
    last = high - (high - factor.c) % width
    return [(first, first), (first + width, last - width), (last, last)]


def _tails(
    form: Hashable,
    places: Sequence[Sequence[Interval]],
    laws: tuple[Sequence[Term], Sequence[Term]],
    unit: int,
) -> Iterator[Tail]:
    """Iterate over the cells without an end on which two laws have normal noise of other means."""
    for index, own in enumerate(places):
        for cell in own:
            if cell[0] is not None and cell[1] is not None:
                continue
            p, q = (_weights_there(terms, index, cell) for terms in laws)
            factors = [*p, *q]
            if len(set(factors)) <= 1 or len({one.shape(cell) for one in factors}) == 1:
                continue
            # A place on which all laws agree is one cell; it changes no loss.
            if any(other != [_ANY] for i, other in enumerate(places) if i != index):
                raise LawError(_why_not(factors, of_several=True))
            if len(p) != 1 or len(q) != 1:
                raise LawError(_why_not(factors))
            (first,), (second,) = p.items(), q.items()
            cells = [cell if i == index else _ANY for i in range(len(places))]
            yield _tail(form, index, cells, (first[::-1], second[::-1]), unit)


def _crossings(
    form: Hashable,
    places: Sequence[Sequence[Interval]],
    laws: tuple[Sequence[Term], Sequence[Term]],
    unit: int,
) -> Iterator[Crossing]:
    """Iterate over the runs of numbers on which two laws are geometric, and differ."""
    for index, own in enumerate(places):
        for cell in own:
            low, high = cell
            if low is None or high is None or low == high:
                continue
            p, q = (_weights_there(terms, index, cell) for terms in laws)
            if not p or not q or len({one.shape(cell) for one in (*p, *q)}) <= 1:
                continue
            (first,), (second,) = p.items(), q.items()
            cells = [cell if i == index else _ANY for i in range(len(places))]
            yield Crossing(
                (first[::-1], second[::-1]),
                low,
                high,
                abs(int(first[0].a)),
                _shown(form, cells, unit),
                _numbers_in(form, index, cells, unit),
            )


def _weights_there(terms: Sequence[Term], index: int, cell: Interval) -> dict[Factor, Weight]:
    """Return the weight of each law that a place has in a cell, the other places being any."""
    found: dict[Factor, Weight] = {}
    for bare, factors in terms:
        if factors[index].mass(cell) == ZERO:
            continue
        weight = bare
        for i, factor in enumerate(factors):
            weight = weight if i == index else product(weight, factor.mass(_ANY))
        found[factors[index]] = plus(found.get(factors[index], ZERO), weight)
    return found


def _tail(
    form: Hashable,
    index: int,
    cells: Sequence[Interval],
    laws: tuple[tuple[Weight, Factor], tuple[Weight, Factor]],
    unit: int,
) -> Tail:
    """Return the numbers in the open cell at a place, as one tail."""
    factor, cell = laws[0][1], cells[index]
    up = cell[1] is None
    end = cell[0] if up else cell[1]
    assert end is not None
    off = (factor.c - end) % abs(factor.a) if up else -((end - factor.c) % abs(factor.a))

    shown = _numbers_in(form, index, cells, unit)
    return Tail(laws, int(end + off), up, _shown(form, cells, unit), shown, unit)


def _numbers_in(
    form: Hashable, index: int, cells: Sequence[Interval], unit: int
) -> Callable[[Any], Hashable]:
    """Return a function that gives the output with a number at one place, or with a text."""

    def shown(number: Any) -> Hashable:
        if isinstance(number, str):
            told: Hashable = with_places(
                form, lambda place: number if place.index == index else _told(_ANY, unit)
            )
            return told
        there = [(number, number) if i == index else one for i, one in enumerate(cells)]
        return _shown(form, there, unit)

    return shown


def _why_not(factors: Sequence[Factor], *, of_several: bool = False) -> str:
    """Return why the tails of two laws are not compared, of one number or of several at once."""
    drawn = [one.draw for one in factors if one.draw is not None]
    kinds = {one.kind if one.rounding is None else one.rounding[0].kind for one in drawn}
    untold = "and several of them differ between two datasets, which dpaudit cannot compare"
    for kind, noise in (("gaussian", "normal"), ("discrete_gaussian", "discrete Gaussian")):
        if kind in kinds:
            return (
                f"the outputs are unbounded whole numbers with {noise} noise, "
                f"{untold if of_several else 'whose tails dpaudit cannot compare'}; clamp them, "
                "or audit the noise before it is rounded: rounding cannot lose privacy"
            )
    return (
        "the outputs are unbounded whole numbers, and their tails decay at different rates, "
        "which dpaudit cannot compare; clamp the output"
    )


def counted_law(regions: Mapping[Hashable, Sequence[Region]]) -> CountedLaw:
    """Return the law of outputs of which some have whole numbers that are left open."""
    listed: list[tuple[Hashable, Weight, tuple[Factor, ...] | None]] = []
    try:
        for output, found in regions.items():
            listed += [_listed(output, region) for region in found]
    except Refused as refusal:
        raise LawError(str(refusal)) from None
    truths = any(isinstance(one, Counted) and _has_truths(one.fixed) for one in regions)
    return CountedLaw(_by_form(listed, truths=truths), truths=truths)


def _has_truths(output: Any) -> bool:
    return type(output) is Truth or (isinstance(output, tuple) and any(map(_has_truths, output)))


def _listed(output: Hashable, region: Region) -> tuple[Hashable, Weight, tuple[Factor, ...] | None]:
    weight: Weight = product(region.weight, probability(*region.placed))
    open_ = {one.number for one in region.counts}
    for number, (draw, support) in enumerate(region.wholes):
        if number not in open_:
            weight = product(weight, chance(draw, support))
    if not isinstance(output, Counted):
        return output, weight, None
    factors = []
    for one in region.counts:
        draw, support = region.wholes[one.number]
        assert isinstance(draw, WholeDraw)
        factors.append(Factor(draw, support, _plain(one.factor), _plain(one.constant)))
    return output, weight, tuple(factors)


def _plain(number: int | Fraction) -> int | Fraction:
    """Return a whole number as one."""
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


def _by_form(
    listed: Iterable[tuple[Hashable, Weight, tuple[Factor, ...] | None]],
    *,
    truths: bool = False,
) -> dict[Hashable, list[Term]]:
    """Return the terms of each form: whole numbers that are fixed stand in places as well."""
    found: dict[Hashable, list[Term]] = {}
    for output, weight, factors in listed:
        bare = output.fixed if isinstance(output, Counted) else output
        form, own = _opened(bare, factors or (), truths=truths)
        found.setdefault(form, []).append((weight, own))
    return found
