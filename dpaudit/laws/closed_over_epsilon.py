"""Laws in closed form for every nominal ε of an interval: losses as functions of λ.

Every probability is an exponential sum in λ = κ·ε (:mod:`dpaudit.numbers.expsum`), formal, so that
it is the probability at every ε at once.  A loss is L(λ) = ln(A(λ)/B(λ)).  On a piece of width w in
λ, L′ = A′/A − B′/B is enclosed by d₋ … d₊ in interval arithmetic; L is then within w(d₊ − d₋)/4 of
its chord, whatever its shape: above the chord it rises at most with d₊ from one end and must come
down with d₋ to the other.

*Ties.*  Where A/B is formally t^(−s), L is sλ at every λ.  If no other loss is above the largest of
these at both ends, lines compared with lines, the realised ε is that multiple of ε on the whole
piece, and no rounding comes in.

A loss whose line lies below what another certainly reaches at both ends is not looked at again
inside the piece.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from dpaudit.laws.geometric import GeometricLaw, compare_laws
from dpaudit.laws.over_epsilon import UNKNOWN_LINES, Ends, EpsilonFamily, Lines
from dpaudit.numbers.ball import Ball, ball, certainly_less, integer_power, precision
from dpaudit.numbers.expsum import ExpSum
from dpaudit.numbers.laurent import Laurent

__all__ = ["ClosedFamily", "LossForm", "geometric_losses"]

_BITS = 96

LossForm = tuple[ExpSum, ExpSum]
"""A and B of the loss ln(A/B); B is zero for an output that one side alone can produce."""


class _Bounds(NamedTuple):
    """A loss on one piece: its values at both ends, and how far it may be off its chord."""

    lower: tuple[float, float]
    upper: tuple[float, float]


class ClosedFamily(EpsilonFamily):
    """The losses of all pairs, directions and outputs of one size, each different one once."""

    def __init__(self, losses: Iterable[LossForm], rate: Fraction, pairs: int) -> None:
        """Take the losses, λ/ε, and how many unordered pairs have them."""
        self.rate, self.pairs = rate, pairs
        self.slope: Fraction | None = None
        self.impossible: list[ExpSum] = []
        self.losses: list[LossForm] = []
        for above, below in dict.fromkeys(losses):
            if below.is_zero():
                self.impossible.append(above)
                continue
            power = _power(above, below)
            if power is None:
                self.losses.append((above, below))
            elif self.slope is None or power * rate > self.slope:
                self.slope = power * rate
        self._left: list[tuple[Fraction, Fraction, list[LossForm]]] = []
        self._logs: dict[tuple[Fraction, ExpSum], Ball] = {}

    def lines(self, low: Fraction, high: Fraction) -> Lines:
        """Return the lines; see the module for their proof."""
        with precision(_BITS):
            return self._lines(low, high)

    def _lines(self, low: Fraction, high: Fraction) -> Lines:
        ends = self.rate * low, self.rate * high
        whole = ball(ends[0]).union(ball(ends[1]))
        values = _Values(whole)
        if self.impossible:
            sure = any(certainly_less(Ball(0), values.of(one)) for one in self.impossible)
            return Lines((math.inf,) * 2, (math.inf,) * 2) if sure else UNKNOWN_LINES
        found = [(one, self._bounds(one, ends, values)) for one in self._among(low, high)]
        reached: Ends = (-math.inf, -math.inf)
        best = -math.inf
        for _, bounds in found:
            if sum(bounds.lower) > best:
                reached, best = bounds.lower, sum(bounds.lower)
        highest: list[Fraction | float] = [
            max((b.upper[i] for _, b in found), default=-math.inf) for i in range(2)
        ]
        if self.slope is not None:
            exact = (self.slope * low, self.slope * high)
            if all(top <= end for top, end in zip(highest, exact, strict=True)):
                return Lines(exact, exact, self.slope)
            if exact[0] + exact[1] > best:
                reached = exact
            highest = [top if top > end else end for top, end in zip(highest, exact, strict=True)]
        left = [one for one, b in found if any(b.upper[i] >= reached[i] for i in range(2))]
        self._left.append((low, high, left))
        known = reached if min(reached) > -math.inf else UNKNOWN_LINES.lower
        return Lines(_fractions(known), _fractions(highest))

    def _among(self, low: Fraction, high: Fraction) -> list[LossForm]:
        """Return the losses that may be the largest in the piece."""
        for first, last, left in reversed(self._left):
            if first <= low and high <= last:
                return left
        return self.losses

    def _bounds(self, loss: LossForm, ends: tuple[Fraction, Fraction], values: _Values) -> _Bounds:
        above, below = loss
        slope = values.slope(above) - values.slope(below)
        width = float(ends[1] - ends[0])
        off = float(slope.rad()) * 0.5 * width * (1 + 1e-9)  # w(d₊ − d₋)/4
        lower, upper = [], []
        for end in ends:
            value = self._log(end, above) - self._log(end, below)
            if not value.is_finite() or not math.isfinite(off):
                return _Bounds((-math.inf,) * 2, (math.inf,) * 2)
            radius = (float(value.rad()) + abs(float(value.mid())) * 2e-16) * 1.01 + off + 1e-300
            lower.append(math.nextafter(float(value.mid()) - radius, -math.inf))
            upper.append(math.nextafter(float(value.mid()) + radius, math.inf))
        return _Bounds((lower[0], lower[1]), (upper[0], upper[1]))

    def _log(self, at: Fraction, form: ExpSum) -> Ball:
        if (at, form) not in self._logs:
            self._logs[at, form] = _Values(ball(at)).of(form).log()
        return self._logs[at, form]


def _fractions(ends: Iterable[Fraction | float]) -> Ends:
    first, last = (
        end if isinstance(end, Fraction) or end == math.inf else Fraction(end) for end in ends
    )
    return first, last


class _Values:
    """Exponential sums on one ball of λ > 0."""

    def __init__(self, at: Ball) -> None:
        self.at = at
        self._powers: dict[Fraction, Ball] = {}
        self._slopes: dict[ExpSum, Ball] = {}

    def of(self, form: ExpSum) -> Ball:
        total = Ball(0)
        for (j, s), q in form.terms.items():
            if s not in self._powers:
                self._powers[s] = (-self.at * ball(s)).exp()
            term = ball(q) * self._powers[s]
            total += term * integer_power(self.at, j) if j else term
        return total

    def slope(self, form: ExpSum) -> Ball:
        """Return F′/F; it is not finite where F is not told from 0."""
        if form not in self._slopes:
            self._slopes[form] = self._logarithmic_derivative(form)
        return self._slopes[form]

    def _logarithmic_derivative(self, form: ExpSum) -> Ball:
        terms = list(form.terms.items())
        if len(terms) == 1:  # q·λ^j·t^s
            (((j, s), _),) = terms
            return ball(j) / self.at - ball(s)
        slope = ExpSum({})
        for (j, s), q in terms:
            slope = slope - ExpSum.term(q * s, j=j, s=s)
            if j:
                slope = slope + ExpSum.term(q * j, j=j - 1, s=s)
        return self.of(slope) / self.of(form)


def _power(above: ExpSum, below: ExpSum) -> Fraction | None:
    """Return p where above/below is formally e^(pλ), else None."""
    quotient = above.monomial_quotient(below)
    if quotient is None:
        return None
    (((j, s), q),) = quotient.terms.items()
    return -s if j == 0 and q == 1 else None


def geometric_losses(laws: Iterable[tuple[GeometricLaw, GeometricLaw]]) -> Iterator[LossForm]:
    """Iterate over the losses of pairs of laws on the integers, in both directions."""
    for p, q in laws:
        for part in compare_laws(p, q):
            ratio = part.ratio
            if ratio is None:
                present = _expsum(part.q if part.left is None else part.p)
                yield present, ExpSum({})
                continue
            above = _expsum(ratio.above).times(ratio.coefficient, s=ratio.power)
            below = _expsum(ratio.below)
            yield above, below
            yield below, above


def _expsum(masses: Laurent) -> ExpSum:
    return ExpSum({(0, Fraction(power)): Fraction(q) for power, q in masses.terms})
