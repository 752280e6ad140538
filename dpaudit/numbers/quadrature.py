"""Rigorous integrals of analytic functions in balls (Johansson 2018), for what has no closed form.

A function is given as one of complex balls, analytic on the whole plane; what is one only piece by
piece is integrated piece by piece.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from flint import acb

from dpaudit.numbers.ball import Ball, working_precision

__all__ = ["ComplexBall", "complex_ball", "integrate", "integrate_between", "normal_below"]

ComplexBall: TypeAlias = acb
"""A complex number enclosed in a box."""


def complex_ball(x: Ball, y: Ball | None = None) -> ComplexBall:
    """Return x + iy, real without a ``y``."""
    return acb(x) if y is None else acb(x, y)


def integrate(function: Callable[[ComplexBall], ComplexBall], low: Ball, high: Ball) -> Ball:
    """Return a ball of the integral of an entire function, real on reals, between two reals.

    >>> integrate(lambda z: z.exp(), Ball(0), Ball(1)).str(10, radius=False)
    '1.718281828'
    """
    return integrate_between(function, acb(low), acb(high)).real


def integrate_between(
    function: Callable[[ComplexBall], ComplexBall], low: ComplexBall, high: ComplexBall
) -> ComplexBall:
    """Return a ball of the integral of an entire function along the line between two numbers."""
    tolerance = Ball(2) ** -working_precision()
    try:
        return acb.integral(lambda z, _: function(z), low, high, abs_tol=tolerance)
    except SystemError as error:
        # What ends the function, as a signal does, comes out of the library wrapped in this.
        raise error.__cause__ or error.__context__ or error from None


_BELOW: dict[tuple[Any, ...], ComplexBall] = {}
_MOST_BELOW = 1 << 16


def normal_below(z: ComplexBall) -> ComplexBall:
    """Return Φ(z) for a complex argument.

    What was computed at the same precision is kept: integrals over the same interval ask for it at
    the same nodes.

    >>> normal_below(complex_ball(Ball(0))).real.str(3, radius=False)
    '0.500'
    """
    if not z.is_finite():
        return (-z / Ball(2).sqrt()).erfc() / 2
    parts = (z.real.mid(), z.real.rad(), z.imag.mid(), z.imag.rad())
    key = (working_precision(), *(end for part in parts for end in part.man_exp()))
    if key not in _BELOW:
        if len(_BELOW) >= _MOST_BELOW:
            _BELOW.clear()
        _BELOW[key] = (-z / Ball(2).sqrt()).erfc() / 2
    return _BELOW[key]
