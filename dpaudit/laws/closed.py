"""Finite laws whose probabilities are quotients of exponential sums: selection mechanisms.

Every probability is exact (:class:`dpaudit.noise.expsum.ExpSum`) and is shared by all the datasets
and outputs that have it, so its ball and its logarithm are computed once.  Losses are looked at in
balls; one that is a single exponential, the only kind that can meet a budget exactly, is recognised
and given in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from dpaudit.exact.ball import (
    Ball,
    PrecisionNeeded,
    Sign,
    certainly_less,
    certainly_less_or_equal,
    contenders,
    maximum,
    nonnegative,
    sign,
)
from dpaudit.exact.real import ZERO, Real, order, rational
from dpaudit.laws.law import Atom, Divergence, Law, Loss, Mass, infinite_loss
from dpaudit.noise.expsum import EXPSUM_ONE, ExpSum

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

__all__ = ["ClosedDivergence", "ClosedForm", "ClosedLaw", "ClosedMass"]


@dataclass(frozen=True)
class ClosedForm:
    """A probability ``above`` / ``below`` at λ = ``rate``; exact and independent of precision."""

    above: ExpSum
    rate: Real
    below: ExpSum = EXPSUM_ONE

    def is_zero(self) -> bool:
        """Tell whether the probability is exactly 0."""
        return self.above.is_zero()

    def at_precision(self) -> ClosedMass:
        """Return the probability with its balls at the working precision.

        A rational λ is multiplied into the coefficients: then equal numbers have equal sums.
        """
        rate = self.rate.as_fraction()
        folded = self
        if rate is not None:
            folded = ClosedForm(self.above.folded(rate), self.rate, self.below.folded(rate))
        value = folded.above.ball(self.rate)
        if folded.below != EXPSUM_ONE:
            value /= folded.below.ball(self.rate)
        if not certainly_less(Ball(0), value):
            raise PrecisionNeeded("a probability is not separated from zero")
        return ClosedMass(folded, value, value.log())


@dataclass(frozen=True, eq=False)
class ClosedMass:
    """A positive probability, exact and in balls."""

    form: ClosedForm
    ball: Ball
    log: Ball

    @cached_property
    def exact(self) -> Real | None:
        """The probability in closed form where it has no divisor, else None."""
        return self.form.above.at(self.form.rate) if self.form.below == EXPSUM_ONE else None


class ClosedLaw(Law):
    """Finitely many outputs with exact positive probabilities; outputs of probability 0 left out.

    Laws that are compared share their :class:`ClosedMass` objects where probabilities are equal.
    """

    def __init__(self, masses: Mapping[Hashable, ClosedMass]) -> None:
        """Take the outputs and their probabilities."""
        self.masses = dict(masses)

    def versus(self, other: Law) -> Divergence:
        """Compare with another law of the same mechanism."""
        if not isinstance(other, ClosedLaw):
            raise TypeError(f"a closed-form law cannot be compared with a {type(other).__name__}")
        return ClosedDivergence(self, other)

    def probability(self, output: Hashable) -> Mass:
        """Return P(output)."""
        mass = self.masses.get(output)
        return Mass(Ball(0), ZERO) if mass is None else Mass(mass.ball, mass.exact)

    def output_count(self) -> int:
        """Return the number of outputs of positive probability."""
        return len(self.masses)


class ClosedDivergence(Divergence):
    """Two closed-form laws: one difference of logarithms per output that both can produce."""

    def __init__(self, p: ClosedLaw, q: ClosedLaw) -> None:
        """Take the two laws."""
        self.p = p
        self.q = q
        common = [output for output in p.masses if output in q.masses]
        self.common = common
        self.only = {
            True: next((output for output in p.masses if output not in q.masses), None),
            False: next((output for output in q.masses if output not in p.masses), None),
        }
        self.losses = [_difference(p.masses[output], q.masses[output]) for output in common]

    def _sides(self, *, forward: bool) -> tuple[dict[Hashable, ClosedMass], ...]:
        return (self.p.masses, self.q.masses) if forward else (self.q.masses, self.p.masses)

    def max_loss(self, *, forward: bool) -> Loss:
        impossible = self.only[forward]
        if impossible is not None:
            return infinite_loss(impossible)
        losses = self.losses if forward else [-loss for loss in self.losses]
        candidates = contenders(losses)
        bound = maximum(losses[index] for index in candidates)
        p, q = self._sides(forward=forward)
        first = self.common[candidates[0]]
        exact = {
            _exact_loss(p[o].form, q[o].form) for o in map(self.common.__getitem__, candidates)
        }
        return Loss(bound, exact.pop() if len(exact) == 1 else None, first)

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        if output not in p:
            raise ValueError(f"{output} is not an output on this side")
        if output not in q:
            return infinite_loss(output)
        exact = _exact_loss(p[output].form, q[output].form)
        return Loss(_difference(p[output], q[output]), exact, output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p, q = self._sides(forward=forward)
        factor = epsilon.ball().exp()
        total = Ball(0)
        exact: Real | None = ZERO
        for output, mass in p.items():
            other = q.get(output)
            if other is None:
                total += mass.ball
                exact = _plus(exact, mass.exact)
                continue
            difference = mass.ball - factor * other.ball
            if certainly_less_or_equal(difference, Ball(0)):
                continue
            if sign(difference) is not Sign.POSITIVE:
                loss = _exact_loss(mass.form, other.form)
                if loss is not None and order(loss, epsilon) is not Sign.POSITIVE:
                    continue
            total += nonnegative(difference)
            exact = None
        return Mass(total, exact)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        p, q = self._sides(forward=forward)
        for output, mass in p.items():
            yield Atom(mass.ball, q[output].ball if output in q else Ball(0), output)


def _difference(p: ClosedMass, q: ClosedMass) -> Ball:
    return Ball(0) if p is q else p.log - q.log


def _plus(total: Real | None, more: Real | None) -> Real | None:
    return None if total is None or more is None else total + more


@lru_cache(maxsize=1 << 16)
def _exact_loss(p: ClosedForm, q: ClosedForm) -> Real | None:
    """Return ln(p/q) in closed form where p/q is a single term, else None."""
    if p == q:
        return ZERO
    above, below = p.above, q.above
    if p.below != q.below:
        above, below = above * q.below, below * p.below
    quotient = above.monomial_quotient(below)
    if quotient is None:
        return None
    ((j, s), coefficient) = next(iter(quotient.terms.items()))
    loss = rational(coefficient).ln() - p.rate * rational(s)
    return loss if j == 0 else loss + rational(j) * p.rate.ln()
