"""Mechanisms of your own: a function from a dataset to its output law, written out.

    @finite_mechanism(budget="ln(3)", datasets=[0, 1])
    def randomised_response(bit):
        return {bit: "3/4", 1 - bit: "1/4"}

Probabilities are numbers of any exact kind (int, Fraction, Decimal, text such as ``exp(-1/2)``, a
closed form), floats by their shortest decimal, or balls.  What an audit needs is checked when it
asks for it: a law that does not add up to 1, a negative probability, an adjacency that is not
symmetric, and a function that changes its mind are reported as such and never pass.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any, ClassVar

from dpaudit.data.adjacency import Adjacency
from dpaudit.errors import LawError, ParameterError, UsageError, nearest
from dpaudit.exact.ball import Ball
from dpaudit.exact.real import ZERO, Number, Real, real
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.mechanisms.parameters import PositiveParameter, read_budget_delta

__all__ = ["FiniteMechanism", "finite_mechanism"]

Dataset = Any
LawFunction = Callable[[Dataset], Mapping[Hashable, Any]]
Relation = Callable[[Dataset, Dataset], bool]


def _substitution(left: Dataset, right: Dataset) -> bool:
    """One entry differs."""
    return len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1


def _add_remove(left: Dataset, right: Dataset) -> bool:
    """One of the two is the other with one entry left out."""
    short, long = sorted((tuple(left), tuple(right)), key=len)
    return len(long) == len(short) + 1 and any(
        long[:place] + long[place + 1 :] == short for place in range(len(long))
    )


def _unit_moves(left: Dataset, right: Dataset) -> bool:
    """Every entry (the answer to a query) moves by at most 1."""
    return (
        left != right
        and len(left) == len(right)
        and all(abs(a - b) <= 1 for a, b in zip(left, right, strict=True))
    )


def _all(left: Dataset, right: Dataset) -> bool:
    """Any two datasets."""
    return bool(left != right)


RELATIONS: dict[str, Relation] = {
    "all": _all,
    "substitution": _substitution,
    "add-remove": _add_remove,
    "unit-moves": _unit_moves,
}


class _ListedDatasets(Adjacency[Dataset]):
    """A relation on listed datasets, given as a predicate or as pairs."""

    def __init__(
        self,
        name: str,
        datasets: Callable[[int], Iterable[Dataset]],
        relation: Relation | None,
        pairs: tuple[tuple[Dataset, Dataset], ...] = (),
    ) -> None:
        self.name = name
        self._datasets = datasets
        self._relation = relation
        self._listed = pairs
        self._spaces: dict[int, list[Dataset]] = {}
        self._found: dict[int, list[tuple[Dataset, Dataset]]] = {}

    def datasets(self, n: int) -> list[Dataset]:
        if n not in self._spaces:
            space = list(self._datasets(n))
            if not space:
                raise LawError(f"there are no datasets at n = {n}")
            if len(set(space)) != len(space):
                raise LawError(f"a dataset occurs twice at n = {n}")
            self._spaces[n] = space
        return self._spaces[n]

    def dataset_count(self, n: int) -> int:
        return len(self.datasets(n))

    def pair_count(self, n: int) -> int:
        return len(self._pairs(n))

    def pairs(self, n: int) -> Iterator[tuple[Dataset, Dataset]]:
        return iter(self._pairs(n))

    def adjacent(self, left: Dataset, right: Dataset) -> bool:
        if self._relation is None:
            return (left, right) in self._listed or (right, left) in self._listed
        return self._relation(left, right)

    def _pairs(self, n: int) -> list[tuple[Dataset, Dataset]]:
        if n not in self._found:
            found = [
                (left, right)
                for left, right in combinations(self.datasets(n), 2)
                if self._symmetric(left, right)
            ]
            if not found:
                raise LawError(f"no two datasets are neighbours at n = {n}")
            self._found[n] = found
        return self._found[n]

    def _symmetric(self, left: Dataset, right: Dataset) -> bool:
        there, back = self.adjacent(left, right), self.adjacent(right, left)
        if there is not back:
            raise LawError(
                f"the adjacency is not symmetric: {left!r} and {right!r} are neighbours in one "
                "order only"
            )
        return there


class _OwnLaws:
    """The laws of a function, each asked for twice: a law that changes is none."""

    def __init__(self, mechanism: FiniteMechanism) -> None:
        self.mechanism = mechanism

    def law(self, dataset: Dataset) -> ExplicitLaw:
        title = self.mechanism.title
        try:
            first, second = (
                {output: _exact(weight) for output, weight in self._table(dataset).items()}
                for _ in range(2)
            )
            if not _same(first, second):
                raise LawError("it gives two different laws")
            return ExplicitLaw(first, normalised=self.mechanism.normalised)
        except (LawError, UsageError) as error:
            raise LawError(f"{title} at {dataset!r}: {error}") from None

    def _table(self, dataset: Dataset) -> dict[Hashable, Any]:
        try:
            found = self.mechanism.law(dataset)
        except Exception as error:
            raise LawError(f"it raised {_one_line(error)}") from error
        if not isinstance(found, Mapping):
            raise LawError(f"it gave a {type(found).__name__}, not output → probability")
        return dict(found)


def _same(first: Mapping[Hashable, Real | Ball], second: Mapping[Hashable, Real | Ball]) -> bool:
    if first.keys() != second.keys():
        return False
    for output, weight in first.items():
        other = second[output]
        if isinstance(weight, Real) or isinstance(other, Real):
            if weight != other:
                return False
        elif not (weight.mid() == other.mid() and weight.rad() == other.rad()):
            return False
    return True


def _exact(weight: Any) -> Real | Ball:
    if isinstance(weight, Ball):
        if not weight.is_finite():
            raise LawError(f"a probability is {weight}")
        return weight
    return _read(weight)


@lru_cache(maxsize=4096)
def _read(weight: Number) -> Real:
    return real(weight)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@dataclass(frozen=True)
class FiniteMechanism(Mechanism[Dataset]):
    """A mechanism given by a function; see :func:`finite_mechanism`."""

    name: ClassVar = "own mechanism"

    title: str
    law: LawFunction = field(repr=False)
    claim: Budget | None
    relation: Adjacency[Dataset] = field(repr=False)
    normalised: bool = True

    def __post_init__(self) -> None:
        """Be called by its own name in reports."""
        object.__setattr__(self, "name", self.title)

    @property
    def stated(self) -> Budget | None:
        return self.claim

    def values(self) -> dict[str, Any]:
        return {}

    def adjacency(self, name: str | None = None) -> Adjacency[Dataset]:
        if name is not None and name != self.relation.name:
            raise ParameterError(
                "adjacency", f"{self.title} has the adjacency {self.relation.name} only"
            )
        return self.relation

    def laws(self) -> _OwnLaws:
        return _OwnLaws(self)

    def __call__(self, dataset: Dataset) -> Mapping[Hashable, Any]:
        """Return the law as the function gives it."""
        return self.law(dataset)


def finite_mechanism(
    *,
    datasets: Iterable[Dataset] | Callable[[int], Iterable[Dataset]],
    budget: Number | tuple[Number, Number] | None = None,
    neighbours: str | Relation | Iterable[tuple[Dataset, Dataset]] | None = None,
    normalised: bool = True,
    name: str | None = None,
) -> Callable[[LawFunction], FiniteMechanism]:
    """Turn a function dataset → {output: probability} into a mechanism that can be audited.

    Args:
        datasets: all datasets, or a function that gives those of size n; hashable values.
        budget: the ε, or (ε, δ), that is stated for it; None if nothing is.
        neighbours: ``"substitution"`` (one entry differs; the default for tuples and texts),
            ``"add-remove"``, ``"unit-moves"`` (each entry moves by at most 1), ``"all"`` (the
            default otherwise), a symmetric function of two datasets, or pairs of datasets.
        normalised: False if the function gives weights that are to be divided by their sum.
        name: what reports call it; by default the function's name.
    """
    claim = None
    if budget is not None:
        epsilon, delta = budget if isinstance(budget, tuple) else (budget, ZERO)
        claim = Budget(
            PositiveParameter("budget epsilon", "", "", "").read(epsilon),
            read_budget_delta(delta, "budget delta"),
        )
    listed = None if callable(datasets) else list(datasets)

    def space(n: int) -> Iterable[Dataset]:
        return datasets(n) if callable(datasets) else listed or ()

    if neighbours is None:
        simple = listed is not None and not isinstance(next(iter(listed), ()), (tuple, str))
        neighbours = "all" if simple else "substitution"
    relation: Adjacency[Dataset]
    if isinstance(neighbours, str):
        if neighbours not in RELATIONS:
            raise ParameterError(
                "neighbours", f"no adjacency {neighbours!r}; {nearest(neighbours, RELATIONS)}"
            )
        relation = _ListedDatasets(neighbours, space, RELATIONS[neighbours])
    elif callable(neighbours):
        relation = _ListedDatasets("own", space, neighbours)
    else:
        relation = _ListedDatasets("listed", space, None, tuple(neighbours))

    def decorate(function: LawFunction) -> FiniteMechanism:
        title = str(name or getattr(function, "__name__", "mechanism"))
        return FiniteMechanism(title, function, claim, relation, normalised)

    return decorate
