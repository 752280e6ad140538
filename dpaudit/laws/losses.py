"""The privacy losses of one direction of a pair, and what sums over them give.

With L(r) = ln(P(r)/Q(r)):

* KL divergence            D₁(P‖Q) = Σ P(r)·L(r);
* Rényi divergence, α > 1  D_α(P‖Q) = ln(Σ P(r)·e^((α−1)·L(r)))/(α − 1) (Rényi 1961; Mironov 2017,
  Def. 3), nondecreasing in α, with the limits D₁ as α → 1 and the largest loss D_∞ as α → ∞.

All are +∞ where P can produce an output that Q cannot.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpaudit.errors import DomainError, LawError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign
from dpaudit.numbers.real import ONE, ZERO, Real, rational

if TYPE_CHECKING:
    from collections.abc import Hashable
    from fractions import Fraction

    from dpaudit.laws.law import Divergence

__all__ = ["MAX_EXACT_ATOMS", "ExactMasses", "Losses", "exact_kullback_leibler", "exact_renyi"]

ExactMasses = tuple[tuple[Real, Real, int], ...]
"""The different masses under P and Q, in closed form, and how many atoms have them, in an order
that does not depend on the names of the outputs."""

MAX_EXACT_ATOMS = 48
"""Sums over more different atoms are not written as closed forms: they would be unreadable and
slow."""

_LOW_POWER, _FEW_TERMS = 4, 3


@dataclass(frozen=True)
class Losses:
    """Outputs that P can produce: masses and losses, one entry for each atom."""

    p: list[Ball]
    """P(r) > 0."""
    q: list[Ball]
    """Q(r) > 0."""
    loss: list[Ball]
    """ln(P(r)/Q(r))."""
    impossible: Hashable | None
    """An output that only P can produce, where ``infinite``."""
    infinite: bool
    """True if there is such an output."""
    exact: ExactMasses | None
    """All masses in closed form, if the laws have them."""

    @classmethod
    def of(cls, divergence: Divergence, *, forward: bool) -> Losses:
        """Return the losses of one direction; ``PrecisionNeeded`` for a mass that may be zero.

        So outputs that are only known together, as a tail between 0 and a bound, are never passed
        over.  Raises ``LawError`` where some of the mass is not listed at all.
        """
        p: list[Ball] = []
        q: list[Ball] = []
        exact: list[tuple[Real, Real]] | None = []
        for atom in divergence.atoms(forward=forward):
            if balls.sign(atom.p) is Sign.ZERO:
                continue
            if balls.sign(atom.p) is not Sign.POSITIVE:
                raise PrecisionNeeded(
                    f"P({atom.output}) cannot be distinguished from 0 at this precision"
                )
            if balls.sign(atom.q) is Sign.ZERO:
                return cls([], [], [], atom.output, infinite=True, exact=None)
            if balls.sign(atom.q) is not Sign.POSITIVE:
                raise PrecisionNeeded(
                    f"Q({atom.output}) cannot be distinguished from 0 at this precision"
                )
            p.append(atom.p)
            q.append(atom.q)
            if atom.exact is None:
                exact = None
            elif exact is not None:
                exact.append(atom.exact)
        total = sum(p, Ball(0))
        if balls.certainly_less(total, Ball(1)):
            raise LawError(f"the listed outputs have a total probability of only {total.str(6)}")
        loss = [(a / b).log() for a, b in zip(p, q, strict=True)]
        return cls(p, q, loss, None, infinite=False, exact=_counted(exact))

    def kullback_leibler(self) -> Ball:
        """Return a ball of D₁(P‖Q), in nats."""
        if self.infinite:
            return balls.infinite_ball()
        total = sum((a * b for a, b in zip(self.p, self.loss, strict=True)), Ball(0))
        return balls.nonnegative(total)

    def renyi(self, order: Fraction) -> Ball:
        """Return a ball of D_α(P‖Q) for a rational ``order`` α > 1."""
        if order <= 1:
            raise DomainError("order", order, "must be above 1 here")
        if self.infinite:
            return balls.infinite_ball()
        t = balls.ball(order - 1)
        moment = sum((a * (t * b).exp() for a, b in zip(self.p, self.loss, strict=True)), Ball(0))
        if balls.sign(moment) is not Sign.POSITIVE:
            raise PrecisionNeeded(
                "a moment of the privacy loss cannot be distinguished from 0 at this precision"
            )
        return balls.nonnegative(moment.log() / t)


def _counted(masses: list[tuple[Real, Real]] | None) -> ExactMasses | None:
    if masses is None:
        return None
    counts = Counter(masses)
    if len(counts) > MAX_EXACT_ATOMS:
        return None
    ordered = sorted(counts, key=lambda pair: (str(pair[0]), str(pair[1])))
    return tuple((p, q, counts[p, q]) for p, q in ordered)


def exact_kullback_leibler(masses: ExactMasses) -> Real:
    """Return D₁(P‖Q) in closed form."""
    total = ZERO
    for p, q, count in masses:
        total += rational(count) * p * _exact_loss(p, q)
    return total


def exact_renyi(masses: ExactMasses, order: Fraction) -> Real | None:
    """Return D_α(P‖Q) in closed form, for a rational ``order`` α > 1; None where it is unwieldy.

    Powers of a single term are one term; powers of sums are multiplied out, so only low ones are
    written down.
    """
    total = ZERO
    for p, q, count in masses:
        power = _exact_power(p, q, order - 1)
        if power is None:
            return None
        total += rational(count) * p * power
    return total.ln() / rational(order - 1)


def _exact_loss(p: Real, q: Real) -> Real:
    """Return ln(p/q)."""
    if _is_term(p) and _is_term(q):  # what both share cancels among their logarithms
        return p.ln() - q.ln()
    return _ratio(p, q).ln()


def _exact_power(p: Real, q: Real, t: Fraction) -> Real | None:
    """Return (p/q)^t, or None where it is unwieldy."""
    if _is_term(p) and _is_term(q):
        return (rational(t) * _exact_loss(p, q)).exp()
    ratio = _ratio(p, q)
    terms = len(ratio.coordinates())
    return ratio**t if terms == 1 or (t < _LOW_POWER and terms <= _FEW_TERMS) else None


def _is_term(x: Real) -> bool:
    return len(x.coordinates()) == 1


def _ratio(p: Real, q: Real) -> Real:
    """Return p/q, in the simplest form that the normal forms show."""
    if p == q:
        return ONE
    return p.monomial_quotient(q) or p / q
