"""Mechanisms of your own: the output law of every dataset, written out.

As a function:

    @finite_mechanism(budget="ln(3)", datasets=["yes", "no"])
    def randomised_response(answer):
        return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}

or as any class or object with ``law(dataset)`` and ``datasets`` (and, if wanted, ``neighbours``,
``budget``, ``normalised``, ``name`` and ``laws(datasets)``), which may have parameters:

    class RandomisedResponse:
        budget, neighbours = "ln(3)", "all"

        def __init__(self, p: Fraction = Fraction(3, 4)):
            self.p = p

        def datasets(self, n):
            return ["yes", "no"]

        def law(self, answer):
            return {answer: self.p, "no" if answer == "yes" else "yes": 1 - self.p}

Probabilities are numbers of any exact kind (int, Fraction, Decimal, text such as ``exp(-1/2)``, a
closed form), floats by their shortest decimal, or balls.  What an audit needs is checked when it
asks for it: a law that does not add up to 1, a negative probability, an adjacency that is not
symmetric, and a function that changes its mind are reported as such and never pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

from dpaudit.data.adjacency import Adjacency
from dpaudit.data.neighbouring import RELATIONS
from dpaudit.errors import ParameterError
from dpaudit.laws.law import ListedOutputs
from dpaudit.mechanisms.arguments import lacking
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.listed_datasets import Dataset, ListedDatasets, Pair, Predicate
from dpaudit.mechanisms.matrix_laws import MatrixLaws
from dpaudit.mechanisms.parameters import read_budget
from dpaudit.mechanisms.user_laws import LawFunction, LawsFunction, OwnLaws
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, ZERO, Number, Real, order, real
from dpaudit.results import Budget

if TYPE_CHECKING:
    from dpaudit.mechanisms.law_tables import Table

__all__ = [
    "FiniteMechanism",
    "Neighbours",
    "claimed",
    "finite_mechanism",
    "own_mechanism",
    "relation_of",
    "space_of",
]

Datasets = Iterable[Dataset] | Callable[[int], Iterable[Dataset]] | Callable[[], Iterable[Dataset]]
Neighbours = str | Predicate | Iterable[Pair]
Claim = Number | tuple[Number, Number]
Matrix = Any
"""An array of NumPy's with two axes, or a list of rows."""


@dataclass(frozen=True)
class FiniteMechanism(Mechanism[Dataset]):
    """A mechanism that is written out; see :func:`finite_mechanism` and :func:`own_mechanism`."""

    name: ClassVar = "own mechanism"

    title: str
    law: LawFunction = field(repr=False)
    claim: Budget | None
    relation: ListedDatasets = field(repr=False)
    normalised: bool = True
    many: LawsFunction | None = field(default=None, repr=False)
    """The laws of many datasets in one call."""
    sized: bool = True
    """True if the datasets depend on n."""
    given: tuple[tuple[str, Hashable], ...] = ()
    """The parameters it was made with."""
    counted: dict[int, ListedOutputs] = field(default_factory=dict, repr=False, compare=False)
    """By size, what the first laws list."""
    seen: dict[Dataset, int | Table] = field(default_factory=dict, repr=False, compare=False)
    outputs: dict[Hashable, Hashable] = field(default_factory=dict, repr=False, compare=False)
    """Outputs seen so far, each with its first appearance."""
    asked: dict[str, ListedDatasets] = field(default_factory=dict, repr=False, compare=False)
    """The relations that were asked for by name."""

    rest: Real | None = None
    """Largest probability that a law may leave unlisted; None for none."""
    described: Any = field(default=None, repr=False, compare=False)
    """The object it was made from, if it was made from one."""

    def __post_init__(self) -> None:
        """Be called by its own name in reports."""
        object.__setattr__(self, "name", self.title)

    @property
    def stated(self) -> Budget | None:
        return self.claim

    @property
    def default_size(self) -> int | None:
        return None if self.sized else 1

    def values(self) -> dict[str, Any]:
        return dict(self.given)

    def adjacency(self, name: str | None = None) -> Adjacency[Dataset]:
        if name is None:
            return self.relation
        if name not in self.asked:
            relation, own = self.relation.called(name), self.relation.name
            if relation is None:
                reason = (
                    f"{self.title} defines its own neighbours, {own}, and accepts no others; "
                    "leave adjacency out"
                )
                raise ParameterError("adjacency", f"no adjacency {name!r}; {reason}")
            self.asked[name] = relation
        return self.asked[name]

    @property
    def names_datasets(self) -> bool:
        return True

    def dataset_named(self, text: str, n: int) -> list[Dataset]:
        datasets = list(self.relation.listing(n))
        found = [d for d in datasets if text in (_text(d), repr(d))]
        if not found:
            some = ", ".join(map(_text, datasets[:5]))
            raise ParameterError(
                "at", f"at = {text}: no dataset of {self.title} at n = {n}; there are {some}, ..."
            )
        return found

    def laws(self) -> OwnLaws:
        return OwnLaws(
            self.title,
            self.law,
            laws=self.many,
            chunk=self.relation.chunk,
            normalised=self.normalised,
            seen=self.seen,
            outputs=self.outputs,
            rest=self.rest,
        )

    def derivation(self, n: int, *, whole: bool = True) -> dict[str, Any]:
        return {} if self.rest is None else {"rest": self.rest}

    def entries(self, n: int) -> int:
        """Return how many outputs the first law had that was asked for: a law may be slow."""
        first = next(iter(self.counted.values()), None) or self.listed_outputs(n)
        return first.outputs or 1

    def listed_outputs(self, n: int) -> ListedOutputs:
        if n not in self.counted:
            self.counted[n] = ListedOutputs.of(self.laws(), self.relation.listing(n))
        return self.counted[n]

    def output_count(self, n: int) -> int | None:
        return self.laws().law(next(iter(self.relation.listing(n)))).output_count()

    def __call__(self, dataset: Dataset) -> Mapping[Any, Any]:
        """Return the law as the function gives it."""
        return self.law(dataset)


