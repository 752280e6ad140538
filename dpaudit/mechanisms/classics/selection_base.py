"""Base of mechanisms over query answers: parameters, neighbours, and books of exact laws."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Self

from dpaudit.data.adjacency import Adjacency
from dpaudit.data.queries import Patterns, UnitMoves, UnitMovesOneSign, Vector
from dpaudit.errors import DomainError, ParameterError, SizeError, nearest
from dpaudit.laws.closed import ClosedForm, ClosedLaw, ClosedMass
from dpaudit.laws.closed_over_epsilon import ClosedFamily, LossForm
from dpaudit.laws.deltas_over import ClosedDeltas, DeltaFamily, PairForms
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.parameters import Parameter, PositiveParameter, WholeParameter, read_number
from dpaudit.numbers.real import ZERO, Real
from dpaudit.results import Budget

if TYPE_CHECKING:
    from dpaudit.laws.over_epsilon import EpsilonFamily

__all__ = ["CUTOFF", "QUERY_PARAMETERS", "THRESHOLD", "QueryMechanism"]

MAX_ANSWER = 10**6
"""Larger answers, and larger thresholds, are a mistake."""

MAX_OUTPUTS = 1 << 16
"""A law of more outputs is not written out."""


@dataclass(frozen=True, slots=True)
class RationalParameter(Parameter):
    """A rational number that is not out of proportion."""

    def read(self, value: object) -> Fraction:
        number = read_number(value, self.name).as_fraction()
        if number is None or abs(number) > MAX_ANSWER:
            raise DomainError(self.name, value, f"must be {self.allowed}")
        return number

    @property
    def allowed(self) -> str:
        return f"a rational number from -{MAX_ANSWER} to {MAX_ANSWER}"


_SPACE = "-1..1 is the smallest range in which an answer of 0 can change by 1 in both directions"

QUERY_PARAMETERS: tuple[Parameter, ...] = (
    PositiveParameter(
        "epsilon",
        "the privacy parameter ε the mechanism is run with",
        "4/5",
        "the same for every mechanism",
    ),
    PositiveParameter(
        "sensitivity",
        "the sensitivity Δ that the noise is scaled to",
        "1",
        "one record changes an answer by at most 1",
    ),
    WholeParameter("low", "the smallest answer of a query", "-1", _SPACE, -MAX_ANSWER),
    WholeParameter("high", "the largest answer of a query", "1", _SPACE, -MAX_ANSWER),
)
"""The parameters of every mechanism over query answers."""

THRESHOLD = RationalParameter(
    "threshold", "the threshold T that noisy answers are compared with", "0", "the middle of -1..1"
)
CUTOFF = WholeParameter(
    "c", "how many answers above the threshold end the run", "1", "AboveThreshold is c = 1"
)


@dataclass(frozen=True)
class QueryMechanism(Mechanism[Vector]):
    """A mechanism that sees its dataset through the answers of n queries, n being the size."""

    parameters: ClassVar[tuple[Parameter, ...]] = QUERY_PARAMETERS

    epsilon: Real
    sensitivity: Real
    low: int
    high: int

    @classmethod
    def build(cls, given: Mapping[str, object]) -> Self:
        """Return the mechanism; ``DomainError`` unless low < high."""
        mechanism = super().build(given)
        if mechanism.low >= mechanism.high:
            raise DomainError("high", mechanism.high, f"must be greater than low = {mechanism.low}")
        return mechanism

    @property
    def stated(self) -> Budget | None:
        return Budget(self.epsilon, ZERO)

    @property
    def dataset_shape(self) -> str:
        return f"it must be n whole numbers from {self.low} to {self.high}, or one of the patterns"

    def size(self, dataset: tuple[int, ...]) -> int:
        return len(dataset)

    @property
    def rate(self) -> Real:
        """The common rate λ = ε/Δ of all noise."""
        return self.epsilon / self.sensitivity

    def adjacency(self, name: str | None = None) -> Adjacency[Vector]:
        relations: dict[str, Adjacency[Vector]] = {
            UnitMoves.name: UnitMoves(self.low, self.high),
            UnitMovesOneSign.name: UnitMovesOneSign(self.low, self.high),
            Patterns.name: Patterns(),
        }
        name = name or UnitMoves.name
        if name not in relations:
            raise ParameterError("adjacency", f"no adjacency {name!r}; {nearest(name, relations)}")
        return relations[name]

    @abstractmethod
    def forms(self, answers: Vector) -> dict[Hashable, ClosedForm]:
        """Return every output with its exact probability; it may be 0."""

    def law_of(self, masses: dict[Hashable, ClosedMass], answers: Vector) -> ClosedLaw:
        """Return the law at ``answers``, whose possible outputs have these probabilities."""
        return ClosedLaw(masses)

    def laws(self) -> _ClosedLaws:
        return _ClosedLaws(self)

    def over_epsilon(self, n: int) -> EpsilonFamily | None:
        sensitivity = self.sensitivity.as_fraction()
        if sensitivity is None or type(self).law_of is not QueryMechanism.law_of:
            return None  # where outputs are cells, some losses are no quotient of their masses
        return ClosedFamily(self._losses(n), 1 / sensitivity, self.adjacency().pair_count(n))

    def deltas_over(self, parameter: str, n: int) -> DeltaFamily | None:
        sensitivity = self.sensitivity.as_fraction()
        if sensitivity is None or type(self).law_of is not QueryMechanism.law_of:
            return None
        if parameter != "epsilon":
            return None
        multiple = 1 / sensitivity
        pairs = self.adjacency().pair_count(n)
        return ClosedDeltas(self._compared(n), pairs, lambda one: one * multiple, multiple)

    def _losses(self, n: int) -> Iterator[LossForm]:
        """Iterate over the losses of all pairs, in both directions and at every output."""
        for pair in self._compared(n):
            for above, below, _ in pair.masses:
                if not above.is_zero():
                    yield above, below
                if not below.is_zero():
                    yield below, above

    def _compared(self, n: int) -> Iterator[PairForms]:
        """Iterate over all pairs with their probabilities at every output."""
        held: dict[Vector, dict[Hashable, ClosedForm]] = {}
        for x, y in self.adjacency().pairs(n):
            for dataset in (x, y):
                if dataset not in held:
                    held[dataset] = self.forms(dataset)
            masses = []
            for output, p in held[x].items():
                q = held[y][output]
                above, below, total = p.above, q.above, p.below
                if p.below != q.below:
                    above, below, total = above * q.below, below * p.below, p.below * q.below
                masses.append((above, below, total))
            yield PairForms(x, y, tuple(masses))

    @abstractmethod
    def output_count(self, n: int) -> int:
        """Return how many outputs there are; some may be impossible for some data."""


class _ClosedLaws:
    """The laws of a mechanism at one precision: equal probabilities are one object."""

    def __init__(self, mechanism: QueryMechanism) -> None:
        self.mechanism = mechanism
        self._masses: dict[ClosedForm, ClosedMass] = {}

    def law(self, dataset: Vector) -> ClosedLaw:
        outputs = self.mechanism.output_count(len(dataset))
        if outputs > MAX_OUTPUTS:
            raise SizeError(
                f"n = {len(dataset)}: {self.mechanism.name} has {outputs} outputs; "
                f"at most {MAX_OUTPUTS} are listed"
            )
        masses = {
            output: self._mass(form)
            for output, form in self.mechanism.forms(dataset).items()
            if not form.is_zero()
        }
        return self.mechanism.law_of(masses, dataset)

    def _mass(self, form: ClosedForm) -> ClosedMass:
        if form not in self._masses:
            self._masses[form] = form.at_precision()
        return self._masses[form]
