"""Polar coordinates of a normal draw, as Box and Muller (1958) make one: radius and direction."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.programs.exploring.shifts import UNIT
from dpaudit.programs.unknowns.lazy import Lazy
from dpaudit.programs.unknowns.transforms import polar
from dpaudit.programs.unknowns.unknown import Unknown

if TYPE_CHECKING:
    from dpaudit.programs.exploring.run import Run

__all__ = ["circular", "square_root"]

_TURN = 2 * math.pi


class _Factor(Lazy):
    """One factor of a normal draw, times a known number."""

    __slots__ = ("_draw", "_kind", "_size")

    def __init__(self, run: Run, kind: str, draw: tuple[int, Fraction], size: Any = 1) -> None:
        """Take the kind, ``radius``, ``cos`` or ``sin``, the draw, and the known factor."""
        self._run, self._kind, self._draw, self._size = run, kind, draw, size

    def _stands_for(self) -> type:
        return float

    def _fixed(self) -> Any:
        return self

    def __mul__(self, other: object) -> Any:
        if isinstance(other, _Factor):
            kinds = {self._kind, other._kind}
            if "radius" not in kinds or len(kinds) != 2:
                self._run.refuse("dpaudit cannot follow a product of two random draws")
            first, second = (self, other) if self._kind == "radius" else (other, self)
            number = polar(second._kind, first._draw, second._draw, self._run)
            normal = Unknown(self._run, ((number, UNIT),), Fraction(0))
            return normal * self._size * other._size
        if isinstance(other, Lazy):
            self._run.refuse("dpaudit cannot follow a product of two random draws")
        return _Factor(self._run, self._kind, self._draw, self._size * other)

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return self * -1


def square_root(x: Unknown) -> Any:
    """Return √x, for an x that is twice a standard exponential draw."""
    if len(x._terms) == 1 and not x._constant:
        ((node, a),) = x._terms
        draw, run = x._run.draws[node], x._run
        standard = draw.kind == "exponential" and draw.scale.as_fraction() == 1
        if standard and a * draw.factor == 2 * run.scales[node]:
            return _Factor(run, "radius", (node, a))
    return x._run.refuse(
        "dpaudit cannot follow this square root of a random draw; it follows only that of "
        "twice a standard exponential draw, such as -2*log(u) of a uniform draw u (Box-Muller)"
    )


def circular(kind: str, x: Unknown) -> Any:
    """Return cos x or sin x, for an x that is 2π times a draw uniform on (0, 1)."""
    if len(x._terms) == 1 and not x._constant:
        ((node, a),) = x._terms
        draw = x._run.draws[node]
        low, high = draw.ends
        whole = draw.kind == "uniform" and low == 0 and high == draw.factor == 1
        if whole and x._run.scales[node] == 1 and float(a) == _TURN:
            return _Factor(x._run, kind, (node, a))
    return x._run.refuse(
        f"dpaudit cannot follow the {'cosine' if kind == 'cos' else 'sine'} of a random draw "
        "other than 2*pi*u, for a uniform draw u (Box-Muller)"
    )
