"""Laws of which a rest is not known: paths that were not followed, or a tail that is cut.

Of outputs that are listed the probability is at least the one given; the rest r, what all of these
leave of 1, may lie on any outputs, listed ones included.  With δ₀ = Σ (P₀ − e^ε·Q₀)₊ over listed
outputs,

    max(0, δ₀ − e^ε·r_Q) ≤ δ(ε) ≤ δ₀ + r_P,

and the largest loss is at least ln(P₀(o)/(Q₀(o) + r_Q)) of any output o.  Nothing bounds it from
above, because the rest of P may lie where Q has nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import NoReturn

from dpaudit.errors import LawError
from dpaudit.laws.explicit import ExplicitLaw, OpenLaw
from dpaudit.laws.law import Atom, Divergence, Law, Loss, Mass, infinite_loss
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign
from dpaudit.numbers.real import ONE, Real, add_up, order

__all__ = ["RestLaw"]

Weight = Real | Ball


class RestLaw(OpenLaw):
    """Outputs with what is known of their probabilities, and a rest."""

    def __init__(self, weights: Mapping[Hashable, Weight], most: Real | None = None) -> None:
        """Take what is known; ``most`` is what the rest is stated to be at most, if it is.

        Raises ``LawError`` where the rest is below 0, or is not told to be as small as stated.
        """
        if most is not None:
            _check(weights, most)
        self.known = {output: _ball(weight) for output, weight in weights.items()}
        rest = _rest(weights)
        self.rest = balls.nonnegative(rest.ball() if isinstance(rest, Real) else rest)

    def beside(self, law: ExplicitLaw) -> RestLaw:
        return RestLaw(law.masses)

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another law of the same mechanism, with a rest or without."""
        if isinstance(other, ExplicitLaw):
            other = self.beside(other)
        if not isinstance(other, RestLaw):
            raise LawError(
                "some outputs are continuous, or unbounded whole numbers, and some probability "
                "at another dataset is not assigned to any output; dpaudit cannot compare these"
            )
        return _RestDivergence(self, other)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of ``output``, which some of the rest may belong to."""
        return Mass(self.known.get(output, Ball(0)) + Ball(0).union(self.rest))

    def output_count(self) -> None:
        """Return None: other outputs may be possible."""


class _RestDivergence(Divergence):
    def __init__(self, p: RestLaw, q: RestLaw) -> None:
        self.p = p
        self.q = q

    def _sides(self, *, forward: bool) -> tuple[RestLaw, RestLaw]:
        return (self.p, self.q) if forward else (self.q, self.p)

    def loss_from_below(self, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        outputs = list(p.known)
        # A rest of Q may be anywhere, so nothing is impossible there.
        if q.rest.is_zero():
            alone = (one for one in outputs if one not in q.known)
            for output in alone:
                if balls.certainly_less(Ball(0), p.known[output]):
                    return infinite_loss(output)
        ratios = [_least(p.known[output], q, output) for output in outputs]
        # Any output is a lower bound: floats may choose it.
        best = max(range(len(outputs)), key=lambda index: float(ratios[index].lower()))
        least = ratios[best]
        if not balls.certainly_less(Ball(0), least):
            raise PrecisionNeeded(
                "a ratio of probabilities cannot be distinguished from 0 at this precision"
            )
        return Loss(least.log(), None, outputs[best])

    def max_loss(self, *, forward: bool) -> Loss:
        _refuse()

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        _refuse()

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p, q = self._sides(forward=forward)
        factor = epsilon.exp().ball()
        none = Ball(0)
        excess = sum(
            (
                balls.nonnegative(mass - factor * q.known.get(output, none))
                for output, mass in p.known.items()
            ),
            none,
        )
        # All of the rest of Q against P, or all of that of P where Q has nothing.
        lower, upper = balls.nonnegative(excess - factor * q.rest), excess + p.rest
        return Mass(lower.union(upper), gap=balls.nonnegative(upper - lower))

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        _refuse()


def _least(mass: Ball, q: RestLaw, output: Hashable) -> Ball:
    """Return what the ratio of an output of probability ``mass`` is at least."""
    most = q.known.get(output, Ball(0)) + q.rest
    return (mass / most).lower() if balls.certainly_less(Ball(0), most) else Ball(0)


def _rest(weights: Mapping[Hashable, Weight]) -> Weight:
    exact = [weight for weight in weights.values() if isinstance(weight, Real)]
    if len(exact) == len(weights):
        return ONE - add_up(exact)
    return Ball(1) - sum(map(_ball, weights.values()), Ball(0))


def _check(weights: Mapping[Hashable, Weight], most: Real) -> None:
    for output, weight in weights.items():
        if (weight.sign() if isinstance(weight, Real) else balls.sign(weight)) is Sign.NEGATIVE:
            raise LawError(f"output {output!r} has a negative probability")
    rest = _rest(weights)
    below, beyond = (
        (rest.sign(), order(rest, most))
        if isinstance(rest, Real)
        else (balls.sign(rest), balls.sign(rest - most.ball()))
    )
    if below is Sign.NEGATIVE:
        raise LawError("the probabilities add up to more than 1")
    if beyond is Sign.POSITIVE:
        raise LawError(
            f"the listed probabilities add up to less than 1 − {most}: the unlisted part is "
            "larger than the rest that is stated for it"
        )


def _refuse() -> NoReturn:
    raise LawError(
        "some probability is not assigned to any output (its rest, see docs/glossary.md#rest); "
        "only check and gate can audit such a mechanism"
    )


def _ball(weight: Weight) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight
