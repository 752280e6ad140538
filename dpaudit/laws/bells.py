"""Gaussian densities of one number."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpaudit.errors import LawError
from dpaudit.laws.parts import Part
from dpaudit.laws.suprema import Peak
from dpaudit.numbers.ball import Ball, Sign, ball, infinite_ball
from dpaudit.numbers.real import Real, order, rational

__all__ = ["Bell", "excess_of_shift"]


@dataclass(frozen=True)
class Bell(Part):
    """A Gaussian density of a mean and a variance."""

    mean: Fraction
    variance: Real

    def mass(self) -> Ball:
        return Ball(1)

    def peak(self, other: Part) -> Peak:
        """Return the largest log ratio: of one variance and two means there is none."""
        q = self._like(other)
        found = order(self.variance, q.variance)
        if found in (Sign.POSITIVE, Sign.ZERO):
            where = "x -> inf" if self.mean >= q.mean else "x -> -inf"
            return Peak(infinite_ball(), None, where)
        gap = q.variance.ball() - self.variance.ball()
        moved = ball((self.mean - q.mean) ** 2)
        value = (q.variance.ball() / self.variance.ball()).log() / 2 + moved / (2 * gap)
        above = rational(self.mean) * q.variance - rational(q.mean) * self.variance
        mean = above / (q.variance - self.variance)
        return Peak(value, None, f"x = {float(mean):.12g}")

    def excess(self, other: Part, factor: Ball) -> Ball | None:
        """Return the mass over (Balle and Wang 2018, Theorem 8); None for two variances."""
        q = self._like(other)
        if self.variance != q.variance:
            return None
        mu = ball(abs(self.mean - q.mean)) / self.variance.ball().sqrt()
        return excess_of_shift(mu, factor)

    def squared_shift(self, other: Part) -> Real | None:
        if not isinstance(other, Bell) or self.variance != other.variance:
            return None
        return rational((self.mean - other.mean) ** 2) / self.variance

    def _like(self, other: Part) -> Bell:
        if not isinstance(other, Bell):
            raise LawError("a Gaussian density is compared with one of another form")
        return other


def excess_of_shift(mu: Ball, factor: Ball) -> Ball:
    """Return ∫ (p − factor·q)₊ for two Gaussian densities, mu > 0 standard deviations apart."""
    at = factor.log() / mu
    return _normal(mu / 2 - at) - factor * _normal(-mu / 2 - at)


def _normal(x: Ball) -> Ball:
    return (-x / Ball(2).sqrt()).erfc() / 2
