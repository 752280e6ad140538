"""Base of randomisers whose outputs support some of a user's values, and those e^ε times as likely.

An output that supports the user's value has probability e^ε/w, every other 1/w.  Two values divide
the outputs into four kinds: those that support both, one of them, or neither.  All outputs of a
kind have one probability at each of the two, so that the kinds alone have to be counted, and two
laws are compared without a list of outputs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

from dpaudit.laws.independent import IndependentDivergence, IndependentLaw, Table
from dpaudit.laws.law import Divergence, Law, Loss, Mass
from dpaudit.mechanisms.classics import base as classic
from dpaudit.numbers.real import ONE, ZERO, Real, rational

__all__ = ["Kind", "SupportLaw", "SupportMechanism"]

Kind = tuple[bool, bool]
"""True for each of two values that an output supports."""

_MOST_LISTED = 100_000


@dataclass(frozen=True)
class SupportMechanism(classic.LocalMechanism):
    """A mechanism whose outputs support some values; each value has as many that support it."""

    pairs_alike: ClassVar = True

    epsilon: Real
    k: int

    @property
    def values_of_a_user(self) -> range:
        return range(self.k)

    @abstractmethod
    def supports(self, output: Hashable, value: int) -> bool:
        """Tell whether an output supports a value."""

    @abstractmethod
    def is_output(self, output: Hashable) -> bool:
        """Tell whether this can be shown at all."""

    @abstractmethod
    def kinds(self, x: int, y: int) -> Mapping[Kind, tuple[int, Hashable]]:
        """Return the number of outputs of each kind that exists, and one of them.

        ``x`` and ``y`` may be equal; then only two kinds exist.
        """

    @abstractmethod
    def all_outputs(self) -> Iterator[Hashable]:
        """Iterate over all outputs."""

    def law(self, dataset: int) -> SupportLaw:
        return SupportLaw(self, dataset)


@lru_cache(maxsize=1 << 6)
def _tables(mechanism: SupportMechanism, x: int, y: int) -> tuple[Table, Table]:
    """Return the laws of the kind at two values, each kind by its example."""
    odds = mechanism.epsilon.exp()
    total = _total(mechanism)
    at_x: dict[Hashable, Real] = {}
    at_y: dict[Hashable, Real] = {}
    for kind, (count, example) in mechanism.kinds(x, y).items():
        ways = rational(count)
        at_x[example], at_y[example] = (ways * odds if is_in else ways for is_in in kind)
    return Table(at_x, total), Table(at_y, total)


@lru_cache(maxsize=1 << 6)
def _total(mechanism: SupportMechanism) -> Real:
    """Return w, the same at every value."""
    counts = {kind[0]: rational(count) for kind, (count, _) in mechanism.kinds(0, 0).items()}
    return counts.get(True, ZERO) * mechanism.epsilon.exp() + counts.get(False, ZERO)


class SupportLaw(Law):
    """The law of the output at one value."""

    def __init__(self, mechanism: SupportMechanism, value: int) -> None:
        """Take the mechanism, and the value of the user."""
        self.mechanism, self.value = mechanism, value

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with the law at another value."""
        if not isinstance(other, SupportLaw) or other.mechanism != self.mechanism:
            raise TypeError("only laws of the same mechanism can be compared")
        return SupportDivergence(self.mechanism, self.value, other.value)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of ``output``, 0 for what cannot be shown."""
        m = self.mechanism
        if not m.is_output(output):
            return Mass(ZERO.ball(), ZERO)
        exact = (m.epsilon.exp() if m.supports(output, self.value) else ONE) / _total(m)
        return Mass(exact.ball(), exact)

    def outputs(self) -> list[Hashable] | None:
        """Return all outputs; None where they are too many to be listed."""
        return None if self.output_count() > _MOST_LISTED else list(self.mechanism.all_outputs())

    def output_count(self) -> int:
        return sum(count for count, _ in self.mechanism.kinds(self.value, self.value).values())


class SupportDivergence(IndependentDivergence):
    """Two laws of one mechanism, compared by the kinds of outputs."""

    def __init__(self, mechanism: SupportMechanism, x: int, y: int) -> None:
        """Take the mechanism, and the values of the numerator and the denominator."""
        self.mechanism, self.ends = mechanism, (x, y)
        at_x, at_y = _tables(mechanism, x, y)
        super().__init__(IndependentLaw((at_x,), bare=True), IndependentLaw((at_y,), bare=True))

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        x, y = self.ends
        kind = self.mechanism.supports(output, x), self.mechanism.supports(output, y)
        _, example = self.mechanism.kinds(x, y)[kind]
        return replace(super().loss_at(example, forward=forward), output=output)
