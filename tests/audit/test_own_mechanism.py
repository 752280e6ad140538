"""Mechanisms that are not in the package: other datasets, other outputs, other relations."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product
from typing import TYPE_CHECKING, ClassVar

from dpaudit import check
from dpaudit.audit.result import Verdict
from dpaudit.data.adjacency import Adjacency
from dpaudit.exact.ball import ball
from dpaudit.exact.real import Real, real
from dpaudit.laws.law import Law
from dpaudit.laws.product import Completion, ProductLaw
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.mechanisms.laplace_histogram import floor
from dpaudit.mechanisms.parameters import Parameter

if TYPE_CHECKING:
    from numpy.random import Generator

    from dpaudit.laws.geometric import GeometricLaw


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
    source: ClassVar = "Warner 1965"
    definition: ClassVar = "each letter is kept with probability 3/4"
    guarantee: ClassVar = "ln 3"
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    @property
    def stated(self) -> Budget:
        return Budget(real("ln(3)"))

    @property
    def nominal(self) -> Budget:
        return self.stated

    def adjacency(self, name: str | None = None) -> Adjacency[str]:
        return _OneLetter()

    def laws(self) -> "_RandomisedResponse":
        return self

    def law(self, dataset: str) -> Law:
        words = list(self.adjacency().datasets(len(dataset)))
        kept = [sum(a == b for a, b in zip(word, dataset, strict=True)) for word in words]
        return WeightedLaw(words, [ball(Fraction(3) ** count).log() for count in kept])

    def output_count(self, n: int) -> int:
        return int(2**n)

    def sample(self, dataset: str, size: int, rng: "Generator") -> list[Hashable]:
        flips = rng.random((size, len(dataset))) < 0.25
        other = {"a": "b", "b": "a"}
        return [
            "".join(
                other[letter] if flip else letter for letter, flip in zip(dataset, row, strict=True)
            )
            for row in flips
        ]


def test_words_with_randomised_response() -> None:
    found = check(_RandomisedResponse(), 4, budget="1.0986122886681099")
    assert (found.only.pairs, found.only.pairs_covered, found.only.outputs) == (32, 32, 16)
    assert found.epsilon.lower <= real("ln(3)").__float__() <= found.epsilon.upper
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
    source: ClassVar = "this test"
    definition: ClassVar = "floor(c + Lap)"
    guarantee: ClassVar = "the rate"
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    @property
    def stated(self) -> Budget:
        return Budget(self.rate)

    @property
    def nominal(self) -> Budget:
        return self.stated

    def adjacency(self, name: str | None = None) -> Adjacency[int]:
        return _Line()

    def laws(self) -> "_FlooredCount":
        return self

    def law(self, dataset: int) -> Law:
        factors: tuple[GeometricLaw, ...] = (floor(dataset),)
        return ProductLaw(factors, self.rate, Completion("none", 0))

    def output_count(self, n: int) -> None:
        return None

    def sample(self, dataset: int, size: int, rng: "Generator") -> list[Hashable]:
        return [int(y // 1) for y in dataset + rng.laplace(0, 1 / float(self.rate), size)]


def test_counts_with_countably_many_outputs() -> None:
    found = check(_FlooredCount(real("1/3")), 25)
    assert found.only.outputs is None
    assert found.epsilon.exact == "1/3"
    assert found.verdict is Verdict.WITHIN
    assert '"infinite"' in found.to_json()
