"""Arithmetic in float64 with proved error bounds, for screens that look at very many numbers.

What is assumed of the machine, and nothing else: float64 is IEEE 754 binary64 in rounding to
nearest, NumPy's ``+ − × ÷ √`` on it are correctly rounded (a fused multiply-add is as good),
``rint``, ``floor``, ``minimum``, ``maximum`` and conversions of whole numbers below 2^53 are exact,
and no operand overflows or is subnormal.  With u = 2⁻⁵³ every rounded operation then returns the
true result times 1 + θ, |θ| ≤ u.  exp and log of a library are never trusted: :class:`Exponential`
builds e^(−t) from tables that were rounded once from balls.

Bounds are themselves computed in floats, from fewer than a hundred such operations on positive
numbers, and then multiplied by :data:`SLACK`, which is worth 10¹² roundings.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpaudit.numbers.ball import PRECISION_CAP, Ball, ball, certainly_less, precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.numbers.real import Real

__all__ = [
    "EXPONENTIAL_CUT",
    "EXPONENTIAL_ERROR",
    "EXPONENTIAL_REACH",
    "LARGEST_EPSILON",
    "LONG_REACH",
    "ONE_MINUS_EXPONENTIAL_ERROR",
    "ROUNDED_BALL_ERROR",
    "SLACK",
    "UNIT",
    "Exponential",
    "NotRounded",
    "Relative",
    "rounded",
]

UNIT = 2.0**-53
"""The unit roundoff u."""

SLACK = 1.0001
"""Factor that makes a bound computed in floats safe."""

ROUNDED_BALL_ERROR = 2.01 * UNIT
"""The relative error of :func:`rounded`: one unit in the last place, and the ball's own radius."""

EXPONENTIAL_REACH = 40.0
"""Arguments beyond it are treated as it: e⁻⁴⁰ < 4.3·10⁻¹⁸."""

LONG_REACH = 640.0
"""The largest reach that can be asked for: e⁻⁶⁴⁰ is still a normal number."""

LARGEST_EPSILON = 300.0
"""e^ε of a larger ε is not multiplied with, lest it overflow."""

EXPONENTIAL_CUT = 4.3e-18
"""An absolute error of :meth:`Exponential.minus` beyond the reach."""

ONE_MINUS_EXPONENTIAL_ERROR = 1.4e-13
"""The relative error of :meth:`Exponential.one_minus`."""

EXPONENTIAL_ERROR = 10 * UNIT
"""The relative error of :meth:`Exponential.minus` up to the reach."""

_STEPS = 256
_LEAST, _MOST = Ball(2.0**-1021), Ball(2.0**1023)


class NotRounded(ValueError):  # noqa: N818  (an answer, not a failure: use balls)
    """A number has no float within :data:`ROUNDED_BALL_ERROR`, or is not known well enough."""


class Relative(NamedTuple):
    """Positive numbers in float64, each within a relative error of the true one."""

    values: NDArray[np.float64]
    error: float
    """|value − true| ≤ error·true."""


def rounded(x: Ball | Real) -> float:
    """Return a finite positive ball or closed form as a float, within ``ROUNDED_BALL_ERROR``.

    The conversion itself is within one unit in the last place, 2u.  Raises :class:`NotRounded` for
    a ball that is too wide, and for a number beyond the range of normal floats.

    >>> rounded(ball(2) ** -1000) == 2.0**-1000
    True
    >>> rounded(ball(2) ** -1030)
    Traceback (most recent call last):
    dpaudit.numbers.floats.NotRounded: 8.69169e-311 is beyond the range of floats
    """
    if not isinstance(x, Ball):
        x = _narrow(x)
    if not _is_narrow(x):
        raise NotRounded(f"{x} is too wide to be rounded")
    if not (certainly_less(_LEAST, x) and certainly_less(x, _MOST)):
        raise NotRounded(f"{x.str(6, radius=False)} is beyond the range of floats")
    return float(x)


def _narrow(x: Real) -> Ball:
    """Return the ball of a closed form at the least precision, from 128 bits, that is enough.

    Terms that cancel, as in ln(1 + 1e-300), need more than others.
    """
    bits = 128
    while True:
        with precision(bits):
            found = x.ball()
        if _is_narrow(found) or bits >= PRECISION_CAP:
            return found
        bits *= 2


def _is_narrow(x: Ball) -> bool:
    return x.is_finite() and x.rel_accuracy_bits() >= 64


