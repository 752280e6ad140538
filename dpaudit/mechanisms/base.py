"""The interface between a mechanism and an audit.

An audit needs four things of a mechanism: which pairs of datasets are neighbours, the output law of
each dataset, what is stated about its privacy, and how to name it in a report.  Nothing here says
what a dataset or an output is: any hashable value will do.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from dpaudit.data.adjacency import Adjacency, Substitution, histogram_relation
from dpaudit.data.histograms import Counts, balanced_histograms
from dpaudit.errors import ParameterError, nearest
from dpaudit.laws.law import Law, ListedOutputs, OutputLaws
from dpaudit.mechanisms.parameters import (
    Parameter,
    PositiveParameter,
    PriorParameter,
    WholeParameter,
)
from dpaudit.numbers.real import ONE, ZERO, Real, real
from dpaudit.results import Source
from dpaudit.results.values import Budget

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from dpaudit.laws.deltas_over import DeltaFamily
    from dpaudit.laws.over_epsilon import EpsilonFamily
    from dpaudit.mechanisms.spec import Spec
    from dpaudit.screens.exponents import FloatLaws


__all__ = [
    "EPSILON",
    "PRIOR",
    "UNITS",
    "Budget",
    "HistogramMechanism",
    "Mechanism",
    "in_nats",
]

UNITS = {"nats": ONE, "bits": real("ln(2)")}
"""Units of a mechanism's own ε, in nats; budgets and privacy losses are in nats."""

_LONG = 100_000
"""A law of more outputs is not looked at to plan an audit."""


DatasetT = TypeVar("DatasetT")


def in_nats(epsilon: Real, unit: str) -> Real:
    """Return ``epsilon``, counted in a unit of :data:`UNITS`, in nats.

    >>> print(in_nats(real(3), "bits"), in_nats(real(3), "nats"))
    3*ln(2) 3
    """
    return epsilon * UNITS[unit]


