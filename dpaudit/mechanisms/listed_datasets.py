"""Neighbouring relations on datasets that are written out: by name, by predicate, or as pairs.

The names are those of :data:`dpaudit.data.neighbouring.RELATIONS`.  Without one, tuples and texts
have ``one-entry`` and other datasets ``all``, and reports say that nobody chose it.  Where the
datasets are tuples of whole numbers nothing is taken for granted: they may be sequences or
histograms, and a name that does not say which is refused.

An audit visits every unordered pair once; whatever is not a symmetric relation between the
datasets of the space is a ``LawError`` that says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, islice
from math import comb
from typing import Any

from dpaudit.data import neighbouring
from dpaudit.data.adjacency import Adjacency
from dpaudit.errors import AmbiguousRelationError, LawError, one_line
from dpaudit.mechanisms.array_data import Arrayed
from dpaudit.mechanisms.named_pairs import OF_HISTOGRAMS, OF_SEQUENCES, expected_pairs_among
from dpaudit.mechanisms.user_laws import Mapped, check_value
from dpaudit.results import steady_repr

__all__ = ["MOST_DATASETS", "Dataset", "ListedDatasets", "Pair", "Predicate"]

MOST_DATASETS = 2_000_000
"""More datasets than this cannot be listed; without a limit, an endless list would fill memory."""

Dataset = Any
Predicate = Callable[[Dataset, Dataset], bool]
Pair = tuple[Dataset, Dataset]


_SEEN = 100
"""Datasets that are looked at to tell how many pairs there are."""


class ListedDatasets(Adjacency[Dataset]):
    """A relation on listed datasets: one by name, a predicate, or pairs.

    Whatever is wrong with the datasets or the relation is a ``LawError`` when it is first used; a
    name with two readings an ``AmbiguousRelationError``.
    """

    def __init__(
        self,
        name: str,
        datasets: Callable[[int], Iterable[Dataset]],
        predicate: Predicate | None = None,
        pairs: Iterable[Pair] | None = None,
    ) -> None:
        """Take ``datasets`` by size, and a ``predicate`` or ``pairs`` called ``name``.

        Without either, ``name`` is that of a relation, or a bare one that may stand for two, and
        empty for none.  Raises ``ParameterError`` for an unknown name.
        """
        self._given = pairs
        self._listed: frozenset[Pair] | None = None
        self._bare: str | None = None
        self._predicate = predicate
        self._relation: neighbouring.Relation | None = None
        if predicate is None and pairs is None:
            self._relation, self.notice = neighbouring.read_relation(name)
            self._bare = name if self.notice else None
            name, self._predicate = self._relation.name, self._relation.adjacent
        self.name = name
        self._datasets = datasets
        self._spaces: dict[int, dict[Dataset, int]] = {}
        self._clear: set[int] = set()
        self._fits: set[int] = set()
        self._found: dict[int, list[Pair]] = {}

    @classmethod
    def by_default(
        cls, datasets: Callable[[int], Iterable[Dataset]], *, sequences: bool
    ) -> ListedDatasets:
        """Return the relation of ``datasets`` for which none was named, ``sequences`` or not."""
        relation = cls(
            neighbouring.ONE_ENTRY.name if sequences else neighbouring.ALL.name, datasets
        )
        relation.defaulted, relation._bare = True, ""
        return relation

    def called(self, name: str) -> ListedDatasets | None:
        """Return the relation on the same datasets that an audit asks for by ``name``.

        None if it is another one than their author gave; where none was given any may be asked for.
        """
        if name == self.name and not self.defaulted:
            return self
        if not self.defaulted and neighbouring.WORDS_OF_SEQUENCES.get(name) != self.name:
            return None
        relation = ListedDatasets(name, self._datasets)
        relation._spaces = self._spaces
        return relation

    def datasets(self, n: int) -> list[Dataset]:
        return list(self._space(n))

    def dataset_count(self, n: int) -> int:
        return len(self._space(n))

    def pair_count(self, n: int) -> int:
        if self.is_complete(n):
            return comb(len(self._space(n)), 2)
        return len(self._pairs(n))

    def expected_pairs(self, n: int) -> tuple[int, int]:
        if self.is_complete(n):
            return self.pair_count(n), 0
        if n in self._found:
            return len(self._found[n]), len(self._found[n])
        space = self._space(n)
        most = min(
            comb(len(space), 2),
            expected_pairs_among(self.name, list(islice(space, _SEEN)), len(space)),
        )
        in_groups = 3 if self.name == neighbouring.ONE_ENTRY.name else 1  # as much as three pairs
        return most, in_groups * most

    def pairs(self, n: int) -> Iterator[Pair]:
        if self.is_complete(n):
            return combinations(self._space(n), 2)
        return iter(self._pairs(n))

    def is_complete(self, n: int) -> bool:
        if self._predicate is not neighbouring.ALL.adjacent:
            return False
        if len(self._space(n)) < 2:
            raise self._without_pairs(n)
        return True

    def adjacent(self, left: Dataset, right: Dataset) -> bool:
        if self._predicate is None:
            listed = self._listed_pairs()
            return (left, right) in listed or (right, left) in listed
        try:
            return bool(self._predicate(left, right))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise LawError(
                f"the adjacency {self.name} at {left!r} and {right!r} raised {one_line(error)}"
            ) from error

    def chunk(self, dataset: Dataset, count: int = 256) -> list[Dataset]:
        """Return ``count`` or fewer datasets in a row, among them ``dataset``, of those listed."""
        for space in self._spaces.values():
            if dataset in space:
                start = space[dataset] // count * count
                return list(islice(space, start, start + count))
        return [dataset]

    def _space(self, n: int) -> dict[Dataset, int]:
        """Return :meth:`listing`, once it is clear which relation is meant on these datasets."""
        space = self.listing(n)
        if self._bare is not None and n not in self._clear:
            if neighbouring.are_counts(space):
                raise AmbiguousRelationError(_both_readings(self._bare, n, next(iter(space))))
            self._clear.add(n)
        relation = self._relation
        if relation is not None and n not in self._fits:
            stranger = next((one for one in space if not relation.holds(one)), None)
            if stranger is not None:
                others = ", ".join(one.name for one in neighbouring.relations_on([stranger]))
                raise LawError(
                    f"neighbours = {self.name} is a relation between {relation.of}, but "
                    f"{stranger!r} is not one of these; for such datasets there are {others}"
                )
            self._fits.add(n)
        return space

    def check_reading(self, n: int) -> None:
        if self._bare is not None:
            self._space(n)

    def listing(self, n: int) -> dict[Dataset, int]:
        """Return the position of every dataset of size ``n``, whatever their neighbours are."""
        if n not in self._spaces:
            space = self.read_datasets(n)
            if not space:
                raise LawError(f"there are no datasets at n = {n}")
            positions: dict[Dataset, int] = {}
            for position, dataset in enumerate(space):
                check_value(dataset, "a dataset")
                try:
                    first = positions.setdefault(dataset, position)
                except TypeError as error:
                    raise LawError(
                        f"the dataset {dataset!r} is not hashable ({error}); give a tuple"
                    ) from None
                if first != position:
                    raise LawError(f"a dataset occurs twice at n = {n}: {dataset!r}")
            self._spaces[n] = positions
        return self._spaces[n]

    def read_datasets(self, n: int) -> list[Dataset]:
        """Return the datasets as they are given now, whatever they were before."""
        try:
            space = self._datasets(n)
            # A set has another order in every process; reports are to be the same everywhere.
            if isinstance(space, (set, frozenset)):
                space = sorted(space, key=steady_repr)
            listed = list(islice(space, MOST_DATASETS + 1))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise LawError(f"listing the datasets at n = {n} raised {one_line(error)}") from error
        if len(listed) > MOST_DATASETS:
            raise LawError(f"there are more than {MOST_DATASETS} datasets at n = {n}")
        return listed

    def _listed_pairs(self) -> frozenset[Pair]:
        if self._listed is None:
            listed = set()
            for pair in self._given or ():
                if not isinstance(pair, (tuple, list)) or len(pair) != 2:
                    raise LawError(f"{pair!r} is not a pair of neighbours")
                try:
                    listed.add((pair[0], pair[1]))
                except TypeError as error:
                    raise LawError(f"the pair {pair!r} is not hashable ({error})") from None
            self._listed = frozenset(listed)
        return self._listed

    def _pairs(self, n: int) -> list[Pair]:
        if n not in self._found:
            space = self.datasets(n)
            found = sorted(set(self._positions(n, space)))
            if not found:
                raise self._without_pairs(n)
            self._found[n] = [(space[left], space[right]) for left, right in found]
        return self._found[n]

    def _without_pairs(self, n: int) -> LawError:
        return LawError(
            f"no two datasets are neighbours at n = {n} (neighbours: {self.name}; known: "
            f"{', '.join(neighbouring.RELATIONS)}, adjacent(c))"
        )

    def _positions(self, n: int, space: list[Dataset]) -> Iterator[tuple[int, int]]:
        """Iterate over the pairs as positions, the lower one first."""
        if self._predicate is None:
            return self._listed_positions(n)
        if self._relation is not None:
            return self._named_positions(space)
        return (
            (left, right)
            for left, right in combinations(range(len(space)), 2)
            if self._symmetric(space[left], space[right])
        )

    def _named_positions(self, space: list[Dataset]) -> Iterator[tuple[int, int]]:
        if any(type(dataset) is Arrayed for dataset in space):  # no tuple of its parts equals one
            return self._positions_of_all(space)
        if self.name in OF_HISTOGRAMS:
            stranger = next(
                (dataset for dataset in space if not neighbouring.is_histogram(dataset)), None
            )
            if stranger is not None:
                raise LawError(
                    f"the adjacency {self.name} is for histograms: tuples of whole numbers ≥ 0, or "
                    f"mappings to them; {stranger!r} is not one"
                )
            if any(type(dataset) is Mapped for dataset in space):
                return self._positions_of_all(space)
            return OF_HISTOGRAMS[self.name](space)
        if self.name in OF_SEQUENCES and len({type(dataset) for dataset in space}) == 1:
            return OF_SEQUENCES[self.name](space)
        return self._positions_of_all(space)

    def _positions_of_all(self, space: list[Dataset]) -> Iterator[tuple[int, int]]:
        """Iterate over the pairs by trying all."""
        return (
            (left, right)
            for left, right in combinations(range(len(space)), 2)
            if self.adjacent(space[left], space[right])
        )

    def _listed_positions(self, n: int) -> Iterator[tuple[int, int]]:
        """Iterate over the listed pairs of this size; those of other sizes have no part here."""
        space = self._space(n)
        for pair in self._listed_pairs():
            inside = [dataset in space for dataset in pair]
            if all(inside):
                left, right = sorted(space[dataset] for dataset in pair)
                if left == right:
                    raise LawError(f"{pair[0]!r} is listed as its own neighbour")
                yield left, right
            elif any(inside):
                stranger = pair[inside.index(False)]
                raise LawError(
                    f"the pair {pair!r}: {stranger!r} is not among the datasets at n = {n}"
                )

    def _symmetric(self, left: Dataset, right: Dataset) -> bool:
        there, back = self.adjacent(left, right), self.adjacent(right, left)
        if there != back:
            raise LawError(
                f"the adjacency is not symmetric: {left!r} and {right!r} are neighbours in one "
                "order but not in the other"
            )
        return there


def _both_readings(bare: str, n: int, dataset: Dataset) -> str:
    """Return the line that names both readings of a ``bare`` name, empty for none at all."""
    old = bare or "substitution"
    sequence = neighbouring.RELATIONS[neighbouring.WORDS_OF_SEQUENCES[old]]
    histogram = neighbouring.RELATIONS[neighbouring.WORDS_OF_HISTOGRAMS[old]]
    given = f"neighbours = {bare} is ambiguous" if bare else "neighbours is missing"
    return (
        f"{given}: the datasets at n = {n} are tuples of whole numbers, such as {dataset!r}, which "
        f"may be sequences or histograms; write {sequence.name} ({sequence.meaning}) or "
        f"{histogram.name} ({histogram.meaning})"
    )
