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

from dpaudit.data.adjacency import AddRemove, Adjacency, Substitution
from dpaudit.data.histograms import Counts, balanced_histograms
from dpaudit.errors import ParameterError, SizeError, nearest
from dpaudit.mechanisms.base import Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator

__all__ = ["AnyTwo", "CellMechanism", "CountMechanism", "LocalMechanism"]

ValueT = TypeVar("ValueT", bound=Hashable)


class AnyTwo(Adjacency[ValueT]):
    """Any two of the values that one user may have are neighbours."""

    name = "any two values"

    def __init__(self, values: Sequence[ValueT]) -> None:
        """Take the values, at least two."""
        self.values = values

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
        return left != right


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
        if name not in (None, "substitution", AnyTwo.name):
            raise ParameterError(
                "adjacency",
                f"adjacency = {name!r}: {self.name} has one user, whose value is substituted; "
                "allowed: substitution",
            )
        return AnyTwo(self.values_of_a_user)


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
        relations = {"substitution": Substitution, "add-remove": AddRemove}
        relation = relations.get(name or "substitution")
        if relation is None:
            raise ParameterError(
                "adjacency", f"no adjacency {name!r}; {nearest(str(name), relations)}"
            )
        return relation(self.k)

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
