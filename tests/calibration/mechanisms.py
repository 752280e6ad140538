"""Mechanisms that a calibration must see through: one record with two values, two outputs."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.data.adjacency import Adjacency, Substitution
from dpaudit.data.histograms import Counts
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.law import Law
from dpaudit.laws.weighted import WeightedLaw
from dpaudit.mechanisms.base import Budget, Mechanism
from dpaudit.numbers.real import ONE, ZERO, Real

__all__ = ["Constant", "Leaky", "Pocket", "Truthful"]


class _Laws:
    def __init__(self, law: Callable[[Counts], Law]) -> None:
        self.law = law


@dataclass(frozen=True)
class _OneRecord(Mechanism[Counts]):
    epsilon: Real

    @property
    def stated(self) -> Budget:
        return Budget(self.epsilon, ZERO)

    def adjacency(self, name: str | None = None) -> Adjacency[Counts]:
        return Substitution(2)

    def laws(self) -> _Laws:
        return _Laws(self.law)

    def realised(self) -> Real:
        """The realised ε."""
        raise NotImplementedError

    def law(self, dataset: Counts) -> Law:
        return WeightedLaw(["a", "b"], [count * self.realised().ball() for count in dataset])


@dataclass(frozen=True)
class Truthful(_OneRecord):
    """Randomised response: its realised ε is its nominal ε."""

    name: ClassVar = "Truthful"

    def realised(self) -> Real:
        return self.epsilon


@dataclass(frozen=True)
class Leaky(_OneRecord):
    """It tells the truth always: the realised ε is infinite whatever the nominal one."""

    name: ClassVar = "Leaky"

    def law(self, dataset: Counts) -> Law:
        return ExplicitLaw({"a" if dataset[0] else "b": ONE})


@dataclass(frozen=True)
class Constant(_OneRecord):
    """It tells nothing: the realised ε is 0 whatever the nominal one."""

    name: ClassVar = "Constant"

    def realised(self) -> Real:
        return ZERO


@dataclass(frozen=True)
class Pocket(_OneRecord):
    """Its realised ε is its nominal one, but 0 in 1.03 < ε < 1.06."""

    name: ClassVar = "Pocket"

    def realised(self) -> Real:
        nominal = self.epsilon.as_fraction()
        assert nominal is not None
        inside = Fraction(103, 100) < nominal < Fraction(106, 100)
        return ZERO if inside else self.epsilon
