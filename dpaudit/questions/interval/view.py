"""View of audits over an interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from dpaudit.arithmetic import DECIMALS
from dpaudit.errors import counted
from dpaudit.report import table
from dpaudit.report.table import compact, dataset_text, pair_text
from dpaudit.report.view import COVERAGE, Row, sized_view, undecided_lines, unfinished
from dpaudit.results import IntervalAudit, IntervalSize, Piece, Verdict, decimal_text, symbol_of

__all__ = ["INTERVAL"]

_OWN = ["nominal ε", "realised / nominal"]


def _rows(report: IntervalAudit) -> tuple[list[str], list[list[str]]]:
    of_epsilon = report.parameter == "epsilon"
    columns = _OWN if of_epsilon else [symbol_of(report.parameter), "realised ε"]
    pieces = [piece for size in report.results for piece in size.pieces]
    with_delta = any(piece.delta is not None for piece in pieces)
    columns = [*columns, *(["δ there"] if with_delta else [])]
    header = ["n", "pairs", "outputs", *columns, "verdict"]
    rows = (_rows_of(size, ratio=of_epsilon, delta=with_delta) for size in report.results)
    return header, [row for part in rows for row in part]


def _rows_of(size: IntervalSize, *, ratio: bool, delta: bool) -> Iterator[list[str]]:
    counts = [str(size.n), str(size.pairs_covered), table.outputs_text(size)]
    for stretch in size.stretches:
        first, last = Fraction(stretch.first), Fraction(stretch.last)
        inside = [
            piece
            for piece in size.pieces
            if first <= Fraction(piece.first) and Fraction(piece.last) <= last
        ]
        nominal = f"{stretch.first}..{stretch.last}"
        known = [_ratios(inside, ratio=ratio), *([_deltas(inside)] if delta else [])]
        yield [*counts, nominal, *known, stretch.verdict.value]
        counts = [""] * len(counts)


def _ratios(pieces: Sequence[Piece], *, ratio: bool) -> str:
    """Return the least and the largest that the realised ε can be, or its ``ratio`` to the nominal.

    On a piece both are lines over ε, so that their quotient has its extremes at the ends.
    """
    if all(end.is_infinite() for piece in pieces for end in piece.lower):
        return "∞"
    slopes = {piece.slope for piece in pieces}
    if len(slopes) == 1 and None not in slopes:
        return f"{slopes.pop()} exactly"
    lower = [_ratio(p, index, upper=False, whole=ratio) for p in pieces for index in range(2)]
    upper = [_ratio(p, index, upper=True, whole=ratio) for p in pieces for index in range(2)]
    least, most = min(lower), max(upper)
    return f"[{decimal_text(max(least, Decimal(0)))}, {decimal_text(most)}]"


def _deltas(pieces: Sequence[Piece]) -> str:
    """Return the least and the largest that δ can be at the ε of the budget, where it decides."""
    known = [piece.delta for piece in pieces if piece.delta is not None]
    if not known:
        return ""
    least = min(max(end, Decimal(0)) for one in known for end in one.lower)
    most = max(min(end, Decimal(1)) for one in known for end in one.upper)
    texts = [
        decimal_text(Context(prec=6, rounding=rounding).plus(end))
        for end, rounding in ((least, ROUND_FLOOR), (most, ROUND_CEILING))
    ]
    return f"[{', '.join(texts)}]"


def _ratio(piece: Piece, index: int, *, upper: bool, whole: bool) -> Decimal:
    value = (piece.upper if upper else piece.lower)[index]
    if value.is_infinite():
        return value
    quotient = Fraction(value) / (Fraction((piece.first, piece.last)[index]) if whole else 1)
    context = Context(prec=6, rounding=ROUND_CEILING if upper else ROUND_FLOOR)
    return context.divide(Decimal(quotient.numerator), Decimal(quotient.denominator))


_WHERE = {Verdict.WITHIN: "at every", Verdict.EXCEEDS: "at some", Verdict.UNDECIDED: "at some"}


def _notes(report: IntervalAudit) -> list[str]:
    lines = []
    if report.results:
        sizes = table.sizes_text([size.n for size in report.results])
        pairs = sum(size.pairs_covered for size in report.results)
        symbol = symbol_of(report.parameter)
        lines = [
            f"{report.verdict.value}: {_WHERE[report.verdict]} real {symbol} from "
            f"{report.epsilon.first} to {report.epsilon.last}, budget {report.budget}, at {sizes}, "
            f"{counted(pairs, 'pair')}, both directions, every output",
            f"the budget is certainly kept, at every size, for {_kept(report)}",
            *_band(report),
            *(_shown(size, report) for size in report.results if size.exceeded is not None),
        ]
        lines += [f"n = {size.n}: {size.reason}" for size in report.results if size.reason]
    return [*lines, *unfinished(report)]


def _kept(report: IntervalAudit) -> str:
    symbol = symbol_of(report.parameter)
    kept = [f"{one.first} ≤ {symbol} ≤ {one.last}" for one in report.kept]
    return "; ".join(kept) or f"no {symbol} of the interval"


def _band(report: IntervalAudit) -> list[str]:
    """Return how wide the band is at most, over the pieces that have a verdict."""
    widths = [
        DECIMALS.divide(DECIMALS.subtract(high, low), low)
        for size in report.results
        for piece in size.pieces
        if piece.verdict is not Verdict.UNDECIDED and piece.slope is None
        for low, high in zip(piece.lower, piece.upper, strict=True)
        if low > 0 and high.is_finite()
    ]
    if not widths:
        return []
    widest = Context(prec=2, rounding=ROUND_CEILING).multiply(max(widths), Decimal(100))
    every = f"every {symbol_of(report.parameter)} that has a verdict"
    return [f"the realised ε is known to within {decimal_text(widest)} % at {every}"]


def _shown(size: IntervalSize, report: IntervalAudit) -> str:
    assert size.exceeded is not None
    found, at = size.exceeded.found, size.exceeded.epsilon
    symbol = symbol_of(report.parameter)
    if str(report.budget.delta) != "0":
        delta = found.delta_held
        told = f"δ({delta.epsilon}) is {compact(delta)}: {pair_text(delta)}"
        return f"n = {size.n}: at {symbol} = {at} {told}"
    return (
        f"n = {size.n}: at {symbol} = {at} the realised ε is {compact(found.epsilon)}: "
        f"{pair_text(found.witness)} → {dataset_text(found.witness.output)}"
    )


def _lines(report: IntervalAudit) -> Iterator[Row]:
    budget = {
        "budget_epsilon": "" if report.budget.epsilon is None else str(report.budget.epsilon),
        "budget_delta": str(report.budget.delta),
    }
    for size in report.results:
        for piece in size.pieces:
            yield {
                **table.coverage_cells(size),
                **budget,
                "first": piece.first,
                "last": piece.last,
                **{
                    f"{name}_{place}": decimal_text(value)
                    for name, ends in (("lower", piece.lower), ("upper", piece.upper))
                    for place, value in zip(("first", "last"), ends, strict=True)
                },
                "slope": piece.slope or "",
                **_delta_cells(piece),
                "verdict": piece.verdict.value,
                "reason": size.reason if piece.verdict is Verdict.UNDECIDED else "",
            }
    for row in undecided_lines(report):
        yield budget | row


def _delta_cells(piece: Piece) -> Row:
    """Return δ at the ε of the budget, where that decides."""
    if piece.delta is None:
        return {}
    known = (("delta_lower", piece.delta.lower), ("delta_upper", piece.delta.upper))
    return {
        f"{name}_{place}": decimal_text(value)
        for name, ends in known
        for place, value in zip(("first", "last"), ends, strict=True)
    }


INTERVAL = sized_view(
    figure="dpaudit.report.figures.bands:plot_bands",
    table=_rows,
    notes=_notes,
    columns=(
        *COVERAGE,
        *("budget_epsilon", "budget_delta", "first", "last"),
        *("lower_first", "lower_last", "upper_first", "upper_last"),
        *("slope", "verdict", "reason"),
    ),
    lines=_lines,
)
