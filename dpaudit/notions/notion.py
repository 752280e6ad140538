"""The notions of privacy an audit can be about, each with what it measures of a pair of laws.

============  ======  =====================================================================
name          symbol  what is measured, P and Q the laws at two neighbours, both directions
============  ======  =====================================================================
pure          ε       max-divergence D_∞(P‖Q) (Dwork and Roth 2014, Def. 3.6)
approximate   δ       hockey-stick divergence Σ(P − e^ε·Q)₊ at the budget's ε
renyi         ε_α     Rényi divergence D_α(P‖Q) (Mironov 2017, Def. 4)
zcdp          ρ       sup over α > 1 of D_α(P‖Q)/α (Bun and Steinke 2016, Def. 1.1)
gdp           μ       smallest μ with T(P, Q) ≥ G_μ (Dong, Roth and Su 2022)
kl            KL      Kullback-Leibler divergence D₁(P‖Q), in nats
tv            TV      total variation distance ½·Σ|P − Q|
============  ======  =====================================================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from dpaudit.notions.concentrated import concentrated
from dpaudit.notions.losses import ExactMasses, Losses, exact_kullback_leibler, exact_renyi
from dpaudit.notions.tradeoff import gaussian_fit
from dpaudit.numbers.real import ZERO, Real

if TYPE_CHECKING:
    from collections.abc import Hashable
    from fractions import Fraction

    from dpaudit.laws.law import Divergence
    from dpaudit.numbers.ball import Ball

__all__ = [
    "Approximate",
    "Concentrated",
    "Gaussian",
    "KullbackLeibler",
    "Notion",
    "PairOfLaws",
    "Pure",
    "Renyi",
    "RenyiLimit",
    "TotalVariation",
    "Value",
]


_MAX_EXACT_ORDER = 1024
"""Higher powers are not written as closed forms."""


class PairOfLaws:
    """Two laws with what several directions and notions need of them, computed once."""

    def __init__(self, divergence: Divergence) -> None:
        """Take the comparison of P with Q."""
        self.divergence = divergence

    @cached_property
    def forward(self) -> Losses:
        """The losses of P against Q."""
        return Losses.of(self.divergence, forward=True)

    @cached_property
    def backward(self) -> Losses:
        """The losses of Q against P."""
        return Losses.of(self.divergence, forward=False)

    def losses(self, *, forward: bool) -> Losses:
        """Return the losses in one direction."""
        return self.forward if forward else self.backward


@dataclass(frozen=True, slots=True)
class Value:
    """What a notion measures of one direction of a pair, and where it is attained."""

    ball: Ball
    """A ball of it; +∞ is the exact ball +∞."""
    exact: Real | None = None
    """Its closed form, where that came without work."""
    output: Hashable | None = None
    """An output with the largest loss, or one that only P can produce."""
    order: Fraction | None = None
    """The order α it is attained at; 1 stands for the limit α → 1."""
    type_one: Fraction | None = None
    """The type I error of the test it is attained at (rounded)."""
    type_two: Fraction | None = None
    """The type II error of that test (rounded)."""
    at_one: bool = False
    """Whether it is certainly the limit α → 1 of a supremum over orders."""


@dataclass(frozen=True)
class Notion(ABC):
    """One notion of privacy: a number for each ordered pair of laws, 0 for equal ones."""

    name: ClassVar[str]
    """The name on the command line and in reports."""
    symbol: ClassVar[str]
    """The symbol of what is measured."""
    directed: ClassVar[bool] = True
    """Whether the two directions of a pair may differ."""
    sums_losses: ClassVar[bool] = True
    """Whether it depends on nothing but the masses of all atoms."""
    has_lower_bound: ClassVar[bool] = False
    """Whether :meth:`lower_bound` gives one."""

    @abstractmethod
    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        """Return the enclosed value of one direction.

        ``tolerance`` is how wide the enclosure of a supremum may be, None for a rough one; a
        value that is certainly not above ``floor`` may be enclosed loosely.
        """

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        """Return the value that the laws know without a list of their outputs, or None."""
        return None

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        """Return the value in closed form, or None where it has none."""
        return value.exact

    def lower_bound(self, losses: Losses) -> Ball:
        """Return what the value is certainly not below, much cheaper than the value."""
        raise NotImplementedError(f"{self.name} has no cheap lower bound")

    @property
    def order_text(self) -> str | None:
        """The order α as text, for a notion that has one."""
        return None

    @property
    def label(self) -> str:
        """The symbol with what it depends on."""
        return self.symbol


@dataclass(frozen=True)
class Pure(Notion):
    """Pure differential privacy: ε."""

    name = "pure"
    symbol = "ε"
    sums_losses = False

    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        loss = laws.divergence.max_loss(forward=forward)
        return Value(loss.ball, loss.exact, loss.output)


@dataclass(frozen=True)
class Approximate(Notion):
    """Approximate differential privacy: δ at one ε."""

    epsilon: Real

    name = "approximate"
    symbol = "δ"
    sums_losses = False

    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        mass = laws.divergence.hockey_stick(self.epsilon, forward=forward)
        return Value(mass.ball, mass.exact)

    @property
    def label(self) -> str:
        return f"δ({self.epsilon})"


@dataclass(frozen=True)
class TotalVariation(Notion):
    """Total variation distance: the hockey-stick divergence at ε = 0."""

    name = "tv"
    symbol = "TV"
    directed = False
    sums_losses = False

    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        mass = laws.divergence.hockey_stick(ZERO, forward=forward)
        return Value(mass.ball, mass.exact)


@dataclass(frozen=True)
class KullbackLeibler(Notion):
    """Kullback-Leibler divergence."""

    name = "kl"
    symbol = "KL"

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        return _known(laws, "kl", None, forward=forward)

    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        losses = laws.losses(forward=forward)
        return Value(losses.kullback_leibler(), output=losses.impossible)

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        return exact_kullback_leibler(masses)


@dataclass(frozen=True)
class Renyi(Notion):
    """Rényi privacy at one order: D_α."""

    order: Fraction
    """α > 1."""

    name = "renyi"
    symbol = "ε_α"

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        return _known(laws, "renyi", self.order, forward=forward)

    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        losses = laws.losses(forward=forward)
        return Value(losses.renyi(self.order), output=losses.impossible)

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        return exact_renyi(masses, self.order) if self.order <= _MAX_EXACT_ORDER else None

    @property
    def order_text(self) -> str:
        return str(self.order)

    @property
    def label(self) -> str:
        return f"D_{self.order}" if self.order.denominator == 1 else f"D_({self.order})"


@dataclass(frozen=True)
class RenyiLimit(Notion):
    """Rényi privacy in a limit: D₁, the KL divergence, or D_∞, the max-divergence."""

    limit: str
    """``1`` or ``inf``."""

    name = "renyi"
    symbol = "ε_α"

    @property
    def _same(self) -> Notion:
        return KullbackLeibler() if self.limit == "1" else Pure()

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        return self._same.known(laws, forward=forward)

    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        return self._same.measure(laws, forward=forward, tolerance=tolerance, floor=floor)

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        return self._same.closed_form(value, masses)

    @property
    def order_text(self) -> str:
        return self.limit

    @property
    def label(self) -> str:
        return "D_1" if self.limit == "1" else "D_∞"


@dataclass(frozen=True)
class Concentrated(Notion):
    """Zero-concentrated privacy: ρ."""

    name = "zcdp"
    symbol = "ρ"
    has_lower_bound = True

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        return _known(laws, "zcdp", None, forward=forward)

    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        losses = laws.losses(forward=forward)
        found = concentrated(losses, tolerance, floor)
        return Value(found.ball, output=losses.impossible, order=found.order, at_one=found.at_one)

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        return exact_kullback_leibler(masses) if value.at_one else None

    def lower_bound(self, losses: Losses) -> Ball:
        return losses.kullback_leibler()


@dataclass(frozen=True)
class Gaussian(Notion):
    """Gaussian privacy: μ."""

    name = "gdp"
    symbol = "μ"
    directed = False

    def measure(
        self, laws: PairOfLaws, *, forward: bool, tolerance: Fraction | None, floor: Ball | None
    ) -> Value:
        there, back = laws.losses(forward=forward), laws.losses(forward=not forward)
        found = gaussian_fit(there, back)
        return Value(
            found.ball,
            output=there.impossible if there.infinite else back.impossible,
            type_one=found.type_one,
            type_two=found.type_two,
        )


def _known(laws: PairOfLaws, name: str, order: Fraction | None, *, forward: bool) -> Value | None:
    found = laws.divergence.known(name, order, forward=forward)
    return None if found is None else Value(found.ball, found.exact)