def _text(dataset: Dataset) -> str:
    """Return what a dataset is called on the command line: 0,1 for a tuple."""
    return ",".join(map(str, dataset)) if isinstance(dataset, tuple) else str(dataset)


def finite_mechanism(
    *,
    datasets: Datasets | None = None,
    budget: Claim | None = None,
    neighbours: Neighbours | None = None,
    normalised: bool = True,
    name: str | None = None,
    laws: LawsFunction | None = None,
    rest: Number | None = None,
    outputs: Sequence[Hashable] | None = None,
) -> Callable[[LawFunction | Matrix], FiniteMechanism]:
    """Turn a table of output probabilities for each dataset into a mechanism to audit.

    The table is a function dataset → {output: probability}, or a matrix.

    Args:
        datasets: all datasets, or a function that returns those of size n; hashable values. For a
            matrix, the datasets of its rows, by default 0, 1, 2, ...
        budget: the stated budget ε, or (ε, δ); None if there is none.
        neighbours: ``"one-entry"`` (the default for tuples and texts), ``"sequence-add-remove"``,
            ``"histogram-substitution"``, ``"histogram-add-remove"``, ``"unit-moves"``,
            ``"unit-moves-one-sign"``, ``"all"`` (the default otherwise), a symmetric function of
            two datasets, or pairs of datasets.  Tuples of whole numbers have no default, because
            they may be sequences or histograms. :data:`dpaudit.data.neighbouring.RELATIONS` defines
            the names.
        normalised: False if the function returns weights, which dpaudit then divides by their sum.
        name: its name in reports; by default the function's name.
        laws: a function that returns the output distributions of many datasets in one call, for
            speed.
        rest: the largest probability that the returned tables may leave out, whether of unlisted or
            of listed outputs. With it, δ is still bounded, and ε only from below.
        outputs: for a matrix, the outputs of its columns, by default 0, 1, 2, ...

    Returns:
        A decorator; its result can still be called like the function. For a matrix (an array of
        NumPy's or a list of rows), each row is the output distribution of a dataset.

    Raises:
        ParameterError: for an unknown relation, an invalid rest, and a matrix whose numbers of rows
            and columns do not match the datasets and outputs.
        DomainError: for an invalid budget.

    >>> @finite_mechanism(datasets=["yes", "no"], neighbours="all", budget="ln(3)")
    ... def respond(answer):
    ...     return {answer: "3/4", "no" if answer == "yes" else "yes": "1/4"}
    >>> str(respond.stated)
    'ε = ln(3)'
    >>> in_quarters = finite_mechanism(budget="ln(3)", normalised=False)([[3, 1], [1, 3]])
    >>> in_quarters(0)
    {0: 3, 1: 1}
    """
    claim, left = claimed(budget), _rest(rest, normalised=normalised)
    listed = None if datasets is None else _related(datasets, neighbours)

    def decorate(law: LawFunction | Matrix) -> FiniteMechanism:
        title, related = str(name or getattr(law, "__name__", "mechanism")), listed
        if not callable(law):
            law = MatrixLaws(law, cast("Any", datasets), outputs)
            related = related or _related(law.datasets, neighbours)
        elif outputs is not None:
            raise ParameterError(
                "outputs",
                "outputs: a function already returns its outputs; give outputs only with a matrix",
            )
        if related is None:
            raise ParameterError("datasets", "datasets: list them, or give a function of n")
        relation, sized = related
        return FiniteMechanism(title, law, claim, relation, normalised, laws, sized, rest=left)

    return decorate


