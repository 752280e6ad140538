"""k runs of one directed pair, enclosed from both sides by inverting a Laplace transform.

What is proved is in :mod:`dpaudit.numbers.contour`.  Floats choose the line, the step and how much
is smoothed; what a bad choice costs is width.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil, exp, isfinite, log, pi, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpaudit.errors import PrecisionError
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.contour import ORDER, Contour

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.real import Real
    from dpaudit.questions.account.moments import Moments

__all__ = ["MOST_NODES", "ContourBand"]

MOST_NODES = 400_000
"""More places on a line than this are refused."""

_BITS = 160
_SHARE = 34.0  # −ln of what, in proportion, is given away by the rule
_BEYOND = 4.0  # times the height from which on smoothing tells
_SMOOTH = 2.0**-36  # where moments themselves end the sum
_STEPS, _SECANTS, _HALVINGS, _AGAIN = 60, 20, 4, 3
_MODERATE = 1000.0
_TINY, _NEAR = 1e-15, 3.0
_FLOATS = 2048
_POWERS, _SMALL_POWERS, _AT_THE_END = (log(0.05), log(1e5)), (log(1e-6), log(0.06)), 1e-3
_SPREAD_OUT = 1000.0  # variance of losses from which on small powers are tried


class _Planned(NamedTuple):
    """A line of places c + i·j·h, j = 0 … count − 1, in floats."""

    step: float
    beyond: float
    spread: float
    places: int


@dataclass(frozen=True)
class ContourBand:
    """The privacy curve of all runs of one directed pair."""

    moments: Moments
    runs: int
    accuracy: float
    """About how wide intervals of ε become."""

    def delta(self, epsilon: Real) -> tuple[Ball, Ball]:
        """Return balls: δ(ε) is from the lower end of the first to the upper end of the second."""
        with balls.precision(_BITS):
            certain, possible = self._infinite()
            at = epsilon.ball()
            line = self._line(self._power(float(at), None), float(at))
            return (
                (line.below(at) + certain).min(Ball(1)),
                (line.above(at) + possible).min(Ball(1)),
            )

    def epsilon(self, delta: Real) -> tuple[Ball, Ball]:
        """Return balls: min {ε ≥ 0 : δ(ε) ≤ δ} is between the outer ends, as of :meth:`delta`."""
        with balls.precision(_BITS):
            certain, possible = self._infinite()
            wanted = delta.ball()
            if balls.certainly_less(wanted, certain):
                return Ball.pos_inf(), Ball.pos_inf()
            low, high = wanted - certain, wanted - possible
            lower, upper = Ball(0), Ball.pos_inf()
            if balls.certainly_less(Ball(0), low):
                line, root = self._root(float(low))
                lower = self._below(line, low, root)
            if balls.certainly_less(Ball(0), high):
                if float(high) != float(low):
                    line, root = self._root(float(high))
                upper = self._above(line, high, root)
            return lower, upper

    def at_most(self, epsilon: float) -> Ball:
        """Return a ball whose upper end is not below δ(ε), by one line and one sum."""
        with balls.precision(_BITS):
            line = self._line(self._power(epsilon, None), epsilon)
            return (line.above(Ball(epsilon)) + self._infinite()[1]).min(Ball(1))

    def chernoff(self, *, delta: Real | None, epsilon: Real | None) -> Ball:
        """Return a ball whose upper end is not below ε at ``delta``, or δ at ``epsilon``.

        (1 − e^(ε − T))₊ ≤ e^(c(T − ε))·c^c/(c + 1)^(c + 1) for every c > 0.  Of δ it is taken at a
        c for which the moment is no long sum.
        """
        with balls.precision(_BITS):
            _, possible = self._infinite()
            known = None if delta is None else delta.ball() - possible
            if known is not None and not balls.certainly_less(Ball(0), known):
                return Ball.pos_inf()
            at = None if epsilon is None else float(epsilon.ball())
            power = self._power(at, None if known is None else float(known))
            c = Ball(power if at is None else min(power, _MODERATE))
            moment = self.moments.along(c, Ball(1), 1)[0].real
            size = moment.log() * self.runs + c * c.log() - (c + 1) * (c + 1).log()
            if known is not None:
                return ((size - known.log()) / c).max(Ball(0))
            assert epsilon is not None
            return (size - c * epsilon.ball()).exp() + possible

    def about(self, epsilon: Real) -> float:
        """Return about Chernoff's bound of δ(ε), in floats, 0 where it is below them."""
        at = float(epsilon)
        c = self._power(at, None)
        size = self._cumulant(c) + c * log(c) - (c + 1) * log(c + 1) - c * at
        return exp(min(size, 0.0))

    def _infinite(self) -> tuple[Ball, Ball]:
        """Return bounds of the mass of infinite loss of all runs."""
        certain, possible = self.moments.infinite
        held = 1 - possible
        power = balls.integer_power(held, self.runs)
        return balls.integer_power(held + certain, self.runs) - power, 1 - power

    def _cumulant(self, power: float) -> float:
        return self.runs * self.moments.cumulant(power)

    def _power(self, epsilon: float | None, delta: float | None) -> float:
        """Return the c at which Chernoff's bound is the best, by golden sections of ln c."""

        if delta == 0:
            raise PrecisionError("δ is smaller than the smallest float")

        def bound(logarithm: float) -> float:
            c = exp(logarithm)
            found = self._cumulant(c) + c * logarithm - (c + 1) * log(c + 1)
            if delta is None:
                return found - c * (epsilon or 0.0)
            return (found - log(delta)) / c

        place = _least(bound, *_POWERS)
        at_the_end = place < _POWERS[0] + _AT_THE_END
        if at_the_end and self.runs * self.moments.variance() > _SPREAD_OUT:
            place = _least(bound, *_SMALL_POWERS)
        return float(np.float32(exp(place)))

    def _guess(self, power: float, delta: float) -> float:
        """Return about ε at δ, by the tangent that the saddle point gives."""
        more, less = (self._cumulant(power * part) for part in (1.001, 0.999))
        here = self._cumulant(power)
        second = max((more + less - 2 * here) / (0.001 * power) ** 2, 1e-30)
        return (here - log(delta * power * (power + 1) * sqrt(2 * pi * second + 1))) / power

    def _step(self, power: float, epsilon: float) -> tuple[float, float]:
        """Return h, small enough for what the rule adds to be little, and the c′ that shows it."""
        here = self._cumulant(power)
        small = here - power * epsilon - 2 * log(power + 1) - log(max(here, 0.0) + 30.0)
        left = (_SHARE - min(small, 0.0)) / power
        periods = []
        for part in (1.05, 1.1, 1.25, 1.5, 2, 3):
            beyond = power * part
            over = self._cumulant(beyond) - beyond * epsilon - small + _SHARE
            periods.append((over / (beyond - power), beyond))
        right, beyond = min(one for one in periods if isfinite(one[0]))
        return float(np.float32(0.99 * 2 * pi / max(left, right))), beyond

    def planned(
        self, *, delta: Real | None, epsilon: Real | None, share: float | None
    ) -> tuple[float, float, float]:
        """Return about c and ε, and how wide an interval of ε is to be.

        Args:
            delta: δ, where ε is sought.
            epsilon: ε, where δ is sought.
            share: the share of ε, or of δ, that intervals may be wide; by default those of ε are
                as wide as :attr:`accuracy`, and those of δ a hundred times that in proportion.

        Raises ``PrecisionError`` where floats do not tell.
        """
        at, wanted = self._in_floats(delta, epsilon)
        power = self._power(at, wanted)
        if at is not None:
            return power, at, (100 * self.accuracy if share is None else share) / power
        assert wanted is not None
        at = max(self._guess(power, wanted), 0.05 / power)
        return power, at, self.accuracy if share is None else share * at

    def places(self, *, delta: Real | None, epsilon: Real | None) -> int:
        """Return about how many places the line takes for ε at ``delta``, or δ at ``epsilon``.

        Raises ``PrecisionError`` where floats do not tell.
        """
        at, wanted = self._in_floats(delta, epsilon)
        power = self._power(at, wanted)
        if wanted is not None:
            at = max(self._guess(power, wanted), 0.0)
        assert at is not None
        return self._planned(power, at).places

    def _in_floats(
        self, delta: Real | None, epsilon: Real | None
    ) -> tuple[float | None, float | None]:
        """Return ε, and δ less the mass of infinite loss; None for what is not given."""
        with balls.precision(_BITS):
            at = None if epsilon is None else float(epsilon.ball())
            wanted = None if delta is None else float(delta.ball() - self._infinite()[1])
        if wanted is not None and wanted <= 0:
            raise PrecisionError("δ is below the probability of an infinite privacy loss")
        return at, wanted

    def _planned(self, power: float, epsilon: float) -> _Planned:
        """Return the step of the line, how much is smoothed and how many places it takes."""
        step, beyond = self._step(power, epsilon)
        # The smoothed curve is above by about c·η²/3 of itself, which has to stay below all of it.
        spread = sqrt(min(2 * self.accuracy / (1 + power), 1 / power))
        height = _BEYOND * ORDER * np.cosh(power * spread / ORDER) / spread
        reach = self.moments.reach(power, self.runs)
        if reach < MOST_NODES * step / 4:
            spread, height = _SMOOTH, reach
        if not height < 1e12 * step:
            raise PrecisionError("the range of the integration cannot be bounded")
        return _Planned(step, beyond, spread, ceil(height / step) + 2)

    def _line(self, power: float, epsilon: float) -> Contour:
        """Return the inversion at ε on the line Re z = ``power``."""
        step, beyond, spread, count = self._planned(power, epsilon)
        if not count <= MOST_NODES:
            raise PrecisionError(
                f"the integration needs {count} points, and the limit is {MOST_NODES}; give a "
                "larger --width, or compose fewer runs"
            )
        c, h = Ball(power), Ball(step)
        moments = self.moments.along(c, h, count)

        def decay() -> Ball:
            return self.moments.decay(c, moments[0].real, h * (count - 1), self.runs)

        other = self.moments.along(Ball(beyond), h, 1)[0].real
        return Contour(self.runs, c, h, moments, Ball(spread), decay, (Ball(beyond), other))

    def _root(self, delta: float) -> tuple[Contour, float]:
        """Return a line and about the ε ≥ 0 where its upper side is δ."""
        power = self._power(None, delta)
        root = self._inverted(power, delta, max(self._guess(power, delta), 0.0))
        for _ in range(_AGAIN):
            line, guess = self._line(power, root), root
            root = _secant(line.middle, delta, guess, power)
            if abs(root - guess) * power < _NEAR:
                break
        return line, root

    def _inverted(self, power: float, delta: float, guess: float) -> float:
        """Return about ε at δ, by the same inversion in floats."""
        here = self._cumulant(power)
        for _ in range(_AGAIN):
            step, _ = self._step(power, guess)
            heights = step * np.arange(_FLOATS)
            moments = self.moments.turned(power, heights)
            z = power + 1j * heights
            found = _secant(
                partial(_summed, (here, power), heights, moments**self.runs / (z * (z + 1))),
                delta,
                guess,
                power,
            )
            if abs(found - guess) * power < 1:
                return found
            guess = found
        return guess

    def _above(self, line: Contour, level: Ball, root: float) -> Ball:
        """Return an ε ≥ 0 where δ is certainly at most the level."""

        def holds(at: float) -> bool:
            return balls.certainly_less_or_equal(line.above(Ball(at)), level)

        if root <= _TINY and holds(0.0):
            return Ball(0)
        step = _TINY * (1 + root)
        for _ in range(_STEPS):
            if holds(root + step):
                return Ball(root + step)
            step *= 2
        return Ball.pos_inf()

    def _below(self, line: Contour, level: Ball, root: float) -> Ball:
        """Return an ε ≥ 0 where δ is certainly more than the level, or 0."""

        def holds(at: float) -> bool:
            return balls.certainly_less(level, line.below(Ball(at)))

        step = max(_TINY * (1 + root), float(line.spread) ** 2 / 4)
        fails, at = root, root - step
        while at > 0 and not holds(at):
            fails, step = at, 2 * step
            at = root - step
        if at <= 0:
            at = 0.0
            if not holds(at):
                return Ball(0)
        for _ in range(_HALVINGS):
            middle = (at + fails) / 2
            if holds(middle):
                at = middle
            else:
                fails = middle
        return Ball(at)


