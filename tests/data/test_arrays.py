"""Arrays of histograms against the sequences and relations they stand for."""

from itertools import permutations

import numpy as np
import pytest

from dpaudit.data.adjacency import Substitution
from dpaudit.data.arrays import (
    Moves,
    histogram_array,
    interchangeable,
    move_orbits,
    orbits,
    rank_array,
)
from dpaudit.data.histograms import Histograms

SHAPES = [(1, 2), (9, 2), (1, 3), (5, 3), (4, 4), (3, 5), (1, 6)]


@pytest.mark.parametrize(("n", "k"), SHAPES)
def test_rows_are_the_histograms_in_order(n: int, k: int) -> None:
    array = histogram_array(n, k)
    assert [tuple(row) for row in array.tolist()] == list(Histograms(n, k))
    assert rank_array(array).tolist() == list(range(len(Histograms(n, k))))


@pytest.mark.parametrize(("n", "k"), SHAPES)
def test_moves_are_the_pairs_of_substitution(n: int, k: int) -> None:
    space, moves = Histograms(n, k), Moves.of(n, k)
    found = [
        (space[left], space[right])
        for i, j in moves.categories
        for left, right in zip(moves.ranks[moves.ends[j]], moves.ranks[moves.ends[i]], strict=True)
    ]
    expected = list(Substitution(k).pairs(n))
    assert len(found) == len(set(found)) == moves.pair_count == Substitution(k).pair_count(n)
    assert set(found) == set(expected)


GROUPS = [
    *((4, groups) for groups in [((0, 1, 2),), ((0, 2), (1,)), ((0,), (1,), (2,))]),
    *((n, ((0, 1),)) for n in (1, 2, 7, 8)),
    (5, ((0,), (1,))),
    (3, ((0, 3), (1, 2))),
]


@pytest.mark.parametrize(("n", "groups"), GROUPS)
def test_orbits_are_what_permutations_reach(n: int, groups: tuple[tuple[int, ...], ...]) -> None:
    k = sum(map(len, groups))
    space = list(Histograms(n, k))
    found = orbits(histogram_array(n, k), groups)

    def reached(counts: tuple[int, ...]) -> set[tuple[int, ...]]:
        return {
            tuple(counts[place] for place in order)
            for order in permutations(range(k))
            if all({order[place] for place in group} == set(group) for group in groups)
        }

    for rank, counts in enumerate(space):
        same = {space[other] for other in np.flatnonzero(found.of == found.of[rank])}
        assert same == reached(counts)
    for orbit, (rank, size) in enumerate(zip(found.representatives, found.sizes, strict=True)):
        assert found.of[rank] == orbit
        assert len(reached(space[rank])) == size
    assert found.sizes.sum() == len(space)


def test_categories_with_equal_labels_are_interchangeable() -> None:
    assert interchangeable((1, 2, 1, 2, 3)) == ((0, 2), (1, 3), (4,))


@pytest.mark.parametrize(("n", "groups"), GROUPS)
def test_orbits_of_pairs_are_what_permutations_reach(
    n: int, groups: tuple[tuple[int, ...], ...]
) -> None:
    k = sum(map(len, groups))
    space, moves = Histograms(n, k), Moves.of(n, k)
    forward, backward = move_orbits(moves, n, groups)
    orders = [
        order
        for order in permutations(range(k))
        if all({order[place] for place in group} == set(group) for group in groups)
    ]
    numbers: dict[object, int] = {}
    for row, (i, j) in enumerate(moves.categories):
        lefts, rights = moves.ranks[moves.ends[j]], moves.ranks[moves.ends[i]]
        for column, (left, right) in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
            for (x, y), number in (
                ((space[left], space[right]), forward[row, column]),
                ((space[right], space[left]), backward[row, column]),
            ):
                reached = frozenset(
                    (tuple(x[p] for p in order), tuple(y[p] for p in order)) for order in orders
                )
                assert numbers.setdefault(reached, number) == number
    assert len(set(numbers.values())) == len(numbers)
