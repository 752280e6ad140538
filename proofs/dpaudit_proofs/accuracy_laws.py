"""Chances of outputs near the truth, for two categories: in balls, and again in mpmath.

A Thm 4.5 and its corollaries compare P[H < τ] under mechanisms: under P(r) ∝ exp(−s·H(x, r)), and
under Laplace noise that is rounded down and clamped to [0, n].  Every number is computed twice: by
the package (balls and closed forms) and, under the same name with ``_again``, in mpmath from the
definitions: log-gamma and the Laplace distribution function.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.claims.evidence import Counterexample
from dpaudit.laws.geometric import clamped_floor
from dpaudit.notes.dirichlet import AffinityTable, HellingerMetric
from dpaudit.notes.hellinger_exponential import QUOTED_GLOBAL_SENSITIVITY
from dpaudit.notes.sensitivity import local_sensitivities
from dpaudit.numbers.ball import Ball, ball, certainly_less, certainly_less_or_equal
from dpaudit.numbers.ball import working_precision as bits
from dpaudit.numbers.real import ZERO, Real, real
from dpaudit_proofs.definitions import exponential_law, hellinger, local_sensitivity, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = [
    "FLAT",
    "at",
    "certainly_below",
    "chance",
    "chance_again",
    "clamped",
    "clamped_again",
    "distance",
    "distance_again",
    "ehd_factor",
    "ehd_factor_again",
    "ehdl_factor",
    "ehdl_factor_again",
    "exponent_step",
    "furthest",
    "near",
    "near_again",
    "normaliser",
    "normaliser_again",
]

Counts = tuple[int, ...]
Prior = tuple[Fraction, ...]

FLAT: Prior = (Fraction(1), Fraction(1))
"""The prior (1, 1)."""


def distance(prior: Prior, x: Counts, r: Counts) -> Ball:
    """Return a ball of H(Dir(α + x), Dir(α + r)); the totals of x and r may differ.

    The affinity is G(a₁, b₁)·G(a₂, b₂)/G(a₁ + a₂, b₁ + b₂): where the totals agree, the divisor
    is 1.
    """
    if x == r:
        return ball(0)
    affinity = 1 / _one(sum(prior, Fraction(0)), sum(x), sum(r))
    for alpha, a, b in zip(prior, x, r, strict=True):
        affinity *= _one(alpha, a, b)
    return (1 - affinity).sqrt()


def _one(alpha: Fraction, a: int, b: int) -> Ball:
    return AffinityTable(alpha, bits()).row(a, b)[b]


def distance_again(prior: Prior, x: Counts, r: Counts) -> Any:
    """Return H(Dir(α + x), Dir(α + r)) from the definition."""
    left, right = ([number(a) + c for a, c in zip(prior, counts, strict=True)] for counts in (x, r))
    return hellinger(left, right)


def _counts(n: int) -> list[Counts]:
    return [(first, n - first) for first in range(n + 1)]


def near(prior: Prior, x: Counts, tau: Fraction) -> list[int]:
    """Return the first counts of the candidates r with H(x, r) < ``tau``, certainly all of them."""
    row = HellingerMetric(prior).row(x)
    return [first for first, h in enumerate(row) if certainly_below(h, tau)]


def certainly_below(h: Ball, tau: Fraction) -> bool:
    """Tell whether the distance h is below ``tau``; an error if its ball does not show which."""
    below = certainly_less(h, ball(tau))
    if not below and not certainly_less_or_equal(ball(tau), h):
        raise ArithmeticError(f"{h} is not separated from {tau}")
    return below


def near_again(prior: Prior, x: Counts, tau: Fraction) -> list[int]:
    """Return the same from the definition of H."""
    return [r[0] for r in _counts(sum(x)) if distance_again(prior, x, r) < number(tau)]


def ehd_factor(epsilon: str) -> Ball:
    """Return ε/(2·GS) with the GS = √(1 − π/4) of A §1."""
    return (real(epsilon) / (real(2) * QUOTED_GLOBAL_SENSITIVITY)).ball()


def ehd_factor_again(epsilon: str) -> Any:
    """Return ε/(2·√(1 − π/4))."""
    from mpmath import pi, sqrt

    return number(epsilon) / (2 * sqrt(1 - pi / 4))


def ehdl_factor(prior: Prior, x: Counts, epsilon: str) -> Ball:
    """Return ε/(2·LS(x))."""
    return real(epsilon).ball() / (2 * local_sensitivities(prior, sum(x))[x[0]])


def ehdl_factor_again(prior: Prior, x: Counts, epsilon: str) -> Any:
    """Return ε/(2·LS(x))."""
    return number(epsilon) / (2 * local_sensitivity(prior, x))


def _weights(prior: Prior, x: Counts, factor: Ball) -> list[Ball]:
    return [(-factor * h).exp() for h in HellingerMetric(prior).row(x)]


def normaliser(prior: Prior, x: Counts, factor: Ball) -> Ball:
    """Return Σ exp(−factor·H(x, r)) over all candidates."""
    return sum(_weights(prior, x, factor), ball(0))


def normaliser_again(prior: Prior, x: Counts, factor: Any) -> Any:
    """Return the same from the definition of H."""
    from mpmath import exp

    return sum(exp(-factor * distance_again(prior, x, r)) for r in _counts(sum(x)))


def chance(prior: Prior, x: Counts, factor: Ball, firsts: Iterable[int]) -> Ball:
    """Return the probability of the outputs with these first counts, P(r) ∝ exp(−factor·H)."""
    weights = _weights(prior, x, factor)
    return sum((weights[first] for first in firsts), ball(0)) / sum(weights, ball(0))


def chance_again(prior: Prior, x: Counts, factor: Any, firsts: Iterable[int]) -> Any:
    """Return the same from the definitions."""
    law = exponential_law(prior, x, factor)
    return sum(law[first, sum(x) - first] for first in firsts)


def clamped(count: int, n: int, rate: str, firsts: Iterable[int]) -> Real:
    """Return P(clamp(⌊count + Y⌋) ∈ firsts), Y ~ Lap(1/rate), in closed form (A Alg. 1 to 3)."""
    law = clamped_floor(count, n)
    return sum((law.mass(first).at(real(rate)) for first in firsts), start=ZERO)


def clamped_again(count: int, n: int, rate: str, firsts: Iterable[int]) -> Any:
    """Return the same from the distribution function of the Laplace distribution."""
    from mpmath import exp, inf, mpf

    scale = number(rate)

    def below(y: Any) -> Any:
        return exp(scale * y) / 2 if y < 0 else 1 - exp(-scale * y) / 2

    def one(first: int) -> Any:
        low = -inf if first == 0 else mpf(first - count)
        high = inf if first == n else mpf(first + 1 - count)
        return below(high) - below(low)

    return sum(one(first) for first in firsts)


def furthest(x: tuple[int, int], firsts: Iterable[int]) -> int:
    """Return the printed k of A Thm 4.5: how many steps from x the furthest of these outputs is."""
    return max(abs(first - x[0]) for first in firsts)


def exponent_step(tau: str, epsilon: str) -> tuple[Callable[[], Ball], Callable[[], Any]]:
    """Return e^(−ε) − e^(−ετ/(2·GS))."""

    def margin() -> Ball:
        return (-real(epsilon).ball()).exp() - (-ehd_factor(epsilon) * ball(Fraction(tau))).exp()

    def again() -> Any:
        from mpmath import exp

        return exp(-number(epsilon)) - exp(-ehd_factor_again(epsilon) * number(tau))

    return margin, again


def at(
    title: str,
    shows: str,
    parameters: dict[str, str],
    functions: tuple[Callable[[], Ball | Real], Callable[[], Any]],
) -> Counterexample:
    """Return the counterexample whose margin is computed by the two ``functions``."""
    margin, again = functions
    return Counterexample(
        title=title, shows=shows, parameters=parameters, margin=margin, again=again
    )
