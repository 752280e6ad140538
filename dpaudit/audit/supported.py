"""Hulls of a privacy curve from δ at finitely many ε, for outputs that have a density.

Outputs that cannot be listed have no finite chain of events.  Their curve is concave all the same,
and δ(ε) = max over events S of P(S) − e^ε·Q(S) at one ε says two things of it, with u = e^ε:

* No event lies above the line P = δ(ε) + u·Q.  Neighbouring lines meet in a vertex of a hull that
  bounds the curve from above, and that touches it at every ε that was looked at.
* δ is convex in u.  From δ at u and close to it on both sides one gets a line p − u′·q that is
  below δ at every u′ ≥ 0, and that reaches it, but for rounding, at u: a vertex (q, p) of a hull
  that bounds the curve from below.

A negative ε belongs to the other direction: δ(ε) = 1 − u + u·δ′(−ε), where δ′ compares Q with P.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, fixed_point, fixed_point_below, working_precision
from dpaudit.numbers.real import ZERO, Real, rational

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpaudit.laws.law import Divergence


__all__ = ["Point", "supported_points"]

_FARTHEST = 64
"""Largest ε that is looked at for its own sake."""
_NOTHING = 2.0**-40
"""A δ that is not worth a larger ε."""
_GAP, _SHARE, _SMALLEST = 2.0**-16, 0.05, 2.0**-34
"""Hulls need no further ε where they are closer than this, and than this share of δ.

