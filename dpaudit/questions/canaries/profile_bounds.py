"""A bound on right guesses under a whole privacy profile, with a certificate that is checked.

A training that is (ln E_j, δ_j)-DP for several E_j ≥ 1 at once, as one that is μ-GDP is for every E
with δ = Φ(μ/2 − ln E/μ) − E·Φ(−μ/2 − ln E/μ) (Dong, Roth and Su 2022, corollary 2.13), has fewer
right guesses than any one of these budgets allows.

*The bound.*  Let p_k be the probability of k errors among r guesses (an abstention is an error) and
u = r − v.  For each j there are numbers s_{kj} ≥ 0 with Σ_k s_{kj} ≤ m·δ_j and (r − k)·p_k − E_j·(k
+ 1)·p_{k+1} ≤ s_{kj}, by the first step of the proof in :mod:`dpaudit.questions.canaries.one_run`,
applied to each budget.  Let a number b, prices c_j ≥ 0 and 0 ≤ y_{kj} ≤ c_j (0 ≤ k < r) satisfy

    b + Σ_j ((r − k)·y_{kj} − E_j·k·y_{k−1,j}) ≥ [k ≤ u]    for k = 0 … r

(with y_{−1,j} = 0, and without the first term at k = r).  Then

    P[at least v right] = Σ_{k≤u} p_k ≤ b + Σ_{k,j} y_{kj}·((r − k)·p_k − E_j·(k + 1)·p_{k+1})
                        ≤ b + m·Σ_j c_j·δ_j,

where the first step multiplies the inequality at k by p_k and sums.

*The check.*  Only z_k = Σ_j y_{kj} has to be large enough, and E_j·y_{kj} is cheapest in the next
inequality if the smallest E_j are filled first.  So y follows from b and c by one recursion: z_k is
the least number with (r − k)·z_k ≥ [k ≤ u] − b + k·g(z_{k−1}), where g(z) is the cost of the
cheapest y with sum z.  It is done in whole numbers of 2^−bits, rounded up: a z_k that is larger
than needed satisfies its own inequality, and is paid for in the next.  Whoever found b and c is not
trusted.

*The test.*  The least such bound is the optimum of a linear program.  It falls with v, and grows
with μ since every δ_j does.  So the event that it is at most the level is that of enough right
guesses, which a μ-GDP training has with at most that probability; a certificate is never below it.
For a fixed certificate b + m·Σ c_j·δ_j grows with μ as well: where it is at most the level at μ, it
refutes every smaller one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import (
    Ball,
    ball,
    certainly_less,
    certainly_less_or_equal,
    precision,
)
from dpaudit.numbers.enclosure import Enclosure, exact_decimal
from dpaudit.numbers.normal import normal_cdf

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real

__all__ = ["Certificate", "allowed", "gaussian_delta", "is_feasible", "largest_mu"]

_BITS = 160
_ODDS_BITS = 32
_MOST_MU = 100_000


@dataclass(frozen=True)
class Certificate:
    """A dual solution: a number b, and a price c for each of some odds E."""

    base: Fraction
    """b."""
    prices: tuple[tuple[Fraction, Fraction], ...]
    """Pairs (E, c), E ≥ 1 increasing and c ≥ 0."""


def is_feasible(guesses: int, right: int, certificate: Certificate) -> bool:
    """Tell whether some y satisfies every inequality, which makes the bound hold.

    Args:
        guesses: r.
        right: v, from 1 to r.
        certificate: b and the prices.

    Returns:
        True only where it is proved, in exact arithmetic.  Odds of more than 32 bits after the
        point are rounded up, so prices that leave very little to spare may be refused.
    """
    bits = _BITS + guesses.bit_length()
    unit, base = 1 << bits, math.floor(certificate.base * (1 << bits))
    odds = [Fraction(0), *(one for one, _ in certificate.prices)]
    if base < 0 or any(a >= b for a, b in pairwise(odds)):
        return False
    steps = [
        (math.ceil(one * (1 << _ODDS_BITS)), math.floor(price * unit))
        for one, price in certificate.prices
    ]
    if any(price < 0 or one < 1 << _ODDS_BITS for one, price in steps):
        return False
    total = 0
    for k in range(guesses + 1):
        needed = -base + (unit if k <= guesses - right else 0)
        left, cost = total, 0
        for one, price in steps:
            taken = min(left, price)
            cost += one * taken
            left -= taken
            if not left:
                break
        if left:
            return False
        needed += -((-k * cost) >> _ODDS_BITS)
        if needed <= 0 and k > guesses - right:
            return True  # nothing is needed from here on
        if k < guesses:
            total = -(-max(needed, 0) // (guesses - k))
    return False


def gaussian_delta(mu: Ball, odds: Fraction) -> Ball:
    """Return δ(ln E) of μ-GDP, for μ > 0."""
    shift = ball(odds).log() / mu
    return normal_cdf(mu / 2 - shift) - ball(odds) * normal_cdf(-mu / 2 - shift)


def allowed(weight: Fraction, certificate: Certificate, mu: Ball) -> Ball:
    """Return the bound on the probability of so many right guesses under μ-GDP.

    Args:
        weight: m, or m/2 if every guess is "in".
        certificate: one that is feasible.
        mu: a ball around μ > 0.

    Returns:
        A ball around b + m·Σ c·δ; it may reach beyond 1, which is to be read as 1.
    """
    found = ball(0)
    for odds, price in certificate.prices:
        found = found + ball(price) * gaussian_delta(mu, odds)
    return ball(certificate.base) + ball(weight) * found


def largest_mu(weight: Fraction, certificate: Certificate, level: Real, digits: int) -> Enclosure:
    """Return an interval around the largest μ that a certificate refutes; so it does all below.

    Args:
        weight: m, or m/2 if every guess is "in".
        certificate: one that is feasible.
        level: the probability, in (0, 1), with which a true μ may be refuted.
        digits: the ends are neighbouring decimals of so many digits after the point.

    Returns:
        The interval; [0, 0] where nothing is refuted.

    Raises:
        PrecisionError: if two neighbouring decimals cannot be told from the μ between them.
    """
    scale = 10**digits
    with precision(_BITS + scale.bit_length()):
        most = level.ball()
        if not certainly_less(ball(certificate.base), most):
            return Enclosure(Decimal(0), Decimal(0))

        def is_refuted(place: int) -> bool:
            value = allowed(weight, certificate, ball(Fraction(place, scale)))
            if certainly_less_or_equal(value, most):
                return True
            if certainly_less(most, value):
                return False
            raise PrecisionError(f"μ = {place / scale} is too close to the bound to be decided")

        low, high = 0, scale
        while is_refuted(high):
            low, high = high, 2 * high
            if high > _MOST_MU * scale:
                raise PrecisionError(f"every μ up to {_MOST_MU} is refuted")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if is_refuted(middle) else (low, middle)
    return Enclosure(exact_decimal(low, digits), exact_decimal(high, digits))
