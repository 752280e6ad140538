"""What the classics take as data: the answer of one user, one count, or the counts of cells.

* One user: datasets are the values a user may have, and any two are neighbours.  Users are
  randomised each alone, so how many there are changes nothing: n is 1.
* One count c over n records: datasets are (c, n − c), c = 0 … n, for the records that have a
  property and those that have not, and counts that differ by 1 are neighbours.
* The counts of k cells over n records: datasets are the histograms of n.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any, TypeVar

from dpaudit.data.adjacency import Adjacency, Substitution, histogram_relation
from dpaudit.data.histograms import Counts, balanced_histograms
from dpaudit.data.neighbouring import ALL, OLD_NAMES_OF_ONE_USER, read_name
from dpaudit.errors import SizeError
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.mechanisms.classics.parameters import natural, stated_epsilon, unit_of
from dpaudit.numbers.real import ZERO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from numpy.random import Generator

    from dpaudit.laws.law import Law
    from dpaudit.numbers.real import Real

__all__ = ["AnyTwo", "CellMechanism", "CountMechanism", "CountsInBase", "LocalMechanism"]

ValueT = TypeVar("ValueT", bound=Hashable)
DatasetT = TypeVar("DatasetT")


class AnyTwo(Adjacency[ValueT]):
    """Any two of the values that one user may have are neighbours."""

    name = ALL.name

    def __init__(self, values: Sequence[ValueT], notice: str = "") -> None:
        """Take the values, at least two, and how an old name was read."""
        self.values = values
        self.notice = notice

    def datasets(self, n: int) -> Sequence[ValueT]:
        return self.values

    def dataset_count(self, n: int) -> int:
        return len(self.values)

    def pair_count(self, n: int) -> int:
        """Return C(v, 2) for v values."""
        return comb(len(self.values), 2)

    def pairs(self, n: int) -> Iterator[tuple[ValueT, ValueT]]:
        """Iterate over the pairs in the order of the values.

        >>> list(AnyTwo([0, 1, 2]).pairs(1))
        [(0, 1), (0, 2), (1, 2)]
        """
        for place, left in enumerate(self.values):
            for right in self.values[place + 1 :]:
                yield left, right

    def adjacent(self, left: ValueT, right: ValueT) -> bool:
        """Tell whether these are two different values."""
        return ALL.adjacent(left, right)


@dataclass(frozen=True)
class ClassicMechanism(Mechanism[DatasetT]):
    """A mechanism whose law at one dataset takes nothing but its parameters, like its samples."""

    @abstractmethod
    def law(self, dataset: DatasetT) -> Law:
        """Return the output law at ``dataset``."""

    def laws(self) -> Self:
        """Return the mechanism itself: what laws share is cached by the functions that make it."""
        return self

    @abstractmethod
    def draw(self, dataset: DatasetT, rng: Generator) -> Hashable:
        """Draw one output at ``dataset``."""

    def sample(self, dataset: DatasetT, size: int, rng: Generator) -> list[Hashable]:
        return [self.draw(dataset, rng) for _ in range(size)]

    def entries(self, n: int) -> int:
        return 16


class CountsInBase:
    """A mechanism whose ε is counted in a ``base``, and stated as a natural logarithm."""

    epsilon: Real
    base: str

    @property
    def stated(self) -> Budget:
        return Budget(stated_epsilon(self.epsilon, self.base), ZERO)

    @property
    def epsilon_unit(self) -> str:
        return unit_of(self.base)

    @property
    def rate(self) -> Real:
        """What probabilities are e to the power of."""
        return natural(self.epsilon, self.base)


@dataclass(frozen=True)
class LocalMechanism(ClassicMechanism[Any]):
    """A mechanism that each user applies to the own value, before anybody sees it."""

    @property
    def default_size(self) -> int:
        return 1

    @property
    @abstractmethod
    def values_of_a_user(self) -> Sequence[Hashable]:
        """All values a user may have."""

    def check_size(self, n: int) -> None:
        if n != 1:
            raise SizeError(
                f"n = {n}: {self.name} randomises the value of one user, whatever the others have; "
                "n must be 1 or left out"
            )

    def adjacency(self, name: str | None = None) -> Adjacency[Any]:
        if name is None:
            return AnyTwo(self.values_of_a_user)
        _, notice = read_name(name, {AnyTwo.name: AnyTwo}, OLD_NAMES_OF_ONE_USER)
        return AnyTwo(self.values_of_a_user, notice)


@dataclass(frozen=True)
class CellMechanism(ClassicMechanism[Counts]):
    """A mechanism that sees how many of n records fall into each of k categories."""

    @property
    @abstractmethod
    def k(self) -> int:
        """The number of categories."""

    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        return histogram_relation(Substitution.name if name is None else name, self.k)

    def uniform(self, n: int) -> list[Counts]:
        return balanced_histograms(n, self.k)


@dataclass(frozen=True)
class CountMechanism(CellMechanism):
    """A mechanism that sees how many of n records have a property: c have it, n − c have not."""

    @property
    def k(self) -> int:
        return 2
