"""δ(ε) of many runs from the moments of one: a contour integral instead of a convolution.

With L the loss of k runs and M(z) = E e^(zL) of one run under P,

    δ(ε) = E (1 − e^(ε − L))₊ = 1/(2πi) ∫ M(z)^k·e^(−zε)/(z(z + 1)) dz

along any vertical line with positive real part, because the kernel is the transform of
(1 − e^(−y))₊.  The line goes through the saddle point, and the trapezoidal rule converges
geometrically there.  Losses that lie, or nearly lie, on a lattice of distance d make the integrand
come back at every multiple of 2π/d; where it does, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mpmath import mp, mpc, mpf

from dpaudit.recheck.findings import UnknownDefinitionError

__all__ = ["delta_of_runs"]

_MOST_POINTS = 20_000
_TURNS = 8
_SMALL = mpf(10) ** -12


def delta_of_runs(
    moment: Callable[[Any], Any], runs: int, epsilon: mpf, *, distances: Sequence[mpf] = ()
) -> mpf:
    """Return δ(ε) of ``runs`` runs to some ten digits.

    Args:
        moment: M.
        runs: k.
        epsilon: ε.
        distances: the d of lattices that the losses may nearly lie on.

    Raises:
        UnknownDefinitionError: where the integral does not end, or comes back.
    """

    def exponent(c: mpf) -> mpf:
        return runs * mp.log(moment(c)) - c * epsilon - mp.log(c * (c + 1))

    c = _lowest(exponent)
    step = c / 4
    curvature = (exponent(c + step / 8) - 2 * exponent(c) + exponent(c - step / 8)) * 64 / step**2
    width = 1 / mp.sqrt(curvature)
    base = exponent(c)
    pace = min(width / 8, c / 6)

    for distance in distances:
        for turn in range(1, _TURNS):
            height = mpc(c, 2 * mp.pi * turn / distance)
            if abs(moment(height) / moment(c)) ** runs > _SMALL:
                raise UnknownDefinitionError("losses nearly lie on a lattice: no second arithmetic")

    def term(place: int) -> mpf:
        z = mpc(c, place * pace)
        value = runs * mp.log(moment(z)) - z * epsilon - base
        return mp.re(mp.exp(value) / (z * (z + 1)))

    total, quiet = term(0) / 2, 0
    for place in range(1, _MOST_POINTS):
        found = term(place)
        total += found
        quiet = quiet + 1 if abs(found) < _SMALL * abs(total) else 0
        if quiet > 60:
            return mp.exp(base) * total * pace / mp.pi
    raise UnknownDefinitionError("the integral over moments of the loss does not end")


def _lowest(function: Callable[[mpf], mpf]) -> mpf:
    """Return about where a convex function of c > 0 is lowest."""
    low, high = mpf(-12), mpf(12)  # ln c
    ratio = (mp.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if _value(function, left) < _value(function, right):
            high = right
        else:
            low = left
    return mp.exp((low + high) / 2)


def _value(function: Callable[[mpf], mpf], place: mpf) -> mpf:
    try:
        found = function(mp.exp(place))
    except (OverflowError, ValueError, ZeroDivisionError):
        return mp.inf
    return found if mp.isfinite(found) else mp.inf
