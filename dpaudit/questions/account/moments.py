"""Moments E e^(zL) of the loss of one run under P: what an inversion of a transform starts from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isfinite, isqrt, log, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.errors import PrecisionError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.contour import exponential_sums
from dpaudit.numbers.normal import normal_cdf
from dpaudit.numbers.quadrature import ComplexBall, complex_ball
from dpaudit.numbers.real import Real, rational

if TYPE_CHECKING:
    from dpaudit.questions.account.outcomes import Outcomes

__all__ = ["DECAYED", "ListedMoments", "Moments", "SampledGaussianMoments", "slack_of"]

_NATS = 60.0
_SPARE = 28.0  # of them, for what the sum beyond its end is held to
DECAYED = _NATS - _SPARE
"""−ln of the share of M(c)ᵏ that moments have fallen to where a sum is ended."""
_DOUBLINGS = 12
_PIECES, _ROW = 60, 64
_CLOSE = 250  # bits to which curves of one run are compared
_THIN = 800
_STEEP = 2.5  # 1/σ
_FAR_REACHING = log(1e5)
_DRAWN_TO = 30.0  # standard deviations, well before densities are 0 in floats
_MOST_NUMBERS = 3_000_000  # held at a time, some 150 bytes each


class Moments(ABC):
    """The moments of a directed pair's loss, where it is finite."""

    @property
    def infinite(self) -> tuple[Ball, Ball]:
        """Bounds of the P-mass of infinite loss in one run: what is certain, and what may be."""
        return Ball(0), Ball(0)

    @property
    @abstractmethod
    def drawn(self) -> tuple[Any, Any]:
        """Weights and losses in floats, which choose where to look and prove nothing."""

    @property
    def is_steep(self) -> bool:
        """True if inversions are expected to be slow, so that lattices are preferred."""
        return False

    @property
    def is_far_reaching(self) -> bool:
        """True if moments fall off so far away that a bound of the rest takes long."""
        return False

    def cumulant(self, power: float) -> float:
        """Return about ln M(c), in floats."""
        weights, losses = self.drawn
        with np.errstate(divide="ignore"):
            parts = np.log(weights) + power * losses
        top = float(parts.max())
        return top + float(np.log(np.exp(parts - top).sum()))

    def variance(self) -> float:
        """Return about the variance of the loss, in floats."""
        weights, losses = self.drawn
        shares = weights / weights.sum()
        return float(shares @ (losses - shares @ losses) ** 2)

    def ends(self, runs: int, nats: float) -> tuple[float, float]:
        """Return about where losses of ``runs`` runs end, but for e^−nats on each side."""
        powers = np.geomspace(1e-4, 1e6, 60)
        low, high = (
            sign
            * min((runs * self.cumulant(sign * float(power)) + nats) / power for power in powers)
            for sign in (-1.0, 1.0)
        )
        return float(low), float(high)

    def turned(self, power: float, heights: Any) -> Any:
        """Return about M(c + iy)/M(c) for each height y, in floats."""
        weights, losses = self.drawn
        thin = max(1, len(losses) // _THIN)
        with np.errstate(divide="ignore"):
            parts = np.log(weights[::thin]) + power * losses[::thin]
        tilted = np.exp(parts - parts.max())
        return np.exp(1j * heights[:, None] * losses[None, ::thin]) @ (tilted / tilted.sum())

    @abstractmethod
    def along(
        self, power: Ball, step: Ball, count: int, start: Ball | None = None
    ) -> list[ComplexBall]:
        """Return M(c + i·(s + j·h)), j = 0 … count − 1; c = ``power``, h = ``step``, s ≥ 0."""

    def decay(self, power: Ball, moment: Ball, height: Ball, runs: int) -> Ball:
        """Return an upper bound of (|M(z)|/M(c))^runs over all heights from ``height`` on."""
        return Ball(1)

    def reach(self, power: float, runs: int) -> float:
        """Return about where :meth:`decay` is as good as 0, infinity for nowhere."""
        return float("inf")


@dataclass(frozen=True)
class ListedMoments(Moments):
    """Of finitely many losses."""

    one: Outcomes
    forward: bool

    @cached_property
    def _atoms(self) -> tuple[list[Ball], list[Ball]]:
        sides = self._sides
        if not all(balls.certainly_less(Ball(0), mass) for both in sides for mass in both):
            raise PrecisionError("the bounds on a probability do not show that it is positive")
        return [p for p, _ in sides], [(p / q).log() for p, q in sides]

    @property
    def infinite(self) -> tuple[Ball, Ball]:
        lacking = self.one.only_p if self.forward else self.one.only_q
        held: Ball = sum(self._atoms[0], Ball(0))
        if self.one.kind != "ball" and not balls.certainly_less(Ball(0), lacking):
            return Ball(0), Ball(0)
        return lacking, (1 - held).max(Ball(0))

    def dominates(self, other: ListedMoments) -> bool:
        """Tell whether H(a) of ``other`` is at most H(a) + 2^−:data:`_CLOSE` for every a ≥ 0.

        H is convex, and that of this pair is linear between its losses, so that it is enough to
        look at a = 0 and at e^loss for each of them; beyond, H of this pair stays as it is.
        """
        mine, theirs = self._sides, other._sides
        with balls.precision(_CLOSE + 64):
            orders = [Ball(0), *(p / q for p, q in mine)]
            held = balls.ball(1) / (1 << _CLOSE)
            if not np.all(_curve(theirs, orders, float) <= _curve(mine, orders, float) + 1e-12):
                return False
            certain, possible = self.infinite[0], other.infinite[1]
            return all(
                balls.certainly_less_or_equal(b + possible, a + certain + held)
                for a, b in zip(_curve(mine, orders), _curve(theirs, orders), strict=True)
            )

    @cached_property
    def _sides(self) -> list[tuple[Ball, Ball]]:
        with balls.precision(_CLOSE + 64):
            one = self.one.as_balls()
        return [(x.p, x.q) if self.forward else (x.q, x.p) for x in one.finite]

    @property
    def drawn(self) -> tuple[Any, Any]:
        weights, losses = self._atoms
        return np.array([float(w) for w in weights]), np.array([float(x) for x in losses])

    def along(
        self, power: Ball, step: Ball, count: int, start: Ball | None = None
    ) -> list[ComplexBall]:
        weights, losses = self._atoms
        tilted = [w * (power * x).exp() for w, x in zip(weights, losses, strict=True)]
        return exponential_sums(tilted, losses, step, count, start)


def _check_numbers(terms: int, count: int) -> None:
    """Raise ``PrecisionError`` where sums of so many terms at so many heights take too long."""
    if terms * (2 * isqrt(count) + 2) > _MOST_NUMBERS:
        raise PrecisionError(f"the moments of a sampled run need a sum of {terms} terms: too many")


def _curve(sides: list[tuple[Ball, Ball]], orders: list[Ball], kind: Any = Ball) -> Any:
    """Return Σ (p − a·q)₊ for each a, in balls or floats."""
    if kind is float:
        p, q = (np.array([float(one[side]) for one in sides]) for side in (0, 1))
        a = np.array([float(one) for one in orders])
        return np.maximum(p - a[:, None] * q, 0).sum(axis=1)
    return [sum((balls.nonnegative(p - a * q) for p, q in sides), Ball(0)) for a in orders]


def slack_of(runs: int) -> Real:
    """Return what δ of k runs may gain where H of one run gains 2^−:data:`_CLOSE`.

    H + η is that of the pair with an infinity atom of mass η beside it; k runs of it have the mass
    (1 + η)^k − 1 ≤ 2kη beyond those of the pair, for kη ≤ 1.
    """
    return rational(Fraction(2 * runs, 1 << _CLOSE))


@dataclass(frozen=True)
class SampledGaussianMoments(Moments):
    """Of a Poisson-subsampled Gaussian run: ((1 − q)B + qA, B), or the other way for ``add``.

    B is standard normal and A the same around μ, u = 1 − q + q·e^(μx − μ²/2) their mixture over B,
    so that M(z) = E u^(z + 1) over B, or E u^(−z) if a record is added.  With r the real part of
    that power and y its imaginary one:

    * The trapezoidal rule of step s is off by at most 2C/(e^(2πd/s) − 1), C a bound of the integral
      along any line of the strip |Im x| ≤ d (Trefethen and Weideman 2014, Theorem 5.1).  For
      μd < π/2 the mixture stays in the right half plane: |arg u| ≤ μd, u(x)·cos μd ≤ |u| ≤ u(x), so
      that C = e^(d²/2 + |y|μd)·(cos μd)^min(r, 0)·E u^r.
    * t^r is convex for r > 1: u^r ≤ 1 − q + q·e^(r(μx − μ²/2)), and u^r ≤ (1 − q)^r for r < 0.
      That bounds E u^r and the tails of the sum, by normal tails.
    * In parts, |M(c + iy)| is at most V/|y|, V the variation of φ(x + μ)·e^(μ²)·u^(r + 1)/(qμ).
      The slope of its logarithm has at most three zeros (a line meets a logistic curve), so V is
      at most four times its largest value.
    * Further down, f(y) = M(c + iy)/M(c) is a characteristic function: 1 − |f(2y)|² is at most
      4(1 − |f(y)|²), and |f(y + t) − f(y)| ≤ |t|·(E L²)^½, with E L² under the tilted law at most
      (M(c + θ) + M(c − θ) − 2M(c))/(θ²·M(c)), because x² ≤ 2·cosh x − 2.
    """

    shift: Real
    rate: Real
    remove: bool

    def _power(self, power: Ball) -> Ball:
        return power + 1 if self.remove else -power

    @cached_property
    def drawn(self) -> tuple[Any, Any]:
        return self.drawn_every(1 / 32)

    def drawn_every(self, spacing: float) -> tuple[Any, Any]:
        """Return weights and losses in floats, at places of the noise that are so far apart."""
        mu, q = float(self.shift.ball()), float(self.rate.ball())
        x = np.arange(-14.0, 14.0 + 80.0 / max(1.0, mu), spacing)
        loss = np.log1p(q * np.expm1(np.minimum(mu * x - mu * mu / 2, 700)))
        weight = np.exp(-x * x / 2) / np.sqrt(2 * pi) * spacing
        return (weight * np.exp(loss), loss) if self.remove else (weight, -loss)

    def cumulant(self, power: float) -> float:
        # The weights drawn are 0 in floats from x = 38 on.  There u is about q·e^(μx − μ²/2), and
        # its power has its mass around x = rμ.
        here = super().cumulant(power)
        mu, q, r = float(self.shift.ball()), float(self.rate.ball()), power + 1
        if not self.remove or r * mu < _DRAWN_TO:
            return here
        return float(np.logaddexp(here, r * log(q) + (r * r - r) * mu * mu / 2))

    @property
    def is_steep(self) -> bool:
        """True for little noise: the bound of the decay then takes minutes."""
        return float(self.shift) > _STEEP

    @property
    def is_far_reaching(self) -> bool:
        """True for small rates: the variation is about e^(μ²)/(qμ)."""
        mu, q = float(self.shift), float(self.rate)
        return mu * mu - log(q * mu) > _FAR_REACHING

    def along(
        self, power: Ball, step: Ball, count: int, start: Ball | None = None
    ) -> list[ComplexBall]:
        mu, q, r = self.shift.ball(), self.rate.ball(), self._power(power)
        height = step * (count - 1) + (0 if start is None else start)
        wide = self._moment_bound(r)
        spacing, first, last, error = self._rule(r, height, wide)
        _check_numbers(last - first, count)
        left, right = spacing * (first + 1), spacing * (last - 1)
        parts = [(Ball(0), 1 - q), (r * mu, q * self._tilt(r))]
        if not self.remove:
            parts = [(Ball(0), wide)]
        for centre, share in parts:
            if not (balls.certainly_less(left, centre) and balls.certainly_less(centre, right)):
                raise PrecisionError("the tails of a sampled run cannot be bounded")
            error += share * (normal_cdf(left - centre) + normal_cdf(centre - right))
        weights, losses = [], []
        norm = spacing / (2 * balls.pi_ball()).sqrt()
        for place in range(first, last + 1):
            x = spacing * place
            loss = (q * (mu * x - mu * mu / 2).expm1()).log1p()
            weights.append(norm * (r * loss - x * x / 2).exp())
            losses.append(loss if self.remove else -loss)
        radius = Ball(0, error)
        box = complex_ball(radius, radius)
        return [one + box for one in exponential_sums(weights, losses, step, count, start)]

    def _rule(self, r: Ball, height: Ball, wide: Ball) -> tuple[Ball, int, int, Ball]:
        """Return the step of the trapezoidal rule up to a height, its ends, and its error.

        ``wide`` is an upper bound of E u^r.
        """
        mu = self.shift.ball()
        strip = 1 / mu.mid()
        grow = (strip * strip / 2 + height * mu * strip).exp() * wide
        if not self.remove:
            grow *= (r * (mu * strip).cos().log()).exp()
        needed = float(grow.log()) + _NATS
        if not isfinite(needed):
            raise PrecisionError("the moments of a sampled run cannot be bounded so far away")
        spacing = Ball(2) ** -max(2, ceil(-np.log2(2 * pi * float(strip) / needed)))
        error = 2 * grow / ((2 * balls.pi_ball() * strip / spacing).exp() - 1)
        middle = max(0.0, float(r * mu))
        beyond = 2 * (_NATS + max(0.0, float(wide.log())))
        first = -ceil((np.sqrt(beyond) + 1) / float(spacing))
        last = ceil((middle + np.sqrt(beyond) + 1) / float(spacing))
        return spacing, first, last, error

    def _tilt(self, r: Ball) -> Ball:
        """Return E e^(r(μx − μ²/2))."""
        mu = self.shift.ball()
        return ((r * r - r) * mu * mu / 2).exp()

    def _moment_bound(self, r: Ball) -> Ball:
        """Return an upper bound of E u^r, for r outside (0, 1)."""
        q = self.rate.ball()
        return 1 - q + q * self._tilt(r) if self.remove else (r * (1 - q).log()).exp()

    def _variation(self, r: Ball) -> Ball:
        """Return V, by the largest value over short pieces and bounds of the ends."""
        mu, q, more = self.shift.ball(), self.rate.ball(), r + 1
        mesh = Ball(2) ** -5
        side = ceil((12.0 + max(0.0, float(more * mu)) + float(mu)) * 32)

        def mixed(x: Ball) -> Ball:
            return (more * (q * (mu * x - mu * mu / 2).expm1()).log1p()).exp()

        def near(x: Ball) -> Ball:
            return (-x * x / 2).exp()

        most, before = Ball(0), mixed(-mesh * side)
        for place in range(-side, side):
            a = mesh * place
            after = mixed(a + mesh)
            low, high = a + mu, a + mesh + mu
            closest = Ball(0)
            if balls.certainly_less(closest, low):
                closest = low
            elif balls.certainly_less(high, closest):
                closest = -high
            most = most.max(near(closest) * before.max(after))
            before = after
        edge = mesh * side
        most = most.max(near(edge - mu) * Ball(1).max((more * (1 - q).log()).exp()))
        # on the right u^more is at most 1, or that of e^(μx − μ²/2), and then the product falls
        most = most.max(near(edge + mu))
        most = most.max(near(edge + mu) * (more * (mu * edge - mu * mu / 2)).exp())
        return 4 * most * (mu * mu).exp() / (q * mu * (2 * balls.pi_ball()).sqrt())

    def decay(self, power: Ball, moment: Ball, height: Ball, runs: int) -> Ball:
        level = Ball(1) - Ball(DECAYED) / runs  # |M(z)| ≤ level·M(c) is what is wanted
        if not balls.certainly_less(Ball(0), level):
            return Ball(1)
        half = 2 * self._variation(self._power(power)) / moment  # |M| ≤ M(c)/2 from here on
        for i in range(_DOUBLINGS):
            square = 1 - balls.ball(3) / (1 << (2 * i + 2))
            if not balls.certainly_less(square, level * level):
                break
            end = half / (1 << i)
        else:
            i = _DOUBLINGS
        if not i or not self._bounded(power, moment, height, end, level):
            return Ball(1)
        return balls.integer_power(level, runs)

    def _bounded(self, power: Ball, moment: Ball, height: Ball, end: Ball, level: Ball) -> bool:
        """Tell whether |M(c + iy)| ≤ level·M(c) is certain from ``height`` to ``end``."""
        tilt = power / 64
        sides = [self.along(power + one, Ball(1), 1)[0].real for one in (tilt, -tilt)]
        slope = ((sides[0] + sides[1] - 2 * moment) / (tilt * tilt * moment)).sqrt()
        r = self._power(power)
        _, first, last, _ = self._rule(r, end, self._moment_bound(r))
        _check_numbers(last - first, 1)  # rather than after many rows before the end
        start = height
        for _ in range(_PIECES):
            if balls.certainly_less(end, start):
                return True
            room = float(level) - float(self._sizes(float(power), np.array([float(start)]))[0])
            if room <= 0:
                return False
            step = Ball(1.6 * room / float(slope))
            count = min(_ROW, ceil(float((start.min(end - start) / step).upper())) + 1)
            values = self.along(power, step, count, start + step / 2)
            sizes = [abs(one) / moment + slope * step / 2 for one in values]
            good = next(
                (i for i, size in enumerate(sizes) if not balls.certainly_less(size, level)), count
            )
            if not good:
                return False
            start += step * good  # as a ball: each height in it begins the next piece of its own
        return False

    def _sizes(self, power: float, heights: Any) -> Any:
        """Return |M(c + iy)|/M(c) in floats."""
        weights, losses = self.drawn
        with np.errstate(divide="ignore"):
            parts = np.log(weights) + power * losses
        tilted = np.exp(parts - parts.max())
        return np.abs(np.exp(1j * heights[:, None] * losses[None, :]) @ (tilted / tilted.sum()))

    def reach(self, power: float, runs: int) -> float:
        heights = 1.05 ** np.arange(-40, 260)
        sizes = self._sizes(power, heights)
        wide = np.nonzero(sizes > 1 - 1.4 * DECAYED / runs)[0]
        if runs <= 2 * _NATS or len(wide) in (0, len(heights)):
            return float("inf")
        return float(heights[min(wide[-1] + 1, len(heights) - 1)])