@dataclass(frozen=True)
class Mechanism(ABC, Generic[DatasetT]):
    """A randomised algorithm from datasets to outputs, with its parameters fixed.

    A subclass needs a :attr:`name`, :attr:`stated`, :meth:`adjacency` and :meth:`laws`.  One with
    parameters is a frozen dataclass whose fields are listed, with their meaning, in
    :attr:`parameters`; :meth:`build` makes it from text or numbers.
    """

    name: ClassVar[str]
    """The name in the notes, on the command line and in reports."""
    source: ClassVar[str] = ""
    """Publication, or place in the notes, that defines the mechanism."""
    definition: ClassVar[str] = ""
    """Its output law in one line of mathematics."""
    guarantee: ClassVar[str] = ""
    """Guarantee that the source states, in words."""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    """Parameters, in the order of the fields."""
    shorthands: ClassVar[tuple[Parameter, ...]] = ()
    """Further parameters that may be given, from which :meth:`build` computes the others."""
    small_sizes: ClassVar[tuple[int, ...]] = (2, 3)
    """Sizes to try it at: an audit there, and a recheck of all pairs, take no time."""
    disagreements: ClassVar[tuple[str, ...]] = ()
    """Disagreements about it between documents, or between two places of one, one line each."""
    documents: ClassVar[Mapping[str, str]] = {}
    """The titles of the documents that are cited by a letter or another short name."""

    @classmethod
    def build(cls, given: Mapping[str, object]) -> Self:
        """Return the mechanism with the ``given`` parameters and defaults for the others.

        Raises ``ParameterError`` for a name that is not a parameter of this mechanism and
        ``UsageError`` for a value that is not allowed.
        """
        names = [parameter.name for parameter in (*cls.parameters, *cls.shorthands)]
        for name in given:
            if name not in names:
                hint = "; for a budget, give budget" if name in ("epsilon", "delta") else ""
                raise ParameterError(
                    name, f"{cls.name} has no parameter {name}; {nearest(name, names)}{hint}"
                )
        values = {
            parameter.name: parameter.read(given.get(parameter.name, parameter.default))
            for parameter in cls.parameters
        }
        return cls(**values)

    def values(self) -> dict[str, Any]:
        """Return the exact value of every parameter."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def spec(self) -> Spec | None:
        """The reference that it was loaded by, if it is not one of the package."""
        found: Spec | None = vars(self).get("_spec")
        return found

    @property
    def loaded_from(self) -> Source | None:
        """Reference and file it was loaded from, for reports; None for a built-in mechanism."""
        return None if self.spec is None else self.spec.source

    def path_to(self, dataset: DatasetT, output: Hashable) -> tuple[str, ...]:
        """Return what is decided on the way to an output, in words; empty where nothing is."""
        return ()

    def derivation(self, n: int, *, whole: bool = True) -> dict[str, Any]:
        """Return what a report says of how its laws were derived, up to size ``n``.

        ``whole`` is whether all of them were; where not, no more of them are.
        """
        return {}

    def laws_at_hand(self) -> Collection[DatasetT] | None:
        """Return the datasets whose laws are known; None where no size is reported in part."""
        return None

    @property
    def default_size(self) -> int | None:
        """The size that is meant if none is given; None where one has to be."""
        return None

    @property
    @abstractmethod
    def stated(self) -> Budget | None:
        """Budget that the source states; None if it states none."""

    @property
    def epsilon_unit(self) -> str:
        """The unit of the mechanism's own ε, one of :data:`UNITS`; budgets and losses are nats."""
        return "nats"

    @property
    def default_budget(self) -> Budget | None:
        """Budget that an audit uses if none is given: the stated one.

        None where nothing is: there is no verdict then.
        """
        return self.stated

    @property
    def nominal(self) -> Budget:
        """The same, for whatever needs a budget.

        Raises ``ParameterError`` where there is none.
        """
        budget = self.default_budget
        if budget is None:
            raise ParameterError("budget", f"{self.name} states no budget; give one (--budget)")
        return budget

    @abstractmethod
    def adjacency(self, name: str | None = None) -> Adjacency[DatasetT]:
        """Return the neighbouring relation of that ``name``, or the mechanism's own."""

    def check_size(self, n: int) -> None:
        """Raise ``SizeError`` for a size that the mechanism has no datasets of."""

    @property
    def names_datasets(self) -> bool:
        """True if a dataset is named by its text, and not by its counts."""
        return False

    def dataset_named(self, text: str, n: int) -> list[DatasetT]:
        """Return the datasets of size ``n`` that read as ``text``, or raise ``ParameterError``."""
        raise ParameterError("at", f"{self.name} has no dataset named {text} (n = {n})")

    def dataset_of(self, counts: tuple[int, ...]) -> Any:
        """Return the dataset that is written as these whole numbers: by default, the numbers."""
        return counts

    def uniform(self, n: int) -> list[DatasetT]:
        """Return the datasets of size ``n`` that count as uniform, or raise ``ParameterError``."""
        raise ParameterError("at", f"{self.name} defines no uniform data (n = {n})")

    @property
    def dataset_shape(self) -> str:
        """Form of a dataset of size n, in words; empty for counts that sum to n."""
        return ""

    def size(self, dataset: tuple[int, ...]) -> int:
        """Return the size n of a ``dataset``."""
        return sum(dataset)

    @abstractmethod
    def laws(self) -> OutputLaws[DatasetT]:
        """Return the output laws at the working precision in force now."""

    def law_at(self, dataset: DatasetT) -> Law:
        """Return the output law at one dataset, where no others are wanted."""
        return self.laws().law(dataset)

    def screen(self, n: int) -> FloatLaws | None:
        """Return the laws of all datasets of size ``n`` in floats with bounds, or None."""
        return None

    def over_epsilon(self, n: int) -> EpsilonFamily | None:
        """Return the laws of size ``n`` as functions of the nominal ε; None where none are known.

        All parameters but ε are the mechanism's own; its ε, and what is stated, are of no account.
        """
        return None

    def over(self, parameter: str, n: int) -> EpsilonFamily | None:
        """Return the laws of size ``n`` as functions of one parameter; None where none are known.

        All other parameters are the mechanism's own.
        """
        return self.over_epsilon(n) if parameter == "epsilon" else None

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        """Return δ at size ``n`` as a function of one parameter; None where it is not known so.

        All other parameters are the mechanism's own.
        """
        return None

    def screened_entries(self, n: int) -> int | None:
        """Return about how many numbers :meth:`screen` looks at, for planning; None without it."""
        return None

    def theorem(self, n: int, plan: Any, found: Any) -> str | None:
        """Return what was ``found`` at size ``n`` as a Coq file of its own making, or None.

        None leaves it to whoever asks: laws that are exact need nothing of the mechanism.
        """
        return None

    def output_count(self, n: int) -> int | None:
        """Return how many outputs are possible at size ``n``, None if infinitely many."""
        some_dataset = next(iter(self.adjacency().datasets(n)))
        return self.laws().law(some_dataset).output_count()

    def entries(self, n: int) -> int:
        """Return about how many numbers comparing one pair at size ``n`` takes, for planning."""
        return self.output_count(n) or 1

    def listed_outputs(self, n: int) -> ListedOutputs:
        """Return what laws at size ``n`` list, for planning: the first two show it.

        Laws that are long are not made for it; those with a structure are compared by less.
        """
        outputs = self.output_count(n) or 0
        if outputs > _LONG:
            structured = self.entries(n) < outputs
            return ListedOutputs(0) if structured else ListedOutputs(outputs, outputs, outputs)
        return ListedOutputs.of(self.laws(), self.adjacency().datasets(n))

    def sample(self, dataset: DatasetT, size: int, rng: Generator) -> list[Hashable]:
        """Draw ``size`` outputs at ``dataset``, as the mechanism would be run (in floats).

        Raises ``ParameterError`` for a mechanism that brings no sampler: an audit needs none.
        """
        raise ParameterError("sample", f"{self.name} has no sampler")


