"""Declared sub-samplers: a function whose law is derived once, and drawn from as a finite draw.

A sampler may loop without an end (a Bernoulli draw of probability e^(−γ) does).  Its paths are then
followed, the likeliest first, until at most :data:`REST` is left, and each of its declared outcomes
has a probability between what was found and that plus the rest.  What is repeated until it gives
something is closed by renewal: passes are independent and alike, because an attempt sees nothing
but its source and its arguments, so an outcome of probability p has p/(1 − q) in the end, where q
is the probability of another pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.numbers.ball import Ball, ball, lower_fraction, precision, upper_fraction
from dpaudit.numbers.real import ONE, ZERO, Real, add_up
from dpaudit.programs.guarding.refusal import Refused

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

__all__ = ["REST", "Enclosed", "Outcome", "outcomes_of"]

REST = Fraction(1, 10**15)
"""Largest probability of a sampler without an end that may be left."""


@dataclass(frozen=True, slots=True)
class Enclosed:
    """A probability that is known to lie between two numbers."""

    lower: Fraction
    upper: Fraction

    def ball(self) -> Ball:
        """Return a ball of it."""
        return ball(self.lower).union(ball(self.upper))


class Outcome(NamedTuple):
    """One outcome of a sampler, with its probability."""

    value: Hashable
    weight: Real | Enclosed


def outcomes_of(
    found: Sequence[tuple[Hashable, Real | Ball]],
    complete: bool,
    outcomes: Sequence[Hashable] | None,
    *,
    renewed: bool,
) -> tuple[Outcome, ...]:
    """Return the law of a sampler of which these paths were found.

    Args:
        found: what each path gives, and its probability.
        complete: whether there are no other paths.
        outcomes: all that it may give; anything else counts as the last of them.
        renewed: whether None stands for another pass.
    """
    sums: dict[Hashable, list[Real | Ball]] = {outcome: [] for outcome in outcomes or ()}
    if renewed:
        sums.setdefault(None, [])
    for value, weight in found:
        kept = value if outcomes is None or value in sums else outcomes[-1]
        sums.setdefault(kept, []).append(weight)
    if complete and all(isinstance(weight, Real) for _, weight in found):
        totals = {value: _exactly(weights) for value, weights in sums.items()}
        again = totals.pop(None, ZERO) if renewed else ZERO
        if again == ONE:
            raise Refused(
                "a function of random.sub repeats an attempt that never succeeds, so it never "
                "returns"
            )
        return tuple(
            Outcome(value, weight if again == ZERO else weight / (ONE - again))
            for value, weight in totals.items()
            if weight != ZERO
        )
    with precision(128):
        balls = {value: sum(map(_ball, weights), Ball(0)) for value, weights in sums.items()}
        rest = Ball(0) if complete else Ball(1) - sum(balls.values(), Ball(0))
        more = Ball(0).union(rest.upper().max(Ball(0)))
        again_ball = balls.pop(None, Ball(0)) + more if renewed else Ball(0)
        return tuple(
            Outcome(value, _enclosed((weight + more) / (1 - again_ball)))
            for value, weight in balls.items()
        )


def _exactly(weights: Sequence[Any]) -> Real:
    return add_up(weights) if weights else ZERO


def _ball(weight: Real | Ball) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight


def _enclosed(p: Ball) -> Enclosed:
    if not p.is_finite():
        raise Refused(
            "dpaudit cannot show that a function of random.sub ever stops repeating its attempt"
        )
    return Enclosed(max(Fraction(0), lower_fraction(p)), min(Fraction(1), upper_fraction(p)))
