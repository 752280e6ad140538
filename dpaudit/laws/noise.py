"""Noise distributions whose densities and distribution functions have closed forms.

A rate κ is a multiple of the common rate λ: noise of scale b has κ = 1/(b·λ).  Densities are with
respect to the scaled variable y = λx (:mod:`dpaudit.numbers.piecewise`), so that they integrate to
1 without λ appearing.

Gumbel noise is no polynomial × exponential, but the largest of values with Gumbel noise of one
scale has a closed form of its own, :func:`gumbel_weights`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.numbers.expsum import EXPSUM_ONE, ExpSum
from dpaudit.numbers.piecewise import ONE_EVERYWHERE, Piece, Piecewise, indicator

__all__ = ["Exponential", "Laplace", "NoNoise", "Noise", "gumbel_weights"]

Centre = Fraction | int


class Noise(ABC):
    """The law of one noisy value, centre + noise."""

    @abstractmethod
    def cdf(self, centre: Centre) -> Piecewise:
        """Return x ↦ P(centre + noise ≤ x)."""

    def survival(self, centre: Centre) -> Piecewise:
        """Return x ↦ P(centre + noise > x)."""
        below = self.cdf(centre)
        negative = tuple({power: -c for power, c in piece.items()} for piece in below.pieces)
        return ONE_EVERYWHERE + Piecewise(below.breaks, negative)


class ContinuousNoise(Noise):
    """Noise with a density."""

    @abstractmethod
    def density(self, centre: Centre) -> Piecewise:
        """Return the density of centre + noise with respect to y = λx."""

    def cdf(self, centre: Centre) -> Piecewise:
        return self.density(centre).cumulative()


def _exponential(coefficient: Fraction, r: Fraction) -> Piece:
    return {(0, r): ExpSum.term(coefficient)}


@dataclass(frozen=True)
class Laplace(ContinuousNoise):
    """Laplace noise: density κ/2·e^(−κ·|y|).

    >>> print(Laplace(Fraction(1)).cdf(0).at(-2))
    1/2*t^(2)
    """

    kappa: Fraction
    """The rate κ > 0."""

    def density(self, centre: Centre) -> Piecewise:
        height = self.kappa / 2
        pieces = _exponential(height, self.kappa), _exponential(height, -self.kappa)
        return Piecewise((Fraction(0),), pieces).shifted(centre)


@dataclass(frozen=True)
class Exponential(ContinuousNoise):
    """One-sided exponential noise: density κ·e^(−κ·y) for y > 0.

    >>> print(Exponential(Fraction(1)).cdf(0).at(2))
    1 - t^(2)
    """

    kappa: Fraction
    """The rate κ > 0."""

    def density(self, centre: Centre) -> Piecewise:
        return Piecewise((Fraction(0),), ({}, _exponential(self.kappa, -self.kappa))).shifted(
            centre
        )


@dataclass(frozen=True)
class NoNoise(Noise):
    """No noise at all: the value is its centre."""

    def cdf(self, centre: Centre) -> Piecewise:
        return indicator(Fraction(centre), None)


def gumbel_weights(values: Sequence[Centre], kappa: Fraction) -> list[ExpSum]:
    """Return weights w with P(value i + Gumbel noise is the largest) = w_i / Σ w.

    The noise has the distribution function e^(−e^(−κy)).  With u = e^(−κy) the integral over the
    largest value is ∫₀^∞ w_i·e^(−u·Σw) du, w_i = e^(κ·λ·v_i): exactly the exponential mechanism.

    >>> print(*gumbel_weights([0, 1], Fraction(1, 2)))
    1 t^(-1/2)
    """
    return [EXPSUM_ONE.times(Fraction(1), s=-kappa * value) for value in values]
