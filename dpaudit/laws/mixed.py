"""Mixtures of densities of one number, and pairs of densities of different forms.

Normal densities of one variance v, each divided by exp(−x²/2v), are exponentials of x: the largest
ratio of two mixtures of such is that of two exponential sums, in closed form.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.errors import LawError
from dpaudit.laws.analytic import (
    FarOut,
    Shape,
    Unsettled,
    excess_of_shapes,
    peak_of_shapes,
)
from dpaudit.laws.bells import Bell
from dpaudit.laws.parts import Part, Weight
from dpaudit.laws.suprema import folded, largest_ratio
from dpaudit.numbers.ball import Ball
from dpaudit.numbers.expsum import ExpSum
from dpaudit.numbers.piecewise import Piecewise
from dpaudit.numbers.real import ONE, Real

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from dpaudit.laws.suprema import Peak
    from dpaudit.numbers.quadrature import ComplexBall

__all__ = ["Mixed", "excess_of_parts", "mixed", "peak_of_parts"]


@dataclass(frozen=True, eq=False)
class Mixed(Part):
    """A mixture of densities of one number, none of them a mixture."""

    parts: tuple[tuple[Weight, Part], ...]
    mark: frozenset[Hashable] = field(init=False, repr=False)
    """All of it, in no order."""

    def __post_init__(self) -> None:
        """Take the mark once."""
        object.__setattr__(self, "mark", frozenset((_key(w), part) for w, part in self.parts))

    def __hash__(self) -> int:
        """Return the hash of all of it."""
        return hash(self.mark)

    def __eq__(self, other: object) -> bool:
        """Tell whether the same densities are mixed by the same weights."""
        return isinstance(other, Mixed) and self.mark == other.mark

    def mass(self) -> Ball:
        return sum((_ball(weight) * part.mass() for weight, part in self.parts), Ball(0))

    def peak(self, other: Part) -> Peak:
        return peak_of_parts(self, other)

    def excess(self, other: Part, factor: Ball) -> Ball:
        return excess_of_parts(self, other, factor)

    def shape(self) -> Shape:
        return _Sum([(_ball(weight), part.shape()) for weight, part in self.parts])

    @property
    def rate(self) -> Real | None:
        """Return 1/v of normal densities of one variance, in which their ratio is written."""
        found = _tilted(self)
        return None if found is None else found[1]

    def is_exact(self) -> bool:
        """Tell whether it is the same at every precision."""
        return all(isinstance(weight, Real) for weight, _ in self.parts)


def mixed(parts: Sequence[tuple[Weight, Part]]) -> Mixed:
    """Return the mixture of parts with weights, those that are equal as one."""
    found: dict[Part, Weight] = {}
    for weight, part in parts:
        inner = part.parts if isinstance(part, Mixed) else ((ONE, part),)
        for own, one in inner:
            times = _times(weight, own)
            found[one] = _plus(found[one], times) if one in found else times
    return Mixed(tuple((weight, part) for part, weight in found.items()))


def peak_of_parts(p: Part, q: Part) -> Peak:
    """Return the supremum of ln(p/q) for densities of any two forms.

    Raises ``LawError`` where it is not followed.
    """
    tilted = _tilted(p), _tilted(q)
    if tilted[0] and tilted[1] and tilted[0][1] == tilted[1][1]:
        return largest_ratio(tilted[0][0], tilted[1][0], tilted[0][1])
    try:
        return peak_of_shapes(p.shape(), q.shape())
    except Unsettled:
        raise LawError(
            "dpaudit cannot tell which of two densities has the heavier tail; clamp the output"
        ) from None


def excess_of_parts(p: Part, q: Part, factor: Ball) -> Ball:
    """Return ∫ (p − ``factor``·q)₊ for densities of any two forms."""
    return excess_of_shapes(p.shape(), q.shape(), factor)


def _tilted(part: Part) -> tuple[Piecewise, Real] | None:
    """Return p(x)·exp(x²/2v), up to a factor that depends on v alone, with its rate 1/v.

    None for a density that is no mixture of normal ones of one variance, with rational weights.
    """
    parts = list(part.parts) if isinstance(part, Mixed) else [(ONE, part)]
    total: Piecewise | None = None
    variances = {one.variance for _, one in parts if isinstance(one, Bell)}
    if len(variances) != 1:
        return None
    rate = ONE / variances.pop()
    for weight, one in parts:
        share = weight.as_fraction() if isinstance(weight, Real) else None
        if share is None or not isinstance(one, Bell):
            return None
        # e^(x²/2v)·e^(−(x − m)²/2v) = e^(mx/v)·e^(−m²/2v).
        height = ExpSum.term(share, s=one.mean**2 / 2)
        found = Piecewise((), ({(0, one.mean): height},)).between(one.low, one.high)
        total = found if total is None else total + found
    assert total is not None
    return folded(total, rate), rate


class _Sum(Shape):
    """A weighted sum of functions."""

    def __init__(self, parts: Sequence[tuple[Ball, Shape]]) -> None:
        self.parts = parts

    @property
    def breaks(self) -> tuple[Fraction, ...]:
        return tuple(sorted({x for _, shape in self.parts for x in shape.breaks}))

    def around(self, point: Fraction) -> Callable[[ComplexBall], ComplexBall] | None:
        found = [(weight, shape.around(point)) for weight, shape in self.parts]
        terms = [(weight, function) for weight, function in found if function is not None]
        if not terms:
            return None

        def value(z: ComplexBall) -> ComplexBall:
            (weight, first), *others = terms
            total = first(z) * weight
            for own, function in others:
                total += function(z) * own
            return total

        return value

    def reach(self, bits: int) -> tuple[Fraction, Fraction, Ball]:
        found = [(weight, *shape.reach(bits)) for weight, shape in self.parts]
        beyond = sum((weight * rest for weight, _, _, rest in found), Ball(0))
        return min(low for _, low, _, _ in found), max(high for _, _, high, _ in found), beyond

    def far_out(self, side: int, start: Fraction) -> list[FarOut]:
        return [
            tail.times(weight)
            for weight, shape in self.parts
            for tail in shape.far_out(side, start)
        ]


def _key(weight: Weight) -> Hashable:
    if isinstance(weight, Real):
        return weight
    return tuple(map(int, (*weight.mid().man_exp(), *weight.rad().man_exp())))


def _ball(weight: Weight) -> Ball:
    return weight.ball() if isinstance(weight, Real) else weight


def _times(left: Weight, right: Weight) -> Weight:
    if isinstance(left, Real) and isinstance(right, Real):
        return left * right
    return _ball(left) * _ball(right)


def _plus(left: Weight, right: Weight) -> Weight:
    if isinstance(left, Real) and isinstance(right, Real):
        return left + right
    return _ball(left) + _ball(right)
