"""Neighbouring relations on datasets that are written out: by name, by predicate, or as pairs.

* ``substitution``: two sequences of one length that differ in one entry;
* ``add-remove``: one sequence is the other with one entry left out;
* ``unit-moves``: two different tuples of answers, each of which moves by at most 1;
* ``all``: any two different datasets.

An audit visits every unordered pair once; whatever is not a symmetric relation between the
datasets of the space is a ``LawError`` that says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import combinations, islice
from typing import Any

from dpaudit.data.adjacency import Adjacency
from dpaudit.errors import LawError

__all__ = [
    "MOST_DATASETS",
    "RELATIONS",
    "Dataset",
    "ListedDatasets",
    "Pair",
    "Relation",
    "one_line",
]

MOST_DATASETS = 2_000_000
"""More datasets than this cannot be listed; without a limit, an endless list would fill memory."""

Dataset = Any
Relation = Callable[[Dataset, Dataset], bool]
Pair = tuple[Dataset, Dataset]


def _substitution(left: Dataset, right: Dataset) -> bool:
    """One entry differs."""
    return len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1


def _add_remove(left: Dataset, right: Dataset) -> bool:
    """One of the two is the other with one entry left out."""
    short, long = sorted((tuple(left), tuple(right)), key=len)
    return len(long) == len(short) + 1 and any(
        long[:place] + long[place + 1 :] == short for place in range(len(long))
    )


def _unit_moves(left: Dataset, right: Dataset) -> bool:
    """Every entry (the answer to a query) moves by at most 1."""
    return (
        left != right
        and len(left) == len(right)
        and all(abs(a - b) <= 1 for a, b in zip(left, right, strict=True))
    )


def _all(left: Dataset, right: Dataset) -> bool:
    """Any two datasets."""
    return bool(left != right)


RELATIONS: dict[str, Relation] = {
    "all": _all,
    "substitution": _substitution,
    "add-remove": _add_remove,
    "unit-moves": _unit_moves,
}
"""The relations by name; each is symmetric."""


def _substitution_pairs(space: list[Dataset]) -> Iterator[tuple[int, int]]:
    """Find the pairs by what is left of both when the entry that differs is taken out."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, dataset in enumerate(space):
        for place in range(len(dataset)):
            groups[place, dataset[:place], dataset[place + 1 :]].append(index)
    for group in groups.values():
        yield from combinations(group, 2)


def _add_remove_pairs(space: list[Dataset]) -> Iterator[tuple[int, int]]:
    """Find the pairs by leaving out one entry of the longer dataset."""
    known = {dataset: index for index, dataset in enumerate(space)}
    for index, dataset in enumerate(space):
        for place in range(len(dataset)):
            other = known.get(dataset[:place] + dataset[place + 1 :])
            if other is not None:
                yield min(index, other), max(index, other)


_FINDERS = {"substitution": _substitution_pairs, "add-remove": _add_remove_pairs}


class ListedDatasets(Adjacency[Dataset]):
    """A relation on listed datasets: one of :data:`RELATIONS`, a predicate, or pairs.

    Whatever is wrong with the datasets or the relation is a ``LawError`` when it is first used.
    """

    def __init__(
        self,
        name: str,
        datasets: Callable[[int], Iterable[Dataset]],
        relation: Relation | None,
        pairs: Iterable[Pair] = (),
    ) -> None:
        """Take a ``relation``, or None for the listed ``pairs``; ``datasets`` by size."""
        self.name = name
        self._datasets = datasets
        self._relation = relation
        self._given = pairs
        self._listed: frozenset[Pair] | None = None
        self._spaces: dict[int, dict[Dataset, int]] = {}
        self._found: dict[int, list[Pair]] = {}

    def datasets(self, n: int) -> list[Dataset]:
        return list(self._space(n))

    def dataset_count(self, n: int) -> int:
        return len(self._space(n))

    def pair_count(self, n: int) -> int:
        return len(self._pairs(n))

    def pairs(self, n: int) -> Iterator[Pair]:
        return iter(self._pairs(n))

    def adjacent(self, left: Dataset, right: Dataset) -> bool:
        if self._relation is None:
            listed = self._listed_pairs()
            return (left, right) in listed or (right, left) in listed
        try:
            return bool(self._relation(left, right))
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
        """Return the position of every dataset of size ``n``."""
        if n not in self._spaces:
            space = self.read_datasets(n)
            if not space:
                raise LawError(f"there are no datasets at n = {n}")
            positions: dict[Dataset, int] = {}
            for position, dataset in enumerate(space):
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
                space = sorted(space, key=repr)
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
            for pair in self._given:
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
                raise LawError(
                    f"no two datasets are neighbours at n = {n} (neighbours: {self.name}; known: "
                    f"{', '.join(RELATIONS)})"
                )
            self._found[n] = [(space[left], space[right]) for left, right in found]
        return self._found[n]

    def _positions(self, n: int, space: list[Dataset]) -> Iterator[tuple[int, int]]:
        """Iterate over the pairs as positions, the lower one first."""
        if self._relation is None:
            return self._listed_positions(n)
        if self._relation is RELATIONS.get(self.name):
            finder = _FINDERS.get(self.name)
            if finder and len({type(dataset) for dataset in space}) == 1:
                if isinstance(space[0], (tuple, str)):
                    return finder(space)
                raise LawError(
                    f"the adjacency {self.name} is one of tuples or texts; {space[0]!r} is a "
                    f"{type(space[0]).__name__}"
                )
            return (
                (left, right)
                for left, right in combinations(range(len(space)), 2)
                if self.adjacent(space[left], space[right])
            )
        return (
            (left, right)
            for left, right in combinations(range(len(space)), 2)
            if self._symmetric(space[left], space[right])
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
                "order only"
            )
        return there


def one_line(error: BaseException) -> str:
    """Return what was raised, on one line that is not too long."""
    try:
        text = " ".join(str(error).split())[:200]
    except Exception:  # an exception of a user's may be anything
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
