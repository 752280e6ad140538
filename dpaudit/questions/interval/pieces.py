"""Cutting an interval of nominal ε into pieces until each has its verdict and a narrow band.

On a piece the realised ε lies between two lines (:mod:`dpaudit.laws.over_epsilon`).  Their ends are
rounded outward to decimals before anything is decided, so that every verdict follows from what is
printed.  The budget is a line too, ε itself or a constant.  A line that is on one side of another
at both ends of a piece is on that side everywhere in it.
"""

from __future__ import annotations

import heapq
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec.structs import replace

from dpaudit import results
from dpaudit.errors import PrecisionError
from dpaudit.laws.deltas_over import Abscissa, DeltaFamily
from dpaudit.numbers.ball import Sign, lower_fraction, precision, upper_fraction
from dpaudit.numbers.real import Real, order, rational

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dpaudit.laws.over_epsilon import EpsilonFamily, Lines
    from dpaudit.questions.interval.reading import Interval


__all__ = [
    "NARROWEST",
    "highest_ratio",
    "is_near",
    "kept_everywhere",
    "pieces_of",
    "place_to_cut",
    "rounded_ends",
    "side_of",
    "stretches_of",
    "verdict_of_piece",
    "width_of",
    "written",
]

_DIGITS = 12
BAND = Fraction(1, 100)  # of the realised ε: a wider band is refined
NARROWEST = 1 << 20  # of an interval into so many parts nothing is cut further
_AT_BEND = 1000  # of a piece a cut misses a bend by at most so small a part
_FAR = 64  # a piece whose last number is more than so many times its first is cut by powers
_SMALL = Fraction(1, 10**6)  # lines around δ nearer than this are near, however small it is
_MOST = 1000  # pieces that are examined; those still open then stay undecided


def pieces_of(
    family: EpsilonFamily,
    interval: Interval,
    budget: results.IntervalBudget,
    deltas: DeltaFamily | None = None,
) -> tuple[results.Piece, ...]:
    """Return pieces that cover the whole ``interval``, in order, each with its verdict.

    With δ in the budget, ``deltas`` decides where the realised ε does not.

    The widest piece that is still open is cut first: one without a verdict, or whose band is wider
    than 1 % of the realised ε.  A piece as narrow as 2⁻²⁰ of the interval is not cut, and after
    1000 pieces nothing is: what has no verdict then stays undecided.
    """
    low, high = interval
    waiting = [(-width_of(low, high, interval), low, high)]
    done: list[results.Piece] = []
    looked_at = 0
    while waiting:
        width, first, last = heapq.heappop(waiting)
        looked_at += 1
        lines = family.lines(first, last)
        piece = _piece(first, last, lines, budget)
        is_open = piece.verdict is results.Verdict.UNDECIDED and _narrow(piece, lines)
        if is_open and deltas is not None:  # δ is slow to compute: only where ε does not decide
            at = Abscissa(Fraction(1)) if budget.epsilon is None else Abscissa(None, budget.epsilon)
            delta_lines = deltas.piece(first, last)(at, range(len(deltas.ways))).lines
            piece = _judged(
                replace(piece, delta=results.DeltaLines(*rounded_ends(delta_lines))), budget
            )
        settled = piece.verdict is not results.Verdict.UNDECIDED and _narrow(piece, lines)
        if settled or -width * NARROWEST <= 1 or looked_at + len(waiting) >= _MOST:
            done.append(piece)
            continue
        middle = _cut(piece, first, last, budget, family.bends(first, last))
        for ends in ((first, middle), (middle, last)):
            heapq.heappush(waiting, (-width_of(*ends, interval), *ends))
    return tuple(sorted(done, key=lambda piece: Fraction(piece.first)))


def _piece(
    first: Fraction, last: Fraction, lines: Lines, budget: results.IntervalBudget
) -> results.Piece:
    lower, upper = rounded_ends(lines)
    piece = results.Piece(
        first=written(first),
        last=written(last),
        lower=lower,
        upper=upper,
        slope=None if lines.slope is None else str(lines.slope),
        verdict=results.Verdict.UNDECIDED,
    )
    return _judged(piece, budget)


def _judged(piece: results.Piece, budget: results.IntervalBudget) -> results.Piece:
    return replace(piece, verdict=verdict_of_piece(piece, budget))


def rounded_ends(lines: Lines) -> tuple[tuple[Decimal, Decimal], tuple[Decimal, Decimal]]:
    """Return the ends of both lines as decimals, rounded outward."""
    lower = tuple(_rounded(end, ROUND_FLOOR) for end in lines.lower)
    upper = tuple(_rounded(end, ROUND_CEILING) for end in lines.upper)
    return (lower[0], lower[1]), (upper[0], upper[1])


def _rounded(end: Fraction | float, rounding: str) -> Decimal:
    if not isinstance(end, Fraction):
        return Decimal("Infinity")
    return Context(prec=_DIGITS, rounding=rounding).divide(
        Decimal(end.numerator), Decimal(end.denominator)
    )


