"""Zero-concentrated privacy: ρ = sup over all orders α > 1 of D_α(P‖Q)/α, as a certified interval.

(Bun and Steinke 2016, Def. 1.1.)  With t = α − 1 and the cumulant generating function of the loss,
K(t) = ln Σ P(r)·e^(t·L(r)), the quantity is h(t) = K(t)/(t·(1 + t)) for t > 0, continued by the KL
divergence at t = 0.  The supremum over the continuum is found by branch and bound:

* tail: D_α ≤ D_∞, so h(t) ≤ D_∞/(1 + t), and orders beyond D_∞/h(0) are never the best;
* screen: Hoeffding's lemma gives K(t) ≤ t·D₁ + t²·R²/8, R the range of the loss, hence
  h ≤ max(D₁, R²/8); and D is nondecreasing, so h ≤ D_(1+b)/(1 + a) on [a, b];
* Taylor models: on [a, b] with midpoint m and radius r, the coefficients of h at m, and the last
  one enclosed over all of [a, b], bound h, h′ and h″ there (Lagrange's remainder);
* where h′ has one sign the best order is an end; where h″ ≤ −c < 0 any t₀ of the interval gives
  h ≤ h(t₀) + h′(t₀)²/(2c), and a few steps of Newton's method make that tight.

At t = 0 the quotient K(t)/t is regular: its j-th Taylor coefficient over [0, b] is a mean of the
(j + 1)-th of K, because K(t)/t = ∫₀¹ K′(ts) ds.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, ball
from dpaudit.numbers.normal import Columns

if TYPE_CHECKING:
    from dpaudit.laws.losses import Losses

__all__ = ["Supremum", "concentrated"]

_TERMS = 10
"""Order of the Taylor models."""
_MAX_INTERVALS = 4000
_NEWTON_STEPS = 12


@dataclass(frozen=True)
class Supremum:
    """sup over α > 1 of D_α/α, enclosed."""

    ball: Ball
    """The supremum."""
    order: Fraction | None
    """An order α at which the lower end of the ball is attained; 1 stands for the limit α → 1;
    None where the supremum is infinite or 0."""
    at_one: bool
    """True if the supremum is certainly the limit α → 1, the KL divergence."""


def concentrated(losses: Losses, tolerance: Fraction | None, floor: Ball | None = None) -> Supremum:
    """Return the supremum to within an absolute ``tolerance``; None for a rough one.

    With a ``floor``, a supremum that is certainly not above it may be enclosed loosely.
    """
    if losses.infinite:
        return Supremum(balls.infinite_ball(), None, at_one=False)
    kl = losses.kullback_leibler()
    largest, smallest = balls.maximum(losses.loss), balls.minimum(losses.loss)
    spread = balls.nonnegative(largest - smallest)
    simple = kl.max(spread * spread / 8)
    if balls.sign(kl) is not Sign.POSITIVE or (
        floor is not None and balls.certainly_less_or_equal(simple, floor)
    ):
        return Supremum(balls.nonnegative(kl.union(simple)), None, at_one=False)
    return _Search(losses, kl, balls.nonnegative(largest), tolerance, floor).run()


class _Ratio:
    """h(t) = K(t)/(t(1 + t)) and its Taylor coefficients, at a number or over an interval."""

    def __init__(self, losses: Losses) -> None:
        self.p = losses.p
        self.loss = losses.loss
        self.columns = Columns([_divided_powers(x, _TERMS + 2) for x in losses.loss])

    def value(self, t: Ball) -> Ball:
        """Return h at ``t`` > 0."""
        moment = sum(self._weights(t), Ball(0))
        if balls.sign(moment) is not Sign.POSITIVE:
            raise PrecisionNeeded("a moment of the privacy loss is too close to zero")
        return moment.log() / (t * (1 + t))

    def _weights(self, t: Ball) -> list[Ball]:
        return [p * (t * x).exp() for p, x in zip(self.p, self.loss, strict=True)]

    def cumulants(self, t: Ball) -> list[Ball]:
        """Return the Taylor coefficients of K at ``t``."""
        weights = self._weights(t)
        moments = self.columns.sums(weights)
        if balls.sign(moments[0]) is not Sign.POSITIVE:
            raise PrecisionNeeded("a moment of the privacy loss is too close to zero")
        coefficients = [moments[0].log()]
        for j in range(1, len(moments)):
            inner = sum((i * coefficients[i] * moments[j - i] for i in range(1, j)), Ball(0))
            coefficients.append((j * moments[j] - inner) / (j * moments[0]))
        return coefficients

    def taylor(self, t: Ball, *, from_zero: bool) -> list[Ball]:
        """Return the coefficients 0 … _TERMS of h at ``t``; ``from_zero`` where ``t`` meets 0."""
        cumulants = self.cumulants(t)
        quotient = cumulants[1:] if from_zero else _divided(cumulants, t)
        return _divided(quotient, 1 + t)[: _TERMS + 1]


def _divided_powers(x: Ball, count: int) -> list[Ball]:
    """Return x^j/j! for j < ``count``."""
    powers = [Ball(1)]
    for j in range(1, count):
        powers.append(powers[-1] * x / j)
    return powers


def _divided(series: list[Ball], by: Ball) -> list[Ball]:
    """Return the coefficients of series(x)/(by + x)."""
    quotient: list[Ball] = []
    for coefficient in series:
        quotient.append((coefficient - quotient[-1]) / by if quotient else coefficient / by)
    return quotient


@dataclass(frozen=True)
class _Interval:
    a: Fraction
    b: Fraction

    @property
    def middle(self) -> Fraction:
        return (self.a + self.b) / 2

    def ball(self) -> Ball:
        return ball(self.a).union(ball(self.b))

    def halves(self) -> tuple[_Interval, _Interval]:
        return _Interval(self.a, self.middle), _Interval(self.middle, self.b)


class _Search:
    """Branch and bound over t in [0, ∞)."""

    def __init__(
        self,
        losses: Losses,
        kl: Ball,
        largest: Ball,
        tolerance: Fraction | None,
        floor: Ball | None,
    ) -> None:
        self.ratio = _Ratio(losses)
        self.kl = kl
        self.largest = largest
        self.floor = floor
        self.tolerance = kl / (1 << 16) if tolerance is None else ball(tolerance)
        self.best, self.order = kl, Fraction(1)
        self.uppers: list[Ball] = []
        """Upper bounds of h on the intervals that need no more work."""
        self.falls_from_one = False

    def run(self) -> Supremum:
        queue: deque[_Interval] = deque(self._start())
        count = 0
        while queue:
            interval = queue.popleft()
            count += 1
            if count > _MAX_INTERVALS:
                raise PrecisionNeeded("the order α with the largest D_α/α was not found")
            if not self._settled(interval):
                queue.extend(interval.halves())
        above = balls.maximum([self.kl, self.best, *self.uppers])
        # An upper bound that is not attained says nothing from below.
        enclosure = self.best.union(above)
        at_one = self.falls_from_one and all(
            balls.certainly_less_or_equal(upper, self.kl) for upper in self.uppers
        )
        if at_one:
            return Supremum(self.kl, Fraction(1), at_one=True)
        return Supremum(balls.nonnegative(enclosure), self.order, at_one=False)

    def _start(self) -> list[_Interval]:
        """Return intervals that cover every t at which h can exceed what the limit t → 0 gives."""
        enough = self.kl if self.floor is None else self.kl.max(self.floor).lower()
        end = balls.upper_fraction(self.largest / enough) if enough.is_finite() else Fraction(0)
        cuts = [Fraction(0), Fraction(1)]
        # Beyond the last cut h ≤ D_∞/(1 + t) is below what is reached already.
        while cuts[-1] < end:
            cuts.append(2 * cuts[-1])
        tail = self.largest / (1 + ball(cuts[-1]))
        self.uppers.append(tail)
        return [_Interval(a, b) for a, b in pairwise(cuts)]

    def _value(self, t: Fraction) -> Ball:
        """Return h(t) for t > 0, and take it into account as a lower bound."""
        return self._noted(t, self.ratio.value(ball(t)))

    def _taylor(self, t: Fraction) -> list[Ball]:
        series = self.ratio.taylor(ball(t), from_zero=not t)
        self._noted(t, series[0])
        return series

    def _noted(self, t: Fraction, value: Ball) -> Ball:
        if balls.certainly_less(self.best, value):
            self.best, self.order = value, 1 + t
        return value

    def _below_floor(self, upper: Ball) -> bool:
        return self.floor is not None and balls.certainly_less_or_equal(upper, self.floor)

    def _low_enough(self, upper: Ball) -> bool:
        return self._below_floor(upper) or balls.certainly_less_or_equal(
            upper, self.best.lower() + self.tolerance
        )

    def _settled(self, interval: _Interval) -> bool:
        a, b = interval.a, interval.b
        try:
            return self._settled_by_order(a, b) or self._settled_by_taylor(interval)
        except PrecisionNeeded:
            # Narrower intervals would not help; more precision may.
            if b - a < Fraction(1, 1 << 20):
                raise
            return False

    def _settled_by_order(self, a: Fraction, b: Fraction) -> bool:
        """Try h ≤ D_(1+b)/(1 + a)."""
        bound = self._value(b) * ball(1 + b) / ball(1 + a)
        if self._below_floor(bound) or (a and self._low_enough(bound)):
            self.uppers.append(bound)
            return True
        return False

    def _settled_by_taylor(self, interval: _Interval) -> bool:
        a, b = interval.a, interval.b
        last = self.ratio.taylor(interval.ball(), from_zero=a == 0)[_TERMS]
        if not last.is_finite():
            return False
        middle = self._taylor(interval.middle)
        model = [*middle[:_TERMS], last]
        radius = ball((b - a) / 2)
        slope, slope_away = _derivative_range(model, radius, 1)
        if balls.certainly_less(slope + slope_away, Ball(0)):
            return self._falls(interval)
        if balls.certainly_less(Ball(0), slope - slope_away):
            self.uppers.append(self._value(b))
            return True
        value, away = _derivative_range(model, radius, 0)
        if self._low_enough(value + away):
            self.uppers.append(value + away)
            return True
        curvature, curvature_away = _derivative_range(model, radius, 2)
        if balls.certainly_less(curvature + curvature_away, Ball(0)):
            return self._settled_by_newton(interval, -(curvature + curvature_away))
        return False

    def _falls(self, interval: _Interval) -> bool:
        """Take into account that h falls on the interval."""
        if interval.a == 0:
            self.falls_from_one = True
        else:
            self.uppers.append(self._value(interval.a))
        return True

    def _settled_by_newton(self, interval: _Interval, bend: Ball) -> bool:
        """Use h″ ≤ −bend < 0 on the interval."""
        first, last = self._taylor(interval.a), self._taylor(interval.b)
        if balls.certainly_less(
            first[1], Ball(0)
        ):  # concave and falling at once: it falls throughout
            return self._falls(interval)
        if balls.certainly_less(Ball(0), last[1]):
            self.uppers.append(last[0])
            return True
        t = interval.middle
        for _ in range(_NEWTON_STEPS):
            series = self._taylor(t)
            bound = series[0] + series[1] * series[1] / (2 * bend)
            if self._low_enough(bound):
                self.uppers.append(bound)
                return True
            t = _clipped(t, series, interval)
        return False


def _derivative_range(model: list[Ball], radius: Ball, times: int) -> tuple[Ball, Ball]:
    """Return the derivative at the middle, and how far it may be from that within ``radius``."""
    coefficients = model
    for _ in range(times):
        coefficients = [j * c for j, c in enumerate(coefficients)][1:]
    away, power = Ball(0), Ball(1)
    for coefficient in coefficients[1:]:
        power = power * radius
        away += abs(coefficient) * power
    return coefficients[0], away


def _clipped(t: Fraction, series: list[Ball], interval: _Interval) -> Fraction:
    """Return where Newton's method for h′ = 0 goes from ``t``, inside the interval."""
    if balls.sign(series[2]) is not Sign.NEGATIVE:
        return interval.middle
    step = balls.upper_fraction((series[1] / (2 * series[2])).mid())
    return min(max(t - step, interval.a), interval.b)
