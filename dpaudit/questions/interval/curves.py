"""The privacy curve over an interval: δ for every nominal ε, at some ε′, between proved lines.

δ(ε′) over all nominal ε is a surface.  It is cut at ε′ that are fixed, or are a proportion of the
nominal ε.  δ(ε′) is 0 exactly where no loss is larger than ε′.  The audit over the interval decides
that without rounding, ties included.  Elsewhere δ lies between the lines of
:mod:`dpaudit.laws.deltas_over`, and pieces are cut until these are near each other.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.audit.plan import Pairs, Plan
from dpaudit.audit.verdicts import check_pairs
from dpaudit.errors import DomainError, ParameterError
from dpaudit.laws.deltas_over import Abscissa, Ask, DeltaFamily, WorstDelta
from dpaudit.mechanisms.parameters import read_number
from dpaudit.numbers.ball import Sign
from dpaudit.questions.interval.of_interval import OfInterval, without_result_where_unscreened
from dpaudit.questions.interval.pieces import (
    NARROWEST,
    is_near,
    place_to_cut,
    rounded_ends,
    side_of,
    width_of,
    written,
)
from dpaudit.results import DeltaBand, DeltaPiece, IntervalCurve, IntervalCurveReport

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.measure import Progress
    from dpaudit.laws.over_epsilon import EpsilonFamily, Lines
    from dpaudit.mechanisms.base import Mechanism
    from dpaudit.questions.interval.reading import Interval


__all__ = ["CurvesOverInterval", "bands_of", "read_ratios"]

_MOST = 4000  # pieces that are examined
_DEFAULT = tuple(Fraction(part, 4) for part in range(5))
"""Proportions of the nominal ε at which δ is given, if nothing else is said."""


def read_ratios(text: object, parameter: str, *, others: bool) -> tuple[Fraction, ...]:
    """Return the proportions of the nominal ε at which δ is wanted, in increasing order.

    Args:
        text: numbers joined by commas, or a list of them; None for the default.
        parameter: name of the parameter whose interval it is.
        others: whether fixed ε′ are asked for too; the default is then no proportion.

    Raises:
        UsageError: for anything else, and where neither proportions nor fixed ε′ are left.

    >>> [str(ratio) for ratio in read_ratios("1,1/2", "epsilon", others=False)]
    ['1/2', '1']
    """
    if text is None:
        if others:
            return ()
        if parameter != "epsilon":
            raise ParameterError(
                "at-eps", "a curve over an interval of a parameter other than ε needs --at-eps"
            )
        return _DEFAULT
    if parameter != "epsilon":
        raise ParameterError(
            "at-ratio",
            "--at-ratio needs an interval of the nominal ε; for another parameter, give --at-eps",
        )
    parts = text.split(",") if isinstance(text, str) else text
    if not isinstance(parts, (list, tuple)) or not parts:
        parts = [parts]
    ratios = set()
    for part in parts:
        ratio = read_number(part, "at-ratio").as_fraction()
        if ratio is None or ratio < 0:
            raise DomainError("at-ratio", part, "must be a rational number of at least 0")
        ratios.add(ratio)
    return tuple(sorted(ratios))


@dataclass(frozen=True)
class CurvesOverInterval(OfInterval[IntervalCurve, IntervalCurveReport]):
    """δ for every value of a parameter in an interval, at some ε′."""

    schema = "dpaudit.interval-curve/1"
    document = IntervalCurveReport
    sized = IntervalCurve
    entry_seconds = 4e-3  # measured on one core: some hundred pieces, at five ε′

    ratios: tuple[Fraction, ...] = ()
    """Proportions of the nominal ε that are asked for, besides the ε of the plan."""
    constant: bool = False
    """True if the budget's ε is asked for, too."""

    def abscissae(self, plan: Plan) -> tuple[Abscissa, ...]:
        """Return the ε′ at which δ is wanted: proportions first, then those that are fixed."""
        # The order is part of the report: `judged` compares it.
        fixed = {*plan.at_eps, *([plan.held_to.epsilon] if self.constant else [])}
        moving = [Abscissa(ratio) for ratio in self.ratios]
        return (*moving, *(Abscissa(None, epsilon) for epsilon in sorted(fixed, key=float)))

    def has_laws(self, mechanism: Mechanism[Any]) -> bool:
        with_losses = super().has_laws(mechanism)
        return with_losses and mechanism.deltas_over(self.parameter, 1) is not None

    def at_size(
        self, mechanism: Mechanism[Any], n: int, plan: Plan, progress: Progress
    ) -> IntervalCurve:
        pairs = Pairs(mechanism, n, plan)
        with without_result_where_unscreened():
            family = self.family(mechanism, n)
            deltas = mechanism.deltas_over(self.parameter, n)
            assert deltas is not None, "a subject has them"
            bands = bands_of(family, deltas, self.interval, self.abscissae(plan))
        progress(deltas.pairs)
        outputs = mechanism.output_count(n)
        return IntervalCurve(
            n=n,
            datasets=pairs.datasets,
            pairs=pairs.expected,
            pairs_covered=deltas.pairs,
            outputs="infinite" if outputs is None else outputs,
            bands=bands,
        )

    def judged(self, result: IntervalCurve, plan: Plan, pairs: int | None) -> IntervalCurve:
        check_pairs(result, pairs)
        reported = [(one.ratio, one.epsilon) for one in result.bands]
        requested = [(_ratio(at), at.epsilon) for at in self.abscissae(plan)]
        if list(map(str, reported)) != list(map(str, requested)):
            raise ValueError("its ε′ are not those that the request lists")
        for band in result.bands:
            starts = [Fraction(piece.first) for piece in band.pieces]
            ends = [Fraction(piece.last) for piece in band.pieces]
            if [*starts, self.interval[1]] != [self.interval[0], *ends] or starts != sorted(starts):
                raise ValueError("its pieces do not cover the interval")
            for piece in band.pieces:
                ends_of_lines = zip(piece.lower, piece.upper, strict=True)
                if not all(low <= high for low, high in ends_of_lines) or (
                    piece.zero and any(piece.upper)
                ):
                    raise ValueError(
                        "a lower line is above its upper line, or the lines of a δ of 0 are not 0"
                    )
        return result


