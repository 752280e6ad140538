"""The discrete Gaussian law on the integers, with certified tails.

N_Z(c, σ²) puts mass e^(−(z − c)²/(2σ²))/θ on the integer z, θ = Σ e^(−z²/(2σ²)) (Canonne, Kamath
and Steinke 2020, Def. 1).  For two laws with centres d apart, the privacy loss at z is linear in z,

    ln(P(z)/Q(z)) = (d² − 2d·(z − c))/(2σ²),   Q centred at c + d,

so it has no largest value: it grows beyond all bounds as z moves away from d, and the pure ε is
infinite though no output is impossible.  {loss > ε} is a half-line, and δ(ε) a difference of tails.

Sums of e^(−s·z²) over integers, s = 1/(2σ²), normalise the law (the theta function) and give its
distribution function (the tails).  A sum is cut where a geometric series bounds what is left over:

    Σ_{z ≥ K} e^(−s·z²) ≤ e^(−s·K²)/(1 − e^(−2s·K)),   K ≥ 1,

because (K + j)² ≥ K² + 2K·j.  The rest lies between 0 and that bound, and so does its ball.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from functools import lru_cache
from math import floor

from dpaudit.errors import PrecisionError
from dpaudit.laws.law import Atom, Divergence, Law, Loss, Mass, infinite_loss
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, ball, precision
from dpaudit.numbers.real import ONE, ZERO, Real, order, rational

__all__ = ["MAX_TERMS", "DiscreteGaussianLaw", "tail_sum", "theta", "theta_around"]


MAX_TERMS = 1_000_000
"""Largest number of terms of a sum; longer sums are refused."""


def tail_sum(s: Ball, first: int) -> Ball:
    """Return Σ_{z ≥ first} e^(−s·z²) for s > 0 and any integer ``first``.

    Raises ``PrecisionNeeded`` where s is not separated from 0, and ``PrecisionError`` where the
    sum would take more than :data:`MAX_TERMS` terms.

    >>> print(tail_sum(ball(1), 3).str(12, radius=False))
    0.000123522353150
    """
    if not balls.certainly_less(ball(0), s):
        raise PrecisionNeeded(
            "the width of a Gaussian distribution is too uncertain at this precision"
        )
    if first < 1:
        # Σ_{z ≥ first} = Σ over all − Σ_{z ≥ 1 − first}, by symmetry
        return theta(s) - tail_sum(s, 1 - first)
    return _enclosed_tail(s, first)


def theta(s: Ball) -> Ball:
    """Return Σ over all integers z of e^(−s·z²), s > 0, by the faster of its two series.

    Poisson's summation gives √(π/s)·Σ e^(−π²·z²/s) as well, which converges fast where the first
    converges slowly (Jacobi's identity; Whittaker and Watson, §21.51).

    >>> print(theta(ball(1)).str(15, radius=False))
    1.77263720482665
    """
    # At s = π both series converge alike.
    if balls.certainly_less(s, balls.pi_ball()):
        dual = balls.pi_ball() * balls.pi_ball() / s
        return (balls.pi_ball() / s).sqrt() * (1 + 2 * tail_sum(dual, 1))
    return 1 + 2 * tail_sum(s, 1)


def theta_around(s: Ball, place: Fraction) -> Ball:
    """Return Σ over all integers z of e^(−s·(z − place)²), s > 0 and 0 ≤ ``place`` < 1.

    Beyond K on either side the terms are below those of the tail from K, because |z − place| is at
    least |z| − 1 there.

    >>> from fractions import Fraction
    >>> print(theta_around(ball(1), Fraction(1, 2)).str(15, radius=False))
    1.77227049698438
    """
    if not balls.certainly_less(ball(0), s):
        raise PrecisionNeeded(
            "the width of a Gaussian distribution is too uncertain at this precision"
        )
    last = _last_term(s, 1)
    total = Ball(0)
    for z in range(-last, last + 1):
        total += (-s * ball(z - place) ** 2).exp()
    return total + Ball(0).union(2 * _enclosed_tail(s, last))


def _enclosed_tail(s: Ball, first: int) -> Ball:
    """Return the tail from ``first`` ≥ 1: terms until they no longer count, and the rest."""
    last = _last_term(s, first)
    total = Ball(0)
    # e^(−s(z+1)²) = e^(−s·z²)·e^(−s(2z+1)), and the second factor falls by e^(−2s) each time
    term = (-s * ball(first) ** 2).exp()
    ratio = (-s * (2 * first + 1)).exp()
    step = (-2 * s).exp()
    for _ in range(first, last):
        total += term
        term *= ratio
        ratio *= step
    # The geometric series of the module, from the first term that was left out.
    bound = term / (1 - (-2 * s * last).exp())
    return total + Ball(0).union(bound)


def _last_term(s: Ball, first: int) -> int:
    """Return a place from which the rest is below 2^−(precision + 16) times the first term.

    Any place is sound: this one is only good.
    """
    bits = balls.working_precision() + 16
    wanted = ball(bits)  # e^-bits < 2^-bits
    # s((first + j)² − first²) ≥ bits where j ≥ √(first² + bits/s) − first
    reach = (ball(first) ** 2 + wanted / s).sqrt()
    if not reach.is_finite():
        raise PrecisionNeeded(
            "the width of a Gaussian distribution is too uncertain at this precision"
        )
    last = balls.fixed_point(reach, 0)[1] + 1
    if last - first > MAX_TERMS:
        raise PrecisionError(
            f"a Gaussian sum needs {last - first} terms, and the limit is {MAX_TERMS}"
        )
    return last


class DiscreteGaussianLaw(Law):
    """The discrete Gaussian law around an integer; outputs are 1-tuples."""

    def __init__(self, centre: int, variance: Real) -> None:
        """Take the centre c and σ² > 0."""
        self.centre = centre
        self.variance = variance

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another discrete Gaussian law of the same variance."""
        if not isinstance(other, DiscreteGaussianLaw) or other.variance != self.variance:
            raise TypeError(
                "dpaudit compares discrete Gaussian noise only with noise of the same variance"
            )
        return _GaussianDivergence(self, other)

    def probability(self, output: Hashable) -> Mass:
        """Return the probability of ``output``, 0 for what is not one integer."""
        match output:
            case (int(z),):
                return Mass(_mass(self.variance, z - self.centre, balls.working_precision()), None)
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
        bits = balls.working_precision()
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
        bits = balls.working_precision()
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
            # 0 and 3 are too far apart, so that more bits are tried.
            low, high = balls.fixed_point(value, 0) if value.is_finite() else (0, 3)
            if high - low <= 2:
                z = floor(balls.lower_fraction(value))
                break
        bits *= 2
        if bits > 1 << 20:
            raise PrecisionError(f"{bound} cannot be distinguished from its neighbouring integers")
    # Decided exactly: the loss at z may be ε itself.
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
    reach = balls.fixed_point((2 * variance.ball() * (bits + 8)).sqrt(), 0)[1] + 1
    if reach > MAX_TERMS:
        raise PrecisionError(
            f"a Gaussian distribution needs {reach} outputs, and the limit is {MAX_TERMS}"
        )
    return reach


def _rate(variance: Real) -> Ball:
    return Ball(1) / (2 * variance.ball())
