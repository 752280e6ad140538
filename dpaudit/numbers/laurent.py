"""Laurent polynomials in t = e^(−s): the exact form of integer-rounded Laplace noise.

With t = e^(−1/b), every probability of ⌊c + Lap(b)⌋ is a polynomial in t with rational
coefficients (A Alg. 1–3).  Two laws are compared as polynomials; only the final answer is turned
into a closed-form real by :meth:`Laurent.at`.  Lists of integers are convolved as polynomials too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb_poly, fmpz_poly

from dpaudit.numbers.ball import Ball
from dpaudit.numbers.real import ZERO, Real, real

__all__ = [
    "LAURENT_ONE",
    "LAURENT_ZERO",
    "Laurent",
    "Ratio",
    "convolve_rounded_up",
    "convolved_power",
    "ratio",
]


@dataclass(frozen=True, slots=True)
class Laurent:
    """Σ coefficient · t^power, sparse, powers increasing, no zero coefficients.

    >>> half = Laurent.monomial(Fraction(1, 2), 0)
    >>> print(half - half.shifted(1), (half - half).is_zero())
    1/2*t^0 - 1/2*t^1 True
    """

    terms: tuple[tuple[int, Fraction], ...]
    """Pairs (power, coefficient) in increasing order of the power."""

    @staticmethod
    def monomial(coefficient: Fraction | int, power: int) -> Laurent:
        """Return coefficient · t^power."""
        return Laurent(((power, Fraction(coefficient)),) if coefficient else ())

    @staticmethod
    def collect(terms: Iterable[tuple[int, Fraction]]) -> Laurent:
        """Return the sum of the given (power, coefficient) terms."""
        total: dict[int, Fraction] = {}
        for power, coefficient in terms:
            total[power] = total.get(power, Fraction(0)) + coefficient
        return Laurent(tuple(sorted((power, q) for power, q in total.items() if q)))

    def is_zero(self) -> bool:
        """Tell whether this is the zero polynomial."""
        return not self.terms

    def shifted(self, power: int) -> Laurent:
        """Return self · t^power."""
        return Laurent(tuple((e + power, q) for e, q in self.terms))

    def __neg__(self) -> Laurent:
        """Return −self."""
        return Laurent(tuple((e, -q) for e, q in self.terms))

    def __add__(self, other: Laurent) -> Laurent:
        """Return self + other."""
        return Laurent.collect((*self.terms, *other.terms))

    def __sub__(self, other: Laurent) -> Laurent:
        """Return self − other."""
        return self + -other

    def __mul__(self, other: Laurent) -> Laurent:
        """Return self · other."""
        return Laurent.collect((e + f, p * q) for e, p in self.terms for f, q in other.terms)

    def at(self, rate: Real) -> Real:
        """Return the value at t = e^(−rate), in closed form."""
        total = ZERO
        for power, coefficient in self.terms:
            total += real(coefficient) * _power_of_t(rate, power)
        return total

    def __str__(self) -> str:
        """Return the polynomial as text."""
        text = " + ".join(f"{q}*t^{e}" for e, q in self.terms) or "0"
        return text.replace("+ -", "- ")


_ONE = Fraction(1)
LAURENT_ZERO = Laurent(())
"""The zero polynomial."""
LAURENT_ONE = Laurent.monomial(1, 0)
"""The constant polynomial 1."""


@lru_cache(maxsize=4096)
def _power_of_t(rate: Real, power: int) -> Real:
    return (rate * real(-power)).exp()


@dataclass(frozen=True, slots=True)
class Ratio:
    """A quotient coefficient · t^power · above/below, where above and below start with 1·t^0.

    The quotient of two masses with the same shape is a monomial: above = below = 1.
    """

    coefficient: Fraction
    """The rational factor."""
    power: int
    """The power of t."""
    above: Laurent
    """Numerator, without the common factors."""
    below: Laurent
    """Denominator, without the common factors."""

    def logarithm(self, rate: Real) -> Real:
        """Return ln of the quotient at t = e^(−rate), in closed form."""
        if self is power_of_t(self.power):
            return _times(rate, -self.power)  # the fractions of others take long to be hashed
        return _logarithm(self, rate)


@lru_cache(maxsize=4096)
def power_of_t(power: int) -> Ratio:
    """Return t^power: the very same object while it is kept, so that it is known again cheaply."""
    return Ratio(_ONE, power, LAURENT_ONE, LAURENT_ONE)


@lru_cache(maxsize=4096)
def _times(rate: Real, power: int) -> Real:
    return rate * real(power)


def ratio(numerator: Laurent, denominator: Laurent) -> Ratio:
    """Return numerator / denominator (both non-zero) with what both share cancelled.

    >>> p = Laurent.collect([(3, Fraction(1, 2)), (4, Fraction(-1, 2))])
    >>> ratio(p.shifted(-2), p).power
    -2
    """
    if len(numerator.terms) == len(denominator.terms) == 1:
        ((e, p),), ((f, q),) = numerator.terms, denominator.terms
        if p == q:
            return power_of_t(e - f)
    return _ratio(numerator, denominator)


@lru_cache(maxsize=1 << 14)
def _ratio(numerator: Laurent, denominator: Laurent) -> Ratio:
    (e, p), (f, q) = numerator.terms[0], denominator.terms[0]
    above = Laurent(tuple((power - e, c / p) for power, c in numerator.terms))
    below = Laurent(tuple((power - f, c / q) for power, c in denominator.terms))
    if above == below:
        above = below = LAURENT_ONE
    return Ratio(p / q, e - f, above, below)


@lru_cache(maxsize=4096)
def _logarithm(quotient: Ratio, rate: Real) -> Real:
    value = real(quotient.coefficient).ln() - rate * real(quotient.power)
    if quotient.above != LAURENT_ONE:
        value += quotient.above.at(rate).ln()
    if quotient.below != LAURENT_ONE:
        value -= quotient.below.at(rate).ln()
    return value


def convolve(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Return Σᵢ left[i]·right[j − i] for every j, exactly.

    >>> convolve([1, 1], [1, 2, 3])
    [1, 3, 5, 3]
    """
    product = fmpz_poly(list(left)) * fmpz_poly(list(right))
    found = [int(coefficient) for coefficient in product.coeffs()]
    # A polynomial drops the zeros at its end.
    return found + [0] * (len(left) + len(right) - 1 - len(found))


