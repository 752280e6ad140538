"""Functions that are polynomial × exponential on intervals, and their exact integrals.

On each of the intervals between rational breakpoints a function of x is Σ c·y^k·e^(r·y) in the
scaled variable y = λ·x, with whole k ≥ 0, rational r and coefficients c that are exponential sums
(:mod:`dpaudit.numbers.expsum`).  Such functions are closed under sums, products, shifts by
rationals and integration, so a probability that is an integral of a product of densities and
distribution functions of Laplace or exponential noise comes out as one exponential sum; no
quadrature is used.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial

from dpaudit.numbers.ball import Ball, ball, integer_power
from dpaudit.numbers.expsum import EXPSUM_ONE, EXPSUM_ZERO, ExpSum
from dpaudit.numbers.real import Real

__all__ = [
    "ONE_EVERYWHERE",
    "Integrals",
    "Piece",
    "Piecewise",
    "constant",
    "derivative",
    "indicator",
]

Piece = dict[tuple[int, Fraction], ExpSum]
"""(k, r) → c for Σ c·y^k·e^(r·y)."""

End = Fraction | None
"""The end of an interval; None for −∞ as a lower end and +∞ as an upper end."""


@dataclass(frozen=True)
class Piecewise:
    """A function with the given pieces between its breakpoints.

    ``pieces[0]`` holds below the first breakpoint and ``pieces[-1]`` above the last.  What it is at
    a breakpoint itself matters to no integral and is left open.
    """

    breaks: tuple[Fraction, ...]
    """The breakpoints in x, increasing."""
    pieces: tuple[Piece, ...]
    """One more piece than there are breakpoints."""

    def __mul__(self, other: Piecewise) -> Piecewise:
        """Return the product."""
        breaks = sorted({*self.breaks, *other.breaks})
        pieces = [
            _product(left, right)
            for left, right in zip(self._refined(breaks), other._refined(breaks), strict=True)
        ]
        return Piecewise(tuple(breaks), tuple(pieces))

    def __add__(self, other: Piecewise) -> Piecewise:
        """Return the sum."""
        breaks = sorted({*self.breaks, *other.breaks})
        pieces = [
            _sum([*left.items(), *right.items()])
            for left, right in zip(self._refined(breaks), other._refined(breaks), strict=True)
        ]
        return Piecewise(tuple(breaks), tuple(pieces))

    def _refined(self, breaks: list[Fraction]) -> list[Piece]:
        """Return the pieces between ``breaks``, which contain the function's own."""
        inner = [self.pieces[bisect_right(self.breaks, point)] for point in breaks]
        return [self.pieces[0], *inner]

    def shifted(self, by: Fraction | int) -> Piecewise:
        """Return x ↦ self(x − ``by``)."""
        shift = Fraction(by)
        return Piecewise(
            tuple(point + shift for point in self.breaks),
            tuple(_shifted(piece, shift) for piece in self.pieces),
        )

    def mirrored(self) -> Piecewise:
        """Return x ↦ self(−x)."""
        return Piecewise(
            tuple(-point for point in reversed(self.breaks)),
            tuple(
                {(k, -r): c.times(Fraction((-1) ** k)) for (k, r), c in piece.items()}
                for piece in reversed(self.pieces)
            ),
        )

    def scaled(self, by: Fraction) -> Piecewise:
        """Return the density of ``by``·X where self is the density of X; ``by`` is not 0."""
        if by < 0:
            return self.mirrored().scaled(-by)
        return Piecewise(
            tuple(point * by for point in self.breaks),
            tuple(
                {(k, r / by): c.times(by ** (-k - 1)) for (k, r), c in piece.items()}
                for piece in self.pieces
            ),
        )

    def convolved(self, other: Piecewise) -> Piecewise:
        """Return s ↦ ∫ self(x)·other(s − x) dy, the density of a sum.

        Raises ``ValueError`` if the integral does not converge.
        """
        total = Piecewise((), ({},))
        ends: list[End] = [None, *other.breaks, None]
        for index, piece in enumerate(other.pieces):
            for (k, r), c in piece.items():
                for i in range(k + 1):
                    # (s − x)^k·e^(r·(s − x)) is a sum of products of a term in s and one in x.
                    inner = self * Piecewise((), ({(i, -r): EXPSUM_ONE.times(Fraction(-1) ** i)},))
                    outer = Piecewise((), ({(k - i, r): c.times(Fraction(comb(k, i)))},))
                    total += outer * _swept(inner, ends[index], ends[index + 1])
        return total

    def between(self, low: End, high: End) -> Piecewise:
        """Return the function that is self on (``low``, ``high``) and 0 outside."""
        return self * indicator(low, high)

    def integral(self, low: End = None, high: End = None) -> ExpSum:
        """Return ∫ self dy from ``low`` to ``high`` (in x), exactly.

        Raises ``ValueError`` if the integral does not converge.

        >>> from dpaudit.laws.noise import Laplace
        >>> print(Laplace(Fraction(1, 2)).density(3).integral(high=Fraction(1)))
        1/2*t^(1)
        """
        total = EXPSUM_ZERO
        ends: list[End] = [None, *self.breaks, None]
        for index, piece in enumerate(self.pieces):
            left = _later(ends[index], low)
            right = _earlier(ends[index + 1], high)
            if piece and (left is None or right is None or left < right):
                total += _definite(piece, left, right)
        return total

    def cumulative(self) -> Piecewise:
        """Return x ↦ ∫ self dy from −∞ to x.

        Raises ``ValueError`` if the integral does not converge at −∞.
        """
        pieces = []
        so_far = EXPSUM_ZERO
        ends: list[End] = [None, *self.breaks, None]
        for index, piece in enumerate(self.pieces):
            left, right = ends[index], ends[index + 1]
            primitive = _primitive(piece)
            start = _limit(primitive, left, below=True)
            constant: Piece = {(0, Fraction(0)): so_far - start}
            pieces.append(_sum([*primitive.items(), *constant.items()]))
            if right is not None:
                so_far += _value(primitive, right) - start
        return Piecewise(self.breaks, tuple(pieces))

    def at(self, x: Fraction | int) -> ExpSum:
        """Return the value at ``x``; at a breakpoint, the limit from above."""
        point = Fraction(x)
        return _value(self.pieces[bisect_right(self.breaks, point)], point)


