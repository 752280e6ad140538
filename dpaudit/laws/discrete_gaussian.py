"""The discrete Gaussian law on the integers, with certified tails.

N_Z(c, σ²) puts mass e^(−(z − c)²/(2σ²))/θ on the integer z, θ = Σ e^(−z²/(2σ²)) (Canonne, Kamath
and Steinke 2020, Def. 1).  For two laws with centres d apart, the privacy loss at z is linear in z,

    ln(P(z)/Q(z)) = (d² − 2d·(z − c))/(2σ²),   Q centred at c + d,

so it has no largest value: it grows beyond all bounds as z moves away from d, and the pure ε is
infinite though no output is impossible.  {loss > ε} is a half-line, and δ(ε) a difference of tails.
"""

from __future__ import annotations

from functools import lru_cache
from math import floor
from typing import TYPE_CHECKING

from dpaudit.errors import PrecisionError
from dpaudit.exact.ball import (
    Ball,
    Sign,
    ball,
    fixed_point,
    lower_fraction,
    precision,
    working_precision,
)
from dpaudit.exact.real import ONE, ZERO, Real, order, rational
from dpaudit.laws.law import Atom, Divergence, Law, Loss, Mass, infinite_loss
from dpaudit.laws.theta import MAX_TERMS, tail_sum, theta, theta_around

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from fractions import Fraction

__all__ = ["DiscreteGaussianLaw"]


class DiscreteGaussianLaw(Law):
    """The discrete Gaussian law around an integer; outputs are 1-tuples."""

    def __init__(self, centre: int, variance: Real) -> None:
        """Take the centre c and σ² > 0."""
        self.centre = centre
        self.variance = variance

    def versus(self, other: Law) -> Divergence:
        """Compare with another discrete Gaussian law of the same variance."""
        if not isinstance(other, DiscreteGaussianLaw) or other.variance != self.variance:
            raise TypeError("a discrete Gaussian law is compared with one of the same variance")
        return _GaussianDivergence(self, other)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of ``output``, 0 for what is not one integer."""
        match output:
            case (int(z),):
                return Mass(_mass(self.variance, z - self.centre, working_precision()), None)
            case _:
                return Mass(Ball(0), ZERO)

    def output_count(self) -> None:
        """Return None: every integer is an output."""


class _GaussianDivergence(Divergence):
    def __init__(self, p: DiscreteGaussianLaw, q: DiscreteGaussianLaw) -> None:
        self.p = p
        self.q = q
        self.variance = p.variance

    def _sides(self, *, forward: bool) -> tuple[int, int]:
        """Return the centres of the numerator and the denominator."""
        p, q = (self.p, self.q) if forward else (self.q, self.p)
        return p.centre, q.centre

    def max_loss(self, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        if p == q:
            return Loss(ZERO.ball(), ZERO, (p,))
        return infinite_loss(f"r → {'−' if q > p else ''}∞")

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        p, q = self._sides(forward=forward)
        match output:
            case (int(z),):
                exact = _loss(z - p, q - p, self.variance)
                return Loss(exact.ball(), exact, output)
            case _:
                raise ValueError(f"{output} is not an output")

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        p, q = self._sides(forward=forward)
        shift = abs(q - p)
        if not shift:
            delta = ONE - epsilon.exp()
            return (
                Mass(delta.ball(), delta) if delta.sign() is Sign.POSITIVE else Mass(Ball(0), ZERO)
            )
        start = _first_beyond(epsilon, shift, self.variance)
        bits = working_precision()
        far = _tail(self.variance, start, bits)
        near = _tail(self.variance, start + shift, bits)
        return Mass((far - epsilon.ball().exp() * near).max(Ball(0)), None)

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        """Iterate over the integers around both centres, and give what lies beyond as one atom.

        Beyond, only P's mass is known not to be more than the tails; P is given as 0 … tails and Q
        as well, which bounds every event from both sides.
        """
        p, q = self._sides(forward=forward)
        low, high = min(p, q), max(p, q)
        bits = working_precision()
        reach = _reach(self.variance, bits)
        for z in range(low - reach, high + reach + 1):
            yield Atom(_mass(self.variance, z - p, bits), _mass(self.variance, z - q, bits), (z,))
        rest = Ball(0).union(2 * _tail(self.variance, reach + 1, bits))
        yield Atom(rest, rest, f"beyond {low - reach} … {high + reach}")

    def known(self, notion: str, order: Fraction | None, *, forward: bool) -> Mass | None:
        """Return KL, D_α or sup D_α/α, from theta sums.

        With d between the centres, Σ P^α·Q^(1−α) = e^(α(α−1)·d²/(2σ²))·θ(α·d)/θ(0), where θ(x) is
        Σ e^(−(z − x)²/(2σ²)) over the integers z: 1-periodic, largest at the integers.  So D_α is
        α·d²/(2σ²), as for the continuous law, where α·d is an integer, and less elsewhere; the
        supremum of D_α/α is attained at α = 2 (Canonne, Kamath and Steinke 2020, Thm 4).
        """
        shift = self.p.centre - self.q.centre
        gaussian = rational(shift * shift) / (rational(2) * self.variance)
        if notion in ("kl", "zcdp"):
            return Mass(gaussian.ball(), gaussian)
        if notion != "renyi" or order is None:
            return None
        bound = gaussian * rational(order)
        place = order * shift % 1
        if not place:
            return Mass(bound.ball(), bound)
        s = _rate(self.variance)
        less = (theta_around(s, place) / theta(s)).log() / ball(order - 1)
        return Mass(bound.ball() + less, None)


def _loss(z: int, d: int, variance: Real) -> Real:
    """Return ln(P(z)/Q(z)) for P around 0 and Q around d."""
    return rational(d * d - 2 * d * z) / (rational(2) * variance)


def _first_beyond(epsilon: Real, shift: int, variance: Real) -> int:
    """Return the least z with loss(z) > ε for P around 0 and Q around −``shift``, decided exactly.

    The loss is (shift² + 2·shift·z)/(2σ²), increasing in z.
    """
    bound = epsilon * variance / rational(shift) - rational(shift) / rational(2)  # z > bound
    bits = 64
    while True:
        with precision(bits):
            value = bound.ball()
            if value.is_finite() and fixed_point(value, 0)[1] - fixed_point(value, 0)[0] <= 2:
                z = floor(lower_fraction(value))
                break
        bits *= 2
        if bits > 1 << 20:
            raise PrecisionError(f"{bound} is not told from its neighbouring integers")
    while order(rational(z), bound) is not Sign.POSITIVE:
        z += 1
    return z


@lru_cache(maxsize=1 << 14)
def _mass(variance: Real, z: int, bits: int) -> Ball:
    s = _rate(variance)
    return (-s * z * z).exp() / theta(s)


@lru_cache(maxsize=1 << 12)
def _tail(variance: Real, first: int, bits: int) -> Ball:
    """Return P(Z ≥ first) for Z around 0, enclosed at the working precision of ``bits``."""
    s = _rate(variance)
    return tail_sum(s, first) / theta(s)


@lru_cache(maxsize=1 << 8)
def _reach(variance: Real, bits: int) -> int:
    """Return a distance beyond which less than about 2^−bits of the mass lies."""
    reach = fixed_point((2 * variance.ball() * (bits + 8)).sqrt(), 0)[1] + 1
    if reach > MAX_TERMS:
        raise PrecisionError(f"a Gaussian law would take {reach} outputs, of at most {MAX_TERMS}")
    return reach


def _rate(variance: Real) -> Ball:
    return Ball(1) / (2 * variance.ball())
