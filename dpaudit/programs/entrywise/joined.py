"""The law of a program whose entries are independent, from the paths of each entry alone."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.errors import DpauditError, LawError
from dpaudit.mechanisms.user_laws import Listed, brief_look, hold_apart
from dpaudit.numbers.ball import precision
from dpaudit.numbers.real import ONE, ZERO, Real, rational
from dpaudit.programs.entrywise.splitting import PLACES
from dpaudit.programs.exploring.exploration import Exploration
from dpaudit.programs.exploring.explore import explore
from dpaudit.programs.exploring.outputs import Raised, outcome
from dpaudit.programs.exploring.run import Run
from dpaudit.programs.output_laws.printed_draws import Counted, OpenWhole, Place, Truth
from dpaudit.programs.real.counted import RealRuns
from dpaudit.programs.real.tree import Leaf
from dpaudit.programs.unknowns.noises import Draws
from dpaudit.programs.unknowns.wholes import WholeDraw, chance
from dpaudit.programs.zones.integrals import plus, probabilities, product
from dpaudit.programs.zones.regions import Region

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from dpaudit.programs.entrywise.splitting import Split
    from dpaudit.programs.zones.integrals import Weight
    from dpaudit.programs.zones.regions import Seen

__all__ = ["MOST_LISTED", "Entrywise", "Joined", "Piece", "exceeds"]

MOST_LISTED = 4096
"""A product with more outputs is not listed."""
_FEW = 256
"""A program with fewer paths is explored as a whole."""
_MOST_FOLLOWED, _MOST_WRITTEN = 4096, 1 << 15
"""Largest number of paths and of outputs, over all datasets, that are followed one by one."""
_MOST_ENTRIES = 10_000
_MOST_PATHS = 4096
"""An entry with more paths is no small part of its program."""
_HELD_LATER = RealRuns(1 << 62, 1 << 62, exhaustive=True)
"""Stands for the real runs of an entry: only the whole program is compared with real runs."""
_MOST_WORK, _MOST_WORK_OF_FORMS = 10_000_000, 50_000
"""Largest number of products of fractions for a sum, and of closed forms, which are longer."""
_BITS = 96
_ATOMS = (bool, int, float, str, bytes, Fraction, Real, type(None))


class Piece(NamedTuple):
    """Paths of one entry."""

    leaves: list[Leaf]
    law: dict[int, Real]
    """The probability of each value."""
    trails: dict[int, tuple[int, ...]]
    """The decisions of a path to each value."""
    is_truth: bool
    """True if the values are True and False."""
    real: RealRuns
    """The real runs that sub-samplers were held to."""


@dataclass
class Entrywise:
    """A program that was split, with its parameters."""

    split: Split
    parameters: Mapping[str, Any]
    most_paths: int
    pieces: dict[Hashable, Piece | None] = field(default_factory=dict)
    """The entries that were explored, by all that they depend on; None for those of other forms."""
    joined: dict[Any, Joined | None] = field(default_factory=dict)

    def at(self, dataset: Any, among: int = 1) -> Joined | None:
        """Return the law at a dataset; None where the program is to be explored as a whole.

        That is where it has few paths, where anything raises, and where entries are no whole
        numbers or truths with probabilities in closed form.

        Args:
            dataset: the dataset.
            among: the number of datasets whose laws are compared with each other: of many, few
                paths each are many, and so are their outputs.
        """
        if dataset not in self.joined:
            self.joined[dataset] = self._at(dataset, among)
        return self.joined[dataset]

    def _at(self, dataset: Any, among: int) -> Joined | None:
        split = self.split
        try:
            given = split.prelude(dataset, **self.parameters, **{PLACES: _places})
        except Exception:  # which exploring it as a whole shows
            return None
        first = given[split.steps[0].items]
        if not 0 < len(first) <= _MOST_ENTRIES or not self._are_fixed(given, len(first)):
            return None
        found: list[Piece] = []
        for number in range(len(first)):
            piece = self._piece([_given(given, step, number) for step in split.steps])
            if piece is None:
                return None
            found.append(piece)
        few = min(_FEW, _MOST_FOLLOWED // among)
        if not exceeds([len(piece.leaves) for piece in found], few):
            return None
        if split.kind == "sum":
            return self._sum(found, given)
        most = min(MOST_LISTED, _MOST_WRITTEN // among)
        return Joined(found, Listed if split.kind == "list" else tuple, most_listed=most)

    def _are_fixed(self, given: Mapping[str, Any], count: int) -> bool:
        """Tell whether steps are given immutable values alone, and later ones an entry each."""
        for step in self.split.steps:
            items = given[step.items]
            place = step.place
            if place is not None and [one[place] for one in items] != list(range(count)):
                return False
            if not all(map(_is_fixed, items)):
                return False
            if not all(_is_fixed(given[name]) for name in step.names):
                return False
        initial = 0 if self.split.initial is None else given[self.split.initial]
        return type(initial) is int and all(_is_fixed(given[one]) for one in self.split.last_names)

    def _piece(self, given: Sequence[tuple[Any, ...]]) -> Piece | None:
        """Return the paths of an entry whose steps are given these values."""
        plain = tuple(given)
        key = plain, brief_look(plain)  # 1 is not True
        if key not in self.pieces:
            self.pieces[key] = self._explored(given)
        return self.pieces[key]

    def _explored(self, given: Sequence[tuple[Any, ...]]) -> Piece | None:
        steps = self.split.steps

        def body(source: Any) -> Any:
            value: Any = None
            for step, own in zip(steps, given, strict=True):
                if step.place is None:
                    value = step.function(*own, source)
                else:
                    value = step.function(*own[: step.place], value, *own[step.place + 1 :])
                if step.holds == "list":
                    (value,) = value  # it raises where a pass gives no entry, or several
            return value

        kept: list[Seen] = []

        def keep(seen: list[Seen], _: float) -> RealRuns:
            kept.extend(seen)
            return _HELD_LATER

        most = min(self.most_paths, _MOST_PATHS)
        try:
            found = explore(body, most, calculates=True, holds=keep)
            with precision(_BITS):
                return _piece_of(found, kept)
        except DpauditError:
            return None

    def _sum(self, pieces: list[Piece], given: Mapping[str, Any]) -> Joined | None:
        split = self.split
        assert split.last is not None
        if _takes_long(pieces):
            return None
        initial = 0 if split.initial is None else given[split.initial]
        last: dict[int, Hashable] = {}
        for total in (totals := _convolved(pieces)):
            own = [initial + total, *(given[name] for name in split.last_names)]
            last[total] = outcome(Run(()), lambda own=own: split.last(*own))  # type: ignore[misc]
        if any(isinstance(one, Raised) for one in last.values()):
            return None
        return Joined(pieces, None, totals, last, initial)


def _piece_of(found: Exploration, seen: list[Seen]) -> Piece | None:
    """Return what was found of an entry; None for what is no whole number, and no truth."""
    kinds = set(map(type, found.trails))
    if not found.complete or kinds not in ({int}, {bool}):
        return None
    law: dict[int, Real] = {}
    for value, regions in found.regions.items():
        mass = _mass(regions)
        if not isinstance(mass, Real):
            return None
        law[value] = mass  # type: ignore[index]
    if not sum((one.ball() for one in law.values()), ZERO.ball()).contains(1):
        raise LawError("the probabilities of an entry of the output do not add up to 1")
    leaves = [Leaf(run, output, run.gave) for _, run, output in seen]
    return Piece(leaves, law, found.trails, kinds == {bool}, found.real)  # type: ignore[arg-type]


def _mass(regions: Sequence[Region]) -> Weight:
    total: Weight = ZERO
    for region in regions:
        part: Weight = region.weight
        for draw, support in region.wholes:
            part = product(part, chance(draw, support))
        for probability in probabilities(*region.placed):
            part = product(part, probability)
        total = plus(total, part)
    return total


@dataclass
class Joined:
    """The law of a program at one dataset, of independent entries."""

    pieces: list[Piece]
    container: type | None
    """Type of the output, a list or a tuple of the entries; None if they are added up."""
    totals: dict[int, Real] = field(default_factory=dict)
    """The probability of each sum of entries."""
    last: dict[int, Hashable] = field(default_factory=dict)
    """The output for each sum of entries."""
    initial: int = 0
    most_listed: int = MOST_LISTED
    """Largest number of outputs that are listed one by one."""

    def exploration(self) -> Exploration:
        """Return the paths as though they had been followed to these outputs."""
        paths = sum(len(piece.leaves) for piece in self.pieces)
        regions: dict[Hashable, list[Region]] = {}
        if self.container is None:
            for total, weight in self.totals.items():
                regions.setdefault(self.last[total], []).append(_region(weight))
        elif self.is_listed:
            regions = {output: [_region(weight)] for output, weight in self._listed()}
        else:
            output, region = self._open()
            return Exploration({output: [region]}, paths, {output: self._trail({})})
        hold_apart({}, regions)
        return Exploration(regions, paths, {output: self.trail_to(output) for output in regions})

    @property
    def is_listed(self) -> bool:
        """True if the outputs are listed one by one."""
        return not exceeds([len(piece.law) for piece in self.pieces], self.most_listed)

    def entries(self) -> list[Hashable]:
        """Return every entry with its place, so that equal ones can be held to be the same."""
        if self.container is None:
            return []
        return [("entry", i, value) for i, piece in enumerate(self.pieces) for value in piece.law]

    def _listed(self) -> list[tuple[Hashable, Real]]:
        found: list[tuple[tuple[int, ...], Real]] = [((), ONE)]
        for piece in self.pieces:
            found = [
                ((*values, value), weight * part)
                for values, weight in found
                for value, part in piece.law.items()
            ]
        assert self.container is not None
        return [(self.container(values), weight) for values, weight in found]

    def _open(self) -> tuple[Hashable, Region]:
        """Return the output with a place for each entry, and where these lie."""
        places = [
            Truth(Place(i)) if piece.is_truth else Place(i) for i, piece in enumerate(self.pieces)
        ]
        draws = []
        for piece in self.pieces:
            table = tuple(sorted((int(value), weight) for value, weight in piece.law.items()))
            draw = WholeDraw("table", ONE, table)
            draws.append((draw, draw.support()))
        counts = tuple(OpenWhole(i, 1, 0) for i in range(len(places)))
        assert self.container is not None
        return Counted(self.container(places)), _region(ONE)._replace(
            wholes=tuple(draws), counts=counts
        )

    def trail_to(self, output: Hashable) -> tuple[int, ...]:
        """Return the decisions of a path that gives an output, as a report shows it."""
        if self.container is not None:
            assert isinstance(output, tuple)
            return self._trail(dict(enumerate(output)))
        total = next(total for total, one in self.last.items() if one == output)
        reached = [{0}]
        for piece in self.pieces:
            reached.append({before + value for before in reached[-1] for value in piece.law})
        values: dict[int, int] = {}
        for i in range(len(self.pieces) - 1, -1, -1):
            law = self.pieces[i].law
            values[i] = next(value for value in law if total - value in reached[i])
            total -= values[i]
        return self._trail(values)

    def _trail(self, values: Mapping[int, Any]) -> tuple[int, ...]:
        """Return the decisions of a path with these entries, the others being any."""
        trails = (
            piece.trails.get(values.get(i), next(iter(piece.trails.values())))  # type: ignore[arg-type]
            for i, piece in enumerate(self.pieces)
        )
        return tuple(itertools.chain.from_iterable(trails))

    def output_of(self, values: Sequence[Any]) -> Hashable:
        """Return the output for these entries."""
        if self.container is None:
            return self.last[sum(values)]
        output: Hashable = self.container(values)
        return output


def _region(weight: Real) -> Region:
    return Region(weight, Draws(()), (), (), ())


def _convolved(pieces: Sequence[Piece]) -> dict[int, Real]:
    """Return the law of the sum of independent entries.

    With rational probabilities it is calculated in whole numbers, over a common denominator.
    """
    counted = Counter(id(piece) for piece in pieces)
    laws = {id(piece): piece.law for piece in pieces}
    fractions = {
        key: {value: weight.as_fraction() for value, weight in law.items()}
        for key, law in laws.items()
    }
    if all(one is not None for law in fractions.values() for one in law.values()):
        below = 1
        whole: dict[int, int] = {0: 1}
        for key, count in counted.items():
            unit = lcm(*(one.denominator for one in fractions[key].values()))  # type: ignore[union-attr]
            own = {int(v): int(one * unit) for v, one in fractions[key].items()}  # type: ignore[operator]
            whole = _times(whole, _power(own, count, 1, 0), 0)
            below *= unit**count
        return {total: rational(Fraction(weight, below)) for total, weight in whole.items()}
    found: dict[int, Real] = {0: ONE}
    for key, count in counted.items():
        own_law = {int(value): weight for value, weight in laws[key].items()}
        found = _times(found, _power(own_law, count, ONE, ZERO), ZERO)
    return found


def _takes_long(pieces: Sequence[Piece]) -> bool:
    """Tell whether the law of the sum is too much to be calculated."""
    values = 1 + sum(max(piece.law) - min(piece.law) for piece in pieces)
    parts = max(len(weight.coordinates()) for piece in pieces for weight in piece.law.values())
    rational_ = all(
        weight.as_fraction() is not None for piece in pieces for weight in piece.law.values()
    )
    work = values * len(pieces) * (1 if rational_ else parts**4)
    return work > (_MOST_WORK if rational_ else _MOST_WORK_OF_FORMS)


def _times(first: dict[int, Any], second: dict[int, Any], zero: Any) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for a, p in first.items():
        for b, q in second.items():
            found[a + b] = found.get(a + b, zero) + p * q
    return found


def _power(law: dict[int, Any], count: int, one: Any, zero: Any) -> dict[int, Any]:
    found = {0: one}
    while count:
        if count & 1:
            found = _times(found, law, zero)
        count >>= 1
        law = _times(law, law, zero) if count else law
    return found


def _places(items: Sequence[Any]) -> range:
    return range(len(items))


def _given(given: Mapping[str, Any], step: Any, number: int) -> tuple[Any, ...]:
    """Return what a step is given for one entry, but for the source; no place of an entry."""
    own = given[step.items][number]
    if step.place is not None:
        own = (*own[: step.place], None, *own[step.place + 1 :])
    return (*own, *(given[name] for name in step.names))


def _is_fixed(value: Any) -> bool:
    """Tell whether a value can never change."""
    if type(value) is tuple:
        return all(map(_is_fixed, value))
    return type(value) in _ATOMS


def exceeds(sizes: Sequence[int], most: int) -> bool:
    """Tell whether a product is more than a number."""
    product_ = 1
    for size in sizes:
        product_ *= size
        if product_ > most:
            return True
    return False
