"""The pairs among listed datasets that a named adjacency makes neighbours, without trying all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from itertools import combinations
from math import comb
from typing import Any

from dpaudit.data import neighbouring
from dpaudit.data.adjacency import later_additions, later_substitutes

__all__ = ["OF_HISTOGRAMS", "OF_SEQUENCES", "expected_pairs_among"]


def expected_pairs_among(name: str, seen: list[Any], count: int) -> int:
    """Return about how many pairs ``count`` datasets have, of which some were ``seen``."""
    lengths = [len(one) if isinstance(one, (tuple, str)) else 1 for one in seen]
    length = max(lengths, default=1)
    if name == neighbouring.ONE_ENTRY.name:
        values = {entry for one in seen if isinstance(one, (tuple, str)) for entry in one}
        return count * length * max(1, len(values) - 1) // 2
    if name == neighbouring.HISTOGRAM_SUBSTITUTION.name:
        return count * comb(length, 2)
    return count * length


def _one_entry_pairs(space: list[Any]) -> Iterator[tuple[int, int]]:
    """Find the pairs by what is left of both when the entry that differs is taken out."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, dataset in enumerate(space):
        for place in range(len(dataset)):
            groups[place, dataset[:place], dataset[place + 1 :]].append(index)
    for group in groups.values():
        yield from combinations(group, 2)


def _sequence_add_remove_pairs(space: list[Any]) -> Iterator[tuple[int, int]]:
    """Find the pairs by leaving out one entry of the longer dataset."""
    positions = {dataset: index for index, dataset in enumerate(space)}
    for index, dataset in enumerate(space):
        for place in range(len(dataset)):
            other = positions.get(dataset[:place] + dataset[place + 1 :])
            if other is not None:
                yield min(index, other), max(index, other)


def _histogram_substitution_pairs(space: list[Any]) -> Iterator[tuple[int, int]]:
    """Find the pairs by moving every unit of count that can move."""
    return _found(space, later_substitutes)


def _histogram_add_remove_pairs(space: list[Any]) -> Iterator[tuple[int, int]]:
    """Find the pairs by raising every count."""
    return _found(space, later_additions)


def _found(space: list[Any], near: Callable[[Any], Iterator[Any]]) -> Iterator[tuple[int, int]]:
    positions = {dataset: index for index, dataset in enumerate(space)}
    for index, dataset in enumerate(space):
        for other in map(positions.get, near(dataset)):
            if other is not None:
                yield min(index, other), max(index, other)


OF_HISTOGRAMS = {
    neighbouring.HISTOGRAM_SUBSTITUTION.name: _histogram_substitution_pairs,
    neighbouring.HISTOGRAM_ADD_REMOVE.name: _histogram_add_remove_pairs,
}
OF_SEQUENCES = {
    neighbouring.ONE_ENTRY.name: _one_entry_pairs,
    neighbouring.SEQUENCE_ADD_REMOVE.name: _sequence_add_remove_pairs,
}
