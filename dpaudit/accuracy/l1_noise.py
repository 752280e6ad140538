"""The ℓ1 error of unclamped noise, in closed form: nothing is listed vector by vector.

K noises of one law, S = Σ|noise|.  If the last count is n − Σ of the others, the error is

    Σ|jᵢ| + |Σ jᵢ| = 2·max(p, q),  p = Σ max(jᵢ, 0), q = Σ max(−jᵢ, 0),

and max(p, q) is the number of steps (N §3.4.1); given the signs, p and q are independent.  If every
count is noisy, the error is S.  With h = ½(1 − t), t = e^(−1/b),

* by floor, P(j) = h·t^j for j ≥ 0 and h·t^(−j−1) for j < 0;
* toward zero, P(0) = 2h and P(±j) = h·t^j for j ≥ 1.

Noise is endless: what lies beyond the listed part is bounded in closed form.  Rounded either way,
P(|noise| = a) ≤ (1 − t)·t^(a−1) for every a ≥ 0; so for K independent noises and L ≥ 0,

    E[S^d; S > L] ≤ Σ_{m > L} a_m,   a_m = m^d·C(m + K − 1, K − 1)·t^(m−K)

((1 − t)^K ≤ 1 is dropped), whose quotients a_(m+1)/a_m = t·((m + 1)/m)^d·(m + K)/(m + 1) fall with
m: the sum is at most a_(L+1)/(1 − q), q the quotient at L + 1, where q < 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import comb
from typing import TYPE_CHECKING

from dpaudit.errors import ParameterError, SizeError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, ball
from dpaudit.numbers.laurent import LAURENT_ZERO
from dpaudit.numbers.real import Real

if TYPE_CHECKING:
    from dpaudit.laws.geometric import GeometricLaw
    from dpaudit.laws.product import ProductLaw

__all__ = ["NoiseErrors", "Remainder", "noise_bound", "noise_errors", "remainder_beyond"]


LONGEST_NOISE = 1_000_000
"""Noise is not listed beyond this."""


@dataclass(frozen=True)
class Remainder:
    """Outputs that are not listed: balls around 0 that hold what they contribute."""

    mass: Ball
    """Their probability."""
    first: Ball
    """The part of the mean error that is theirs."""
    second: Ball
    """The part of the mean squared error that is theirs."""
    least: int = 0
    """Their error is at least this."""


def _moment_bound(t: Ball, k: int, reach: int, d: int) -> Ball:
    """Return an upper bound of E[S^d; S > reach]; infinite where the quotient is not below 1."""
    m = reach + 1
    quotient = t * ball(Fraction((m + 1) ** d * (m + k), m**d * (m + 1)))
    if not balls.certainly_less(quotient, ball(1)):
        return balls.infinite_ball()
    return ball(m**d * comb(m + k - 1, k - 1)) * balls.integer_power(t, m - k) / (1 - quotient)


def noise_bound(t: Ball, k: int) -> int:
    """Return an L with E[S²; S > L] below 2^−bits at the working precision.

    Raises ``SizeError`` for noise so wide that there is no such L up to :data:`LONGEST_NOISE`.
    """
    small = ball(Fraction(1, 1 << balls.working_precision()))
    low, high = 1, 2
    while not _is_below(t, k, high, small):
        low, high = high, 2 * high
        if high > LONGEST_NOISE:
            raise SizeError(
                f"the noise is too wide to be listed to within 2^-{balls.working_precision()}"
            )
    while high - low > 1 + low // 16:
        middle = (low + high) // 2
        if _is_below(t, k, middle, small):
            high = middle
        else:
            low = middle
    return high


def _is_below(t: Ball, k: int, reach: int, small: Ball) -> bool:
    return balls.certainly_less(_moment_bound(t, k, reach, 2), small)


def remainder_beyond(
    t: Ball, k: int, reach: int, scale: Ball, *, factor: int = 1, least: int = 0
) -> Remainder:
    """Return what the noises with S > ``reach`` contribute to an error of at most ``factor``·S.

    Probabilities are multiplied by ``scale``.
    """
    zeroth, first, second = (
        _up_to(_moment_bound(t, k, reach, d) * scale * factor**d) for d in range(3)
    )
    return Remainder(zeroth, first, second, least)


def _up_to(largest: Ball) -> Ball:
    """Return a ball that contains all from 0 to ``largest``."""
    return ball(0).union(largest)


@dataclass(frozen=True)
class NoiseErrors:
    """Probabilities by the ℓ1 error, and what lies beyond them."""

    masses: list[Ball]
    """The probability of the error ``stride``·m, for m = 0, 1, …"""
    stride: int
    """2 where the error is twice the number of steps, else 1."""
    remainder: Remainder
    """Larger errors."""
    exact: Callable[[Iterable[int]], Real] | None
    """The exact probability of some errors, where it is known."""


def noise_errors(law: ProductLaw) -> NoiseErrors:
    """Return the law of the ℓ1 error of noise that is not clamped, at the working precision."""
    k = len(law.factors)
    t = (-law.rate).exp().ball()
    reach = noise_bound(t, k)
    kind = law.completion.kind
    if kind not in ("rest", "none"):
        raise ParameterError("outside", f"no closed form is known for a law completed by {kind!r}")
    noise = _Noise(t, reach, toward_zero=_rounds_toward_zero(law.factors[0]))
    masses = noise.largest_sides(k) if kind == "rest" else noise.sums(k)
    stride = 2 if kind == "rest" else 1
    unity = ball(1)
    remainder = remainder_beyond(t, k, reach, unity, factor=stride, least=stride * (reach + 1))
    return NoiseErrors(masses, stride, remainder, _exact(law) if k == 1 else None)


def _rounds_toward_zero(factor: GeometricLaw) -> bool:
    """Tell the two roundings of N apart: by floor, −1 is as likely as 0."""
    centre = factor.centre
    return factor.mass(centre) != factor.mass(centre - 1)


def _exact(law: ProductLaw) -> Callable[[Iterable[int]], Real]:
    (factor,) = law.factors

    def exact(errors: Iterable[int]) -> Real:
        total = LAURENT_ZERO
        for error in errors:
            for r in {factor.centre - error // 2, factor.centre + error // 2}:
                total += factor.mass(r)
        return total.at(law.rate)

    return exact


class _Noise:
    """Sums of noises up to ``reach``."""

    def __init__(self, t: Ball, reach: int, *, toward_zero: bool) -> None:
        self.h = (1 - t) / 2
        self.toward_zero = toward_zero
        self.reach = reach
        self.powers = [ball(1)]
        for _ in range(reach):
            self.powers.append(self.powers[-1] * t)

    def _side(self, count: int, *, above: bool) -> list[Ball]:
        """Return P(the sum of the sizes is m, and the noises have one sign), m = 0 … reach.

        By floor, 0 counts as positive.
        """
        if not count:
            return [ball(1)] + [ball(0)] * self.reach
        factor = self.h**count
        if above and not self.toward_zero:
            return [
                factor * comb(m + count - 1, count - 1) * power
                for m, power in enumerate(self.powers)
            ]
        shift = 0 if self.toward_zero else count
        return [
            factor * comb(m - 1, count - 1) * self.powers[m - shift] if m >= count else ball(0)
            for m in range(self.reach + 1)
        ]

    def largest_sides(self, k: int) -> list[Ball]:
        """Return P(max(p, q) = m) for ``k`` noises."""
        total = [ball(0)] * (self.reach + 1)
        for positive in range(k + 1):
            p = self._side(positive, above=True)
            up_to_p = list(accumulate(p))
            for negative in range(k + 1 - positive):
                zeros = k - positive - negative
                if zeros and not self.toward_zero:
                    continue
                q = self._side(negative, above=False)
                up_to_q = list(accumulate(q))
                weight = comb(k, positive) * comb(k - positive, negative) * (2 * self.h) ** zeros
                for m in range(self.reach + 1):
                    mass = p[m] * up_to_q[m]
                    if m:
                        mass += up_to_p[m - 1] * q[m]
                    total[m] += weight * mass
        return total

    def sums(self, k: int) -> list[Ball]:
        """Return P(S = m) for ``k`` noises."""
        total = [ball(0)] * (self.reach + 1)
        for m in range(self.reach + 1):
            if self.toward_zero:  # z noises are 0
                ways = (
                    sum(comb(k, z) * comb(m - 1, k - z - 1) for z in range(k) if m >= k - z)
                    if m
                    else 1
                )
                total[m] = (2 * self.h) ** k * self.powers[m] * ways
                continue
            for b in range(min(k, m) + 1):  # b noises are negative
                ways = comb(k, b) * comb(m - b + k - 1, k - 1)
                total[m] += self.h**k * self.powers[m - b] * ways
        return total
