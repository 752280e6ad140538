"""Finite laws whose probabilities are quotients of exponential sums: selection mechanisms.

Every probability is exact (:class:`dpaudit.numbers.expsum.ExpSum`) and is shared by all the
datasets and outputs that have it, so its ball and its logarithm are computed once.  Losses are
looked at in balls; one that is a single exponential is recognised and given in closed form.
Others, and sums of masses, are written out in closed form where balls of :data:`EXACT_FROM` bits
are asked for: those of fewer have left something open."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from dpaudit.errors import DomainError, PrecisionError
from dpaudit.laws.independent import log_ratio
from dpaudit.laws.law import (
    EXACT_FROM,
    Atom,
    Divergence,
    Law,
    Listed,
    Loss,
    Mass,
    excess,
    infinite_loss,
)
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign
from dpaudit.numbers.expsum import EXPSUM_ONE, ExpSum
from dpaudit.numbers.real import ZERO, Real, order, rational

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
        if balls.certainly_less(Ball(0), value) and value.is_finite():
            return ClosedMass(folded, value, value.log())
        try:
            # Terms that cancel take more bits than this precision has.
            exact = folded.value
            return ClosedMass(folded, exact.ball(), exact.ln().ball())
        except (DomainError, PrecisionError):
            raise PrecisionNeeded(
                "a probability cannot be distinguished from 0 at this precision"
            ) from None

    @cached_property
    def value(self) -> Real:
        """The probability as a closed form."""
        above = self.above.at(self.rate)
        return above if self.below == EXPSUM_ONE else above / self.below.at(self.rate)


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

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another law of the same mechanism."""
        if not isinstance(other, ClosedLaw):
            raise TypeError("dpaudit cannot compare output distributions of these two forms")
        return ClosedDivergence(self, other)

    def probability(self, output: Hashable) -> Mass:
        """Return P(output)."""
        mass = self.masses.get(output)
        return Mass(Ball(0), ZERO) if mass is None else Mass(mass.ball, mass.exact)

    def output_count(self) -> int:
        """Return the number of outputs of positive probability."""
        return len(self.masses)

    def listed(self) -> Listed | None:
        """Return all outputs with their exact probabilities."""
        masses = list(self.masses.values())
        return Listed(
            list(self.masses), [mass.form for mass in masses], lambda index: masses[index].ball
        )


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
        candidates = balls.contenders(losses)
        bound = balls.maximum(losses[index] for index in candidates)
        p, q = self._sides(forward=forward)
        first = self.common[candidates[0]]
        exact = {
            _single_term_loss(p[o].form, q[o].form)
            for o in map(self.common.__getitem__, candidates)
        }
        if len(exact) == 1 and (found := exact.pop()) is not None:
            return Loss(bound, found, first)
        if balls.working_precision() < EXACT_FROM:
            return Loss(bound, None, first)
        return self._largest_exactly(candidates, p, q) or Loss(bound, None, first)

    def _largest_exactly(
        self,
        candidates: list[int],
        p: Mapping[Hashable, ClosedMass],
        q: Mapping[Hashable, ClosedMass],
    ) -> Loss | None:
        """Return the largest loss of the ``candidates``, or None where they are not told apart."""
        best: Loss | None = None
        for output in (self.common[index] for index in candidates):
            exact = _exact_loss(p[output].form, q[output].form)
            if exact is None:
                return None
            try:
                above = best is None or order(exact, best.exact or ZERO) is Sign.POSITIVE
            except PrecisionError:
                return None
            if above:
                best = Loss(exact.ball(), exact, output)
        return best

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        if output not in p:
            raise ValueError(f"{output} is not an output on this side")
        if output not in q:
            return infinite_loss(output)
        exact = _single_term_loss(p[output].form, q[output].form)
        return Loss(_difference(p[output], q[output]), exact, output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p, q = self._sides(forward=forward)
        bound = epsilon.ball()
        written_out = balls.working_precision() >= EXACT_FROM
        total = Ball(0)
        exact: Real | None = ZERO
        for output, mass in p.items():
            other = q.get(output)
            if other is None:
                total += mass.ball
                exact = _plus(exact, mass.form.value if written_out else mass.exact)
                continue
            loss = _difference(mass, other)
            if balls.certainly_less_or_equal(loss, bound):
                continue
            above = Sign.POSITIVE
            if not balls.certainly_less(bound, loss):
                above = _compared(mass.form, other.form, epsilon, written_out=written_out)
                if above in (Sign.NEGATIVE, Sign.ZERO):
                    continue
            total += excess(mass.ball, loss, bound)
            more = None
            if written_out and exact is not None and above is Sign.POSITIVE:
                more = mass.form.value - epsilon.exp() * other.form.value
            exact = _plus(exact, more)
        return Mass(total, exact)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        p, q = self._sides(forward=forward)
        written_out = balls.working_precision() >= EXACT_FROM
        for output, mass in p.items():
            other = q.get(output)
            if other is None:
                yield Atom(mass.ball, Ball(0), output)
            else:
                exact = (mass.form.value, other.form.value) if written_out else None
                yield Atom(mass.ball, other.ball, output, exact)


def _difference(p: ClosedMass, q: ClosedMass) -> Ball:
    return Ball(0) if p is q else p.log - q.log


def _plus(total: Real | None, more: Real | None) -> Real | None:
    return None if total is None or more is None else total + more


def _compared(p: ClosedForm, q: ClosedForm, epsilon: Real, *, written_out: bool) -> Sign:
    """Return the sign of ln(p/q) − ε, undecided where the loss is not written out."""
    loss = _exact_loss(p, q) if written_out else _single_term_loss(p, q)
    try:
        return Sign.UNDECIDED if loss is None else order(loss, epsilon)
    except PrecisionError:
        return Sign.UNDECIDED


@lru_cache(maxsize=1 << 16)
def _exact_loss(p: ClosedForm, q: ClosedForm) -> Real | None:
    """Return ln(p/q) in closed form; None where its probabilities are too near 0 for that."""
    found = _single_term_loss(p, q)
    if found is not None:
        return found
    above, below = p.above, q.above
    if p.below != q.below:
        above, below = above * q.below, below * p.below
    try:
        return log_ratio(above.at(p.rate), below.at(p.rate))
    except (DomainError, PrecisionError):
        return None


@lru_cache(maxsize=1 << 16)
def _single_term_loss(p: ClosedForm, q: ClosedForm) -> Real | None:
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
