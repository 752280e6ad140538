"""The Python interface: ``dpaudit.canaries_needed`` finds how many canaries refute an ε.

With m canaries of which all are guessed, v = ⌊s·m⌋ guesses are right at a share s.  The bound of
:mod:`dpaudit.questions.canaries.one_run` is the largest probability of that under (ε, δ)-DP; it is
a supremum over a set that grows with m and with the number r of guesses.  Two things follow.

* If r of m canaries are guessed and refute ε, then r canaries of which all are guessed do as well.
  So the fewest canaries are all guessed.
* Of the m with the same v the smallest, ⌈v/s⌉, has the smallest bound.  These are the candidates.

The bound is not monotone along the candidates, for rounding costs up to one right guess.  They are
therefore tried one after the other, the smaller first, and the first that refutes ε is the answer.
Two proofs shorten that.  The bound is at least β = P[W ≥ v], and with q = E/(1 + E), x = v/m and
the relative entropy D(x‖q) of two coins

    β ≥ P[W = v] ≥ exp(−m·D(x‖q))/(m + 1) ≥ exp(−m·D(s‖q))/(m + 1)   for q ≤ x ≤ s,

since the integral of the binomial mass of v over all q is 1/(m + 1), so that its maximum, at q = x,
is no less; and β ≥ 1/2 for x ≤ q, where v is not above the median.  This falls with m: all numbers
up to the last at which it exceeds a level below 1/2 are not enough.  Where s ≤ q no number is, and
neither where δ ≥ s·level, for the bound is at least (1 − β)·δ/s + β, and β > 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.api.finished import Finished
from dpaudit.errors import ParameterError, PrecisionError
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Ball, Sign, ball, certainly_less, precision
from dpaudit.numbers.real import order, real
from dpaudit.questions.canaries.inputs import read_questions
from dpaudit.questions.canaries.one_run import LARGEST_M, Guesses, is_refuted
from dpaudit.questions.canaries.plan import DEFAULT_SHARES, read_shares, right_guesses
from dpaudit.results import CanaryNeed, CanaryNeeds
from dpaudit.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.numbers.real import Number, Real

__all__ = ["CanariesNeeded", "canaries_needed", "fewest_canaries"]

_BITS = 128
_MOST_TRIED = 5000
_HALF = real("1/2")


@dataclass(frozen=True, repr=False)
class CanariesNeeded(Finished[CanaryNeeds]):
    """Result of :func:`canaries_needed`; exports: text, JSON, CSV, Markdown."""

    @property
    def needs(self) -> tuple[CanaryNeed, ...]:
        """The number of canaries for each share, δ and level."""
        return self.report.needs


def canaries_needed(
    epsilon: Number,
    *,
    delta: Number | Sequence[Number] = 0,
    level: Number | Sequence[Number] = "1/20",
    shares: Number | Sequence[Number] = DEFAULT_SHARES,
) -> CanariesNeeded:
    """Find how many canaries an audit of one training run needs to refute an ε.

    Args:
        epsilon: the ε > 0 to refute, in nats; every smaller ε is then refuted too.
        delta: δ in [0, 1), or several.
        level: largest probability, in (0, 1), of refuting an ε that is true, or several.
        shares: shares of guesses that are right, in (0, 1]; by default all, 90 %, 75 % and 60 %.

    Returns:
        The report: for each share, δ and level the fewest canaries that are enough if all are
        guessed.  With fewer canaries, no number of guesses is enough.

    Raises:
        UsageError: for bad input; the message says what is allowed.

    >>> canaries_needed(2, delta="1e-5", shares="9/10").needs[0].canaries
    800
    """
    number = read_number(epsilon, "epsilon")
    if number.sign() is not Sign.POSITIVE:
        raise ParameterError("epsilon", f"epsilon = {number}: must be greater than 0")
    deltas, levels, _ = read_questions(delta, level, None)
    stated = read_shares(shares)
    return CanariesNeeded(
        CanaryNeeds(
            schema="dpaudit.canary-needs/1",
            version=__version__,
            epsilon=number,
            needs=tuple(
                _need(share, number, d, a) for d in deltas for a in levels for share in stated
            ),
        )
    )


def _need(share: tuple[Real, Fraction], epsilon: Real, delta: Real, level: Real) -> CanaryNeed:
    number, above = fewest_canaries(share[1], epsilon, delta, level)
    right = None if number is None else right_guesses(share[1], number)
    return CanaryNeed(
        share=share[0], delta=delta, level=level, canaries=number, right=right, above=above
    )


def fewest_canaries(
    share: Fraction, epsilon: Real, delta: Real, level: Real
) -> tuple[int | None, int | None]:
    """Return the fewest canaries with which a share of right guesses refutes (ε, δ).

    Args:
        share: share of right guesses, in (0, 1].
        epsilon: ε > 0.
        delta: δ in [0, 1).
        level: the probability with which a true (ε, δ) may be refuted, in (0, 1).

    Returns:
        The number, and None; or None, and a number up to which none is enough; or None twice where
        no number is enough.

    Raises:
        PrecisionError: if no precision shows which of a probability and the level is larger.

    >>> fewest_canaries(Fraction(1), real("ln(3)"), real(0), real("1/20"))
    (11, None)
    """
    if order(delta, level * real(share)) in (Sign.POSITIVE, Sign.ZERO):
        return None, None
    least = 0
    if order(level, _HALF) is Sign.NEGATIVE:
        with precision(_BITS):
            odds = epsilon.ball().exp()
            expected = odds / (1 + odds)
            if share < 1 and _odds_reach(share, epsilon):
                return None, None
            least = _not_enough(share, expected, level.ball())
    first = right_guesses(share, least) + 1
    for right in range(first, first + _MOST_TRIED):
        number = math.ceil(right / share)
        if number > LARGEST_M:
            break
        refuted = is_refuted(Guesses(number, number, right), epsilon, delta, level)
        if refuted is None:
            raise PrecisionError(
                f"no precision shows whether {number} canaries are enough at this level"
            )
        if refuted:
            return number, None
        least = math.ceil((right + 1) / share) - 1
    return None, min(least, LARGEST_M)


def _odds_reach(share: Fraction, epsilon: Real) -> bool:
    """Return True if s ≤ E/(1 + E), which is ln(s/(1 − s)) ≤ ε; decided exactly where it is a tie.

    Raises ``PrecisionError`` if no precision shows which of the two is larger.
    """
    sign = order(real(f"ln({share / (1 - share)})"), epsilon)
    if sign is Sign.UNDECIDED:
        raise PrecisionError(
            f"no precision shows whether the share {share} is above e^ε/(1 + e^ε) at ε = {epsilon}"
        )
    return sign is not Sign.POSITIVE


def _not_enough(share: Fraction, expected: Ball, level: Ball) -> int:
    """Return a number of canaries that is certainly not enough, and neither is any smaller one."""
    s = ball(share)
    entropy = s * (s / expected).log()
    if share < 1:
        entropy = entropy + (1 - s) * ((1 - s) / (1 - expected)).log()

    def falls_short(number: int) -> bool:
        spread = ball(number + 1).log() if share < 1 else ball(0)  # s = 1: β = q^m
        return certainly_less(entropy * number + spread, -level.log())

    if not falls_short(1):
        return 0
    low, high = 1, LARGEST_M + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if falls_short(middle) else (low, middle)
    return low
