"""Laws given as a table output → probability, each exact or enclosed: a mechanism written out."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from dpaudit.errors import LawError, PrecisionError
from dpaudit.exact.ball import (
    Ball,
    PrecisionNeeded,
    Sign,
    certainly_less,
    nonnegative,
    sign,
)
from dpaudit.exact.real import ONE, ZERO, Real, order, real
from dpaudit.laws.law import Atom, Divergence, Law, Loss, Mass, infinite_loss

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

__all__ = ["ExplicitLaw"]

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
        if not weights:
            raise LawError("the law has no outputs")
        for output, weight in weights.items():
            if _sign(weight) is Sign.NEGATIVE:
                raise LawError(f"output {output!r} has the negative probability {_show(weight)}")
        self.weights = {
            output: weight for output, weight in weights.items() if _sign(weight) is not Sign.ZERO
        }
        if not self.weights:
            raise LawError("no output has a positive probability")
        total = _total(self.weights)
        if not normalised:
            self.weights = {output: _quotient(w, total) for output, w in self.weights.items()}
        elif isinstance(total, Real):
            if total != ONE and order(total, ONE) is not Sign.ZERO:
                raise LawError(f"the sum of the probabilities is {_show(total)}")
        elif sign(total - 1) not in (Sign.ZERO, Sign.UNDECIDED):
            raise LawError(f"the sum of the probabilities is {_show(total)}")

    def versus(self, other: Law) -> Divergence:
        """Compare with another explicit law."""
        if not isinstance(other, ExplicitLaw):
            raise TypeError(f"an explicit law cannot be compared with a {type(other).__name__}")
        return _ExplicitDivergence(self, other)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of ``output``."""
        weight = self.weights.get(output, ZERO)
        return Mass(_ball(weight), weight if isinstance(weight, Real) else None)

    def output_count(self) -> int:
        """Return the number of outputs of positive probability."""
        return len(self.weights)


class _ExplicitDivergence(Divergence):
    def __init__(self, p: ExplicitLaw, q: ExplicitLaw) -> None:
        self.p = p
        self.q = q

    def _sides(self, *, forward: bool) -> tuple[dict[Hashable, Weight], dict[Hashable, Weight]]:
        return (self.p.weights, self.q.weights) if forward else (self.q.weights, self.p.weights)

    def max_loss(self, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        best: tuple[Hashable, Weight] | None = None
        bound: Ball | None = None
        exact = True
        alone = [output for output in p if output not in q]  # which may be anything, None as well
        for output in alone:
            if _sign(p[output]) is Sign.POSITIVE:
                return infinite_loss(output)
        if alone:
            _refuse(alone[0])
        for output, weight in p.items():
            ratio = _quotient(weight, q[output])
            exact = exact and isinstance(ratio, Real)
            bound = _ball(ratio) if bound is None else bound.max(_ball(ratio))
            try:
                if best is None or _exceeds(ratio, best[1]):
                    best = output, ratio
            except PrecisionError:  # perhaps one number in two forms: left to the balls
                exact = False
        assert best is not None, "a law has outputs"
        assert bound is not None, "a law has outputs"
        if exact and isinstance(best[1], Real):
            loss = best[1].ln()
            return Loss(loss.ball(), loss, best[0])
        if not certainly_less(Ball(0), bound):
            raise PrecisionNeeded("a ratio of probabilities is not separated from zero")
        return Loss(bound.log(), None, best[0])

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        if output not in p:
            raise ValueError(f"{output} is not an output on this side")
        if output not in q:
            if _sign(p[output]) is not Sign.POSITIVE:
                _refuse(output)
            return infinite_loss(output)
        ratio = _quotient(p[output], q[output])
        if isinstance(ratio, Real):
            loss = ratio.ln()
            return Loss(loss.ball(), loss, output)
        return Loss(ratio.log(), None, output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p, q = self._sides(forward=forward)
        factor = epsilon.exp()
        exact: Real | None = ZERO
        total = Ball(0)
        for output, weight in p.items():
            other = q.get(output, ZERO)
            if isinstance(weight, Real) and isinstance(other, Real):
                difference = weight - factor * other
                found = difference.sign()
                if found is Sign.POSITIVE:
                    exact = None if exact is None else exact + difference
                    total += nonnegative(difference.ball())
                elif found is Sign.UNDECIDED:
                    exact = None
                    total += nonnegative(difference.ball())
            else:
                exact = None
                total += nonnegative(_ball(weight) - factor.ball() * _ball(other))
        return Mass(total, exact)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        p, q = self._sides(forward=forward)
        for output, weight in p.items():
            other = q.get(output, ZERO)
            if isinstance(weight, Real) and isinstance(other, Real):
                yield Atom(weight.ball(), other.ball(), output, (weight, other))
            else:
                yield Atom(_ball(weight), _ball(other), output)


def _refuse(output: Hashable) -> NoReturn:
    """Say that an output of one side alone may be impossible there as well."""
    raise PrecisionNeeded(f"the probability of {output!r} is not separated from zero")


def _ball(weight: Weight) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight


def _closed(weight: Weight) -> Real | None:
    return weight if isinstance(weight, Real) else None


def _sign(weight: Weight) -> Sign:
    return weight.sign() if isinstance(weight, Real) else sign(weight)


def _exceeds(left: Weight, right: Weight) -> bool:
    if isinstance(left, Real) and isinstance(right, Real):
        p, q = left.as_fraction(), right.as_fraction()
        if p is not None and q is not None:
            return p > q
        return order(left, right) is Sign.POSITIVE
    return certainly_less(_ball(right), _ball(left))


def _quotient(left: Weight, right: Weight) -> Weight:
    if isinstance(left, Real) and isinstance(right, Real):
        p, q = left.as_fraction(), right.as_fraction()
        if p is not None and q is not None:
            return real(p / q)
        return left.monomial_quotient(right) or left / right
    return _ball(left) / _ball(right)


def _total(weights: Mapping[Hashable, Weight]) -> Weight:
    total: Weight = ZERO
    for weight in weights.values():
        if isinstance(total, Real) and isinstance(weight, Real):
            total += weight
        else:
            total = _ball(total) + _ball(weight)
    return total


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