def _ratio(at: Abscissa) -> str | None:
    return None if at.ratio is None else str(at.ratio)


class _OpenPiece(NamedTuple):
    """A piece still to be refined for some ε′."""

    narrowness: Fraction
    """Minus its relative width: the queue is ordered so that the widest comes first."""
    first: Fraction
    last: Fraction
    among: dict[int, Sequence[int]]
    """The place of each such ε′, with the ways that may be the worst there."""


def bands_of(
    family: EpsilonFamily,
    deltas: DeltaFamily,
    interval: Interval,
    abscissae: Sequence[Abscissa],
) -> tuple[DeltaBand, ...]:
    """Return δ at every one of ``abscissae``, on pieces that cover the whole ``interval``.

    The widest piece is cut first, for every ε′ that still needs it: whose lines are wider apart
    than 1 % of δ, and than 10⁻⁶.  A piece as narrow as 2⁻²⁰ of the interval is not cut, and after
    4000 pieces nothing is.
    """
    low, high = interval
    every = range(len(deltas.ways))
    among: dict[int, Sequence[int]] = dict.fromkeys(range(len(abscissae)), every)
    waiting = [_OpenPiece(-width_of(low, high, interval), low, high, among)]
    done: list[list[DeltaPiece]] = [[] for _ in abscissae]
    looked_at = 0
    while waiting:
        widest = heapq.heappop(waiting)
        looked_at += 1
        is_last = -widest.narrowness * NARROWEST <= 1 or looked_at + len(waiting) >= _MOST
        lines = family.lines(widest.first, widest.last)
        ask: Ask | None = None
        among = {}
        for place, ways in widest.among.items():
            at = abscissae[place]
            if _is_zero(lines, at, widest.first, widest.last):
                done[place].append(_zero(widest))
                continue
            ask = deltas.piece(widest.first, widest.last) if ask is None else ask
            worst = ask(at, ways)
            piece = _piece(widest, worst, deltas)
            if is_last or is_near(piece):
                done[place].append(piece)
            else:
                among[place] = worst.left
        if among:
            middle = _cut(widest, lines, [abscissae[place] for place in among], family)
            for first, last in ((widest.first, middle), (middle, widest.last)):
                narrowness = -width_of(first, last, interval)
                heapq.heappush(waiting, _OpenPiece(narrowness, first, last, among))
    return tuple(
        DeltaBand(
            ratio=_ratio(at),
            epsilon=at.epsilon,
            pieces=tuple(sorted(pieces, key=lambda piece: Fraction(piece.first))),
        )
        for at, pieces in zip(abscissae, done, strict=True)
    )


def _is_zero(lines: Lines, at: Abscissa, first: Fraction, last: Fraction) -> bool:
    """Tell whether no loss is larger than ε′ anywhere in a piece.

    ε′ is a line too: a line that is below it at both ends is below it in between.
    """
    upper = lines.upper
    if lines.slope is not None:
        upper = lines.slope * first, lines.slope * last
    return all(
        isinstance(top, Fraction) and side_of(top, at.at(end)) in (Sign.NEGATIVE, Sign.ZERO)
        for top, end in zip(upper, (first, last), strict=True)
    )


def _zero(piece: _OpenPiece) -> DeltaPiece:
    nothing = Decimal(0), Decimal(0)
    first, last = written(piece.first), written(piece.last)
    return DeltaPiece(first=first, last=last, lower=nothing, upper=nothing, zero=True)


def _piece(open_piece: _OpenPiece, worst: WorstDelta, deltas: DeltaFamily) -> DeltaPiece:
    lower, upper = rounded_ends(worst.lines)
    if not any(end > 0 for end in upper):
        return _zero(open_piece)
    x, y = deltas.ways[worst.way] if worst.way >= 0 else (None, None)
    first, last = written(open_piece.first), written(open_piece.last)
    return DeltaPiece(first=first, last=last, lower=lower, upper=upper, x=x, y=y)


def _cut(
    piece: _OpenPiece, lines: Lines, abscissae: Sequence[Abscissa], family: EpsilonFamily
) -> Fraction:
    """Return where to cut: where an exact loss meets a fixed ε′, at a bend, or half-way."""
    for at in abscissae if lines.slope else ():
        fixed = None if at.epsilon is None else at.epsilon.as_fraction()
        if fixed is not None and lines.slope is not None:
            meeting = Fraction(fixed) / lines.slope
            if piece.first < meeting < piece.last:
                return meeting
    return place_to_cut(piece.first, piece.last, family.bends(piece.first, piece.last))