class Integrals:
    """Balls of the integrals of one function, between many ends.

    An exact integral between ends with long denominators costs far more than its ball.
    """

    def __init__(self, function: Piecewise, rate: Real) -> None:
        """Take the function, where λ is ``rate``."""
        self._function = function
        self._rate = rate
        self._primitives: dict[int, tuple[Piece, list[tuple[int, Fraction, Ball]]]] = {}

    def between(self, low: End, high: End) -> Ball:
        """Return a ball of ∫ function dy from ``low`` to ``high`` (in x).

        The working precision must be the same each time.  Raises ``ValueError`` if the integral
        does not converge.
        """
        total = Ball(0)
        ends: list[End] = [None, *self._function.breaks, None]
        for index, piece in enumerate(self._function.pieces):
            left = _later(ends[index], low)
            right = _earlier(ends[index + 1], high)
            if piece and (left is None or right is None or left < right):
                total += self._value(index, right, below=False)
                total -= self._value(index, left, below=True)
        return total

    def _value(self, index: int, end: End, *, below: bool) -> Ball:
        if index not in self._primitives:
            primitive = _primitive(self._function.pieces[index])
            balls = [(k, r, c.ball(self._rate)) for (k, r), c in primitive.items()]
            self._primitives[index] = primitive, balls
        primitive, balls = self._primitives[index]
        if end is None:
            return _limit(primitive, None, below=below).ball(self._rate)
        y = self._rate.ball() * ball(end)
        total = Ball(0)
        for k, r, c in balls:
            value = c * (ball(r) * y).exp() if r else c
            total += value * integer_power(y, k) if k else value
        return total


def indicator(low: End, high: End) -> Piecewise:
    """Return the function that is 1 on (``low``, ``high``) and 0 outside; None is ∓∞."""
    one: Piece = {(0, Fraction(0)): EXPSUM_ONE}
    if low is not None and high is not None and low >= high:
        return Piecewise((), ({},))
    breaks = tuple(end for end in (low, high) if end is not None)
    zero: Piece = {}
    before, after = () if low is None else (zero,), () if high is None else (zero,)
    return Piecewise(breaks, (*before, one, *after))


