"""Neighbouring relations of histograms, with their pairs and the number of these by formula.

For histograms c and c′ over k categories (the definitions are in :mod:`dpaudit.data.neighbouring`):

* histogram-substitution:  c′ = c − eᵢ + eⱼ with i ≠ j and cᵢ > 0 (both have n records);
* histogram-add-remove:    c′ = c + eⱼ, or the other way round (n records against n + 1).

Both are symmetric.  An audit visits every unordered pair once and looks at it in both directions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import chain
from math import comb
from typing import Generic, TypeVar

from dpaudit.data import neighbouring
from dpaudit.data.histograms import Counts, Histograms

__all__ = [
    "AddRemove",
    "Adjacency",
    "Substitution",
    "histogram_relation",
    "later_additions",
    "later_substitutes",
    "substitutes",
]

DatasetT = TypeVar("DatasetT")


class Adjacency(ABC, Generic[DatasetT]):
    """A symmetric relation on the datasets of each size, with its pairs and their number.

    ``n`` is the size an audit is asked for; a relation may pair datasets of size n with others.
    """

    name: str
    """The name the relation has on the command line and in reports."""
    defaulted: bool = False
    """True if the relation was assumed, because no one named it; reports say so."""
    notice: str = ""
    """Reading of the former name that was given; empty for a present name."""
    alike: bool = False
    """True if all pairs are alike: for any two there is a renaming of outputs that makes both laws
    of one pair those of the other.  An audit then looks at one pair, in both directions."""

    @abstractmethod
    def datasets(self, n: int) -> Iterable[DatasetT]:
        """Iterate over the datasets that the pairs at size ``n`` are drawn from, each once."""

    @abstractmethod
    def dataset_count(self, n: int) -> int:
        """Return the number of those datasets, by formula."""

    @abstractmethod
    def pair_count(self, n: int) -> int:
        """Return the number of unordered neighbouring pairs at size ``n``, by formula."""

    def expected_pairs(self, n: int) -> tuple[int, int]:
        """Return about how many pairs there are, and how many of them will be held in memory.

        Nothing is listed for it but datasets.
        """
        return self.pair_count(n), 0

    @abstractmethod
    def pairs(self, n: int) -> Iterator[tuple[DatasetT, DatasetT]]:
        """Iterate over the unordered neighbouring pairs at size ``n``, each once."""

    @abstractmethod
    def adjacent(self, left: DatasetT, right: DatasetT) -> bool:
        """Tell whether two datasets are neighbours, from the definition of the relation."""

    def check_reading(self, n: int) -> None:
        """Raise ``AmbiguousRelationError`` if its name has two readings on data of size ``n``."""

    def is_complete(self, n: int) -> bool:
        """Tell whether any two datasets of size ``n`` are known to be neighbours.

        Pairs are then those of :meth:`datasets`, in their order, and need not be held.
        """
        return False

    def degree(self, n: int, dataset: DatasetT) -> int:
        """Return how many pairs at size ``n`` contain ``dataset``."""
        return sum(self.adjacent(dataset, other) for other in self.datasets(n))

    def pairs_around(
        self, n: int, chosen: frozenset[DatasetT]
    ) -> Iterator[tuple[DatasetT, DatasetT]]:
        """Iterate over those of :meth:`pairs` that contain a ``chosen`` dataset, in their order."""
        return ((x, y) for x, y in self.pairs(n) if x in chosen or y in chosen)


def substitutes(counts: Counts) -> Iterator[Counts]:
    """Iterate over the histograms that differ from ``counts`` by one substituted record.

    >>> list(substitutes((1, 1)))
    [(0, 2), (2, 0)]
    """
    for source, available in enumerate(counts):
        if available:
            for target in range(len(counts)):
                if target != source:
                    moved = list(counts)
                    moved[source] -= 1
                    moved[target] += 1
                    yield tuple(moved)


def later_substitutes(counts: Counts) -> Iterator[Counts]:
    """Iterate over those substitutes that come after ``counts`` in lexicographic order.

    One unit moves to an earlier category, so each unordered pair has exactly one such order.

    >>> list(later_substitutes((1, 1)))
    [(2, 0)]
    """
    for target in range(len(counts)):
        for source in range(target + 1, len(counts)):
            if counts[source]:
                moved = list(counts)
                moved[source] -= 1
                moved[target] += 1
                yield tuple(moved)


def later_additions(counts: Counts) -> Iterator[Counts]:
    """Iterate over the histograms with one record more.

    >>> list(later_additions((0, 1)))
    [(1, 1), (0, 2)]
    """
    for target in range(len(counts)):
        grown = list(counts)
        grown[target] += 1
        yield tuple(grown)


class Substitution(Adjacency[Counts]):
    """One record is replaced: Hamming distance 1 between datasets of the same size."""

    name = neighbouring.HISTOGRAM_SUBSTITUTION.name

    def __init__(self, k: int, notice: str = "") -> None:
        """Take the number of categories ``k``, and how an old name was read."""
        self.k = k
        self.notice = notice

    def datasets(self, n: int) -> Histograms:
        return Histograms(n, self.k)

    def dataset_count(self, n: int) -> int:
        """Return C(n + k − 1, k − 1)."""
        return len(Histograms(n, self.k))

    def pair_count(self, n: int) -> int:
        """Return C(n + k − 2, k − 1) · C(k, 2): the rest of the data, times the two categories."""
        return comb(n + self.k - 2, self.k - 1) * comb(self.k, 2)

    def pairs(self, n: int) -> Iterator[tuple[Counts, Counts]]:
        """Iterate over the pairs (x, y) with x before y in lexicographic order.

        >>> list(Substitution(2).pairs(2))
        [((0, 2), (1, 1)), ((1, 1), (2, 0))]
        """
        for counts in Histograms(n, self.k):
            for other in later_substitutes(counts):
                yield counts, other

    def adjacent(self, left: Counts, right: Counts) -> bool:
        """Tell whether the histograms differ by moving one unit of count."""
        return neighbouring.HISTOGRAM_SUBSTITUTION.adjacent(left, right)

    def degree(self, n: int, dataset: Counts) -> int:
        """Return (number of categories that occur)·(k − 1): one record of each can move.

        >>> Substitution(3).degree(2, (0, 1, 1))
        4
        """
        return sum(count > 0 for count in dataset) * (self.k - 1)

    def pairs_around(self, n: int, chosen: frozenset[Counts]) -> Iterator[tuple[Counts, Counts]]:
        """Iterate over the pairs with a ``chosen`` dataset, from its substitutes alone.

        >>> list(Substitution(2).pairs_around(9, frozenset([(4, 5)])))
        [((3, 6), (4, 5)), ((4, 5), (5, 4))]
        """
        # A pair is listed from its earlier dataset, which need not be a chosen one.
        earlier = {near for x in chosen for near in substitutes(x) if near < x}
        for x in sorted(earlier | chosen):
            for y in later_substitutes(x):
                if x in chosen or y in chosen:
                    yield x, y


class AddRemove(Adjacency[Counts]):
    """One record is added or removed: pairs of a dataset of n records with one of n + 1."""

    name = neighbouring.HISTOGRAM_ADD_REMOVE.name

    def __init__(self, k: int, notice: str = "") -> None:
        """Take the number of categories ``k``, and how an old name was read."""
        self.k = k
        self.notice = notice

    def datasets(self, n: int) -> Iterable[Counts]:
        return chain(Histograms(n, self.k), Histograms(n + 1, self.k))

    def dataset_count(self, n: int) -> int:
        """Return the number of histograms of n and of n + 1 records."""
        return len(Histograms(n, self.k)) + len(Histograms(n + 1, self.k))

    def pair_count(self, n: int) -> int:
        """Return k · C(n + k − 1, k − 1)."""
        return self.k * len(Histograms(n, self.k))

    def pairs(self, n: int) -> Iterator[tuple[Counts, Counts]]:
        """Iterate over the pairs (x, y) where y has one record more.

        >>> list(AddRemove(2).pairs(1))
        [((0, 1), (1, 1)), ((0, 1), (0, 2)), ((1, 0), (2, 0)), ((1, 0), (1, 1))]
        """
        for counts in Histograms(n, self.k):
            for grown in later_additions(counts):
                yield counts, grown

    def adjacent(self, left: Counts, right: Counts) -> bool:
        """Tell whether one histogram is the other plus one record."""
        return neighbouring.HISTOGRAM_ADD_REMOVE.adjacent(left, right)


def histogram_relation(name: str, k: int) -> Adjacency[Counts]:
    """Return the relation on histograms of ``k`` categories that has a ``name``.

    Raises ``ParameterError`` for an unknown name.
    """
    relations: dict[str, type[Substitution | AddRemove]] = {
        Substitution.name: Substitution,
        AddRemove.name: AddRemove,
    }
    relation, notice = neighbouring.read_name(name, relations, neighbouring.WORDS_OF_HISTOGRAMS)
    return relation(k, notice)
