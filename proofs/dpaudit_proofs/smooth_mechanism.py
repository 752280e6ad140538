"""The mechanism M_H at one exact setting, in balls and in mpmath, for counterexamples about it.

    P_x(r) = exp(−ε·H(x, r)/(2·S(x)))/NL(x),  NL(x) = Σ_r exp(−ε·H(x, r)/(2·S(x))),
    S(x) = max over x′ of LS(x′)·e^(−β·d(x, x′)),  β = ln(1 − ε/(2·ln(δ/(2(n + 1)))))

(N §2.3.1, Def. 2.1).  The scores are u(x, r) = −H(x, r), as the notes write them.  The two
evaluations share no code: the first uses the package's tables and distance transforms, the second
the definitions of :mod:`dpaudit_proofs.definitions`.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.data.histograms import Histograms
from dpaudit.notes.dirichlet import HellingerMetric
from dpaudit.notes.hellinger_exponential import MH
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, sign
from dpaudit_proofs.definitions import (
    beta_rate,
    beta_smooth,
    candidates,
    neighbours,
    number,
    posterior_distance,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FLAT", "Law", "Setting", "both"]

Counts = tuple[int, ...]

FLAT = (Fraction(1), Fraction(1))
"""The prior of M_H: beta distributions with integer parameters summing to n + 2 (N §2.3.1)."""


@dataclass(frozen=True)
class Law:
    """The law of M_H at one dataset, its numbers all balls or all mpmath numbers."""

    exp: Callable[[Any], Any]
    """The exponential function of these numbers."""
    log: Callable[[Any], Any]
    """Their logarithm."""
    epsilon: Any
    delta: Any
    rate: Any
    """e^β."""
    sensitivity: Any
    """S(x)."""
    distance: dict[Counts, Any]
    """H(x, r) for every candidate r."""
    weight: dict[Counts, Any]
    """exp(−ε·H(x, r)/(divisor·S(x)))."""
    normaliser: Any
    """NL(x)."""

    def mass(self, *outputs: Counts) -> Any:
        """Return the probability of a set of outputs."""
        return sum(self.weight[output] for output in outputs) / self.normaliser

    def far_mass(self, distance: Any) -> Any:
        """Return P(H(x, z) ≥ distance), that is P(u ≤ −distance)."""
        far = [r for r, h in self.distance.items() if _at_least(h, distance)]
        return self.mass(*far) if far else 0 * self.normaliser


def _at_least(left: Any, right: Any) -> bool:
    difference = left - right
    if not isinstance(difference, Ball):
        return bool(difference >= 0)
    found = sign(difference)
    if found is Sign.UNDECIDED:
        raise PrecisionNeeded("a distance is not told apart from the bound")
    return found is not Sign.NEGATIVE


@dataclass(frozen=True, kw_only=True)
class Setting:
    """M_H with exact parameters; ``divisor`` 1 is what the notes' tables use (N §3.3)."""

    n: int
    epsilon: str
    delta: str
    prior: tuple[Fraction, ...] = FLAT
    divisor: int = 2

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters as evidence shows them."""
        prior = ",".join(str(alpha) for alpha in self.prior)
        return {"n": str(self.n), "prior": f"({prior})", "ε": self.epsilon, "δ": self.delta}

    def in_balls(self, x: Counts) -> Law:
        """Return the law at ``x`` in balls at the working precision."""
        mechanism = MH.build(
            {
                "epsilon": self.epsilon,
                "delta": self.delta,
                "prior": self.prior,
                "divisor": str(self.divisor),
            }
        )
        space = Histograms(self.n, len(self.prior))
        metric = HellingerMetric(self.prior)
        factor = mechanism.factors(self.n)[space.rank(x)]
        distance = {r: metric.between(x, r) for r in space}
        weight = {r: (-factor * h).exp() for r, h in distance.items()}
        epsilon = mechanism.epsilon.ball()
        return Law(
            Ball.exp,
            Ball.log,
            epsilon,
            mechanism.delta.ball(),
            mechanism.beta(self.n).ball().exp(),
            epsilon / (self.divisor * factor),
            distance,
            weight,
            sum(weight[r] for r in space),
        )

    def in_mpmath(self, x: Counts) -> Law:
        """Return the law at ``x`` in mpmath, from the definitions."""
        from mpmath import exp, fsum, log

        epsilon, delta = number(self.epsilon), number(self.delta)
        beta = beta_rate(epsilon, delta, self.n + 1)
        sensitivity = beta_smooth(self.prior, x, beta)
        everything = candidates(self.n, len(self.prior))
        distance = {r: posterior_distance(self.prior, x, r) for r in everything}
        weight = {r: exp(-epsilon * h / (self.divisor * sensitivity)) for r, h in distance.items()}
        normaliser = fsum(weight.values())
        return Law(exp, log, epsilon, delta, exp(beta), sensitivity, distance, weight, normaliser)

    def check_neighbours(self, x: Counts, y: Counts) -> None:
        """Raise ``ValueError`` unless ``x`` and ``y`` are neighbouring datasets of this size."""
        if sum(x) != self.n or y not in neighbours(x):
            raise ValueError(f"{x} and {y} are not neighbours of size {self.n}")


def both(
    setting: Setting, expression: Callable[..., Any], *datasets: Counts
) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return ``expression`` of the laws at ``datasets``, in balls and in mpmath."""

    def margin() -> Ball:
        value: Ball = expression(*(setting.in_balls(x) for x in datasets))
        return value

    def again() -> Any:
        return expression(*(setting.in_mpmath(x) for x in datasets))

    return margin, again
