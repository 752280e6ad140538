"""Searched ranges: every value can be reached, and none outside is."""

from fractions import Fraction
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.questions.hunt.space import Choices, Dimension, Range, Space, Steps, simplest_between

FRACTIONS = st.fractions(min_value=-50, max_value=50, max_denominator=400)
UNIT = st.floats(min_value=0, max_value=1)


@given(FRACTIONS, FRACTIONS)
def test_the_simplest_fraction_is_the_simplest(one: Fraction, other: Fraction) -> None:
    lower, upper = sorted((one, other))
    found = simplest_between(lower, upper)
    assert lower <= found <= upper
    least = next(d for d in count(1) if -((-lower * d) // 1) <= upper * d)
    assert found.denominator == least


@given(FRACTIONS, FRACTIONS, UNIT, st.sampled_from([1e-1, 1e-3, 1e-6]))
def test_values_of_a_range_lie_in_it_near_their_coordinate(
    one: Fraction, other: Fraction, coordinate: float, tolerance: float
) -> None:
    lower, upper = sorted((one, other))
    if lower == upper:
        return
    dimension = Range("p", lower, upper)
    value = dimension.value(coordinate, tolerance)
    assert lower <= value <= upper
    assert abs(dimension.coordinate(value) - coordinate) <= tolerance * (1 + 1e-6) + 1e-9


@given(UNIT)
def test_a_logarithmic_range_has_its_decades_at_equal_distances(coordinate: float) -> None:
    dimension = Range("p", Fraction(1, 10**6), Fraction(1))
    assert dimension.logarithmic
    found = float(dimension.value(coordinate, 1e-9))
    assert found == pytest.approx(10 ** (6 * coordinate - 6), rel=1e-6)


def test_a_range_that_floats_cannot_hold_is_searched_all_the_same() -> None:
    dimension = Range("p", Fraction(1, 10**300), Fraction(10**300))
    assert dimension.value(0.5, 1e-4) == pytest.approx(1, rel=0.2)
    assert dimension.value(0, 1e-4) == Fraction(1, 10**300)


@pytest.mark.parametrize(
    "dimension",
    [
        Steps("n", 2, 1, 299),
        Steps("n", 1, 1, 12),
        Steps("n", 10, 7, 40),
        Steps("m", Fraction(1, 2), Fraction(1, 3), 90),
        Steps("m", Fraction(-3), Fraction(1, 2), 13),
        Choices("gs", ("quoted", "computed", "other")),
        Steps("n", 5, 1, 1),
    ],
    ids=str,
)
def test_every_value_of_a_finite_dimension_is_reached_at_its_coordinate(
    dimension: Dimension,
) -> None:
    values = list(dimension.values())
    assert len(values) == len(set(values)) == dimension.size
    for value in values:
        coordinate = dimension.coordinate(value)
        assert 0 <= coordinate <= 1
        assert dimension.value(coordinate, 1e-3) == value
    assert {dimension.value(i / 20_000, 1e-3) for i in range(20_001)} == set(values)
    assert (dimension.value(0.0, 0), dimension.value(1.0, 0)) == (values[0], values[-1])


@given(st.integers(0, 298), st.sampled_from([0.3, 0.01, 1e-6]))
def test_the_smallest_step_leads_to_both_neighbours(index: int, step: float) -> None:
    dimension = Steps("n", 2, 1, 299)
    here = 2 + index
    found = dimension.near(here, step)
    assert here not in found
    assert all(2 <= value <= 300 for value in found)  # type: ignore[operator]
    if step == 1e-6:
        assert set(found) == {value for value in (here - 1, here + 1) if 2 <= value <= 300}


def test_points_are_named() -> None:
    space = Space((Range("prior", Fraction(0), Fraction(1)), Choices("k", (2, 3))))
    assert space.size is None
    point = space.point([0.501, 0.9], 0.01)
    assert space.named(point) == {"prior": Fraction(1, 2), "k": 3}
    assert Space((Choices("k", (2, 3)), Steps("n", 2, 1, 9))).size == 18
