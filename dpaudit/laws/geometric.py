"""Laws on the integers made of points and geometric runs, exactly: rounded Laplace noise.

With t = e^(−rate), the law of ⌊c + Lap(1/rate)⌋ puts ½(1 − t)·t^(r−c) on r ≥ c and
½(1 − t)·t^(c−1−r) on r < c; clamping adds a point at either end.  Such a law is a handful of
pieces, however large n is: points with a polynomial in t as mass, and runs whose masses form a
geometric progression (endless ones for noise that is not clamped).  Where runs of two laws with the
same slope overlap, the privacy loss is constant, so each overlap is one atom, summed exactly.

Masses are Laurent polynomials in e^(−1/b), or in e^(−1/(2b)) where noise is rounded to the nearest
integer, b the scale of the noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

from dpaudit.numbers.laurent import (
    LAURENT_ONE,
    LAURENT_ZERO,
    Laurent,
    Ratio,
    power_of_t,
    ratio,
)

__all__ = [
    "Comparison",
    "GeometricLaw",
    "Point",
    "Run",
    "clamped_floor",
    "clamped_nearest",
    "compare_laws",
    "floor",
    "nearest_integer",
    "toward_zero",
]


@dataclass(frozen=True, slots=True)
class Point:
    """One integer with its mass."""

    at: int
    weight: Laurent

    @property
    def first(self) -> int:
        """The integer itself."""
        return self.at

    @property
    def last(self) -> int:
        """The integer itself."""
        return self.at

    def mass(self, first: int | None, last: int | None) -> Laurent:
        """Return the mass on first … last, which must be this point."""
        assert first == last == self.at
        return self.weight


@dataclass(frozen=True, slots=True)
class Run:
    """Integers first … last with masses scale·(1 − t^s)·t^e(r), e(r) = s·slope·(r − anchor) + o.

    ``first`` None stands for −∞ (slope −1), ``last`` None for +∞ (slope +1).  The step s is 1 and
    the offset o is 0 unless t stands for a root of the noise's own ratio.
    """

    first: int | None
    last: int | None
    scale: Fraction
    anchor: int
    slope: int
    step: int = 1
    offset: int = 0

    def mass(self, first: int | None, last: int | None) -> Laurent:
        """Return the mass on first … last inside the run, scale·(t^e(near) − t^(e(far) + s))."""
        near, far = (first, last) if self.slope > 0 else (last, first)
        assert near is not None
        total = Laurent.monomial(self.scale, self.exponent(near))
        if far is None:
            return total
        return total - Laurent.monomial(self.scale, self.exponent(far) + self.step)

    def exponent(self, r: int) -> int:
        """Return e(r)."""
        return self.step * self.slope * (r - self.anchor) + self.offset


Piece = Point | Run


@dataclass(frozen=True)
class Comparison:
    """Integers first … last on which two laws P and Q have one ratio."""

    first: int | None
    last: int | None
    left: Piece | None
    """The piece of P, None where P is 0."""
    right: Piece | None
    """The piece of Q, None where Q is 0."""

    @property
    def output(self) -> int:
        """An integer of the range, a finite end where there is one."""
        if self.first is not None:
            return self.first
        return 0 if self.last is None else self.last

    @cached_property
    def p(self) -> Laurent:
        """The mass of the range under P."""
        return LAURENT_ZERO if self.left is None else self.left.mass(self.first, self.last)

    @cached_property
    def q(self) -> Laurent:
        """The mass of the range under Q."""
        return LAURENT_ZERO if self.right is None else self.right.mass(self.first, self.last)

    @property
    def ratio(self) -> Ratio | None:
        """P/Q, or None where either is 0."""
        left, right = self.left, self.right
        if left is None or right is None:
            return None
        if (
            isinstance(left, Run) and isinstance(right, Run) and left.step == right.step
        ):  # (1 − t^s) cancels
            power = left.exponent(self.output) - right.exponent(self.output)
            # The usual case, without a fraction to be hashed.
            if left.scale == right.scale:
                return power_of_t(power)
            return Ratio(left.scale / right.scale, power, LAURENT_ONE, LAURENT_ONE)
        return ratio(self.p, self.q)


class GeometricLaw:
    """A law on the integers: its pieces in increasing order, without overlaps.

    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> law = GeometricLaw((Run(None, -1, half, -1, -1), Run(0, None, half, 0, 1)))
    >>> print(law.mass(0), "|", law.mass(-1))
    1/2*t^0 - 1/2*t^1 | 1/2*t^0 - 1/2*t^1
    """

    def __init__(self, pieces: tuple[Piece, ...], centre: int = 0) -> None:
        """Take the ``pieces``; every integer between two of them belongs to one.

        ``centre`` is an integer of the support to show where any will do: the noiseless count.
        """
        self.pieces = pieces
        self.centre = centre

    def mass(self, r: int) -> Laurent:
        """Return the mass of the integer ``r``."""
        for piece in self.pieces:
            if (piece.first is None or piece.first <= r) and (
                piece.last is None or r <= piece.last
            ):
                return piece.mass(r, r)
        return LAURENT_ZERO

    def support(self) -> Iterator[int]:
        """Iterate over the support, which must be finite."""
        for piece in self.pieces:
            if piece.first is None or piece.last is None:
                raise ValueError("infinitely many outputs cannot be listed")
            yield from range(piece.first, piece.last + 1)

    @cached_property
    def size(self) -> int | None:
        """The number of integers in the support, None if infinite."""
        total = 0
        for piece in self.pieces:
            if piece.first is None or piece.last is None:
                return None
            total += piece.last - piece.first + 1
        return total


def compare_laws(p: GeometricLaw, q: GeometricLaw) -> list[Comparison]:
    """Return the union of both supports cut into ranges on which P/Q is constant.

    >>> from fractions import Fraction
    >>> def noise(c):
    ...     half = Fraction(1, 2)
    ...     return GeometricLaw((Run(None, c - 1, half, c - 1, -1), Run(c, None, half, c, 1)))
    >>> [(part.first, part.last, part.ratio.power) for part in compare_laws(noise(0), noise(1))]
    [(None, -1, -1), (0, 0, 0), (1, None, 1)]
    """
    cuts = sorted(
        {
            cut
            for piece in (*p.pieces, *q.pieces)
            for cut in (piece.first, None if piece.last is None else piece.last + 1)
            if cut is not None
        }
    )
    ranges: list[tuple[int | None, int | None]] = [(None, cuts[0] - 1)]
    ranges += [(start, stop - 1) for start, stop in pairwise(cuts)]
    ranges.append((cuts[-1], None))
    found = []
    of_p, of_q = _Covering(p), _Covering(q)
    for first, last in ranges:
        left, right = of_p.at(first, last), of_q.at(first, last)
        if left is None and right is None:
            continue
        for a, b in _constant_ranges(left, right, first, last):
            found.append(Comparison(a, b, left, right))
    return found


class _Covering:
    """The pieces that cover ranges in increasing order; cuts make it all or nothing."""

    def __init__(self, law: GeometricLaw) -> None:
        self.left = iter(law.pieces)
        self.piece = next(self.left, None)

    def at(self, first: int | None, last: int | None) -> Piece | None:
        """Return the piece that covers the range, None where the law is 0."""
        piece = self.piece
        while piece is not None and first is not None:
            end = piece.last
            if end is None or end >= first:
                break
            self.piece = piece = next(self.left, None)
        if piece is None:
            return None
        starts, ends = piece.first, piece.last
        if starts is not None and (first is None or first < starts):
            return None
        return piece if ends is None or (last is not None and last <= ends) else None


def _constant_ranges(
    left: Piece | None, right: Piece | None, first: int | None, last: int | None
) -> list[tuple[int | None, int | None]]:
    opposed = isinstance(left, Run) and isinstance(right, Run) and left.slope != right.slope
    if not opposed or first == last:
        return [(first, last)]
    # Runs of opposite slope are endless on different sides, so what they share is finite.
    assert first is not None
    assert last is not None
    # Opposite slopes: no two integers have one ratio.
    return [(r, r) for r in range(first, last + 1)]


_HALF = Fraction(1, 2)


@lru_cache(maxsize=1 << 12)
def floor(count: int) -> GeometricLaw:
    """Return the law of ⌊count + Y⌋."""
    return GeometricLaw(
        (Run(None, count - 1, _HALF, count - 1, -1), Run(count, None, _HALF, count, 1)), count
    )


@lru_cache(maxsize=1 << 12)
def toward_zero(count: int) -> GeometricLaw:
    """Return the law of count + (Y rounded toward zero): |noise| = ⌊|Y|⌋ with a fair sign."""
    centre = Laurent.monomial(1, 0) - Laurent.monomial(1, 1)
    return GeometricLaw(
        (
            Run(None, count - 1, _HALF, count, -1),
            Point(count, centre),
            Run(count + 1, None, _HALF, count, 1),
        ),
        count,
    )


@lru_cache(maxsize=1 << 12)
def clamped_floor(count: int, n: int) -> GeometricLaw:
    """Return the law of ⌊count + Y⌋ clamped to [0, n], for 0 ≤ count ≤ n and n ≥ 1."""
    at_zero = (
        Laurent.monomial(_HALF, count - 1)
        if count
        else Laurent.monomial(1, 0) - Laurent.monomial(_HALF, 1)
    )
    pieces: list[Piece] = [Point(0, at_zero)]
    if count > 1:
        pieces.append(Run(1, count - 1, _HALF, count - 1, -1))
    if max(count, 1) < n:
        pieces.append(Run(max(count, 1), n - 1, _HALF, count, 1))
    pieces.append(Point(n, Laurent.monomial(_HALF, n - count)))
    return GeometricLaw(tuple(pieces), count)


def _falling(first: int | None, last: int, count: int) -> Run:
    """Return ½(s^(2d − 1) − s^(2d + 1)) at distance d = count − r > 0, s = e^(−1/(2b))."""
    return Run(first, last, _HALF, count, -1, step=2, offset=-1)


def _rising(first: int, last: int | None, count: int) -> Run:
    """Return ½(s^(2d − 1) − s^(2d + 1)) at distance d = r − count > 0, s = e^(−1/(2b))."""
    return Run(first, last, _HALF, count, 1, step=2, offset=-1)


@lru_cache(maxsize=1 << 12)
def nearest_integer(count: int) -> GeometricLaw:
    """Return the law of count + Y rounded to the nearest integer, in s = e^(−1/(2b))."""
    centre = Laurent.monomial(1, 0) - Laurent.monomial(1, 1)
    return GeometricLaw(
        (_falling(None, count - 1, count), Point(count, centre), _rising(count + 1, None, count)),
        count,
    )


@lru_cache(maxsize=1 << 12)
def clamped_nearest(count: int, n: int) -> GeometricLaw:
    """Return that law clamped to [0, n], for 0 ≤ count ≤ n and n ≥ 1."""

    def end(distance: int) -> Laurent:
        if distance:
            return Laurent.monomial(_HALF, 2 * distance - 1)
        return Laurent.monomial(1, 0) - Laurent.monomial(_HALF, 1)

    pieces: list[Piece] = [Point(0, end(count))]
    if count > 1:
        pieces.append(_falling(1, count - 1, count))
    if 0 < count < n:
        pieces.append(Point(count, Laurent.monomial(1, 0) - Laurent.monomial(1, 1)))
    if count + 1 < n:
        pieces.append(_rising(count + 1, n - 1, count))
    pieces.append(Point(n, end(n - count)))
    return GeometricLaw(tuple(pieces), count)
