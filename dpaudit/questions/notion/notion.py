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

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar

from dpaudit.audit.losses import LargestLoss
from dpaudit.audit.quantity import Limits, PairOfLaws, Quantity, Value
from dpaudit.laws.losses import ExactMasses, exact_kullback_leibler, exact_renyi
from dpaudit.laws.tradeoff import gaussian_fit
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.normal import normal_cdf
from dpaudit.numbers.real import ZERO, Real
from dpaudit.questions.notion.concentrated import concentrated
from dpaudit.screens.bounds import Bound

__all__ = [
    "Approximate",
    "Concentrated",
    "Gaussian",
    "KullbackLeibler",
    "Notion",
    "Pure",
    "Renyi",
    "RenyiLimit",
    "TotalVariation",
]


_MAX_EXACT_ORDER = 1024
"""Higher powers are not written as closed forms."""


@dataclass(frozen=True)
class Notion(Quantity):
    """One notion of privacy: a number for each ordered pair of laws, 0 for equal ones."""

    name: ClassVar[str]
    """The name on the command line and in reports."""
    symbol: ClassVar[str]
    """The symbol of what is measured."""
    sums_losses: ClassVar[bool] = True
    """True if it depends on the masses of the atoms alone."""

    @abstractmethod
    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        """Return the enclosed value of one direction."""

    def key(self, laws: PairOfLaws, *, forward: bool) -> ExactMasses | None:
        return laws.losses(forward=forward).exact if self.sums_losses else None

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        """Return the value in closed form, or None where it has none."""
        return value.exact

    @property
    def order_text(self) -> str | None:
        """The order α as text, for a notion that has one."""
        return None

    @property
    def label(self) -> str:
        """The symbol with what it depends on."""
        return self.symbol


@dataclass(frozen=True)
class Pure(LargestLoss, Notion):
    """Pure differential privacy: ε."""

    name = "pure"
    symbol = "ε"
    sums_losses = False


@dataclass(frozen=True)
class Approximate(Notion):
    """Approximate differential privacy: δ at one ε."""

    epsilon: Real

    name = "approximate"
    symbol = "δ"
    sums_losses = False

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        mass = laws.divergence.hockey_stick(self.epsilon, forward=forward)
        return Value(mass.ball, mass.exact)

    @property
    def label(self) -> str:
        return f"δ({self.epsilon})"

    def bound(self) -> Bound:
        return Bound("delta", self.epsilon)


@dataclass(frozen=True)
class TotalVariation(Notion):
    """Total variation distance: the hockey-stick divergence at ε = 0."""

    name = "tv"
    symbol = "TV"
    directed = False
    sums_losses = False

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        mass = laws.divergence.hockey_stick(ZERO, forward=forward)
        return Value(mass.ball, mass.exact)

    def bound(self) -> Bound:
        return Bound("delta", ZERO)


@dataclass(frozen=True)
class KullbackLeibler(Notion):
    """Kullback-Leibler divergence."""

    name = "kl"
    symbol = "KL"

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        return _known(laws, "kl", None, forward=forward)

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        losses = laws.losses(forward=forward)
        return Value(losses.kullback_leibler(), output=losses.impossible)

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        return exact_kullback_leibler(masses)

    def bound(self) -> Bound:
        return Bound("kl")


@dataclass(frozen=True)
class Renyi(Notion):
    """Rényi privacy at one order: D_α."""

    order: Fraction
    """α > 1."""

    name = "renyi"
    symbol = "ε_α"

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        return _known(laws, "renyi", self.order, forward=forward)

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
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

    def bound(self) -> Bound:
        return Bound("renyi", self.order)


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

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        return self._same.measure(laws, forward=forward, limits=limits)

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        return self._same.closed_form(value, masses)

    def bound(self) -> Bound:
        return Bound("kl" if self.limit == "1" else "loss")

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
    below = KullbackLeibler()  # the limit α → 1

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        return _known(laws, "zcdp", None, forward=forward)

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        losses = laws.losses(forward=forward)
        supremum = concentrated(losses, *limits)
        return Value(
            supremum.ball, output=losses.impossible, order=supremum.order, at_one=supremum.at_one
        )

    def closed_form(self, value: Value, masses: ExactMasses) -> Real | None:
        return exact_kullback_leibler(masses) if value.at_one else None

    def bound(self) -> Bound:
        return Bound("zcdp")


@dataclass(frozen=True)
class Gaussian(Notion):
    """Gaussian privacy: μ."""

    name = "gdp"
    symbol = "μ"
    directed = False

    def known(self, laws: PairOfLaws, *, forward: bool) -> Value | None:
        value = _known(laws, "gdp", None, forward=forward)
        if value is None or balls.sign(value.ball) is Sign.ZERO:
            return value
        # Known are laws that mirror each other: the test that needs μ has two equal errors.
        error = Fraction(float(normal_cdf(-value.ball / 2).mid()))
        return replace(value, type_one=error, type_two=error)

    def measure(self, laws: PairOfLaws, *, forward: bool, limits: Limits) -> Value:
        there, back = laws.losses(forward=forward), laws.losses(forward=not forward)
        fit = gaussian_fit(there, back)
        return Value(
            fit.ball,
            output=there.impossible if there.infinite else back.impossible,
            type_one=fit.type_one,
            type_two=fit.type_two,
        )

    def bound(self) -> Bound:
        return Bound("gdp")


def _known(laws: PairOfLaws, name: str, order: Fraction | None, *, forward: bool) -> Value | None:
    value = laws.divergence.known(name, order, forward=forward)
    return None if value is None else Value(value.ball, value.exact)
