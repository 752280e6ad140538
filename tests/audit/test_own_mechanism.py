"""Mechanisms that are not in the package: other datasets, other outputs, other relations."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, product
from typing import ClassVar

import numpy as np
import pytest

from dpaudit import check
from dpaudit.data.adjacency import Adjacency
from dpaudit.errors import ParameterError
from dpaudit.laws.geometric import floor
from dpaudit.laws.law import Law
from dpaudit.laws.product import Completion, ProductLaw
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.numbers.ball import ball
from dpaudit.numbers.real import ZERO, Real, real
from dpaudit.results import Verdict


class _OneLetter(Adjacency[str]):
    """Words of n letters a and b that differ in one place."""

    name = "one letter"

    def datasets(self, n: int) -> Iterable[str]:
        return map("".join, product("ab", repeat=n))

    def dataset_count(self, n: int) -> int:
        return int(2**n)

    def pair_count(self, n: int) -> int:
        return n * int(2 ** (n - 1))

    def pairs(self, n: int) -> Iterator[tuple[str, str]]:
        for word in self.datasets(n):
            for place, letter in enumerate(word):
                if letter == "a":
                    yield word, f"{word[:place]}b{word[place + 1 :]}"

    def adjacent(self, left: str, right: str) -> bool:
        return sum(a != b for a, b in zip(left, right, strict=True)) == 1


@dataclass(frozen=True)
class _RandomisedResponse(Mechanism[str]):
    """Each letter is told truthfully with probability 3/4."""

    name: ClassVar = "RandomisedResponse"

    @property
    def stated(self) -> Budget:
        return Budget(real("ln(3)"), ZERO)

    def adjacency(self, name: str | None = None) -> Adjacency[str]:
        return _OneLetter()

    def laws(self) -> "_RandomisedResponse":
        return self

    def law(self, dataset: str) -> Law:
        words = list(self.adjacency().datasets(len(dataset)))
        kept = [sum(a == b for a, b in zip(word, dataset, strict=True)) for word in words]
        return WeightedLaw(words, [ball(Fraction(3) ** count).log() for count in kept])


def test_words_with_randomised_response() -> None:
    found = check(_RandomisedResponse(), 4, budget="1.0986122886681099")
    assert (found.only.pairs, found.only.pairs_covered, found.only.outputs) == (32, 32, 16)
    assert found.epsilon.lower <= Decimal("1.0986122886681096913952452369") <= found.epsilon.upper
    assert found.verdict is Verdict.WITHIN
    # ln 3 is known to balls alone here, so the tie with the stated budget is not called a pass
    assert check(_RandomisedResponse(), 4).verdict is Verdict.UNDECIDED


class _Line(Adjacency[int]):
    """A count of 0 … n; neighbours differ by one."""

    name = "line"

    def datasets(self, n: int) -> Iterable[int]:
        return range(n + 1)

    def dataset_count(self, n: int) -> int:
        return n + 1

    def pair_count(self, n: int) -> int:
        return n

    def pairs(self, n: int) -> Iterator[tuple[int, int]]:
        yield from pairwise(range(n + 1))

    def adjacent(self, left: int, right: int) -> bool:
        return abs(left - right) == 1


@dataclass(frozen=True)
class _FlooredCount(Mechanism[int]):
    """A count with floored Laplace noise: countably many outputs."""

    rate: Real

    name: ClassVar = "FlooredCount"

    @property
    def stated(self) -> Budget:
        return Budget(self.rate, ZERO)

    def adjacency(self, name: str | None = None) -> Adjacency[int]:
        return _Line()

    def laws(self) -> "_FlooredCount":
        return self

    def law(self, dataset: int) -> Law:
        return ProductLaw((floor(dataset),), self.rate, Completion("none", 0))


def test_counts_with_countably_many_outputs() -> None:
    found = check(_FlooredCount(real("1/3")), 25)
    assert found.only.outputs == "infinite"
    assert found.epsilon.exact == real("1/3")
    assert found.verdict is Verdict.WITHIN
    assert '"infinite"' in found.to_json()


def test_what_a_mechanism_leaves_out_is_refused_in_one_line() -> None:
    mechanism = _RandomisedResponse()
    with pytest.raises(ParameterError, match="defines no uniform data"):
        check(mechanism, 3, at="uniform")
    with pytest.raises(ParameterError, match="has no sampler"):
        mechanism.sample("ab", 1, np.random.default_rng(0))