def _least(bound: Callable[[float], float], low: float, high: float) -> float:
    """Return about where a function with one valley is the least, by golden sections."""
    part = (sqrt(5) - 1) / 2
    a, b = high - part * (high - low), low + part * (high - low)
    at_a, at_b = bound(a), bound(b)
    for _ in range(40):
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - part * (high - low)
            at_a = bound(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + part * (high - low)
            at_b = bound(b)
    return (low + high) / 2


def _summed(size: tuple[float, float], heights: Any, values: Any, epsilon: float) -> float:
    """Return the sum of an inversion in floats; ``size`` is ln M(c)ᵏ and c."""
    terms = (values * np.exp(-1j * heights * epsilon)).real
    total = float(2 * terms.sum() - terms[0]) * float(heights[1]) / (2 * pi)
    return exp(min(size[0] - size[1] * epsilon, 700.0)) * total


def _secant(value: Callable[[float], float], delta: float, guess: float, power: float) -> float:
    """Return about where a falling function of ε ≥ 0 is δ, all of it in floats."""

    def over(at: float) -> float:
        return log(max(value(at), 1e-300)) - log(delta)

    slope, at = -power, guess
    here = over(at)
    for _ in range(_SECANTS):
        then = max(at + min(max(-here / slope, -1.0), 1.0), 0.0)
        if abs(then - at) <= _TINY * 10 * (1 + at):
            break
        new = over(then)
        if (new - here) / (then - at) < slope / 100:
            slope = (new - here) / (then - at)
        at, here = then, new
    return at
