"""Figures over an interval: the realised ε, and δ at some ε′, over the nominal ε, as bands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dpaudit.arithmetic import DECIMALS
from dpaudit.report.figures.captions import clauses, tell_apart, title_of, unfinished
from dpaudit.report.figures.intervals import draw_series
from dpaudit.report.figures.sheet import Sheet
from dpaudit.report.figures.style import BUDGET_DASHES, INK, house_style
from dpaudit.report.figures.widths import between, listed
from dpaudit.report.table import abscissa_text
from dpaudit.results import (
    DeltaPiece,
    Enclosure,
    IntervalAudit,
    IntervalCurveReport,
    IntervalSize,
    Piece,
    Verdict,
    symbol_of,
)

__all__ = ["plot_bands", "plot_delta_bands"]

_TURNS = 1000
"""So many bands have markers in places of their own."""
_Drawn = tuple[IntervalAudit | IntervalCurveReport, int, str, Sequence[DeltaPiece]]
"""One band: its report, the size, the ε′ it is drawn at, and its pieces."""


@house_style()
def plot_bands(audits: Sequence[IntervalAudit]) -> Figure:
    """Return a figure of the realised ε over the nominal ε, a band for each mechanism.

    At several sizes the band is that of the largest realised ε of all of them.  The budget is a
    dashed line.  A mechanism whose realised ε has no upper end somewhere is named in the caption,
    and so are intervals without a verdict.  Where no mechanism has an upper end δ is drawn, if it
    decides, else the budget alone.  Raises ``ValueError`` if there is no result.
    """
    drawn = [(audit, _Envelope(audit.results)) for audit in audits if _finite(audit.results)]
    if not drawn and (decided := _decided_by_delta(audits)):
        limits = (float(audit.budget.delta) for audit in audits)
        return _plot_deltas(audits, decided, "δ at the ε of the budget", limits)
    subjects = [audit for audit, _ in drawn] or [audit for audit in audits if audit.results]
    if not subjects:
        raise ValueError("there is no result to plot")
    items = [
        clauses(audit) | {"budget": f"budget {audit.budget}", "n": _sizes(audit)}
        for audit in subjects
    ]
    for item in items:
        item.pop("stated", None)
    labels, caption = tell_apart([audit.mechanism for audit in subjects], items)
    labels = labels[: len(drawn)]
    if any(len(audit.results) > 1 for audit in subjects):
        caption.append("the largest realised ε of all sizes")
    caption += unfinished(audits)
    endless = [audit.mechanism for audit in audits if not _finite(audit.results)]
    caption += listed({"not drawn, for it has no upper end": endless} if endless else {})
    open_at = [
        f"{symbol_of(audit.parameter)} = {part.first} to {part.last} (n = {size.n})"
        for audit in subjects
        for size in audit.results
        for part in size.stretches
        if part.verdict is Verdict.UNDECIDED
    ]
    caption += listed({"undecided": open_at} if open_at else {})
    sheet, names = _over_parameters(subjects, "realised ε")
    axes = sheet.panels[0]
    budgets = [
        (
            subject.budget,
            float(Fraction(subject.epsilon.first)),
            float(Fraction(subject.epsilon.last)),
        )
        for subject in subjects
    ]
    axes.set_xlim(min(first for _, first, _ in budgets), max(last for *_, last in budgets))
    heights = [
        last if budget.epsilon is None else float(budget.epsilon) for budget, _, last in budgets
    ]
    axes.set_ylim(0.0, 1.07 * max([*heights, *(max(envelope.high) for _, envelope in drawn)]))
    for budget, first, last in dict.fromkeys(budgets):
        ends = (first, last) if budget.epsilon is None else (float(budget.epsilon),) * 2
        axes.plot([first, last], ends, color=INK, linewidth=0.9, linestyle=BUDGET_DASHES)
    keys = []
    for index, ((_, envelope), label) in enumerate(zip(drawn, labels, strict=True)):
        sheet.known.note("realised ε", Enclosure(Decimal(0), envelope.widest))
        ends_of = envelope.low, envelope.high
        keys.append(
            draw_series(sheet.known, axes, index, envelope.x, ends_of, label=label, turns=_TURNS)
        )
    complete = all(s.complete for audit in subjects for s in audit.results)
    title = title_of(f"Realised ε over an interval of {names}", subjects, complete=complete)
    return sheet.finish(title, caption, [keys, [_budget_key()]])


@house_style()
def plot_delta_bands(reports: Sequence[IntervalCurveReport]) -> Figure:
    """Return a figure of δ over the nominal ε, a band for each ε′, size and mechanism.

    Raises ``ValueError`` if there is no result.
    """
    every = [
        (report, size.n, f"ε′ = {abscissa_text(band)}", band.pieces)
        for report in reports
        for size in report.results
        for band in size.bands
    ]
    if not every:
        raise ValueError("there is no finished curve to plot")
    return _plot_deltas(reports, every, "δ(ε′)")


def _decided_by_delta(audits: Sequence[IntervalAudit]) -> list[_Drawn]:
    """Return the pieces of audits and sizes where δ decides each of them."""
    bands: list[_Drawn] = []
    for audit in audits:
        for size in audit.results:
            pieces = [
                DeltaPiece(
                    first=piece.first,
                    last=piece.last,
                    lower=piece.delta.lower,
                    upper=piece.delta.upper,
                )
                for piece in size.pieces
                if piece.delta is not None
            ]
            if pieces and len(pieces) == len(size.pieces):
                bands.append((audit, size.n, f"budget {audit.budget}", pieces))
    return bands


def _plot_deltas(
    reports: Sequence[IntervalAudit] | Sequence[IntervalCurveReport],
    every: Sequence[_Drawn],
    ordinate: str,
    limits: Iterable[float] = (),
) -> Figure:
    """Return a figure of δ, a band for each of the rows of pieces; ``limits`` are dashed."""
    limits = list(dict.fromkeys(limits))
    subjects = [report for report, _, _, _ in every]
    items = []
    for report, n, at, _ in every:
        item = clauses(report) | {"n": f"n = {n}", "at": at}
        item.pop("stated", None)
        items.append(item)
    labels, caption = tell_apart([report.mechanism for report in subjects], items)
    caption += unfinished(reports)
    sheet, names = _over_parameters(subjects, ordinate)
    axes = sheet.panels[0]
    drawn = [_points(pieces) for *_, pieces in every]
    axes.set_xlim(min(x[0] for x, _, _ in drawn), max(x[-1] for x, _, _ in drawn))
    axes.set_ylim(0.0, 1.07 * (max([*(max(high) for _, _, high in drawn), *limits]) or 1.0))
    for limit in limits:
        axes.axhline(limit, color=INK, linewidth=0.9, linestyle=BUDGET_DASHES, label="_budget")
    keys = []
    for index, ((*_, pieces), (x, low, high), label) in enumerate(
        zip(every, drawn, labels, strict=True)
    ):
        widest = max(
            DECIMALS.subtract(end, max(start, Decimal(0)))
            for piece in pieces
            for start, end in zip(piece.lower, piece.upper, strict=True)
        )
        sheet.known.note("δ", Enclosure(Decimal(0), widest))
        keys.append(
            draw_series(sheet.known, axes, index, x, (low, high), label=label, turns=_TURNS)
        )
    complete = all(size.complete for report in subjects for size in report.results)
    title = title_of(f"δ over an interval of {names}", subjects, complete=complete)
    return sheet.finish(title, caption, [keys, [_budget_key()] if limits else []])


def _over_parameters(
    subjects: Sequence[IntervalAudit | IntervalCurveReport], ordinate: str
) -> tuple[Sheet, str]:
    """Return a sheet with one panel over the parameters of reports, and what these are called."""
    sheet = Sheet([3.2])
    parameters = list(dict.fromkeys(report.parameter for report in subjects))
    names = " or ".join(map(symbol_of, parameters))
    sheet.panels[0].set_xlabel("nominal ε" if parameters == ["epsilon"] else names)
    sheet.panels[0].set_ylabel(ordinate)
    return sheet, names


def _budget_key() -> Line2D:
    return Line2D([], [], color=INK, linewidth=0.9, linestyle=BUDGET_DASHES, label="budget")


def _points(pieces: Sequence[DeltaPiece]) -> tuple[list[float], list[float], list[float]]:
    """Return abscissae and both ordinates of a band, which lie from 0 to 1."""
    x: list[float] = []
    low: list[float] = []
    high: list[float] = []
    for piece in pieces:
        for end, below, above in zip(
            (piece.first, piece.last), piece.lower, piece.upper, strict=True
        ):
            x.append(float(Fraction(end)))
            low.append(max(float(below), 0.0))
            high.append(min(float(above), 1.0))
    return x, low, high


def _sizes(audit: IntervalAudit) -> str:
    first, last = audit.results[0].n, audit.results[-1].n
    return f"n = {first}" if first == last else f"n = {first} to {last}"


def _finite(results: Sequence[IntervalSize]) -> bool:
    pieces = [piece for size in results for piece in size.pieces]
    return bool(pieces) and all(end.is_finite() for piece in pieces for end in piece.upper)


class _Envelope:
    """The band of the largest realised ε of some sizes.

    Between two neighbouring ends of pieces of all sizes, every bound is a line.  The largest
    realised ε is below the line through the largest ends of the upper ones, and above each of the
    lower ones.
    """

    def __init__(self, sizes: Sequence[IntervalSize]) -> None:
        places = sorted(
            {Fraction(end) for s in sizes for p in s.pieces for end in (p.first, p.last)}
        )
        iterators = [iter(size.pieces) for size in sizes]
        pieces = [next(iterator) for iterator in iterators]
        self.x: list[float] = []
        self.low: list[float] = []
        self.high: list[float] = []
        self.widest = Decimal(0)
        for ends in pairwise(places):
            for index, iterator in enumerate(iterators):
                if Fraction(pieces[index].last) <= ends[0]:
                    pieces[index] = next(iterator)
            lines = [[_between(piece, end) for end in ends] for piece in pieces]
            # One lower line as a whole: the largest of two lower lines bends where they cross.
            low = max(([a[0], b[0]] for a, b in lines), key=sum)
            high = [max(ends_of_piece[i][1] for ends_of_piece in lines) for i in range(2)]
            self.widest = max(self.widest, *map(between, low, high))
            self.x += map(float, ends)
            self.low += map(float, low)
            self.high += map(float, high)


def _between(piece: Piece, place: Fraction) -> tuple[Fraction, Fraction]:
    """Return the heights of both lines of a piece at one ε of it."""
    first, last = Fraction(piece.first), Fraction(piece.last)
    share = (place - first) / (last - first)
    ends = [
        Fraction(a) + share * (Fraction(b) - Fraction(a)) for a, b in (piece.lower, piece.upper)
    ]
    return ends[0], ends[1]