def verdict_of_piece(piece: results.Piece, budget: results.IntervalBudget) -> results.Verdict:
    """Return the verdict for every ε of a piece that follows from its lines.

    Raises:
        ValueError: for lines that cannot be.
    """
    ends = [Fraction(end) for end in (piece.first, piece.last)]
    if not 0 < ends[0] < ends[1]:
        raise ValueError(f"a piece from {piece.first} to {piece.last} must have 0 < first < last")
    if not all(low <= high for low, high in zip(piece.lower, piece.upper, strict=True)):
        raise ValueError("a lower line is above its upper line")
    limits = [rational(end) if budget.epsilon is None else budget.epsilon for end in ends]
    if piece.slope is not None:
        exact = [Fraction(piece.slope) * end for end in ends]
        for value, low, high in zip(exact, piece.lower, piece.upper, strict=True):
            if not Fraction(low) <= value <= Fraction(high):
                raise ValueError("an exact value is not between its lower and its upper line")
        lower = upper = [side_of(value, limit) for value, limit in zip(exact, limits, strict=True)]
    else:
        lower = [side_of(value, limit) for value, limit in zip(piece.lower, limits, strict=True)]
        upper = [side_of(value, limit) for value, limit in zip(piece.upper, limits, strict=True)]
    if all(side in (Sign.NEGATIVE, Sign.ZERO) for side in upper):
        return results.Verdict.WITHIN
    pure = order(budget.delta, rational(0)) is Sign.ZERO
    if pure and all(side is Sign.POSITIVE for side in lower):
        return results.Verdict.EXCEEDS
    return (
        results.Verdict.UNDECIDED if pure or piece.delta is None else _by_delta(piece.delta, budget)
    )


def _by_delta(delta: results.DeltaLines, budget: results.IntervalBudget) -> results.Verdict:
    """Return the verdict that follows from δ at the ε of the budget."""
    if not all(low <= high for low, high in zip(delta.lower, delta.upper, strict=True)):
        raise ValueError("a lower line of δ is above its upper line")
    if all(side_of(end, budget.delta) in (Sign.NEGATIVE, Sign.ZERO) for end in delta.upper):
        return results.Verdict.WITHIN
    if all(side_of(end, budget.delta) is Sign.POSITIVE for end in delta.lower):
        return results.Verdict.EXCEEDS
    return results.Verdict.UNDECIDED


def side_of(value: Fraction | Decimal, limit: Real) -> Sign:
    """Return the sign of ``value - limit``; ``UNDECIDED`` where no precision tells it."""
    if isinstance(value, Decimal) and value.is_infinite():
        return Sign.POSITIVE
    rational_limit = limit.as_fraction()
    exact = Fraction(value)
    if rational_limit is not None:
        return (
            Sign.ZERO
            if exact == rational_limit
            else Sign.NEGATIVE
            if exact < rational_limit
            else Sign.POSITIVE
        )
    try:
        return order(rational(exact), limit)
    except PrecisionError:
        return Sign.UNDECIDED


def _narrow(piece: results.Piece, lines: Lines) -> bool:
    """Tell whether the band is at most 1 % of the realised ε wide."""
    if lines.slope is not None or all(end.is_infinite() for end in piece.lower):
        return True
    return all(
        not high.is_infinite() and Fraction(high) <= Fraction(low) * (1 + BAND)
        for low, high in zip(piece.lower, piece.upper, strict=True)
    )


def is_near(delta: results.DeltaLines | results.DeltaPiece) -> bool:
    """Tell whether lines around δ are at most 1 % of it, or 10⁻⁶, apart."""
    return all(
        Fraction(high) - Fraction(low) <= max(Fraction(low) * BAND, _SMALL)
        for low, high in zip(delta.lower, delta.upper, strict=True)
    )


def _cut(
    piece: results.Piece,
    first: Fraction,
    last: Fraction,
    budget: results.IntervalBudget,
    bends: Iterable[float],
) -> Fraction:
    """Return where to cut: where an exact ε meets a constant budget, at a bend, or half-way."""
    limit = None if budget.epsilon is None else budget.epsilon.as_fraction()
    if piece.slope is not None and limit is not None:
        meeting = Fraction(limit) / Fraction(piece.slope)
        if first < meeting < last:
            return meeting
    return place_to_cut(first, last, bends)


def width_of(first: Fraction, last: Fraction, interval: Interval) -> Fraction:
    """Return the width of a piece as a part of its interval, or of 64 times its last number."""
    return (last - first) / min(interval[1] - interval[0], _FAR * last)


