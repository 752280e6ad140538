"""The recheck of a privacy curve over an interval: its pieces, and δ at points inside them."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit import results
from dpaudit.recheck.agreement import Span
from dpaudit.recheck.findings import Findings, NotAReportError, UnknownDefinitionError
from dpaudit.recheck.interval_points import Points, between_lines, covers, recheck_of
from dpaudit.recheck.numbers import check_not_negative, rational, shown_digits, value

if TYPE_CHECKING:
    from dpaudit.recheck.definition import Definition
    from dpaudit.recheck.options import RecheckOptions
    from dpaudit.recheck.subject import Recheck

__all__ = ["LINES", "check_interval_curve"]

LINES = (
    "that δ lies between the lines at other points than those computed: the ends of an "
    "interval, places evenly between them, and ends and middles of pieces"
)


def check_interval_curve(
    report: results.IntervalCurveReport, findings: Findings, options: RecheckOptions
) -> None:
    """Recheck privacy curves over an interval; note in ``findings`` what agrees and what not."""
    recheck = recheck_of(report, None, LINES, findings, options)
    if recheck is None:
        return
    recheck.questions(
        [[_epsilon_of(band, report) for band in size.bands] for size in report.results]
    )
    interval = Fraction(report.epsilon.first), Fraction(report.epsilon.last)
    for size, where in recheck.sizes_at(report.results):
        message = f"{size.pairs_covered} of {size.pairs} pairs were covered"
        findings.expect(size.complete, "coverage", where, message)
        for band in size.bands:
            whole = covers(band.pieces, interval) and all(map(_is_piece, band.pieces))
            message = "its pieces do not cover the interval, or their lines are invalid"
            findings.expect(whole, "pieces that cover the interval", where, message)
        if recheck.coverage(size.n, size.datasets, size.pairs, where):
            recheck.attempt(where, recheck.outputs, size, where)
            _check_points(Points(report, size.n, interval, recheck), size, recheck, where)


def _epsilon_of(band: results.DeltaBand, report: results.IntervalCurveReport) -> str:
    """Return the ε′ of a band; ``NotAReportError`` for none, or for what cannot be."""
    if (band.ratio is None) is (band.epsilon is None):
        raise NotAReportError("δ must be either at a proportion of the nominal ε or at a fixed ε")
    if band.ratio is None:
        check_not_negative(str(band.epsilon), "the ε of a δ")
        return str(band.epsilon)
    try:
        ratio = rational(band.ratio)
    except ValueError as error:
        raise NotAReportError(f"ratio = {band.ratio[:40]}: {error}") from None
    if ratio < 0 or report.parameter != "epsilon":
        raise NotAReportError(f"ratio = {band.ratio[:40]}: no proportion of a nominal ε")
    return f"ratio {ratio}"


def _is_piece(piece: results.DeltaPiece) -> bool:
    ordered = all(low <= high for low, high in zip(piece.lower, piece.upper, strict=True))
    finite = all(end.is_finite() for end in (*piece.lower, *piece.upper))
    return finite and ordered and not (piece.zero and any((*piece.lower, *piece.upper)))


def _check_points(
    points: Points, size: results.IntervalCurve, recheck: Recheck, where: str
) -> None:
    """Compute δ at some places, over all pairs and at each ε′, and look for it between lines."""
    findings = recheck.findings
    symbol = results.symbol_of(points.report.parameter)
    pieces = {
        (Fraction(piece.first), Fraction(piece.last)): None
        for band in size.bands
        for piece in band.pieces
    }
    places = points.places(list(pieces))
    for place in places:
        try:
            with mp.workdps(points.recheck.dps):
                definition = points.definition(place)
            for band in size.bands:
                moving = band.ratio is not None
                at = str(Fraction(band.ratio or 0) * place if moving else band.epsilon)
                for piece in band.pieces:
                    if Fraction(piece.first) <= place <= Fraction(piece.last):
                        label = f"δ({at[:20]}) at {symbol} = {place}"
                        _check_point(points, definition, piece, (place, at, label), where)
        except UnknownDefinitionError as error:
            findings.unknown(where, str(error))
            return
    points.note_gaps(list(pieces), places, where, "pieces")


def _check_point(
    points: Points,
    definition: Definition,
    piece: results.DeltaPiece,
    point: tuple[Fraction, str, str],
    where: str,
) -> None:
    """Look for δ at one place and one ε′ between the lines of a piece, and at its worst pair."""
    recheck, (place, at, label) = points.recheck, point
    ways = points.ways(definition)
    pair = None if piece.x is piece.y is None else recheck.pair((piece.x, piece.y), points.n, where)
    lines = (piece.lower, piece.upper)
    between = between_lines((Fraction(piece.first), Fraction(piece.last)), lines, place)

    def computed() -> list[mpf]:
        epsilon = value(at)
        deltas = [max(definition.delta(*way, epsilon) for way in ways)]
        deltas += [definition.delta(*pair, epsilon)] if pair is not None else []
        if piece.zero:  # by how much a loss is above ε′
            most = max(definition.largest_loss(*way) for way in ways)
            deltas.append(max(most - epsilon, mpf(0)))
        return deltas

    claims = [between, *([between] if pair is not None else [])]
    claims += [Span(Fraction(0), Fraction(0))] if piece.zero else []
    (delta, *_), inside = recheck.agree(computed, claims)
    message = f"{label} is {shown_digits(delta, 15)}, not between lines"
    recheck.expect(inside[0], "δ at points", where, message)
    if piece.zero:
        message = f"{label} is small but not 0: some loss is above ε′"
        recheck.expect(inside[-1], "δ that is exactly 0", where, message)
    if pair is not None:
        message = f"{label} has a different value at {piece.x} and {piece.y}"
        recheck.expect(inside[1], "δ at worst pairs", where, message)
    elif not piece.x is piece.y is None:
        recheck.expect(False, "δ at worst pairs", where, f"{label}: it has no such pair")
