"""View of privacy curves over an interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from dpaudit import results
from dpaudit.arithmetic import DECIMALS
from dpaudit.errors import counted
from dpaudit.report import table
from dpaudit.report.table import abscissa_text, dataset_text, pair_text
from dpaudit.report.view import COVERAGE, Row, sized_view, undecided_lines, unfinished

__all__ = ["INTERVAL_CURVE"]

_ONE, _NOTHING = Decimal(1), Decimal(0)
_NARROW, _SMALL = Decimal("0.01"), Decimal("1e-6")


def _rows(report: results.IntervalCurveReport) -> tuple[list[str], list[list[str]]]:
    header = ["n", "pairs", "outputs", "ε′", "δ(ε′)", "largest", "worst pair there"]
    header[5] = f"largest at {results.symbol_of(report.parameter)}"
    return header, [row for size in report.results for row in _rows_of(size)]


def _rows_of(size: results.IntervalCurve) -> Iterator[list[str]]:
    counts = [str(size.n), str(size.pairs_covered), table.outputs_text(size)]
    for band in size.bands:
        yield [*counts, abscissa_text(band), *_range(band.pieces)]
        counts = [""] * len(counts)


def _range(pieces: Sequence[results.DeltaPiece]) -> list[str]:
    """Return what δ is at least and at most, and the place and pair of the largest."""
    if all(piece.zero for piece in pieces):
        return ["0 exactly", "", ""]
    least = min(max(end, _NOTHING) for piece in pieces for end in piece.lower)
    most = max(min(end, _ONE) for piece in pieces for end in piece.upper)
    texts = [
        results.decimal_text(Context(prec=6, rounding=rounding).plus(end))
        for end, rounding in ((least, ROUND_FLOOR), (most, ROUND_CEILING))
    ]
    worst = max(pieces, key=lambda piece: max(piece.lower))
    where = worst.last if worst.lower[1] >= worst.lower[0] else worst.first
    pair = "" if worst.x is None else pair_text(worst)
    return [f"[{', '.join(texts)}]", where, pair]


def _notes(report: results.IntervalCurveReport) -> list[str]:
    if not report.results:
        return unfinished(report)
    symbol = results.symbol_of(report.parameter)
    sizes = table.sizes_text([size.n for size in report.results])
    pairs = sum(size.pairs_covered for size in report.results)
    first, last = report.epsilon.first, report.epsilon.last
    lines = [
        f"at every real {symbol} from {first} to {last}, at {sizes}, "
        f"{counted(pairs, 'pair')}, both directions, every output",
        f"δ is known to within {_width(report)}",
    ]
    for size in report.results:
        for band in size.bands:
            zeros = _zeros(band)
            if zeros and not all(piece.zero for piece in band.pieces):
                where = "; ".join(f"{a} ≤ {symbol} ≤ {b}" for a, b in zeros)
                lines.append(f"n = {size.n}: δ({abscissa_text(band)}) is 0 exactly for {where}")
        if not size.complete:
            lines.append(f"n = {size.n}: {size.pairs_covered} of {size.pairs} pairs were covered")
    return [*lines, *unfinished(report)]


def _zeros(band: results.DeltaBand) -> list[tuple[str, str]]:
    """Return where δ is exactly 0, pieces next to each other put together."""
    found: list[tuple[str, str]] = []
    for piece in band.pieces:
        if piece.zero:
            joins = found and found[-1][1] == piece.first
            first = found.pop()[0] if joins else piece.first
            found.append((first, piece.last))
    return found


def _width(report: results.IntervalCurveReport) -> str:
    """Return how far apart the lines are at most, of what δ is and, where it is small, at all."""
    share = small = _NOTHING
    for size in report.results:
        for band in size.bands:
            for piece in band.pieces:
                for low, high in zip(piece.lower, piece.upper, strict=True):
                    width = DECIMALS.subtract(high, low)
                    relative = DECIMALS.divide(width, low) if low > 0 else _ONE
                    if width and relative > _NARROW and width <= _SMALL:
                        small = max(small, width)
                    elif width:
                        share = max(share, relative)
    up = Context(prec=2, rounding=ROUND_CEILING)
    percent = results.decimal_text(up.multiply(share, Decimal(100)))
    told = f"{percent} % at every {results.symbol_of(report.parameter)}"
    small_too = f", or to {results.decimal_text(up.plus(small))} where it is small"
    return told + small_too * bool(small)


def _lines(report: results.IntervalCurveReport) -> Iterator[Row]:
    for size in report.results:
        for band in size.bands:
            for piece in band.pieces:
                yield {
                    **table.coverage_cells(size),
                    "ratio": band.ratio or "",
                    "epsilon": "" if band.epsilon is None else str(band.epsilon),
                    "first": piece.first,
                    "last": piece.last,
                    **{
                        f"{name}_{place}": results.decimal_text(value)
                        for name, known in (("lower", piece.lower), ("upper", piece.upper))
                        for place, value in zip(("first", "last"), known, strict=True)
                    },
                    "zero": "yes" if piece.zero else "no",
                    "x": "" if piece.x is None else dataset_text(piece.x),
                    "y": "" if piece.y is None else dataset_text(piece.y),
                }
    yield from undecided_lines(report)


INTERVAL_CURVE = sized_view(
    figure="dpaudit.report.figures.bands:plot_delta_bands",
    table=_rows,
    notes=_notes,
    columns=(
        *COVERAGE,
        *("ratio", "epsilon", "first", "last"),
        *("lower_first", "lower_last", "upper_first", "upper_last"),
        *("zero", "x", "y", "verdict", "reason"),
    ),
    lines=_lines,
)