def _related(datasets: Datasets, neighbours: Neighbours | None) -> tuple[ListedDatasets, bool]:
    """Return the datasets with their relation, and whether they depend on n."""
    space, sized = space_of(datasets)
    return relation_of(neighbours, space, sized=sized), sized


def _rest(rest: Number | None, *, normalised: bool) -> Real | None:
    """Return a rest that is stated; None for none."""
    if rest is None:
        return None
    if not normalised:
        raise ParameterError(
            "rest", f"rest = {rest}: normalised weights add up to 1; leave rest out"
        )
    found = real(rest)
    if found.sign() is Sign.NEGATIVE or order(found, ONE) is not Sign.NEGATIVE:
        raise ParameterError("rest", f"rest = {rest}: must be from 0 to less than 1")
    return None if found == ZERO else found


def own_mechanism(
    described: Any, name: str | None = None, given: Mapping[str, Hashable] | None = None
) -> FiniteMechanism:
    """Return the mechanism that an object with ``law(dataset)`` and ``datasets`` describes.

    Args:
        described: the object.  It may have ``neighbours``, ``budget``, ``normalised``, ``rest``,
            ``name`` and ``laws(datasets)`` as well, which mean what they do in
            :func:`finite_mechanism`; with ``laws`` alone, a law is asked for as one of one.
        name: what reports call it; by default its own ``name``, else that of its class.
        given: the parameters it was made with, for reports.

    Returns:
        The mechanism.

    Raises:
        UsageError: for an object that describes none, or with an unknown relation or budget.

    >>> class Coin:
    ...     budget, datasets = "ln(3)", [0, 1]
    ...     def law(self, bit):
    ...         return {bit: "3/4", 1 - bit: "1/4"}
    >>> own_mechanism(Coin()).stated.epsilon
    real('ln(3)')
    """
    title = str(name or getattr(described, "name", None) or type(described).__name__)
    if lacking(described):
        raise ParameterError("law", f"{title} needs law(dataset) and datasets")
    many: LawsFunction | None = getattr(described, "laws", None)

    def one_of_one(dataset: Dataset) -> Mapping[Any, Any]:
        assert many is not None
        (law,) = many([dataset])
        return law

    law: LawFunction = getattr(described, "law", None) or one_of_one
    space, sized = space_of(described.datasets)
    return FiniteMechanism(
        title,
        law,
        claimed(getattr(described, "budget", None)),
        relation_of(getattr(described, "neighbours", None), space, sized=sized),
        bool(getattr(described, "normalised", True)),
        many,
        sized,
        tuple((given or {}).items()),
        rest=_rest(
            getattr(described, "rest", None),
            normalised=bool(getattr(described, "normalised", True)),
        ),
        described=described,
    )


def claimed(budget: Any) -> Budget | None:
    """Return a stated budget: ε, (ε, δ), or None for nothing stated."""
    if isinstance(budget, Budget):
        budget = (budget.epsilon, budget.delta)
    return None if budget is None else read_budget(budget)


def space_of(datasets: Any) -> tuple[Callable[[int], Iterable[Dataset]], bool]:
    """Return the datasets by size, and whether they depend on it."""
    if callable(datasets):
        if not _takes(datasets, 1):
            return (lambda n: cast("Iterable[Dataset]", datasets())), False
        return datasets, True
    if not isinstance(datasets, Iterable):
        kind = type(datasets).__name__
        raise ParameterError(
            "datasets", f"datasets is a {kind}; it must be a list of datasets or a function of n"
        )
    listed: Iterable[Dataset] = datasets
    if not isinstance(datasets, (set, frozenset)):
        listed = list(datasets)
    return (lambda n: listed), False


def _takes(function: Callable[..., Any], count: int) -> bool:
    """Tell whether a function can be called with so many arguments, as far as that is known."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # some built-in functions have no signature
        return True
    return True


def relation_of(
    neighbours: Any, space: Callable[[int], Iterable[Dataset]], *, sized: bool
) -> ListedDatasets:
    """Return the relation that ``neighbours`` says; ``ParameterError`` if it says none."""
    if neighbours is None:
        first = None if sized else next(iter(space(1)), None)
        return ListedDatasets.by_default(space, sequences=sized or isinstance(first, (tuple, str)))
    if isinstance(neighbours, str):
        return ListedDatasets(neighbours, space)
    if callable(neighbours):
        if not _takes(neighbours, 2):
            raise ParameterError("neighbours", "neighbours is not a function of two datasets")
        return ListedDatasets("own", space, neighbours)
    if not isinstance(neighbours, Iterable):
        raise ParameterError(
            "neighbours",
            f"neighbours is a {type(neighbours).__name__}: must be {', '.join(RELATIONS)}, a "
            "function of two datasets, or pairs",
        )
    return ListedDatasets("listed", space, pairs=list(neighbours))
