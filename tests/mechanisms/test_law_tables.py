"""Rational weights that are read as whole numbers, against what each number is by itself."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpaudit.errors import LawError
from dpaudit.laws.quotients import Quotients
from dpaudit.mechanisms.law_tables import given_alike, quotients
from dpaudit.mechanisms.user_laws import OwnLaws, read_table
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import real

_RATIONAL: list[Any] = [
    0,
    7,
    Fraction(6, 4),
    0.1,
    -0.0,
    5e-324,
    1.7e308,
    Decimal("0.250"),
    Decimal("1e-30"),
    "1/4",
    "0/5",
    "007/014",
    "0.500",
    "12.",
    ".5",
    "1e-3",
    " 1/2 ",
    "−1/2",
    "1 - 1/3",
    "2^-3",
    "exp(0)",
    "9" * 60,
    real("2/3"),
    np.int64(3),
    np.float64(0.3),
]


def test_every_weight_is_the_number_it_is_by_itself() -> None:
    table = quotients(dict(enumerate(_RATIONAL)))
    assert isinstance(table, Quotients)
    for place, weight in enumerate(_RATIONAL):
        assert table[place] == real(weight)
        assert Fraction(*table.pairs[place]).as_integer_ratio() == table.pairs[place]
        alone = quotients({0: weight})
        assert alone is not None
        assert alone.pairs[0] == table.pairs[place]


@pytest.mark.parametrize("weight", ["exp(-1/2)", real("pi/4"), Ball(1), Ball(0.5, 0.1)], ids=str)
def test_other_numbers_are_left_as_they_are(weight: Any) -> None:
    assert quotients({0: "1/2", 1: weight}) is None
    assert not isinstance(read_table({0: "1/2", 1: weight}), Quotients)


@pytest.mark.parametrize(
    "weight",
    ["1/0", "", "1/2/", "²", "٣", "nan", float("nan"), float("inf"), True, None, [1], 1j],
    ids=repr,
)
def test_what_is_no_number_is_refused(weight: Any) -> None:
    assert quotients({0: weight}) is None
    with pytest.raises(LawError, match="is not a number"):
        read_table({0: weight})


class _Once(Mapping[int, Any]):
    """A mapping that is no dictionary."""

    def __iter__(self) -> Iterator[int]:
        return iter((0, 1))

    def __len__(self) -> int:
        return 2

    def __getitem__(self, output: int) -> str:
        return "1/2"


def test_any_mapping_is_a_law() -> None:
    assert dict(read_table(_Once())) == {0: real("1/2"), 1: real("1/2")}


def test_only_the_same_numbers_are_alike() -> None:
    """A float is its shortest decimal, so it is not the fraction that it equals."""
    assert given_alike({0: "1/4", 1: 0.75}, {0: "1/4", 1: 0.75})
    for one, other in (
        ({0: 0.1}, {0: Fraction(0.1)}),
        ({0: "1/4"}, {0: "2/8"}),
        ({0: 1}, {0: True}),
        ({0: 1, 1: 0}, {1: 0, 0: 1}),
        ({0: 1}, {1: 1}),
        ({0: 1}, _Once()),
    ):
        assert not given_alike(one, other)
    laws: Iterator[Any] = iter([{0: 0.1, 1: 0.9}, {0: Fraction(0.1), 1: 1 - Fraction(0.1)}])
    with pytest.raises(LawError, match="two different output distributions"):
        OwnLaws("late", lambda dataset: next(laws)).law(0)
    laws = iter([{0: "1/4", 1: 0.75}, {1: Fraction(3, 4), 0: "2/8"}])
    assert OwnLaws("same", lambda dataset: next(laws)).law(0).output_count() == 2


def test_a_law_in_another_form_is_the_law_it_was() -> None:
    given = [{0: "1/2", 1: "1/2"}, {0: 0.5, 1: 0.5}, {0: real("1/2"), 1: real("1 - 1/2")}]
    seen: dict[Any, Any] = {}
    for table in given:
        OwnLaws("one", lambda dataset, table=table: table, seen=seen).law(0)  # type: ignore[misc]
    with pytest.raises(LawError, match="two different output distributions"):
        OwnLaws("one", lambda dataset: {0: "1/3", 1: "2/3"}, seen=seen).law(0)
