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
_AT_FIRST = 12
"""Digits that the widest distance of points is for."""
_QUIET = 60


def delta_of_runs(
    moment: Callable[[Any], Any],
    runs: int,
    epsilon: mpf,
    digits: int,
    *,
    distances: Sequence[mpf] = (),
) -> tuple[mpf, mpf]:
    """Return δ(ε) of ``runs`` runs to about so many digits, and how far it may be off.

    The rule is applied twice, with points half as far apart the second time.  It converges
    geometrically, so that what the two are apart is much more than the second is off.

    Args:
        moment: M.
        runs: k.
        epsilon: ε.
        digits: how many are wanted, :data:`_AT_FIRST` at least.
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
    pace = min(width / 8, c / 6) * _AT_FIRST / digits
    small = mpf(10) ** -digits

    for distance in distances:
        for turn in range(1, _TURNS):
            height = mpc(c, 2 * mp.pi * turn / distance)
            if abs(moment(height) / moment(c)) ** runs > small:
                raise UnknownDefinitionError(
                    "the losses nearly lie on a lattice, and verify has no second way to "
                    "compute δ then"
                )

    def term(place: mpf) -> mpf:
        z = mpc(c, place * pace)
        value = runs * mp.log(moment(z)) - z * epsilon - base
        return mp.re(mp.exp(value) / (z * (z + 1)))

    total, quiet = term(mpf(0)) / 2, 0
    for place in range(1, _MOST_POINTS):
        summand = term(mpf(place))
        total += summand
        # One small term may be a zero of an oscillation; so many in a row are the end.
        quiet = quiet + 1 if abs(summand) < small * abs(total) else 0
        if quiet > _QUIET:
            between = mp.fsum(term(place - mpf(1) / 2) for place in range(1, place + 1))
            finer = (total + between) / 2
            # What is left out at the end is a tail that falls off as it did over its last terms.
            error = abs(finer - total) + _QUIET * small * abs(total)
            unit = mp.exp(base) * pace / mp.pi
            return finer * unit, error * unit
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
        result = function(mp.exp(place))
    except (OverflowError, ValueError, ZeroDivisionError):
        return mp.inf
    return result if mp.isfinite(result) else mp.inf
