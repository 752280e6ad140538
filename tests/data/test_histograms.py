"""Histograms: their order, their number, and the positions they have."""

from itertools import permutations, product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.data.histograms import Histograms, balanced_histograms, hamming_distance
from dpaudit.errors import SizeError

SIZES = [(n, k) for n in range(8) for k in range(1, 5)]


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_all_of_them_in_order(n: int, k: int) -> None:
    expected = sorted(c for c in product(range(n + 1), repeat=k) if sum(c) == n)
    space = Histograms(n, k)
    assert list(space) == expected
    assert len(space) == len(expected) == comb(n + k - 1, k - 1)
    assert [space[i] for i in range(len(space))] == expected
    assert [space.unrank(i) for i in range(len(space))] == expected
    assert [space.rank(c) for c in expected] == list(range(len(expected)))
    assert [space.index(c) for c in expected] == list(range(len(expected)))
    assert space[-1] == expected[-1]
    assert list(reversed(space)) == expected[::-1]


@given(st.integers(0, 10**6), st.integers(1, 7), st.data())
def test_rank_and_unrank_are_inverse_at_any_size(n: int, k: int, data: st.DataObject) -> None:
    space = Histograms(min(n, 200) if k > 3 else min(n, 2000), k)
    position = data.draw(st.integers(0, len(space) - 1))
    counts = space.unrank(position)
    assert counts in space
    assert space.rank(counts) == position
    if position:
        assert space.unrank(position - 1) < counts


@given(st.slices(36))
def test_slices(part: slice) -> None:
    assert Histograms(7, 3)[part] == list(Histograms(7, 3))[part]


@pytest.mark.parametrize("position", [36, 100, -37])
def test_positions_outside(position: int) -> None:
    with pytest.raises(IndexError):
        Histograms(7, 3)[position]


@pytest.mark.parametrize(
    "stranger", [(1, 1), (1, 1, 1, 0), (1, 1, 2), (4, -1, 0), (1.5, 1.5, 0), [1, 1, 1], "111", None]
)
def test_strangers(stranger: object) -> None:
    space = Histograms(3, 3)
    assert stranger not in space
    with pytest.raises(SizeError, match="is not a histogram"):
        space.rank(stranger)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not among"):
        space.index(stranger)  # type: ignore[arg-type]


def test_index_respects_its_range() -> None:
    space = Histograms(3, 2)
    assert space.index((2, 1), 1, 3) == 2
    with pytest.raises(ValueError, match="not among"):
        space.index((2, 1), 0, 2)


@pytest.mark.parametrize(("n", "k"), [(-1, 2), (3, 0), (0, -1)])
def test_impossible_sizes(n: int, k: int) -> None:
    with pytest.raises(SizeError, match="must be"):
        Histograms(n, k)


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_balanced_histograms(n: int, k: int) -> None:
    found = balanced_histograms(n, k)
    assert sorted(found) == [c for c in Histograms(n, k) if max(c) - min(c) <= 1]
    assert len(found) == len(set(found)) == comb(k, n % k)


@pytest.mark.parametrize(("n", "k"), [(1, 2), (4, 2), (3, 3), (4, 3), (3, 4)])
def test_distance_is_the_least_number_of_differing_records(n: int, k: int) -> None:
    """Sequences with given counts, at their closest: the Hamming distance of the definition."""
    for left, right in product(Histograms(n, k), repeat=2):
        here = [symbol for symbol, count in enumerate(left) for _ in range(count)]
        there = [symbol for symbol, count in enumerate(right) for _ in range(count)]
        least = min(
            sum(a != b for a, b in zip(here, order, strict=True)) for order in permutations(there)
        )
        assert hamming_distance(left, right) == least == hamming_distance(right, left)


@pytest.mark.parametrize(("left", "right"), [((1, 2), (2, 2)), ((1, 2), (1, 1, 1)), ((), (1,))])
def test_distance_needs_one_size(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    with pytest.raises(SizeError, match="not histograms of the same"):
        hamming_distance(left, right)


def test_histograms_of_many_categories_are_listed_in_order() -> None:
    """More categories than calls may nest."""
    found = list(Histograms(1, 2000))
    assert len(found) == 2000
    assert found == sorted(found)
    assert found[0] == (*[0] * 1999, 1)
