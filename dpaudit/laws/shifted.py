"""Continuous noise around a count: the Gaussian and the Laplace law, compared in closed form.

Both are compared with the same law shifted by d.  For Gaussian noise the loss is normal: with
μ = |d|/σ it is μ·Z + μ²/2 under P and μ·Z − μ²/2 under Q, Z standard normal, so that

    δ(ε) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ)      (Balle and Wang 2018, Theorem 8),

and k runs are one with √k·μ.  For Laplace noise of scale b the loss lies between −|d|/b and |d|/b,
both of which are attained with positive probability, and δ(ε) = 1 − e^((ε − |d|/b)/2) between.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from dpaudit.laws.law import (
    Atom,
    Divergence,
    Law,
    LineLaw,
    Loss,
    LossMeasure,
    Mass,
    NotListedError,
    infinite_loss,
)
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, Sign
from dpaudit.numbers.normal import normal_cdf, normal_quantile
from dpaudit.numbers.real import ONE, ZERO, Real, order, rational

__all__ = ["GaussianDivergence", "GaussianLaw", "LaplaceDivergence", "LaplaceLaw", "known_of_shift"]

_NO_LIST = "has a density, and no list of outputs"


@dataclass(frozen=True)
class _ShiftedLaw(LineLaw):
    """A real number: a count with continuous noise."""

    centre: int
    scale: Real

    def probability(self, output: Hashable) -> Mass:
        """Return 0: no single number has a positive probability."""
        return Mass(Ball(0), ZERO)

    def output_count(self) -> None:
        """Return None: every real number is an output."""

    def _shift(self, other: Law) -> Real:
        if not isinstance(other, _ShiftedLaw) or (type(other), other.scale) != (
            type(self),
            self.scale,
        ):
            raise TypeError("continuous noise is compared with noise of the same scale")
        return rational(abs(self.centre - other.centre)) / self.scale


class GaussianLaw(_ShiftedLaw):
    """Normal noise around a whole number; the scale is σ > 0."""

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another Gaussian law of the same σ."""
        sign = 1 if isinstance(other, _ShiftedLaw) and other.centre < self.centre else -1
        return GaussianDivergence(self._shift(other), sign)

    def below(self, value: Fraction) -> Ball:
        """Return Φ((x − c)/σ)."""
        return normal_cdf((rational(value - self.centre) / self.scale).ball())


class LaplaceLaw(_ShiftedLaw):
    """Laplace noise around a whole number; the scale is b > 0."""

    def divergence_from(self, other: Law) -> Divergence:
        """Compare with another Laplace law of the same scale."""
        if isinstance(other, LaplaceLaw):
            return LaplaceDivergence(self._shift(other), self.centre, other.centre)
        raise TypeError("continuous noise is compared with noise of the same scale")

    def below(self, value: Fraction) -> Ball:
        """Return e^((x − c)/b)/2 up to c, and 1 − e^(−(x − c)/b)/2 beyond."""
        far = (rational(-abs(value - self.centre)) / self.scale).ball().exp() / 2
        return far if value <= self.centre else 1 - far


class _Symmetric(Divergence):
    """P and Q are mirror images, so that both directions are alike."""

    shift: Real
    symmetric = True
    lists_atoms = False

    def atoms(self, *, forward: bool) -> Iterator[Atom]:
        raise NotListedError

    def _same(self, epsilon: Real) -> Mass | None:
        """Return δ(ε) of two laws that are one: (1 − e^ε)₊."""
        if self.shift != ZERO:
            return None
        delta = ONE - epsilon.exp()
        return Mass(delta.ball(), delta) if delta.sign() is Sign.POSITIVE else Mass(Ball(0), ZERO)


@dataclass(frozen=True)
class GaussianDivergence(_Symmetric):
    """Two Gaussian laws, ``shift`` μ standard deviations apart."""

    shift: Real
    sign: int = field(default=1, compare=False)

    def max_loss(self, *, forward: bool) -> Loss:
        if self.shift == ZERO:
            return Loss(ZERO.ball(), ZERO, (0,))
        upward = (self.sign > 0) == forward
        return infinite_loss(f"r → {'' if upward else '−'}∞")

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        raise ValueError(f"{output}: a Gaussian law {_NO_LIST}")

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        same = self._same(epsilon)
        if same is not None:
            return same
        mu, e = self.shift.ball(), epsilon.ball()
        far = normal_cdf(mu / 2 - e / mu)
        return Mass((far - e.exp() * normal_cdf(-mu / 2 - e / mu)).max(Ball(0)), None)

    def loss_measure(self, *, forward: bool) -> LossMeasure | None:
        if self.shift == ZERO:
            return None

        def below(loss: Ball) -> tuple[Ball, Ball]:
            mu = self.shift.ball()
            place = loss / mu
            return normal_cdf(place - mu / 2), normal_cdf(place + mu / 2)

        return LossMeasure(below, list, lambda: (Ball(1), Ball(1)))

    def of_runs(self, runs: int) -> Divergence:
        """Return the comparison of k runs: the sum of the outputs holds all that they show."""
        return GaussianDivergence(self.shift * rational(runs).sqrt(), self.sign)

    def known(self, notion: str, order: Fraction | None, *, forward: bool) -> Mass | None:
        """Return what a Gaussian shift has in closed form."""
        return known_of_shift(self.shift, notion, order)


