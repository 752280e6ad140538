"""The laws of a count with Laplace noise that is rounded to an integer, clamped or not.

Probabilities are Laurent polynomials in s = e^(−1/b), or in e^(−1/(2b)) where noise is rounded to
the nearest integer, b the scale of the noise.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dpaudit.laws.geometric import GeometricLaw, Piece, Point, Run
from dpaudit.numbers.laurent import Laurent

__all__ = ["clamped_floor", "clamped_nearest", "floor", "nearest_integer", "toward_zero"]

_HALF = Fraction(1, 2)


@lru_cache(maxsize=1 << 16)
def floor(count: int) -> GeometricLaw:
    """Return the law of ⌊count + Y⌋."""
    return GeometricLaw(
        (Run(None, count - 1, _HALF, count - 1, -1), Run(count, None, _HALF, count, 1)), count
    )


@lru_cache(maxsize=1 << 16)
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


@lru_cache(maxsize=1 << 16)
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


@lru_cache(maxsize=1 << 16)
def nearest_integer(count: int) -> GeometricLaw:
    """Return the law of count + Y rounded to the nearest integer, in s = e^(−1/(2b))."""
    centre = Laurent.monomial(1, 0) - Laurent.monomial(1, 1)
    return GeometricLaw(
        (
            _falling(None, count - 1, count),
            Point(count, centre),
            _rising(count + 1, None, count),
        ),
        count,
    )


@lru_cache(maxsize=1 << 16)
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