EPSILON = PositiveParameter(
    "epsilon", "the privacy parameter ε the mechanism is run with", "4/5", "N §4.3 and every table"
)
PRIOR = PriorParameter(
    "prior",
    "the parameters α of the Dirichlet prior, one for each category",
    "1,1",
    "N §4.4 and the first table use beta(1, 1)",
)

MAX_CATEGORIES = 100_000
"""More categories than this are hardly meant."""

CATEGORIES = WholeParameter(
    "k", "the number of categories", "2", "as in the notes", least=2, most=MAX_CATEGORIES
)


@dataclass(frozen=True)
class HistogramMechanism(Mechanism[Counts]):
    """A mechanism that sees its dataset only through the counts of k categories."""

    epsilon: Real
    prior: tuple[Fraction, ...]

    @classmethod
    def build(cls, given: Mapping[str, object]) -> Self:
        """Return the mechanism; ``k`` alone stands for the flat prior over k categories."""
        given = dict(given)
        if given.get("k") is not None:
            k = CATEGORIES.read(given["k"])
            if "prior" in given:
                length = len(PRIOR.read(given["prior"]))
                if length != k:
                    raise ParameterError(
                        "prior", f"the prior has {length} parameters but k = {k}; they must agree"
                    )
            given.setdefault("prior", (1,) * k)
        given.pop("k", None)
        return super().build(given)

    @property
    def k(self) -> int:
        """The number of categories."""
        return len(self.prior)

    @property
    def stated(self) -> Budget | None:
        return Budget(self.epsilon, ZERO)

    @property
    def default_budget(self) -> Budget:
        return self.stated or Budget(self.epsilon, ZERO)

    def draw(self, dataset: Counts, size: int, rng: Generator) -> NDArray[np.int64]:
        """Draw ``size`` outputs at ``dataset`` in floats: whole numbers, one output a row.

        Raises ``ParameterError`` for a mechanism that brings no sampler.
        """
        raise ParameterError("sample", f"{self.name} has no sampler")

    def sample(self, dataset: Counts, size: int, rng: Generator) -> list[Hashable]:
        return [tuple(row) for row in self.draw(dataset, size, rng).tolist()]

    def uniform(self, n: int) -> list[Counts]:
        return balanced_histograms(n, self.k)

    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        return histogram_relation(Substitution.name if name is None else name, self.k)
