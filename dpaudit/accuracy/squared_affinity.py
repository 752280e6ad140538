"""The exact form of (1 − H²)² between two posteriors, by which equal distances are recognised.

With s = min(a, b), d = |a − b| a whole number, and (s)ₘ = s(s + 1)…(s + m − 1),

    G(a, b)² = Γ((a + b)/2)² / (Γ(a)·Γ(b)) = ((s)_h)²/(s)_d · W(s + h)^(d mod 2),
    h = ⌊d/2⌋,   W(z) = (Γ(z + ½)/Γ(z))²,

and W(z) = (z − ½)²/W(z − ½) leads every W back to one with 0 < z ≤ ½, where W(½) = 1/π.  So
(1 − H²)² is a rational times powers of such W.  Equal forms are equal numbers.  Forms with the same
W and different rationals are different numbers, and so are those in which no W but W(½) occurs: π
is transcendental.  Of other pairs the form does not tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpaudit.numbers.real import PI, Real, rational

__all__ = ["SquaredAffinity", "coordinate_form", "total_form"]

_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class SquaredAffinity:
    """coefficient · Π W(z)^power, 0 < z ≤ ½."""

    coefficient: Fraction
    powers: tuple[tuple[Fraction, int], ...] = ()
    """Pairs (z, power) in increasing order of z, no power 0."""

    def __mul__(self, other: SquaredAffinity) -> SquaredAffinity:
        """Return the product."""
        powers = dict(self.powers)
        for z, power in other.powers:
            powers[z] = powers.get(z, 0) + power
        return SquaredAffinity(
            self.coefficient * other.coefficient,
            tuple(sorted((z, power) for z, power in powers.items() if power)),
        )

    def inverse(self) -> SquaredAffinity:
        """Return the reciprocal."""
        return SquaredAffinity(1 / self.coefficient, tuple((z, -power) for z, power in self.powers))

    def differs_from(self, other: SquaredAffinity) -> bool | None:
        """Tell whether the numbers differ; None where the forms do not tell."""
        if self.powers == other.powers:
            return self.coefficient != other.coefficient
        known = {z for z, _ in (*self.powers, *other.powers)} == {_HALF}
        return True if known else None

    def root(self) -> Real | None:
        """Return the square root in closed form, or None where a W is left that has none."""
        value = rational(self.coefficient).sqrt()
        for z, power in self.powers:
            if z != _HALF:
                return None
            value *= PI ** (-(power // 2))
            if power % 2:
                value /= PI.sqrt()
        return value


def coordinate_form(s: Fraction, d: int) -> SquaredAffinity:
    """Return G(s, s + d)² for ``s`` > 0 and ``d`` ≥ 0.

    >>> print(coordinate_form(Fraction(1), 1).root())
    sqrt(pi)/2
    """
    h = d // 2
    form = SquaredAffinity(_rising(s, h) ** 2 / _rising(s, d))
    return form * _gamma_quotient(s + h) if d % 2 else form


def total_form(s: Fraction, d: int) -> SquaredAffinity:
    """Return Γ(s)·Γ(s + d)/Γ(s + d/2)², what totals ``d`` apart contribute."""
    return coordinate_form(s, d).inverse()


def _rising(s: Fraction, m: int) -> Fraction:
    numerator = 1
    for i in range(m):
        numerator *= s.numerator + i * s.denominator
    return Fraction(numerator, s.denominator**m)


@lru_cache(maxsize=4096)
def _gamma_quotient(z: Fraction) -> SquaredAffinity:
    """Return W(z) with the argument led back to (0, ½]."""
    coefficient, power = Fraction(1), 1
    while z > _HALF:
        z -= _HALF
        coefficient = coefficient * z**2 if power > 0 else coefficient / z**2
        power = -power
    return SquaredAffinity(coefficient, ((z, power),))
