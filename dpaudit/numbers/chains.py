"""Atoms of privacy loss merged in a chain onto the points of a lattice that one end lies on.

Merging atoms (A, B), (A′, B′) to (A + A′, B + B′) lowers H, and so does raising B
(:mod:`dpaudit.numbers.lattice`).  A group whose A is at least r·B, r = e^loss of a point, is put on
that point with its whole P-mass.  Groups follow one another: each takes from the next atom the
share that brings its ratio to r, and the rest of that atom begins the next group.  So a group
spreads over few cells and costs its variance alone.  The chain begins at the end where a law is
piled up, with an atom that is itself on a point; only what is left at the other end, a tail, goes
down to a point without a partner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.numbers.ball import Ball, certainly_less, fixed_point, lower_fraction, precision
from dpaudit.numbers.merging import GUARD
from dpaudit.numbers.real import Real, rational

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Chained", "chained"]


_LEAST = GUARD // 2
"""Atoms of less than 2^_LEAST units are left out: rounding changes their losses."""


class Chained(NamedTuple):
    """A pair that is merged onto points."""

    offset: Real
    """The loss of the point 0."""
    masses: dict[int, int]
    """The P-mass of each point, times 2^bits, rounded down."""


class _Atom(NamedTuple):
    p: int
    """At most the P-mass, in units of 2^−scale."""
    q: int
    """At least the Q-mass."""


def chained(
    atoms: Sequence[tuple[Ball, Ball]], step: Real, bits: int, *, together: int = 1
) -> Chained | None:
    """Return a pair below that of ``atoms``, on points that lie ``step`` apart.

    Args:
        atoms: (A, B) in the order of their losses; tiny ones are left out.
        step: the distance of two points.
        bits: the scale of the masses.
        together: how many atoms the chain begins with, merged to one.  More than one are better
            where the step is large beside most losses: those next to the first, of which there is
            much, would each take a share of the rare large ones to come up to a point.

    Returns:
        the pair; None where no atom is large enough.
    """
    scale = bits + GUARD
    with precision(scale + GUARD):
        listed, losses = [], []
        for p, q in atoms:
            one = _Atom(fixed_point(p, scale)[0], fixed_point(q, scale)[1])
            if min(one) >> _LEAST and certainly_less(Ball(0), q):
                listed.append(one)
                losses.append(float((p / q).log()))
        if not listed:
            return None
        # what is left at the other end moves by up to a step: that has to be a tail
        ends = (0, len(listed) - 1)
        start = max(ends, key=lambda place: listed[place].p)
        if together > 1:
            if len(listed) <= together:
                return None
            side = slice(-together, None) if start else slice(together)
            begun = _Atom(sum(one.p for one in listed[side]), sum(one.q for one in listed[side]))
            loss = float((Ball(begun.p) / begun.q).log())
            listed[side], losses[side] = [begun], [loss]
            start = len(listed) - 1 if start else 0
        # the point is rounded down, so that the atom is certainly not below it
        ratio = (Ball(listed[start].p) / listed[start].q).log() - Ball(2) ** (8 - scale)
        offset = rational(lower_fraction(ratio))
        points = _Points(offset, step, scale)
        masses: dict[int, int] = {}
        _note(masses, points.under(listed[start], 0), listed[start].p)
        both = list(zip(listed, losses, strict=True))
        if start:
            _leftwards(both[-2::-1], points, masses)
        else:
            _rightwards(both[1:], points, masses)
    return Chained(offset, {place: mass >> GUARD for place, mass in masses.items()})


@dataclass(frozen=True)
class _Points:
    offset: Real
    step: Real
    scale: int
    ratios: dict[int, int] = field(default_factory=dict)

    def ratio(self, place: int) -> int:
        """Return 2^scale·e^loss of a point, rounded up."""
        if place not in self.ratios:
            ratio = (self.offset.ball() + self.step.ball() * place).exp()
            self.ratios[place] = fixed_point(ratio, self.scale)[1]
        return self.ratios[place]

    def over(self, group: _Atom, place: int) -> int:
        """Return 2^scale·(A − r·B) of a group at a point, rounded down."""
        return (group.p << self.scale) - self.ratio(place) * group.q

    def under(self, group: _Atom, place: int) -> int:
        """Return about the first point from ``place`` down that the group is not below."""
        while self.over(group, place) < 0:
            loss = float((Ball(group.p) / group.q).log())
            place = min(place - 1, floor(self.near(loss)))
        return place

    def guard(self, place: int) -> int:
        """Return what :meth:`over` of a share may lose by rounding."""
        return 2 * ((1 << self.scale) + self.ratio(place))

    def near(self, loss: float) -> float:
        return (loss - float(self.offset)) / float(self.step)


_NOTHING = _Atom(0, 0)


def _together(group: _Atom, other: _Atom) -> _Atom:
    return _Atom(group.p + other.p, group.q + other.q)


def _note(masses: dict[int, int], place: int, mass: int) -> None:
    masses[place] = masses.get(place, 0) + mass


def _taken(atom: _Atom, share: int, bits: int) -> tuple[_Atom, _Atom]:
    """Return ``share``·2^−bits of an atom, and the rest, each rounded to its side."""
    p, q = atom.p * share, atom.q * share
    return (
        _Atom(p >> bits, -(-q >> bits)),
        _Atom(atom.p - -(-p >> bits), atom.q - (q >> bits)),
    )


def _rightwards(
    atoms: Iterable[tuple[_Atom, float]], points: _Points, masses: dict[int, int]
) -> None:
    """Merge atoms of growing losses: a group waits at the point over its first atom."""
    group, place = _NOTHING, 0
    for whole, loss in atoms:
        rest = whole
        while rest.p > 0:
            if group.p <= 0:
                place, group = floor(points.near(loss)) + 1, rest
                break
            lack = -points.over(group, place)
            if lack <= 0:
                _note(masses, place, group.p)
                group = _NOTHING
                continue
            lack += points.guard(place)
            gain = points.over(rest, place)
            if gain < lack:
                group = _together(group, rest)
                break
            part, rest = _taken(rest, -(-(lack << points.scale) // gain), points.scale)
            group = _together(group, part)
            _note(masses, points.under(group, place), group.p)
            group = _NOTHING
    if group.p > 0:
        _note(masses, points.under(group, place), group.p)


def _leftwards(
    atoms: Iterable[tuple[_Atom, float]], points: _Points, masses: dict[int, int]
) -> None:
    """Merge atoms of falling losses: a group waits at the point under its first atom."""
    group, place = _NOTHING, 0
    for whole, loss in atoms:
        rest = whole
        while rest.p > 0:
            if group.p <= 0:
                place, group = points.under(rest, floor(points.near(loss)) + 1), rest
                break
            spare = points.over(group, place) - points.guard(place)
            lack = -points.over(rest, place)
            if lack <= spare:
                group = _together(group, rest)
                break
            if spare > 0:
                part, rest = _taken(rest, (spare << points.scale) // lack, points.scale)
                group = _together(group, part)
            _note(masses, points.under(group, place), group.p)
            group = _NOTHING
    if group.p > 0:
        _note(masses, points.under(group, place), group.p)
