"""Outputs of a sampler and of a law are told apart, and are equal, by the same rules."""

import pickle
from itertools import combinations
from typing import Any

import pytest

import dpaudit
from dpaudit import finite_mechanism, sampler
from dpaudit.sampling.outputs import Word, key, plain, same
from tests.sampling.subjects import BITS

ALIKE: list[list[Any]] = [
    [float("nan"), -float("nan")],
    ["nan"],
    [frozenset({1}), {1}, frozenset({1.0}), {True}],
    [("set", "1"), ["set", "1"]],
    [{"1"}],
    [{(1, frozenset({2}))}, {(1.0, frozenset({2.0}))}],
    [(0, {1}), [0, frozenset({1})]],
    [(0, ("set", "1"))],
    [(float("nan"),)],
    [("nan",)],
    [Word("raises ValueError")],
    ["raises ValueError"],
    [{"a": [1]}],
    ["{'a': [1]}"],
    [1, 1.0, True],
    [(1,)],
    ["1"],
]
"""Outputs that are one, by line; those of different lines differ."""


def _of(value: Any) -> Any:
    return same(key(plain(value)))


def test_outputs_are_equal_where_they_are_one_and_nowhere_else() -> None:
    for line in ALIKE:
        assert len({_of(value) for value in line}) == 1
        assert pickle.loads(pickle.dumps(_of(line[0]))) == _of(line[0])
        assert _of(_of(line[0])) == _of(line[0])
    for one, other in combinations(ALIKE, 2):
        assert len({_of(one[0]), _of(other[0])}) == 2


def _against(drawn: Any, listed: Any) -> Any:
    """The verdict where a sampler draws one output and the law has another, else 0 either."""

    @sampler(**BITS, budget="1")
    def drawing(x: Any, rng: Any) -> Any:
        if rng.random() < 0.5:
            return 0
        if isinstance(drawn, type):
            raise drawn
        return drawn

    @finite_mechanism(**BITS, budget="1")
    def law(x: Any) -> Any:
        return {0: "1/2", listed: "1/2"}

    return dpaudit.sample(drawing, against=law, draws=20_000, error="1e-3").verdict


@pytest.mark.parametrize(
    ("drawn", "listed"),
    [
        ((0, frozenset({1})), (0, frozenset({1}))),
        ({(1, "a")}, frozenset({(1.0, "a")})),
    ],
)
def test_sets_conform_to_those_of_a_law(drawn: Any, listed: Any) -> None:
    assert _against(drawn, listed) != "differs"


@pytest.mark.parametrize(
    ("drawn", "listed"),
    [
        (float("nan"), "nan"),
        (frozenset({1}), ("set", "1")),
        (ValueError, "raises ValueError"),
        ({"a": [1]}, "{'a': [1]}"),
    ],
)
def test_no_text_or_tuple_of_a_law_is_what_is_none(drawn: Any, listed: Any) -> None:
    assert _against(drawn, listed) == "differs"
