"""What the classics take as data: the answer of one user, or one count.

* One user: datasets are the values a user may have, and any two are neighbours.  Users are
  randomised each alone, so how many there are changes nothing: n is 1.
* One count over n records: datasets are (0,) … (n,), and counts that differ by 1 are neighbours.
  One record that is substituted, added or removed moves a count by at most 1.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from dpaudit.data.adjacency import Adjacency
from dpaudit.errors import ParameterError, SizeError, nearest
from dpaudit.mechanisms.base import Mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dpaudit.data.histograms import Counts

__all__ = ["AnyTwo", "CountMechanism", "LocalMechanism", "UnitSteps"]

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


class UnitSteps(Adjacency["Counts"]):
    """Counts 0 … n, neighbours where they differ by 1."""

    def __init__(self, name: str) -> None:
        """Take the ``name`` of the relation between the records behind the counts."""
        self.name = name

    def datasets(self, n: int) -> list[Counts]:
        return [(count,) for count in range(n + 1)]

    def dataset_count(self, n: int) -> int:
        return n + 1

    def pair_count(self, n: int) -> int:
        """Return n."""
        return n

    def pairs(self, n: int) -> Iterator[tuple[Counts, Counts]]:
        """Iterate over the pairs of consecutive counts.

        >>> list(UnitSteps("substitution").pairs(2))
        [((0,), (1,)), ((1,), (2,))]
        """
        for count in range(n):
            yield (count,), (count + 1,)

    def adjacent(self, left: Counts, right: Counts) -> bool:
        """Tell whether the counts differ by 1."""
        return len(left) == len(right) == 1 and abs(left[0] - right[0]) == 1


@dataclass(frozen=True)
class LocalMechanism(Mechanism[Any]):
    """A mechanism that each user applies to the own value, before anybody sees it."""

    default_size: ClassVar[int | None] = 1

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
        if name not in (None, "substitution", AnyTwo.name):
            raise ParameterError(
                "adjacency",
                f"adjacency = {name!r}: {self.name} has one user, whose value is substituted; "
                "allowed: substitution",
            )
        return AnyTwo(self.values_of_a_user)


@dataclass(frozen=True)
class CountMechanism(Mechanism["Counts"]):
    """A mechanism that adds noise to one count over n records."""

    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        relations = ("substitution", "add-remove")
        if name is not None and name not in relations:
            raise ParameterError("adjacency", f"no adjacency {name!r}; {nearest(name, relations)}")
        return UnitSteps(name or relations[0])

    def entries(self, n: int) -> int:
        return 16