def place_to_cut(first: Fraction, last: Fraction, bends: Iterable[float]) -> Fraction:
    """Return where to cut a piece: at a bend, half-way, or in powers where it is far."""
    if last > _FAR * first:
        parts = (last / first).__floor__().bit_length() // 2
        place = first * 2**parts
        return _short(place, place / 4, Fraction(1, 10 ** len(str(int(place)))))
    middle, width = (first + last) / 2, last - first
    off = width / _AT_BEND
    inside = [Fraction(bend) for bend in bends if first + 2 * off < bend < last - 2 * off]
    if inside:
        return _short(min(inside, key=lambda bend: abs(bend - middle)), off)
    return _short(middle, width / 4)


def _short(place: Fraction, off: Fraction, scale: Fraction = Fraction(1)) -> Fraction:
    """Return the shortest decimal, from a scale on, within ``off`` of a place: people read it.

    >>> _short(Fraction(21, 20), Fraction(19, 40))
    Fraction(1, 1)
    """
    while abs(Fraction(round(place * scale)) / scale - place) > off:
        scale *= 10
    return Fraction(round(place * scale)) / scale


def written(number: Fraction) -> str:
    """Return a rational as a decimal where it is a short one, else as a fraction.

    >>> written(Fraction(1, 10)), written(Fraction(1, 3))
    ('0.1', '1/3')
    """
    digits = Context(prec=24)
    decimal = digits.divide(Decimal(number.numerator), Decimal(number.denominator))
    return results.decimal_text(decimal) if Fraction(decimal) == number else str(number)


def highest_ratio(
    pieces: Sequence[results.Piece], budget: results.IntervalBudget
) -> results.Enclosure:
    """Return an interval around the largest ratio of the realised ε to the budget's ε.

    Where δ decides, it is the ratio of the δ.  The quotient of two lines whose denominator is not
    0 is monotone, so only the ends of each piece are compared.
    """
    lower, upper = Decimal(0), Decimal(0)
    for piece in pieces:
        ends = (Fraction(piece.first), Fraction(piece.last))
        if piece.delta is not None:
            least, most = _around(budget.delta)
            reached = max(Fraction(0), *map(Fraction, piece.delta.lower))
            highest = max(map(Fraction, piece.delta.upper))
            lower = max(lower, _rounded(reached / most, ROUND_FLOOR))
            upper = max(upper, _rounded(highest / least, ROUND_CEILING))
            continue
        values = [piece.lower, piece.upper]
        if piece.slope is not None and budget.epsilon is None:
            slope = Fraction(piece.slope)  # both are multiples of ε: one ratio for the whole piece
            lower = max(lower, _rounded(slope, ROUND_FLOOR))
            upper = max(upper, _rounded(slope, ROUND_CEILING))
            continue
        for index, end in enumerate(ends):
            limits = _limits(end, budget)
            low, high = (line[index] for line in values)
            if high.is_infinite():
                upper = high
            else:
                upper = max(upper, _rounded(Fraction(high) / limits[0], ROUND_CEILING))
            if low.is_infinite():
                lower = low
            else:
                lower = max(lower, _rounded(Fraction(low) / limits[1], ROUND_FLOOR))
    return results.Enclosure(lower, upper)


def _limits(end: Fraction, budget: results.IntervalBudget) -> Interval:
    """Return rationals around the ε of the budget at one nominal ε."""
    return (end, end) if budget.epsilon is None else _around(budget.epsilon)


def _around(number: Real) -> Interval:
    """Return rationals around a number."""
    exact = number.as_fraction()
    if exact is not None:
        return exact, exact
    with precision(128):  # many more than the digits that are printed: no precision is raised
        ball = number.ball()
        return lower_fraction(ball), upper_fraction(ball)


def stretches_of(pieces: Sequence[results.Piece]) -> tuple[results.Stretch, ...]:
    """Return the verdicts of pieces in order, those of one verdict put together."""
    stretches: list[results.Stretch] = []
    for piece in pieces:
        first = piece.first
        if stretches and stretches[-1].verdict is piece.verdict:
            first = stretches.pop().first
        stretches.append(results.Stretch(first=first, last=piece.last, verdict=piece.verdict))
    return tuple(stretches)


def kept_everywhere(
    interval: Interval, sizes: Sequence[Sequence[results.Stretch]]
) -> tuple[results.NominalEpsilon, ...]:
    """Return the closed intervals of nominal ε that keep the budget at every one of ``sizes``."""
    intervals = [interval]
    for stretches in sizes:
        intervals = list(_common(intervals, stretches))
    joined: list[Interval] = []
    for low, high in intervals:
        first = joined.pop()[0] if joined and joined[-1][1] == low else low
        joined.append((first, high))
    return tuple(
        results.NominalEpsilon(first=written(low), last=written(high)) for low, high in joined
    )


def _common(
    intervals: Sequence[Interval], stretches: Sequence[results.Stretch]
) -> Iterator[Interval]:
    for low, high in intervals:
        for stretch in stretches:
            if stretch.verdict is results.Verdict.WITHIN:
                first, last = max(low, Fraction(stretch.first)), min(high, Fraction(stretch.last))
                if first < last:
                    yield first, last