def _swept(function: Piecewise, low: End, high: End) -> Piecewise:
    """Return s ↦ ∫ function dy from s − ``high`` to s − ``low``."""
    whole = _antiderivative(function)
    above = constant(_limit(whole.pieces[-1], None, below=False)) if low is None else None
    below = constant(_limit(whole.pieces[0], None, below=True)) if high is None else None
    minus = constant(EXPSUM_ONE.times(Fraction(-1)))
    upper = whole.shifted(low) if low is not None else above
    lower = whole.shifted(high) if high is not None else below
    assert upper is not None
    assert lower is not None
    return upper + minus * lower


def _antiderivative(function: Piecewise) -> Piecewise:
    """Return a continuous antiderivative in y."""
    pieces: list[Piece] = []
    for index, piece in enumerate(function.pieces):
        primitive = _primitive(piece)
        if index:
            point = function.breaks[index - 1]
            step = _value(pieces[-1], point) - _value(primitive, point)
            primitive = _sum([*primitive.items(), ((0, Fraction(0)), step)])
        pieces.append(primitive)
    return Piecewise(function.breaks, tuple(pieces))


def derivative(piece: Piece) -> Piece:
    """Return the derivative of a piece in y."""
    return _sum(
        term
        for (k, r), c in piece.items()
        for term in (((k, r), c.times(r)), *([((k - 1, r), c.times(Fraction(k)))] if k else []))
    )


def constant(c: ExpSum) -> Piecewise:
    """Return the constant function ``c``."""
    return Piecewise((), ({} if c.is_zero() else {(0, Fraction(0)): c},))


ONE_EVERYWHERE = indicator(None, None)
"""The constant function 1."""


def _sum(terms: Iterable[tuple[tuple[int, Fraction], ExpSum]]) -> Piece:
    total: Piece = {}
    for power, c in terms:
        total[power] = total[power] + c if power in total else c
    return {power: c for power, c in total.items() if not c.is_zero()}


def _product(left: Mapping[tuple[int, Fraction], ExpSum], right: Piece) -> Piece:
    return _sum(
        ((k + m, r + s), c * d) for (k, r), c in left.items() for (m, s), d in right.items()
    )


def _shifted(piece: Piece, v: Fraction) -> Piece:
    """Return the piece with y − λv for y: (y − λv)^k·e^(r·y)·t^(r·v)."""
    return _sum(
        ((i, r), c.times(comb(k, i) * (-v) ** (k - i), j=k - i, s=r * v))
        for (k, r), c in piece.items()
        for i in range(k + 1)
    )


def _primitive(piece: Piece) -> Piece:
    """Return a primitive in y: repeated integration by parts."""
    terms = []
    for (k, r), c in piece.items():
        if r == 0:
            terms.append(((k + 1, r), c.times(Fraction(1, k + 1))))
            continue
        for i in range(k + 1):
            falling = Fraction(factorial(k), factorial(k - i))
            terms.append(((k - i, r), c.times((-1) ** i * falling / r ** (i + 1))))
    return _sum(terms)


def _value(piece: Piece, x: Fraction) -> ExpSum:
    """Return the piece at y = λx."""
    total = EXPSUM_ZERO
    for (k, r), c in piece.items():
        total += c.times(x**k, j=k, s=-r * x)
    return total


def _limit(primitive: Piece, end: End, *, below: bool) -> ExpSum:
    """Return the primitive at ``end``, or its limit at −∞ (``below``) or +∞."""
    if end is not None:
        return _value(primitive, end)
    constant = 0, Fraction(0)
    for power in primitive:
        # Such a term does not vanish at that end.
        if power != constant and (power[1] <= 0 if below else power[1] >= 0):
            raise ValueError("the integral does not converge")
    return primitive.get(constant, EXPSUM_ZERO)


def _definite(piece: Piece, low: End, high: End) -> ExpSum:
    primitive = _primitive(piece)
    return _limit(primitive, high, below=False) - _limit(primitive, low, below=True)


def _later(left: End, right: End) -> End:
    if left is None or right is None:
        return right if left is None else left
    return max(left, right)


def _earlier(left: End, right: End) -> End:
    if left is None or right is None:
        return right if left is None else left
    return min(left, right)
