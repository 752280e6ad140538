"""Neighbouring relations: enumeration, formula and definition agree."""

from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.data.adjacency import (
    AddRemove,
    Adjacency,
    Substitution,
    later_substitutes,
    substitutes,
)
from dpaudit.data.histograms import Counts, Histograms, hamming_distance

SIZES = [(n, k) for n in range(1, 8) for k in range(2, 5)]
RELATIONS = [Substitution, AddRemove]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("n", "k"), SIZES)
def test_pairs_by_enumeration_formula_and_definition(
    relation: type[Substitution] | type[AddRemove], n: int, k: int
) -> None:
    adjacency: Adjacency[Counts] = relation(k)
    datasets = list(adjacency.datasets(n))
    assert len(datasets) == len(set(datasets)) == adjacency.dataset_count(n)
    by_definition = {
        frozenset(pair) for pair in combinations(datasets, 2) if adjacency.adjacent(*pair)
    }
    pairs = list(adjacency.pairs(n))
    assert {frozenset(pair) for pair in pairs} == by_definition
    assert len(pairs) == len(by_definition) == adjacency.pair_count(n)
    assert {dataset for pair in pairs for dataset in pair} <= set(datasets)


@pytest.mark.parametrize(("n", "k"), [(n, k) for n, k in SIZES if k**n <= 300])
def test_relations_come_from_sequences(n: int, k: int) -> None:
    """Two histograms are neighbours iff some two sequences with those counts are."""

    def counts(sequence: tuple[int, ...]) -> Counts:
        return tuple(sequence.count(symbol) for symbol in range(k))

    substituted, grown = set(), set()
    for sequence in product(range(k), repeat=n):
        for place, symbol in product(range(n), range(k)):
            if sequence[place] != symbol:
                other = (*sequence[:place], symbol, *sequence[place + 1 :])
                substituted.add(frozenset((counts(sequence), counts(other))))
        for symbol in range(k):
            grown.add((counts(sequence), counts((*sequence, symbol))))
    assert {frozenset(pair) for pair in Substitution(k).pairs(n)} == {
        pair for pair in substituted if len(pair) == 2
    }
    assert set(AddRemove(k).pairs(n)) == grown


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_relations_are_symmetric_and_irreflexive(
    relation: type[Substitution] | type[AddRemove], k: int
) -> None:
    adjacency = relation(k)
    datasets = [c for n in (2, 3, 4) for c in Histograms(n, k)]
    for left, right in product(datasets, repeat=2):
        assert adjacency.adjacent(left, right) == adjacency.adjacent(right, left)
    assert not any(adjacency.adjacent(c, c) for c in datasets)


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_substitutes_are_the_histograms_at_distance_one(n: int, k: int) -> None:
    for counts in Histograms(n, k):
        near = list(substitutes(counts))
        assert len(near) == len(set(near))
        assert set(near) == {c for c in Histograms(n, k) if hamming_distance(counts, c) == 1}
        assert set(later_substitutes(counts)) == {c for c in near if c > counts}


def test_pair_counts_of_large_sizes_need_no_enumeration() -> None:
    assert Substitution(2).pair_count(10**9) == 10**9
    assert Substitution(3).pair_count(10) == comb(11, 2) * 3
    assert AddRemove(2).pair_count(10**9) == 2 * (10**9 + 1)


def test_relations_of_unrelated_datasets() -> None:
    assert not Substitution(2).adjacent((3, 0), (1, 2))
    assert not Substitution(3).adjacent((2, 2, 2), (3, 3, 0))
    assert not AddRemove(2).adjacent((1, 1), (3, 1))
    assert not AddRemove(2).adjacent((1, 1), (2, 2))
    assert not AddRemove(2).adjacent((1, 1), (0, 2))
    assert not Substitution(2).adjacent((1, 1), (1, 1, 0))


@given(st.integers(1, 7), st.integers(2, 4), st.data())
def test_pairs_around_some_datasets_are_those_of_all_pairs(
    n: int, k: int, data: st.DataObject
) -> None:
    for relation in (Substitution(k), AddRemove(k)):
        space = list(relation.datasets(n))
        chosen = frozenset(data.draw(st.sets(st.sampled_from(space), min_size=1, max_size=4)))
        expected = [(x, y) for x, y in relation.pairs(n) if x in chosen or y in chosen]
        assert list(relation.pairs_around(n, chosen)) == expected
        for x in chosen:
            assert relation.degree(n, x) == sum(x in pair for pair in relation.pairs(n))
