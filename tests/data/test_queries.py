"""Query vectors and their neighbours, against the definitions."""

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.data.queries import Patterns, QueryVectors, UnitMoves, pattern_pairs
from dpaudit.errors import SizeError


@given(st.integers(1, 3), st.integers(-3, 3), st.integers(1, 3))
def test_unit_moves_are_what_the_definition_says(n: int, low: int, extent: int) -> None:
    relation = UnitMoves(low, low + extent)
    vectors = list(product(range(low, low + extent + 1), repeat=n))
    assert list(relation.datasets(n)) == vectors
    assert relation.dataset_count(n) == len(vectors)
    by_definition = [
        (x, y)
        for x, y in combinations(vectors, 2)
        if max(abs(a - b) for a, b in zip(x, y, strict=True)) == 1
    ]
    assert sorted(relation.pairs(n)) == by_definition
    assert relation.pair_count(n) == len(by_definition)
    for x, y in product(vectors[:20], repeat=2):
        assert relation.adjacent(x, y) is relation.adjacent(y, x)
        assert relation.adjacent(x, y) is ((x, y) in by_definition or (y, x) in by_definition)


def test_five_queries_over_three_answers() -> None:
    relation = UnitMoves(-1, 1)
    assert (relation.dataset_count(5), relation.pair_count(5)) == (243, 8282)
    assert sum(1 for _ in relation.pairs(5)) == 8282


def test_the_eight_patterns_of_five_queries() -> None:
    ones = (1, 1, 1, 1, 1)
    assert set(Patterns().pairs(5)) == {
        (ones, (0, 1, 1, 1, 1)),
        (ones, (2, 1, 1, 1, 1)),
        (ones, (2, 0, 0, 0, 0)),
        (ones, (0, 2, 2, 2, 2)),
        (ones, (2, 2, 0, 0, 0)),
        (ones, (2, 2, 2, 2, 2)),
        (ones, (0, 0, 0, 0, 0)),
        ((1, 1, 0, 0, 0), (0, 0, 1, 1, 1)),
    }
    assert (Patterns().pair_count(5), Patterns().dataset_count(5)) == (8, 10)


@given(st.integers(2, 8))
def test_patterns_are_neighbours_in_the_wider_sense(n: int) -> None:
    everything = UnitMoves(0, 2)
    pairs = list(Patterns().pairs(n))
    assert len(set(pairs)) == len(pairs) == Patterns().pair_count(n) == (8 if n > 3 else 7)
    for x, y in pairs:
        assert everything.adjacent(x, y)
        assert Patterns().adjacent(x, y)
        assert Patterns().adjacent(y, x)


def test_nonsense_is_refused() -> None:
    with pytest.raises(SizeError, match="at least 2 queries"):
        pattern_pairs(1)
    with pytest.raises(SizeError, match="low < high"):
        QueryVectors(2, 1, 1)
    assert (0, 5) not in QueryVectors(2, 0, 1)
    assert [0, 1] not in QueryVectors(2, 0, 1)
