"""Laws given as a table output → probability, each exact or enclosed: a mechanism written out.

Weights that do not add up to 1 are kept as they are given, beside their total: dividing each by a
sum of many terms, and comparing the quotients, would cost the cube of how many there are.  Which
output has the largest loss is a question about weights alone, as the totals are the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NoReturn

from dpaudit.errors import LawError, PrecisionError
from dpaudit.laws.law import (
    Atom,
    Divergence,
    Law,
    Listed,
    Loss,
    Mass,
    against,
    infinite_loss,
)
from dpaudit.laws.quotients import Quotients
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, sign
from dpaudit.numbers.real import ONE, ZERO, Real, add_up, order, rational, real

__all__ = ["ExplicitLaw", "OpenLaw", "WrittenLaw"]


Weight = Real | Ball


class ExplicitLaw(Law):
    """Finitely many outputs with their probabilities, exact (``Real``) or as balls.

    Outputs of probability exactly 0 are left out: they are impossible.
    """

    def __init__(self, weights: Mapping[Hashable, Weight], *, normalised: bool = True) -> None:
        """Take the probabilities, or weights to be divided by their sum if not ``normalised``.

        Raises ``LawError`` for a weight below 0, for no positive weight, and for probabilities that
        certainly do not add up to 1, or that cannot be told to.
        """
        self.weights: Mapping[Hashable, Weight]
        self.total: Weight
        if isinstance(weights, Quotients) and self._in_quotients(weights, normalised=normalised):
            return
        if not weights:
            raise LawError("the output distribution has no outputs")
        for output, weight in weights.items():
            if _sign(weight) is Sign.NEGATIVE:
                raise LawError(f"output {output!r} has the negative probability {_show(weight)}")
        self.weights = {
            output: weight for output, weight in weights.items() if _sign(weight) is not Sign.ZERO
        }
        if not self.weights:
            raise LawError("no output has a positive probability")
        total = _total(self.weights)
        self.total = ONE if normalised else total
        if not normalised:
            return
        if isinstance(total, Real):
            if not _may_be_one(total):
                raise LawError(f"the sum of the probabilities is {_show(total)}{_rounded(total)}")
        elif sign(total - 1) not in (Sign.ZERO, Sign.UNDECIDED):
            raise LawError(f"the sum of the probabilities is {_show(total)}")

    def _in_quotients(self, weights: Quotients, *, normalised: bool) -> bool:
        """Take rational weights as they are; False where something is wrong with them."""
        kept = weights.positive()
        if kept is None:
            return False
        total = kept.total()
        if normalised and total != 1:
            return False
        self.weights, self.total = kept, ONE if normalised else rational(total)
        return True

    def quotients(self) -> Mapping[Hashable, tuple[int, int]] | None:
        total = self.total.as_fraction() if isinstance(self.total, Real) else None
        if total is None or not isinstance(self.weights, Quotients):
            return None
        pairs = self.weights.pairs
        if total == 1:
            return pairs
        by, over = total.as_integer_ratio()
        return {output: (above * over, below * by) for output, (above, below) in pairs.items()}

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another law of the same mechanism, listed or not."""
        if isinstance(other, OpenLaw):
            return other.beside(self).divergence_from(other)
        if not isinstance(other, ExplicitLaw):
            raise TypeError(
                "dpaudit cannot compare a table of probabilities with an output distribution of "
                "another form"
            )
        return _ExplicitDivergence(self, other)

    @cached_property
    def masses(self) -> Mapping[Hashable, Weight]:
        """The probability of every output, in the order of the outputs."""
        if self.total is ONE:
            return self.weights
        return {output: _quotient(weight, self.total) for output, weight in self.weights.items()}

    def mass(self, output: Hashable) -> Weight:
        """Return the probability of an ``output`` of the table."""
        weight = self.weights[output]
        return weight if self.total is ONE else _quotient(weight, self.total)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of ``output``."""
        weight = self.mass(output) if output in self.weights else ZERO
        return Mass(_ball(weight), weight if isinstance(weight, Real) else None)

    def output_count(self) -> int:
        """Return the number of outputs of positive probability."""
        return len(self.weights)

    def listed(self) -> Listed:
        """Return all outputs; a closed form of a weight and the total is that of a probability."""
        weights, total = list(self.weights.values()), self.total
        bare, below = total is ONE, _ball(total)
        keys = [
            None if isinstance(total, Ball) or isinstance(weight, Ball) else (weight, total)
            for weight in weights
        ]
        return Listed(
            list(self.weights),
            keys,
            lambda index: _ball(weights[index]) if bare else _ball(weights[index]) / below,
        )


class OpenLaw(Law):
    """A law of outputs that are no list, of a mechanism whose outputs may be one elsewhere."""

    @abstractmethod
    def beside(self, law: ExplicitLaw) -> Law:
        """Return a law whose outputs are listed as one of this kind, to be compared with it."""


class WrittenLaw(ABC):
    """A law that is given as what it is made of, and not as a table."""

    @abstractmethod
    def written(self) -> Mapping[Hashable, Weight] | OpenLaw:
        """Return its table, or the law where it has none."""


class _ExplicitDivergence(Divergence):
    def __init__(self, p: ExplicitLaw, q: ExplicitLaw) -> None:
        self.p = p
        self.q = q

    def _sides(self, *, forward: bool) -> tuple[ExplicitLaw, ExplicitLaw]:
        return (self.p, self.q) if forward else (self.q, self.p)

    def max_loss(self, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        alone = [output for output in p.weights if output not in q.weights]  # perhaps None
        for output in alone:
            if _sign(p.weights[output]) is Sign.POSITIVE:
                return infinite_loss(output)
        if alone:
            _refuse(alone[0])
        outputs = [output for output, _ in _alike(p.weights, q.weights)]
        ratios = [_ball(p.weights[output]) / _ball(q.weights[output]) for output in outputs]
        highest = balls.contenders(ratios)
        best, exact = highest[0], True
        for index in highest[1:]:
            try:
                if _exceeds(*(self._proportion(p, q, outputs[i]) for i in (index, best))):
                    best = index
            except PrecisionError:  # perhaps one number in two forms: left to the balls
                exact = False
        # Only exact numbers can be seen to tie.
        if exact and self._is_exact(p, q, [outputs[index] for index in highest]):
            return self.loss_at(outputs[best], forward=forward)
        bound = balls.maximum(ratios[index] for index in highest)
        if not balls.certainly_less(Ball(0), bound):
            raise PrecisionNeeded(
                "a ratio of probabilities cannot be distinguished from 0 at this precision"
            )
        loss = bound.log()
        if not (p.total is ONE and q.total is ONE):
            loss += (_ball(q.total) / _ball(p.total)).log()
        return Loss(loss, None, outputs[best])

    @staticmethod
    def _is_exact(p: ExplicitLaw, q: ExplicitLaw, outputs: Iterable[Hashable]) -> bool:
        weights = [law.weights[output] for output in outputs for law in (p, q)]
        return all(isinstance(weight, Real) for weight in (*weights, p.total, q.total))

    @staticmethod
    def _proportion(p: ExplicitLaw, q: ExplicitLaw, output: Hashable) -> Weight:
        """Return a multiple of P/Q at ``output`` that is the same for all outputs."""
        return _quotient(p.weights[output], q.weights[output])

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        if output not in p.weights:
            raise ValueError(f"{output} is not an output on this side")
        if output not in q.weights:
            if _sign(p.weights[output]) is not Sign.POSITIVE:
                _refuse(output)
            return infinite_loss(output)
        ratio = _quotient(p.mass(output), q.mass(output))
        if isinstance(ratio, Real):
            loss = ratio.ln()
            return Loss(loss.ball(), loss, output)
        return Loss(ratio.log(), None, output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p, q = self._sides(forward=forward)
        # Then e^ε·Q takes nothing away, however large ε is.
        if p.weights.keys().isdisjoint(q.weights):
            return Mass(Ball(1), ONE)
        factor = epsilon.exp()
        bound = factor.ball()
        exact: list[Real] | None = []
        total = Ball(0)
        for output, count in _alike(p.masses, q.masses):
            mass, other = p.masses[output], q.masses.get(output, ZERO)
            difference = _ball(mass) - bound * _ball(other)
            found = sign(difference)
            if not (isinstance(mass, Real) and isinstance(other, Real)):
                exact = None
            elif found in (Sign.POSITIVE, Sign.UNDECIDED) and exact is not None:
                more = mass - factor * other
                # Balls decide nearly all; algebra, which is slow, is for what they leave.
                found = more.sign() if found is Sign.UNDECIDED else found
                if found is Sign.POSITIVE:
                    exact.append(more if count == 1 else more * real(count))
                elif found is Sign.UNDECIDED:
                    exact = None
            if found in (Sign.POSITIVE, Sign.UNDECIDED):
                total += count * balls.nonnegative(difference)
        return Mass(total, None if exact is None else add_up(exact))

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        p, q = self._sides(forward=forward)
        for output, mass in p.masses.items():
            other = q.masses.get(output, ZERO)
            if isinstance(mass, Real) and isinstance(other, Real):
                yield Atom(mass.ball(), other.ball(), output, (mass, other))
            else:
                yield Atom(_ball(mass), _ball(other), output)


def _alike(
    mine: Mapping[Hashable, Weight], theirs: Mapping[Hashable, Weight]
) -> list[tuple[Hashable, int]]:
    """Return the first output of each two probabilities, and how many outputs have the same.

    Those that are not known exactly are told apart.
    """
    firsts: dict[tuple[Hashable, ...], Hashable] = {}
    counts: dict[tuple[Hashable, ...], int] = {}
    for output, weight in mine.items():
        other = theirs.get(output, ZERO)
        exact = isinstance(weight, Real) and isinstance(other, Real)
        key: tuple[Hashable, ...] = (weight, other) if exact else (output,)
        firsts.setdefault(key, output)
        counts[key] = counts.get(key, 0) + 1
    return [(output, counts[key]) for key, output in firsts.items()]


def _refuse(output: Hashable) -> NoReturn:
    """Say that an output of one side alone may be impossible there as well."""
    raise PrecisionNeeded(
        f"the probability of {output!r} cannot be distinguished from 0 at this precision"
    )


def _ball(weight: Weight) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight


def _sign(weight: Weight) -> Sign:
    return _sign_of(weight) if isinstance(weight, Real) else sign(weight)


@lru_cache(maxsize=1 << 12)
def _sign_of(weight: Real) -> Sign:
    return weight.sign()


def _exceeds(left: Weight, right: Weight) -> bool:
    if isinstance(left, Real) and isinstance(right, Real):
        p, q = left.as_fraction(), right.as_fraction()
        if p is not None and q is not None:
            return p > q
        return order(left, right) is Sign.POSITIVE
    return balls.certainly_less(_ball(right), _ball(left))


def _quotient(left: Weight, right: Weight) -> Weight:
    if isinstance(left, Real) and isinstance(right, Real):
        p, q = left.as_fraction(), right.as_fraction()
        if p is not None and q is not None:
            return real(p / q)
        return left.monomial_quotient(right) or left / right
    return _ball(left) / _ball(right)


@lru_cache(maxsize=1 << 8)
def _may_be_one(total: Real) -> bool:
    """Tell whether a total is 1, as far as any precision tells, as of balls."""
    return total == ONE or against(total, ONE) in (Sign.ZERO, Sign.UNDECIDED)


def _total(weights: Mapping[Hashable, Weight]) -> Weight:
    exact = [weight for weight in weights.values() if isinstance(weight, Real)]
    if len(exact) == len(weights):
        # Many outputs may have the same probability.
        return add_up(w if k == 1 else w * real(k) for w, k in Counter(exact).items())
    return sum(map(_ball, weights.values()), Ball(0))


def _rounded(total: Real) -> str:
    """Return what to do where probabilities miss 1 by as little as rounded floats do."""
    missing = total.as_fraction()
    if missing is None or abs(missing - 1) > Fraction(1, 10**9):
        return ""
    return '; floats are rounded: write fractions, or texts such as "3/10"'


def _show(weight: Weight) -> str:
    if isinstance(weight, Real):
        text = str(weight)
        fraction = weight.as_fraction()
        if isinstance(fraction, Fraction) and len(text) < 24:
            return text
        above = float(weight - ONE)
        if weight != ONE and abs(above) < 1e-5:
            return f"1 {'+' if above > 0 else '-'} {abs(above):.3g}"
        return f"{text} ≈ {float(weight):g}"
    return str(weight.str(12, radius=False))
