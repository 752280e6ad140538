"""Many runs of one lattice of losses at once, by a discrete Fourier transform in balls.

With p(x) = Σ m_j·x^j the masses of one run, those of k runs are the coefficients of p(x)ᵏ.  Modulo
x^N − 1 they are those that the transform of N places gives: the sum of all that lie N·i points
apart.  Hence for a window of N points, with t₋ and t₊ the masses of k runs before and behind it:

* *Above*, what is folded into the window only adds to it.  Mass from the left arrives at larger
  losses, which raises H; mass from the right is counted as infinite as well, by t₊.
* *Below*, each point has at least its sum less t₋ + t₊, since no more is folded into it.

Both are bounded by Chernoff: t₊ ≤ p(e^s)ᵏ·e^(−sB) for any s > 0, B the first point behind, and t₋
alike with −s.  Floats choose the window and s; a bad choice costs width alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import acb, arb_poly, fmpz_poly

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Ball, fixed_point, fixed_point_below, integer_power, precision
from dpaudit.numbers.contour import complex_power
from dpaudit.numbers.merging import GUARD
from dpaudit.numbers.real import rational

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.numbers.lattice import LossLattice
    from dpaudit.numbers.quadrature import ComplexBall

__all__ = ["MOST_PLACES", "Window", "powered", "window_of"]

MOST_PLACES = 1 << 19
"""The most points of a window: some 600 MiB."""

_NARROWINGS = 40


@dataclass(frozen=True)
class Window:
    """The points from ``first`` on, counted from the first of k runs, that are kept."""

    first: int
    count: int
    """A power of two."""
    tilts: tuple[float, float]
    """The s of Chernoff's bounds to the left and to the right, both > 0, per point."""


def window_of(lattice: LossLattice, runs: int, nats: float) -> Window:
    """Return points beyond which ``runs`` runs have a mass of about e^−nats on either side.

    Raises ``PrecisionError`` where no mass is left.
    """
    shift = max(0, lattice.bits - 512)
    weights = np.array([float(int(one) >> shift) for one in lattice.masses.coeffs()])
    places = np.nonzero(weights)[0]
    if not len(places):
        raise PrecisionError("no mass is left on a lattice of losses")
    logs, reach = np.log(weights[places] / weights.sum()), float(places[-1] + 1)

    def over(sign: int, slope: float) -> float:
        """Return how far Chernoff's bound of s = e^slope reaches to one side."""
        parts = logs + sign * exp(slope) * places
        top = parts.max()
        return (runs * float(top + np.log(np.exp(parts - top).sum())) + nats) / exp(slope)

    ends, tilts = [], []
    for sign in (-1, 1):
        slope = _least(partial(over, sign), log(1e-6 / (reach * sqrt(runs))), log(50.0))
        ends.append(sign * over(sign, slope))
        tilts.append(exp(slope))
    first = max(0, int(np.floor(ends[0])))
    last = min(runs * (int(places[-1])) + 1, int(np.ceil(ends[1])) + 1)
    count = 1 << max(4, (last - first - 1).bit_length())
    return Window(max(0, first - (count - (last - first)) // 2), count, (tilts[0], tilts[1]))


def _least(value: Callable[[float], float], low: float, high: float) -> float:
    """Return about where a function that falls, then rises, is least."""
    part = (sqrt(5) - 1) / 2
    a, b = high - part * (high - low), low + part * (high - low)
    at_a, at_b = value(a), value(b)
    for _ in range(_NARROWINGS):
        if at_a <= at_b:
            high, b, at_b = b, a, at_a
            a = high - part * (high - low)
            at_a = value(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + part * (high - low)
            at_b = value(b)
    return (low + high) / 2


def powered(lattice: LossLattice, runs: int, window: Window) -> LossLattice:
    """Return the lattice of ``runs`` runs on a window, of the same side, step and scale."""
    bits, count, above = lattice.bits, window.count, lattice.above
    unit = 1 << bits
    with precision(bits + GUARD + runs.bit_length() + count.bit_length()):
        scale = Ball(1) / unit
        folded = [acb(0)] * count
        for place, mass in enumerate(lattice.masses.coeffs()):
            if mass:
                folded[place % count] += Ball(mass) * scale
        transform = acb.dft(folded)
        half = [_to_the(one, runs) for one in transform[: count // 2 + 1]]
        whole = half + [one.conjugate() for one in half[count // 2 - 1 : 0 : -1]]
        sums = [one.real for one in acb.dft(whole, inverse=True)]
        turn = window.first % count
        sums = sums[turn:] + sums[:turn]
        left, right = _outside(lattice, runs, window)
        lost = 0 if above else max(0, fixed_point(left + right, bits)[1])
        masses = [max(0, _outward(one, bits, above) - lost) for one in sums]
        finite = Ball(lattice.total) * scale
        infinite = (finite + lattice.infinite * scale) ** runs - finite**runs
        if above:
            infinite += right
        beyond = max(0, _outward(infinite, bits, above))
    return replace(
        lattice,
        offset=lattice.offset * rational(runs),
        first=lattice.first * runs + window.first,
        masses=fmpz_poly(masses),
        infinite=beyond,
    )


def _outward(mass: Ball, bits: int, above: bool) -> int:
    """Return a mass as a whole number, rounded to its side."""
    return -fixed_point_below(-mass, bits) if above else fixed_point_below(mass, bits)


def _to_the(x: ComplexBall, exponent: int) -> ComplexBall:
    """Return x to a whole power; the short way is by a logarithm, which boxes around 0 lack."""
    found = x**exponent
    return found if found.is_finite() else complex_power(x, exponent)


def _outside(lattice: LossLattice, runs: int, window: Window) -> tuple[Ball, Ball]:
    """Return upper bounds of the masses of k runs before and behind the window."""
    found = []
    masses: Any = arb_poly(lattice.masses)
    for sign, edge, slope in (
        (-1, window.first - 1, window.tilts[0]),
        (1, window.first + window.count, window.tilts[1]),
    ):
        s = Ball(slope) * sign
        one = masses(s.exp()) / (1 << lattice.bits)
        found.append(integer_power(one, runs) * (-s * edge).exp())
    if window.first == 0:
        found[0] = Ball(0)
    return found[0], found[1]