@cache
def _tables(reach: float = EXPONENTIAL_REACH) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return e^(−j/256) and 1 − e^(−j/256), j/256 ≤ ``reach``, each rounded once from a ball."""
    with precision(192):
        # One power from the one before: 192 bits leave room for that many roundings.
        step = (ball(-1) / _STEPS).exp()
        powers = [ball(1)]
        for _ in range(int(reach) * _STEPS):
            powers.append(powers[-1] * step)
        complements = [1 - power for power in powers[1:]]
    return np.array(_all_rounded(powers)), np.array([0.0, *_all_rounded(complements)])


def _all_rounded(balls: list[Ball]) -> list[float]:
    """Return what :func:`rounded` does of balls that rise or fall: the ends tell of the range."""
    rounded(balls[0]), rounded(balls[-1])
    if not all(map(_is_narrow, balls)):
        raise NotRounded("an interval is too wide to be rounded")
    return [float(one) for one in balls]


class Exponential:
    """1 − e^(−t) and e^(−t) for arrays of t ≥ 0, from correctly rounded operations.

    The argument is cut at 40 and split as t = (j + g)/256 with a whole j and |g| ≤ 1/2; scaling by
    256, rounding to the nearest whole number and the subtraction are exact (Sterbenz).  With
    f = g/256, |f| ≤ 2⁻⁹, and p(f) = 1 − e^(−f),

        1 − e^(−t) = C_j + T_j·p(f),    e^(−t) = T_j − T_j·p(f),    T_j = e^(−j/256), C_j = 1 − T_j.

    *p.*  f − f²/2 + f³/6 − f⁴/24 misses p(f) by at most |f|⁵/119, that is |f|·2⁻³⁶/119, which is
    1.23·10⁻¹³·|f|.  In Horner's form g(c₁ − g(c₂ − g(c₃ − g·c₄))), c_i = 256⁻ⁱ/i!, the inner
    bracket is at most 2⁻¹⁰·1.01 of c₁, so its roundings weigh less than u/100 and the last
    subtraction and product cost u each: the computed p̂ is within |p|·(2.1u + 1.24·10⁻¹³).

    *1 − e^(−t).*  Ĉ_j is within 2.01u of C_j relatively, T̂_j = 1 − Ĉ_j within 3.1u absolutely.
    For j = 0, E = 1 − e^(−t) = p.  For j ≥ 1, E ≥ 1 − e^(−1/512) ≥ 0.998·2⁻⁹, so |p| ≤ 1.01·E and
    C_j ≤ E + |p| ≤ 2.01·E.  The relative error is therefore at most
    2.01·2.01u + 1.01·(3.1u + 3.2u + 1.24·10⁻¹³) + u < 12u + 1.26·10⁻¹³ < 1.4·10⁻¹³, which leaves
    room for the cut at 40, where E misses 1 by less than 4.3·10⁻¹⁸.

    *e^(−t).*  T̂_j is within 2.01u of T_j relatively, the product adds
    |p|·(2.1u + 1.24·10⁻¹³ + 3.1u), which is less than 3u since |p| < 0.002, and the subtraction u;
    e^(−t)/T_j ≥ 0.998, and the sum is within 10u.  Beyond 40 the value returned, and e^(−t), both
    lie between 0 and 4.3·10⁻¹⁸.

    An object owns its scratch space, so it is not shared between threads.
    """

    def __init__(self, shape: tuple[int, ...], reach: float = EXPONENTIAL_REACH) -> None:
        """Take the largest shape of the arrays; smaller ones are served as well.

        With a larger ``reach``, up to :data:`LONG_REACH`, e^(−t) is relatively exact that far.
        """
        self._whole = np.empty(shape)
        self._poly = np.empty(shape)
        self._index = np.empty(shape, dtype=np.intp)
        self._reach = reach
        self._powers, self._complements = _tables(reach)

    def one_minus(self, t: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Write 1 − e^(−t) to ``out`` and overwrite ``t``; exactly 0 at t = 0."""
        poly, index = self._reduced(t)
        np.take(self._complements, index, out=out, mode="clip")
        np.subtract(1.0, out, out=t)
        np.multiply(t, poly, out=poly)
        np.add(out, poly, out=out)

    def minus(self, t: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Write e^(−t) to ``out``; ``t`` is left alone unless it is ``out``."""
        np.minimum(t, self._reach, out=out)
        poly, index = self._reduced(out)
        # The default mode would buffer ``out``; no index is outside.
        np.take(self._powers, index, out=out, mode="clip")
        np.multiply(out, poly, out=poly)
        np.subtract(out, poly, out=out)

    def _reduced(self, t: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """Return p(f) and j, and leave g in ``t``."""
        part = tuple(slice(length) for length in t.shape)
        whole, poly, index = self._whole[part], self._poly[part], self._index[part]
        np.minimum(t, self._reach, out=t)
        np.multiply(t, _STEPS, out=t)
        np.rint(t, out=whole)
        # Exact: these are whole numbers far below 2^53.
        np.copyto(index, whole, casting="unsafe")
        np.subtract(t, whole, out=t)
        np.multiply(t, 2.0**-32 / 24, out=poly)
        np.subtract(2.0**-24 / 6, poly, out=poly)
        np.multiply(poly, t, out=poly)
        np.subtract(2.0**-17, poly, out=poly)
        np.multiply(poly, t, out=poly)
        np.subtract(2.0**-8, poly, out=poly)
        np.multiply(poly, t, out=poly)
        return poly, index
