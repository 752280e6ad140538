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
from dpaudit.mechanisms.base import Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator

__all__ = ["AnyTwo", "CellMechanism", "CountMechanism", "LocalMechanism"]

ValueT = TypeVar("ValueT", bound=Hashable)


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
class LocalMechanism(Mechanism[Any]):
    """A mechanism that each user applies to the own value, before anybody sees it."""

    @property
    def default_size(self) -> int:
        return 1

    @property
    @abstractmethod
    def values_of_a_user(self) -> Sequence[Hashable]:
        """All values a user may have."""

    @abstractmethod
    def draw(self, dataset: Any, rng: Generator) -> Hashable:
        """Draw one output for a user whose value is ``dataset``."""

    def sample(self, dataset: Any, size: int, rng: Generator) -> list[Hashable]:
        return [self.draw(dataset, rng) for _ in range(size)]

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
class CellMechanism(Mechanism[Counts]):
    """A mechanism that sees how many of n records fall into each of k categories."""

    @property
    @abstractmethod
    def k(self) -> int:
        """The number of categories."""

    @abstractmethod
    def draw(self, dataset: Counts, rng: Generator) -> Hashable:
        """Draw one output at ``dataset``."""

    def sample(self, dataset: Counts, size: int, rng: Generator) -> list[Hashable]:
        return [self.draw(dataset, rng) for _ in range(size)]

    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        return histogram_relation(Substitution.name if name is None else name, self.k)

    def uniform(self, n: int) -> list[Counts]:
        return balanced_histograms(n, self.k)

    def entries(self, n: int) -> int:
        return 16


@dataclass(frozen=True)
class CountMechanism(CellMechanism):
    """A mechanism that sees how many of n records have a property: c have it, n − c have not."""

    @property
    def k(self) -> int:
        return 2