def convolve_rounded_up(left: Sequence[int], right: Sequence[int], bits: int) -> list[int]:
    """Return the convolution of non-negative masses at the scale 2^bits, at that scale again.

    Every result is rounded up, so it is certainly not below the true mass.

    >>> convolve_rounded_up([1, 1], [1, 1], 1)
    [1, 1, 1]
    """
    return [-(-mass >> bits) for mass in convolve(left, right)]


def convolved_power(masses: Mapping[int, Any], times: int) -> dict[int, Any]:
    """Return the masses of the sums of ``times`` independent places, by place.

    Args:
        masses: whole numbers, or balls, of places that are not negative.
        times: how many places are added, at least 1.

    Returns:
        the mass of every sum that has one; exact for whole numbers, enclosed for balls.

    >>> convolved_power({0: 1, 5: 2}, 2)
    {0: 1, 5: 4, 10: 4}
    >>> list(convolved_power({0: Ball(0, 1), 1: Ball(1)}, 1))  # what may be 0 is kept
    [0, 1]
    """
    dense = [masses.get(place, 0) for place in range(max(masses) + 1)]
    found: list[Any]
    if any(isinstance(mass, Ball) for mass in dense):
        found = list((arb_poly(dense) ** times).coeffs())
    else:
        found = [int(mass) for mass in (fmpz_poly(dense) ** times).coeffs()]
    # A ball that contains 0 is not equal to 0, and not unequal either.
    return {place: mass for place, mass in enumerate(found) if not _is_zero(mass)}


def _is_zero(mass: int | Ball) -> bool:
    return bool(mass.is_zero()) if isinstance(mass, Ball) else not mass
