"""Laws over a finite list of outputs with weights known as balls: exponential mechanisms."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.law import Atom, Divergence, Law, Listed, Loss, Mass, excess
from dpaudit.numbers.ball import (
    Ball,
    PrecisionNeeded,
    certainly_less,
    certainly_less_or_equal,
    contenders,
    maximum,
    minimum,
)
from dpaudit.numbers.real import Real

__all__ = ["WeightedLaw"]


class WeightedLaw(Law):
    """P(r) = exp(w(r)) / Σ exp(w(r′)) over a finite sequence of outputs r.

    ``space`` lists the outputs without repetition; laws over equal spaces (``==``, or the same
    object) are compared entry by entry, others output by output.
    """

    def __init__(self, space: Sequence[Hashable], log_weights: list[Ball]) -> None:
        """Take the outputs and the balls of their log-weights, unnormalised, in the same order."""
        self.space = space
        self.log_weights = log_weights
        normaliser = sum((weight.exp() for weight in log_weights), Ball(0))
        if not certainly_less(Ball(0), normaliser) or not normaliser.is_finite():
            raise PrecisionNeeded("a normaliser cannot be distinguished from 0 at this precision")
        self.log_normaliser = normaliser.log()

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another weighted law."""
        if not isinstance(other, WeightedLaw):
            raise TypeError("dpaudit cannot compare output distributions of these two forms")
        # The usual case: all laws of a size share one list.
        if self.space is other.space:
            return _WeightedDivergence(self, other)
        mine, theirs = self._by_output(), other._by_output()
        if mine.keys() == theirs.keys():
            aligned = WeightedLaw(self.space, [theirs[output] for output in self.space])
            return _WeightedDivergence(self, aligned)
        return self._explicit().divergence_from(other._explicit())

    def _explicit(self) -> ExplicitLaw:
        """Return the law as a table, to be compared with one of another support."""
        return ExplicitLaw(dict(zip(self.space, self.probabilities, strict=True)))

    def _by_output(self) -> dict[Hashable, Ball]:
        return dict(zip(self.space, self.log_weights, strict=True))

    def log_probability(self, output: Hashable) -> Ball | None:
        """Return ln P(output), or None outside the support."""
        try:
            index = self.space.index(output)
        except ValueError:
            return None
        return self.log_weights[index] - self.log_normaliser

    def probability(self, output: Hashable) -> Mass:
        """Return P(output)."""
        log_probability = self.log_probability(output)
        return Mass(Ball(0) if log_probability is None else log_probability.exp(), None)

    @cached_property
    def probabilities(self) -> list[Ball]:
        """All probabilities, in the order of the outputs, at the precision of the first use."""
        return [(weight - self.log_normaliser).exp() for weight in self.log_weights]

    def output_count(self) -> int:
        """Return the number of outputs."""
        return len(self.space)

    def listed(self) -> Listed:
        """Return all outputs; none of the probabilities has a closed form."""
        probabilities = self.probabilities
        return Listed(self.space, [None] * len(self.space), probabilities.__getitem__)


class _WeightedDivergence(Divergence):
    """Two weighted laws over the same outputs: one difference of balls per output."""

    def __init__(self, p: WeightedLaw, q: WeightedLaw) -> None:
        self.p = p
        self.q = q
        self.shift = q.log_normaliser - p.log_normaliser
        self.differences = [a - b for a, b in zip(p.log_weights, q.log_weights, strict=True)]

    def losses(self, *, forward: bool) -> list[Ball]:
        """Return the loss of every output in one direction."""
        if forward:
            return [difference + self.shift for difference in self.differences]
        return [-difference - self.shift for difference in self.differences]

    def max_loss(self, *, forward: bool) -> Loss:
        index, bound = _extreme(self.differences, largest=forward)
        loss = bound + self.shift
        return Loss(loss if forward else -loss, None, self.p.space[index])

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        loss = self.differences[self.p.space.index(output)] + self.shift
        return Loss(loss if forward else -loss, None, output)

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p = self.p if forward else self.q
        bound = epsilon.ball()
        total = Ball(0)
        for loss, weight in zip(self.losses(forward=forward), p.log_weights, strict=True):
            # A loss that may be above ε or not adds a ball that contains 0.
            if not certainly_less_or_equal(loss, bound):
                total += excess((weight - p.log_normaliser).exp(), loss, bound)
        return Mass(total, None)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        p, q = (self.p, self.q) if forward else (self.q, self.p)
        for a, b, output in zip(p.probabilities, q.probabilities, p.space, strict=True):
            yield Atom(a, b, output)


def _extreme(balls: list[Ball], *, largest: bool) -> tuple[int, Ball]:
    """Return the first index that no ball lies certainly beyond, and a ball of the extreme."""
    candidates = contenders(balls, largest=largest)
    best = candidates[0]
    for index in candidates:
        low, high = (best, index) if largest else (index, best)
        if certainly_less(balls[low], balls[high]):
            best = index
    among = [balls[index] for index in candidates]
    bound = maximum(among) if largest else minimum(among)
    if not bound.is_finite():
        raise PrecisionNeeded("a privacy loss has no finite bounds at this precision")
    return best, bound
