"""The search on a grid: adjacent points, one that passes and one that does not, in few probes."""

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.questions.calibrate.search import Bracket, Probed, find_bracket, narrow

LIMITS = st.integers(1, 10**9)


class Grid:
    """A set of passing points, with a margin that may mislead."""

    def __init__(
        self, passes: Callable[[int], bool], margin: Callable[[int], tuple[float, float]]
    ) -> None:
        self.passes = passes
        self.margin = margin
        self.probed: list[int] = []

    def __call__(self, point: int) -> Probed:
        assert point >= 1
        self.probed.append(point)
        return Probed(self.passes(point), *self.margin(point))


def test_a_smooth_margin_takes_few_probes() -> None:
    grid = Grid(lambda i: i**1.1 <= 1e8, lambda i: (1e8 - i**1.1, 1e8 / i**1.1))
    bracket = find_bracket(grid, 10**7)
    assert bracket.passing is not None
    assert bracket.failing is not None
    found = narrow(grid, bracket.passing, bracket.failing)
    assert found.passing == math.floor(1e8 ** (1 / 1.1))
    assert len(grid.probed) < 20


@given(limit=LIMITS, start=LIMITS, noise=st.sampled_from(["none", "nan", "wrong", "flat"]))
def test_the_limit_is_found_whatever_the_margin_says(limit: int, start: int, noise: str) -> None:
    margins = {
        "none": lambda i: (limit - i + 0.5, (limit + 0.5) / i),
        "nan": lambda i: (math.nan, math.nan),
        "wrong": lambda i: (i - limit, i / limit),
        "flat": lambda i: (1.0 if i <= limit else -1e-12, 1.0),
    }
    grid = Grid(lambda i: i <= limit, margins[noise])
    bracket = find_bracket(grid, start)
    if bracket.passing is None:
        assert start > limit * 2**19
        return
    if bracket.failing is None:
        assert limit > start * 2**19
        return
    assert narrow(grid, bracket.passing, bracket.failing) == Bracket(limit, limit + 1)
    assert len(grid.probed) < 200


@given(st.sets(st.integers(1, 300)), st.integers(1, 300), st.integers())
def test_passing_need_not_be_monotone(passing: set[int], start: int, seed: int) -> None:
    rng = random.Random(seed)
    grid = Grid(lambda i: i in passing, lambda i: (rng.uniform(-1, 1), rng.uniform(0, 3)))
    bracket = find_bracket(grid, start)
    if bracket.passing is None:
        assert not passing.intersection(grid.probed)
        return
    assert bracket.passing in passing
    assert bracket.failing is not None
    assert bracket.failing not in passing
    found = narrow(grid, bracket.passing, bracket.failing)
    assert found.passing in passing
    assert found.failing == found.passing + 1
    assert found.failing not in passing


@pytest.mark.parametrize("always", [True, False])
def test_a_search_without_a_change_ends(always: bool) -> None:
    grid = Grid(lambda i: always, lambda i: (math.nan, math.nan))
    found = find_bracket(grid, 10**6)
    assert found == (Bracket(max(grid.probed), None) if always else Bracket(None, 1))
    assert len(grid.probed) < 50