def known_of_shift(mu: Real, notion: str, order: Fraction | None) -> Mass | None:
    """Return what two normal laws of one σ, μ·σ apart, have in closed form.

    That is μ itself (Dong, Roth and Su 2022), KL and zCDP, μ²/2, and D_α = α·μ²/2 (Bun and Steinke
    2016, Prop. 1.6).
    """
    half = mu * mu / rational(2)
    match notion:
        case "gdp":
            value = mu
        case "kl" | "zcdp":
            value = half
        case "renyi" if order is not None:
            value = half * rational(order)
        case _:
            return None
    return Mass(value.ball(), value)


@dataclass(frozen=True)
class LaplaceDivergence(_Symmetric):
    """Two Laplace laws, ``shift`` s = |d|/b scales apart."""

    shift: Real
    p: int = field(default=0, compare=False)
    q: int = field(default=1, compare=False)

    def max_loss(self, *, forward: bool) -> Loss:
        return Loss(self.shift.ball(), self.shift, (self.p if forward else self.q,))

    def loss_at(self, output: Hashable, *, forward: bool) -> Loss:
        """Return (|z − q| − |z − p|)/b at a whole number z."""
        p, q = (self.p, self.q) if forward else (self.q, self.p)
        match output:
            case (int(z),):
                unit = self.shift / rational(abs(p - q)) if p != q else ZERO
                exact = rational(abs(z - q) - abs(z - p)) * unit
                return Loss(exact.ball(), exact, output)
            case _:
                raise ValueError(f"{output} is not an output")

    def hockey_stick(self, epsilon: Real, *, forward: bool) -> Mass:
        if order(epsilon, self.shift) is not Sign.NEGATIVE:
            return Mass(Ball(0), ZERO)
        if order(epsilon, -self.shift) is Sign.NEGATIVE:
            delta = ONE - epsilon.exp()
        else:
            delta = ONE - ((epsilon - self.shift) / rational(2)).exp()
        return Mass(delta.ball(), delta)

    def loss_measure(self, *, forward: bool) -> LossMeasure | None:
        """Return two atoms of loss ±s, and what lies between: (e^((l − s)/2) − e^(−s))/2 of P."""
        if self.shift == ZERO:
            return None

        def below(loss: Ball) -> tuple[Ball, Ball]:
            s = self.shift.ball()
            inside = balls.minimum([balls.maximum([loss, -s]), s])
            p = (((inside - s) / 2).exp() - (-s).exp()) / 2
            return p, (1 - (-(inside + s) / 2).exp()) / 2

        def atoms() -> Sequence[tuple[Ball, Ball]]:
            half = Ball(1) / 2
            less = (-self.shift.ball()).exp() / 2
            return [(less, half), (half, less)]

        def spread() -> tuple[Ball, Ball]:
            part = (1 - (-self.shift.ball()).exp()) / 2
            return part, part

        return LossMeasure(below, atoms, spread, (-self.shift, self.shift))

    def known(self, notion: str, order: Fraction | None, *, forward: bool) -> Mass | None:
        """Return μ, KL = s + e^(−s) − 1, and D_α (Mironov 2017, Prop. 6).

        D_α = ln(α/(2α − 1)·e^((α − 1)s) + (α − 1)/(2α − 1)·e^(−αs))/(α − 1).
        """
        s = self.shift
        if notion == "gdp":
            # The curve runs from (e^(−s)/2, ½) to (½, 1 − e^(−s)/2) with P = 1 − e^(−s)/(4·Q), and
            # straight on to the ends.  In w = ln Q, Φ⁻¹(P) − Φ⁻¹(Q) is −ψ(w) − ψ(−s − ln 4 − w)
            # with ψ(w) = Φ⁻¹(e^w), which is convex as the inverse of ln Φ, concave and increasing:
            # so it is largest in the middle, at Q = e^(−s/2)/2.
            return Mass(-2 * normal_quantile((-s.ball() / 2).exp() / 2))
        if notion == "kl":
            value = s + (-s).exp() - ONE
            return Mass(value.ball(), value)
        if notion != "renyi" or order is None:
            return None
        below = rational(2 * order - 1)
        first = rational(order) / below * (s * rational(order - 1)).exp()
        second = rational(order - 1) / below * (-s * rational(order)).exp()
        value = (first + second).ln() / rational(order - 1)
        return Mass(value.ball(), value)
