"""Two densities of one number as functions of balls: what one has over, and the largest ratio.

For densities that no closed form compares: mixtures of shifted noise, the largest of several noisy
numbers, normal noise of two widths.  A density is analytic between its breakpoints, so that the
mass over is integrated rigorously where p − factor·q has one sign, after intervals were halved
until it has; what is left undecided counts from both sides, and so does what lies far out.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.laws.suprema import Peak
from dpaudit.numbers import ball as balls
from dpaudit.numbers.ball import Ball, PrecisionNeeded, Sign, ball
from dpaudit.numbers.quadrature import ComplexBall, complex_ball, integrate
from dpaudit.numbers.real import Real, order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["FarOut", "Shape", "Unsettled", "excess_of_shapes", "peak_of_shapes"]

_GUARD_BITS = 8
_FEWEST_CELLS, _MOST_CELLS = 32, 4_000
_MOST_SIGNED = 6_000
_CLOSE = 1e-4
"""The largest ratio is looked for until it is known to so much."""
_DOUBLINGS = 12


class Unsettled(Exception):  # noqa: N818 - no error: the largest ratio is then bounded from below
    """The speed at which a density falls far out is not known."""


class FarOut(NamedTuple):
    """A density beyond some number: between two multiples of |x|^k·exp(−square·x² + line·x)."""

    square: Real
    line: Real
    power: int
    factor: Ball
    """Encloses the multiples."""

    def times(self, factor: Ball) -> FarOut:
        """Return it multiplied by a constant."""
        return self._replace(factor=self.factor * factor)

    def against(self, other: FarOut, side: int) -> int:
        """Return 1 where it outgrows another, −1 where it is outgrown, 0 where neither does."""
        for found, sign in (
            (order(self.square, other.square), -1),
            (order(self.line, other.line), side),
        ):
            if found is Sign.UNDECIDED:
                raise PrecisionNeeded(
                    "this precision does not show which of two tails decays faster"
                )
            if found is not Sign.ZERO:
                return sign if found is Sign.POSITIVE else -sign
        return (self.power > other.power) - (self.power < other.power)

    def most_over(self, other: FarOut, side: int, start: Fraction) -> Ball | None:
        """Return a bound of its quotient by another that it does not outgrow, without the factors.

        None where the quotient may still grow after ``start``.
        """
        square, line = (
            self.square.ball() - other.square.ball(),
            self.line.ball() - other.line.ball(),
        )
        x, power = ball(abs(start)), self.power - other.power
        bend = line * side - 2 * square * x
        slope = bend * x + power
        if self.against(other, side) and not (
            balls.certainly_less_or_equal(slope, Ball(0))
            and balls.certainly_less_or_equal(bend - 2 * square * x, Ball(0))
        ):
            return None
        exponent = line * side * x - square * x * x
        return balls.integer_power(x, power) * exponent.exp()


class Shape(ABC):
    """A density of one number, zero or analytic between breakpoints."""

    @property
    @abstractmethod
    def breaks(self) -> tuple[Fraction, ...]:
        """Return the breakpoints, increasing."""

    @abstractmethod
    def around(self, point: Fraction) -> Callable[[ComplexBall], ComplexBall] | None:
        """Return the function that holds around a number that is no breakpoint; None for 0."""

    @abstractmethod
    def reach(self, bits: int) -> tuple[Fraction, Fraction, Ball]:
        """Return two numbers between which nearly all mass lies, and a ball of the rest of it."""

    @abstractmethod
    def far_out(self, side: int, start: Fraction) -> list[FarOut]:
        """Return what adds up to the density from ``start`` outwards, on the side of ±1.

        Raises ``Unsettled`` where that is not known.
        """


class _Cell(NamedTuple):
    """An interval without a breakpoint inside, and both functions there."""

    low: Fraction
    high: Fraction
    p: Callable[[ComplexBall], ComplexBall] | None
    q: Callable[[ComplexBall], ComplexBall] | None

    def values(self) -> tuple[Ball, Ball]:
        """Return balls around both densities on all of it."""
        inside = complex_ball(ball(self.low).union(ball(self.high)))
        return tuple(Ball(0) if f is None else f(inside).real for f in (self.p, self.q))  # type: ignore[return-value]

    def halves(self) -> tuple[_Cell, _Cell]:
        middle = (self.low + self.high) / 2
        return self._replace(high=middle), self._replace(low=middle)


def _cells(p: Shape, q: Shape, low: Fraction, high: Fraction) -> list[_Cell]:
    """Return the cells between two numbers, of which there are some also where nothing breaks."""
    inner = {x for x in (*p.breaks, *q.breaks) if low < x < high}
    step = (high - low) / _FEWEST_CELLS
    even = {low + step * k for k in range(1, _FEWEST_CELLS)} if step else set()
    points = sorted({low, *inner, *even, high})
    found = []
    for left, right in pairwise(points):
        middle = (left + right) / 2
        found.append(_Cell(left, right, p.around(middle), q.around(middle)))
    return found


def excess_of_shapes(p: Shape, q: Shape, factor: Ball) -> Ball:
    """Return ∫ (p − ``factor``·q)₊ dx, factor > 0."""
    bits = balls.working_precision()
    with balls.precision(bits + _GUARD_BITS):
        low, high, beyond = p.reach(bits)
        runs, open_ = _signed(_cells(p, q, low, high), factor, Ball(2) ** -(bits + 4))
        # What lies far out, or was left open, adds something from nothing to all of it.
        total = Ball(0).union(beyond.upper() + open_.upper())
        for run in _joined(runs):
            total += integrate(_difference(run, factor), ball(run.low), ball(run.high)).max(Ball(0))
    return total.max(Ball(0))


def _signed(cells: Sequence[_Cell], factor: Ball, tolerance: Ball) -> tuple[list[_Cell], Ball]:
    """Return the cells on which p − factor·q is certainly positive, and a bound of other mass over.

    The cells that may hold the most of it are halved first.
    """
    runs: list[_Cell] = []
    queue: list[tuple[float, int, Ball, _Cell]] = []
    count = 0
    missing = 0.0
    waiting = [cell for cell in cells if cell.p is not None]
    while waiting or (queue and count < _MOST_SIGNED and missing > float(tolerance)):
        if not waiting:
            least, _, _, cell = heapq.heappop(queue)
            # Minus the mass of the cell: its halves are counted instead.
            missing += least
            waiting += cell.halves()
        cell = waiting.pop()
        value = _over(cell, factor)
        sign = balls.sign(value)
        if sign is Sign.POSITIVE:
            runs.append(cell)
        elif sign is not Sign.NEGATIVE:
            if not value.is_finite():
                raise PrecisionNeeded("a density is not enclosed")
            most = value.upper().max(Ball(0)) * ball(cell.high - cell.low)
            count += 1
            missing += float(most)
            heapq.heappush(queue, (-float(most), count, most, cell))
    runs.sort(key=lambda cell: cell.low)
    return runs, sum((most for _, _, most, _ in queue), Ball(0))


def _over(cell: _Cell, factor: Ball) -> Ball:
    p, q = cell.values()
    return p if cell.q is None else p - factor * q


def _joined(runs: Sequence[_Cell]) -> list[_Cell]:
    """Return neighbouring cells on which the same functions hold as one."""
    found: list[_Cell] = []
    for cell in runs:
        if found and found[-1].high == cell.low and found[-1][2:] == cell[2:]:
            found[-1] = found[-1]._replace(high=cell.high)
        else:
            found.append(cell)
    return found


def _difference(cell: _Cell, factor: Ball) -> Callable[[ComplexBall], ComplexBall]:
    p, q = cell.p, cell.q
    assert p is not None
    return p if q is None else lambda z: p(z) - q(z) * factor


def peak_of_shapes(p: Shape, q: Shape) -> Peak:
    """Return the supremum of ln(p/q): infinite, or a ball of what bounds it from both sides.

    Raises ``Unsettled`` where the tails are not compared.
    """
    bits = balls.working_precision()
    ends = p.reach(bits)[:2], q.reach(bits)[:2]
    low = min(ends[0][0], ends[1][0], *p.breaks, *q.breaks, Fraction(0)) - 1
    high = max(ends[0][1], ends[1][1], *p.breaks, *q.breaks, Fraction(0)) + 1
    bounds: list[tuple[Ball, str]] = []
    for side in (-1, 1):
        where = f"x -> {'-' if side < 0 else ''}inf"
        bound, end = _far_ratio(p, q, side, low if side < 0 else high)
        if bound is None:
            continue
        if not bound.is_finite():
            return Peak(balls.infinite_ball(), None, where)
        low, high = (end, high) if side < 0 else (low, end)
        bounds.append((bound, where))
    return _Search(bounds).run(_cells(p, q, low, high))


def _far_ratio(p: Shape, q: Shape, side: int, start: Fraction) -> tuple[Ball | None, Fraction]:
    """Return what bounds ln(p/q) from a number on, +∞ where nothing does, and the number.

    None where p is 0 there.
    """
    for _ in range(_DOUBLINGS):
        try:
            found = _far_ratio_from(p, q, side, start)
        except Unsettled:
            found = None
        if found is not None:
            return (None if not found else found[0]), start
        start *= 2
    raise Unsettled


def _far_ratio_from(p: Shape, q: Shape, side: int, start: Fraction) -> list[Ball] | None:
    above, below = p.far_out(side, start), q.far_out(side, start)
    if not above:
        return []
    if not below:
        return [balls.infinite_ball()]
    lead = _largest(below, side)
    if _largest(above, side).against(lead, side) > 0:
        return [balls.infinite_ball()]
    # From below: tails that fall faster are left out, as none is negative.
    alike = (one.factor for one in below if one.against(lead, side) == 0)
    least = sum(alike, Ball(0)).lower()
    if not balls.certainly_less(Ball(0), least):
        return None
    total = Ball(0)
    for one in above:
        most = one.most_over(lead, side, start)
        if most is None:
            return None
        total += one.factor * most
    return [(total.upper() / least).log()]


def _largest(tails: Sequence[FarOut], side: int) -> FarOut:
    lead = tails[0]
    for one in tails[1:]:
        if one.against(lead, side) > 0:
            lead = one
    return lead


class _Search:
    """The search for the largest ratio of two densities, by halving where it may be."""

    def __init__(self, bounds: Sequence[tuple[Ball, str]]) -> None:
        """Take what bounds the ratio far out, and where that is."""
        self.bounds = bounds
        self.best = -balls.infinite_ball()
        self.where = ""
        self.queue: list[tuple[float, int, Ball, _Cell]] = []
        self.count = 0

    def run(self, cells: Sequence[_Cell]) -> Peak:
        """Return the supremum over cells, and over what is far out."""
        for cell in cells:
            if cell.p is not None and cell.q is None:
                where = f"{float(cell.low):.12g} < x < {float(cell.high):.12g}"
                return Peak(balls.infinite_ball(), None, where)
            self._add(cell)
        while self.queue and self.count < _MOST_CELLS:
            upper = self.queue[0][2]
            least = balls.maximum([self.best, *(bound for bound, _ in self.bounds)])
            if upper.is_finite() and float(upper - least) <= _CLOSE * (1 + abs(float(least))):
                break
            for half in heapq.heappop(self.queue)[3].halves():
                self._add(half)
        most = [self.best, *(bound for bound, _ in self.bounds)]
        most += [self.queue[0][2]] if self.queue else []
        upper = balls.maximum(most)
        if not upper.is_finite():
            raise Unsettled
        where = next(
            (place for bound, place in self.bounds if balls.certainly_less(self.best, bound)),
            self.where,
        )
        return Peak(self.best.union(upper), None, where)

    def _add(self, cell: _Cell) -> None:
        if cell.p is None or cell.q is None:
            return
        middle = (cell.low + cell.high) / 2
        at = complex_ball(ball(middle))
        value = (cell.p(at).real / cell.q(at).real).log()
        if value.is_finite() and (not self.best.is_finite() or float(value) > float(self.best)):
            self.best, self.where = value, f"x = {float(middle):.12g}"
        above, below = cell.values()
        most = (above / below).log().upper()
        upper = most if most.is_finite() else balls.infinite_ball()
        self.count += 1
        heapq.heappush(self.queue, (-float(upper), self.count, upper, cell))
