"""Losses as functions of a parameter, whatever it is: lines around them from slopes in balls.

Every loss is a :class:`~dpaudit.numbers.varying.Varying`: on a piece of width w with middle c it is
L(c) with slopes d₋ … d₊, so that it is within w(d₊ − d₋)/4 of the line through L(c) with slope
(d₋ + d₊)/2.  The realised ε is the largest of the losses: below the line through the largest ends,
and above the line of any one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from dpaudit.laws.over_epsilon import UNKNOWN_LINES, Ends, EpsilonFamily, Lines
from dpaudit.numbers.ball import Ball, PrecisionNeeded, ball, maximum, precision, upper_fraction
from dpaudit.numbers.varying import Varying

__all__ = ["EndlessFamily", "ScaleFamily", "VaryingFamily", "lines_of_largest"]

_BITS = 96
_LEAST_BITS = 4096
_WIDEST = 1 << 30
"""Lines further apart say nothing, and ends of any size would be written out."""


class VaryingFamily(EpsilonFamily):
    """The losses of all pairs, directions and outputs of one size, as the parameter makes them."""

    def __init__(self, losses: Callable[[Varying], Iterable[Varying | Ball]], pairs: int) -> None:
        """Take what makes the losses of a parameter, and how many unordered pairs have them."""
        self.losses, self.pairs = losses, pairs

    def lines(self, low: Fraction, high: Fraction) -> Lines:
        """Return the lines; see the module for their proof."""
        with precision(_BITS):
            try:
                return self._lines(low, high)
            except PrecisionNeeded:  # the piece is too long for a definition to be followed
                return UNKNOWN_LINES

    def _lines(self, low: Fraction, high: Fraction) -> Lines:
        return lines_of_largest(self.losses(Varying.parameter(low, high)), low, high)[0]


def lines_of_largest(
    values: Iterable[Varying | Ball], low: Fraction, high: Fraction
) -> tuple[Lines, int, list[Ends]]:
    """Return lines around the largest of some values on a piece, as the module proves.

    Returns:
        The lines, the place of the value that the lower one is about (−1 where a value is not known
        at all), and the ends of the upper line of each value.
    """
    half = ball((high - low) / 2)
    highest: list[list[Ball]] = [[], []]
    best, reached, place = -math.inf, UNKNOWN_LINES.lower, -1
    parameter = Varying.parameter(low, high)
    for index, found in enumerate(values):
        # What does not depend on the parameter is a mere number.
        value = found if isinstance(found, Varying) else 0 * parameter + found
        off = half * value.slope.rad()
        if not value.is_finite() or not off < _WIDEST:
            return UNKNOWN_LINES, -1, []
        rise = half * value.slope.mid()
        for ends, end in zip(highest, (-rise, rise), strict=True):
            ends.append((value.at_middle + end + off).upper())
        if (least := float(value.at_middle.lower() - off)) > best:
            best, place = least, index
            ends_of_best = value.at_middle - rise - off, value.at_middle + rise - off
            reached = _below(ends_of_best[0]), _below(ends_of_best[1])
    first, last = (_above(maximum(ends)) for ends in highest)
    tops: list[Ends] = [(_above(a), _above(b)) for a, b in zip(*highest, strict=True)]
    return Lines(reached, (first, last)), place, tops


def _below(x: Ball) -> Fraction:
    """Return a rational that is certainly not above a finite ball, short however near 0 it is."""
    return -_above(-x)


def _above(x: Ball) -> Fraction:
    """Return a rational that is certainly not below a finite ball, short however near 0 it is.

    What is nearer 0 than 2⁻⁴⁰⁹⁶ becomes 0 or that power: e^(−10⁷) itself has millions of digits.

    >>> _below(Ball(-(10**7)).exp()), _above(Ball(-(10**7)).exp()).numerator
    (Fraction(0, 1), 1)
    """
    end = x.upper()
    if end.is_finite():
        mantissa, exponent = end.man_exp()
        if int(mantissa).bit_length() + int(exponent) < -_LEAST_BITS:
            return Fraction(int(end > 0), 1 << _LEAST_BITS)
    return upper_fraction(end)


class ScaleFamily(EpsilonFamily):
    """Counts with Laplace noise, discrete or not, over its scale s.

    The loss of c against c + 1 is (|y − c − 1| − |y − c|)/s at an output y: 1/s at every y ≤ c and
    nowhere more; the other way round at every y > c.  1/s is convex: its chord over [a, b] lies
    above it, by (√b − √a)²/(ab) ≤ (b − a)²/(4a²b) at most.
    """

    def __init__(self, pairs: int) -> None:
        """Take how many unordered pairs there are."""
        self.pairs = pairs

    def lines(self, low: Fraction, high: Fraction) -> Lines:
        """Return the chord, and the same line as far below as 1/s can be."""
        off = (high - low) ** 2 / (4 * low**2 * high)
        return Lines((1 / low - off, 1 / high - off), (1 / low, 1 / high))


class EndlessFamily(EpsilonFamily):
    """Noise whose losses have no largest one, whatever its parameter is."""

    def __init__(self, pairs: int) -> None:
        """Take how many unordered pairs there are."""
        self.pairs = pairs

    def lines(self, low: Fraction, high: Fraction) -> Lines:
        """Return infinity."""
        return Lines((math.inf, math.inf), (math.inf, math.inf))
