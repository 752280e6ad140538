"""The sharp bound on right guesses about canaries in one run of a training, and the ε it refutes.

Each of m canaries is in the training set with probability 1/2, independently of all else.  From
what the training gives out, and nothing else, at most r of them are guessed to be in or out, and
v or more guesses are right.  With E = e^ε and W binomial of r trials with probability E/(1 + E),
every (ε, δ)-DP training (one canary added or removed) has

    P[at least v right] ≤ β + m·δ·β·(1 − β)/(v·P[W = v]),    β = P[W ≥ v],

or 1 where that is larger, and for each ε and δ some training attains it.

*Proof.*  Let p_k be the probability of k errors, w_k that of r − W = k, u = r − v and B(k) the sum
of w_0 to w_k.  DP for each canary, applied to the event that its guess is right and summed over the
canaries, gives numbers s_k ≥ (r − k)·p_k − E·(k + 1)·p_{k+1} with s_k ≥ 0 and Σ s_k ≤ m·δ.  Put
y_k = B(min(k, u))·(1 − B(max(k, u)))/((r − k)·w_k).  Since (r − k)·w_k = E·(k + 1)·w_{k+1},
(r − k)·y_k − E·k·y_{k−1} is 1 − β for k ≤ u and −β beyond, and by this recursion y_k ≤ y_u.  So
P[at least v right] − β = Σ y_k·((r − k)·p_k − E·(k + 1)·p_{k+1}) ≤ y_u·m·δ, where
y_u = β·(1 − β)/(v·P[W = v]).  ∎

The right-hand side is a supremum over a set of trainings that grows with ε, so it grows with ε.
The largest ε at which it is at most the level is therefore well defined, and everything below it is
refuted at that level.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import (
    Ball,
    ball,
    certainly_less,
    certainly_less_or_equal,
    log_gamma,
    precision,
    working_precision,
)
from dpaudit.numbers.closed_form import rational
from dpaudit.numbers.enclosure import Enclosure, exact_decimal
from dpaudit.questions.canaries.design import PLAIN, Design
from dpaudit.questions.canaries.unequal_coins import heads_as_often

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real

__all__ = ["LARGEST_M", "Guesses", "is_refuted", "largest_refuted", "log_ways", "p_value", "series"]

LARGEST_M = 10_000_000
"""More canaries than this are a mistake."""
_BITS = (96, 192, 384)
"""Working precisions, beyond what ε and the number of guesses need; the next where one is short."""
_LARGEST_EPSILON = 100_000
_WIDE = 0.25


@dataclass(frozen=True)
class Guesses:
    """Guesses about canaries in one run of a training, counted."""

    canaries: int
    """m: how many canaries there were, each in with probability 1/2."""
    guesses: int
    """r: how many were guessed at most, fixed before the run."""
    right: int
    """v: how many guesses were right."""
    design: Design = PLAIN
    """Design: coins and guesses."""

    @property
    def weight(self) -> Fraction:
        """Factor of δ in the bound."""
        return self.design.weight(self.canaries)


def p_value(seen: Guesses, epsilon: Ball, delta: Real) -> Ball:
    """Return the largest probability of as many right guesses under (ε, δ)-DP.

    If canaries are in with different probabilities, it is a bound on that.

    Args:
        seen: the guesses.
        epsilon: a ball around ε ≥ 0, of one example.
        delta: δ in [0, 1).

    Returns:
        A ball that contains it; it may reach beyond 1, which is to be read as 1.
    """
    if not seen.right:
        return ball(1)
    trials, right = seen.guesses, seen.right
    epsilon, slack = seen.design.of_group(epsilon, delta.ball())
    odds = epsilon.exp()
    if seen.design.equal_probability is None:
        heads = heads_as_often(seen.design.coins, right, odds)
        return heads + ball(seen.weight) * slack
    epsilon = seen.design.log_odds(epsilon)
    odds = epsilon.exp()
    at = _probability(trials, right, epsilon, odds)
    ratio = (odds * (trials - right)) / (right + 1)
    if certainly_less(ratio, ball(1)):  # right guesses are more than their mean
        above = at * series(odds, right, trials)
        return _bound(seen, slack, above, 1 - above, at)
    below = at * (series(1 / odds, trials - right, trials) - 1)
    return _bound(seen, slack, 1 - below, below, at)


def _bound(seen: Guesses, slack: Ball, above: Ball, below: Ball, at: Ball) -> Ball:
    spread = ball(seen.weight) * slack * below / seen.right * above / at
    if float(spread.rad()) > _WIDE:
        # At a large ε below cancels, and δ of a group is huge.  The sum is not needed beyond 1.
        spread = ball(0).union(ball(1))
    return above + spread


def _probability(trials: int, right: int, epsilon: Ball, odds: Ball) -> Ball:
    """Return P[W = right] for W binomial with these odds."""
    return (log_ways(trials, right) + epsilon * right - ball(trials) * (1 + odds).log()).exp()


def log_ways(trials: int, count: int) -> Ball:
    """Return the logarithm of the binomial coefficient."""
    return (
        log_gamma(Fraction(trials + 1))
        - log_gamma(Fraction(count + 1))
        - log_gamma(Fraction(trials - count + 1))
    )


def series(odds: Ball, first: int, trials: int) -> Ball:
    """Return P[W ≥ first]/P[W = first], for W binomial with these odds.

    The ratio of a term to the one before, odds·(trials − k)/(k + 1), falls with k: once it is below
    1, what is left is at most a geometric series.
    """
    total, term = ball(1), ball(1)
    small = ball(Fraction(1, 2 ** working_precision()))
    for k in range(first, trials):
        ratio = odds * (trials - k) / (k + 1)
        term = term * ratio
        total = total + term
        if certainly_less(term, small * total) and certainly_less(ratio, ball(1)):
            rest = term * ratio / (1 - ratio)
            return total.union(total + rest)
    return total


def largest_refuted(seen: Guesses, delta: Real, level: Real, digits: int) -> Enclosure:
    """Return an interval around the largest ε below which every ε is refuted.

    Args:
        seen: the guesses.
        delta: δ in [0, 1).
        level: the probability, in (0, 1), with which a true ε may be refuted.
        digits: the ends are neighbouring decimals of so many digits after the point.

    Returns:
        The interval; [0, 0] where nothing is refuted.

    Raises:
        PrecisionError: if two neighbouring decimals cannot be told from the ε between them.
    """
    if _refuted(seen, Fraction(0), delta, level) is False:
        return Enclosure(Decimal(0), Decimal(0))
    scale = 10**digits
    low, high = 0, max(1, scale // seen.design.group)  # ε of a group is then about 1
    while (found := _refuted(seen, Fraction(high, scale), delta, level)) is not False:
        if found is None or high > _LARGEST_EPSILON * scale:
            raise PrecisionError(f"ε = {high // scale} is too close to the bound to be decided")
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        found = _refuted(seen, Fraction(middle, scale), delta, level)
        if found is None:
            raise PrecisionError(f"ε = {middle / scale} is too close to the bound to be decided")
        low, high = (middle, high) if found else (low, middle)
    return Enclosure(exact_decimal(low, digits), exact_decimal(high, digits))


def is_refuted(seen: Guesses, epsilon: Real, delta: Real, level: Real) -> bool | None:
    """Tell whether (ε, δ) gives so many right guesses a probability of at most the level.

    Args:
        seen: the guesses.
        epsilon: ε ≥ 0.
        delta: δ in [0, 1).
        level: the probability, in (0, 1), with which a true (ε, δ) may be refuted.

    Returns:
        Whether it does; None where the probability and the level cannot be told apart.
    """
    size = 2 * max(seen.guesses, int(seen.design.group * float(epsilon)) + 1).bit_length()
    for bits in _BITS:
        with precision(bits + size):
            probability, most = p_value(seen, epsilon.ball(), delta), level.ball()
            if certainly_less_or_equal(probability, most):
                return True
            if certainly_less(most, probability):
                return False
    return None


def _refuted(seen: Guesses, epsilon: Fraction, delta: Real, level: Real) -> bool | None:
    return is_refuted(seen, rational(epsilon), delta, level)