Below the last, shares of δ do not count.
"""
_BOUNDS, _FEW = 2.0**-40, 48
"""Half a width of δ from which it is one between two bounds, and the ε that are enough then."""
_CLOSEST, _FINEST = 2.0**-24, 2.0**-48
"""Distance of two ε between which no other is looked at: for its own sake, and for an event."""


class Point(NamedTuple):
    """A vertex (Q, P), as integers at the scale 2^bits of the working precision."""

    q: int
    p: int


@dataclass(frozen=True)
class _Line:
    """Bounds of the curve that δ at one ε, and close to it, gives.

    For a negative ε that is what δ of the other direction says, at −ε.
    """

    place: float
    """ε."""
    factor: Ball
    """e^|ε|."""
    height: Ball
    """The upper end of δ(|ε|): no event lies above the line of this height and slope."""
    lower: Point
    """A vertex of the hull from below."""
    nothing_beyond: bool
    """True if δ(|ε|) is certainly 0."""

    @property
    def meets_one(self) -> bool:
        """True if the line certainly goes through (1, 1)."""
        return self.place < 0 and self.nothing_beyond


def supported_points(
    divergence: Divergence, wanted: Sequence[Real], type_one: Sequence[Fraction], most: int
) -> tuple[list[Point], list[Point]]:
    """Return the vertices of the hulls from above and from below, P forward.

    Those of the other direction are (1 − P, 1 − Q).

    Args:
        divergence: the two laws.
        wanted: ε ≥ 0 at which the hulls are to meet, in both directions.
        type_one: Q(S) of events at which they are to meet.
        most: about how many ε are looked at.
    """
    curve = _Supported(divergence)
    for epsilon in (ZERO, *wanted):
        curve.look(epsilon)
        curve.look(-epsilon)
    curve.look_farther()
    # Two bounds that no precision brings together cost much, and hide what is between them.
    curve.refine(most if curve.widest < _BOUNDS else min(most, _FEW))
    for error in type_one:
        curve.approach(error, lambda line: line.lower.q)
        curve.approach(1 - error, lambda line: line.lower.p)  # Q of the other direction
    certain = Point(curve.scale, curve.scale)
    return curve.upper(), [*(line.lower for line in curve.lines), certain]


class _Supported:
    """The lines that were found, by decreasing ε."""

    def __init__(self, divergence: Divergence) -> None:
        self.divergence = divergence
        self.bits = working_precision()
        self.scale = 1 << self.bits
        self.widest = 0.0
        self._lines: dict[float, _Line] = {}
        self._values: dict[tuple[Real, bool], Ball] = {}

    @property
    def lines(self) -> list[_Line]:
        return sorted(self._lines.values(), key=lambda line: -line.place)

    def _value(self, epsilon: Real, forward: bool) -> Ball:
        """Return δ(ε) of one direction."""
        key = epsilon, forward
        if key not in self._values:
            if float(epsilon) >= 0:
                value = self.divergence.hockey_stick(epsilon, forward=forward).ball
            else:
                factor = epsilon.exp().ball()
                beyond = self.divergence.hockey_stick(-epsilon, forward=not forward).ball
                value = 1 - factor + factor * beyond
            self._values[key] = value
        return self._values[key]

    def look(self, epsilon: Real) -> _Line:
        """Find the line at one ε; lines of one ε as a float are one."""
        place = float(epsilon)
        if place not in self._lines:
            # In the other direction nothing cancels, however near to 1 both probabilities are.
            forward = place >= 0
            size = epsilon if forward else -epsilon
            value, factor = self._value(size, forward), size.exp().ball()
            lower = self._from_below(size, factor, value, forward)
            if not forward:
                lower = Point(self.scale - lower.p, self.scale - lower.q)
            nothing = balls.sign(value) is balls.Sign.ZERO
            self.widest = max(self.widest, float(value.rad()))
            self._lines[place] = _Line(place, factor, value.upper(), lower, nothing)
        return self._lines[place]

    def _from_below(self, epsilon: Real, u: Ball, value: Ball, forward: bool) -> Point:
        """Return (q, p) with p − u′·q ≤ δ for all u′ ≥ 0, where δ at u is ``value``.

        By convexity, left of u the slope of δ is at most that of the chord from the left, and right
        of u at least that of the chord to the right.  The line through δ(u) has the slope −q, which
        is at most the second; it is lowered by what it may be above δ elsewhere.
        """
        # A third of the bits: what a chord loses by rounding is then what it loses by its length.
        # An interval that no precision narrows needs longer chords.
        width = float(value.rad())
        step = max(Fraction(1, 1 << self.bits // 3), Fraction(width ** (1 / 3)))
        before, after = epsilon - rational(step), epsilon + rational(step)
        left, right = before.exp().ball(), after.exp().ball()
        rising = (value - self._value(before, forward)) / (u - left)
        falling = (self._value(after, forward) - value) / (right - u)
        if not (rising.is_finite() and falling.is_finite()):
            return Point(0, 0)
        q = min(max(-fixed_point_below(falling, self.bits), 0), self.scale)
        slope = Ball(q) / self.scale
        zero = Ball(0)
        lowered = ((rising + slope).max(zero) * u).max((falling + slope).max(zero) * (u - left))
        lowered = lowered.max((-rising - slope).max(zero) * (right - u))
        p = fixed_point_below(value + slope * u - lowered, self.bits)
        return Point(q, min(p, self.scale)) if p > 0 else Point(0, 0)

    def look_farther(self) -> None:
        """Look at larger ε, until next to nothing of either law is left beyond."""
        for sign in (1, -1):
            far = 1
            while far <= _FARTHEST:
                if float(self.look(rational(sign * far)).height) < _NOTHING:
                    break
                far *= 2

    def refine(self, most: int) -> None:
        """Look at further ε where the hulls are farthest apart."""
        waiting: list[tuple[float, int, _Line, _Line]] = []

        def add(left: _Line, right: _Line) -> None:
            if left.place - right.place > _CLOSEST:
                gap = self._gap(left, right)
                near = left if left.place <= 0 else right
                share = gap / max(float(near.height), _SMALLEST)
                urgency = max(gap / _GAP, share / _SHARE)
                if urgency > 1:
                    heappush(waiting, (-urgency, len(self._lines), left, right))

        for pair in pairwise(self.lines):
            add(*pair)
        while waiting and len(self._lines) < most:
            _, _, left, right = heappop(waiting)
            middle = self.look(_between(left.place, right.place))
            add(left, middle)
            add(middle, right)

    def _gap(self, left: _Line, right: _Line) -> float:
        """Return about how far apart the hulls are between two lines."""
        q, p = (float(part) for part in self._meeting(left, right))
        a, b = left.lower, right.lower
        low, run = a.p / self.scale, (b.q - a.q) / self.scale
        if run > 0:
            part = min(max((q - a.q / self.scale) / run, 0.0), 1.0)
            low += part * ((b.p - a.p) / self.scale)
        return p - low

    @staticmethod
    def _meeting(left: _Line, right: _Line) -> tuple[Ball, Ball]:
        """Return the point (Q, P) where two lines meet; no two lie on both sides of ε = 0."""
        near, far = (left, right) if left.place <= 0 else (right, left)
        low = near.height.min(far.height)  # the steeper line is the lower one
        q = (near.height - low) / (far.factor - near.factor)
        p = low + far.factor * q
        return (1 - p, 1 - q) if far.place < 0 else (q, p)

    def approach(self, probability: Fraction, of: Callable[[_Line], int]) -> None:
        """Look at ε ever closer to that of an event with this Q or P, as ``of`` tells."""
        at = int(probability * self.scale)
        lines = self.lines
        low = max((line for line in lines if of(line) <= at), key=of, default=lines[0])
        high = min((line for line in lines if of(line) >= at), key=of, default=lines[-1])
        # The hulls are apart by the square of the distance.
        enough = 1 << self.bits // 2 - 4
        while of(high) - of(low) > enough and abs(low.place - high.place) > _FINEST:
            middle = self.look(_between(low.place, high.place, 60))
            low, high = (middle, high) if of(middle) <= at else (low, middle)

    def upper(self) -> list[Point]:
        """Return where neighbouring lines meet, moved outward to whole multiples of the scale."""
        lines = self.lines
        found = [Point(0, fixed_point(lines[0].height, self.bits)[1])]
        for left, right in pairwise(lines):
            if left.meets_one and right.meets_one:
                break  # there, which rounding would hide
            q, p = self._meeting(left, right)
            found.append(Point(fixed_point(q, self.bits)[0], fixed_point(p, self.bits)[1]))
        last = lines[-1]
        if last.meets_one:
            found.append(Point(self.scale, self.scale))
        else:  # no event is more likely than certain
            found.append(Point(fixed_point(1 - last.height, self.bits)[0], self.scale))
        return [Point(max(q, 0), min(max(p, 0), self.scale)) for q, p in found]


def _between(one: float, other: float, bits: int = 30) -> Real:
    """Return a number in the middle of two, with few bits after the point."""
    return rational(Fraction(round((one + other) / 2 * (1 << bits)), 1 << bits))
