"""View of privacy curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpaudit import results
from dpaudit.audit.verdicts import short_number
from dpaudit.report import table
from dpaudit.report.table import compact, dataset_text
from dpaudit.report.view import Charts, Row, pair_of_ends, sized_view

__all__ = ["CURVE"]


def _curve_table(report: results.CurveReport) -> tuple[list[str], list[list[str]]]:
    header = ["n", "pairs"]
    for first in report.results[:1]:
        header += [f"δ({short_number(point.epsilon)})" for point in first.values]
        header += table.at_delta_header(first.at_delta)
    rows = [
        [
            *(str(curve.n), str(curve.pairs), *map(compact, curve.values)),
            *table.at_delta_row(curve.at_delta, report.digits),
        ]
        for curve in report.results
    ]
    return header, rows


def _curve_lines(report: results.CurveReport) -> Iterator[Row]:
    for curve in report.results:
        for point in curve.values:
            worst = {} if point.x is None else {"x": dataset_text(point.x)}
            worst |= {} if point.y is None else {"y": dataset_text(point.y)}
            yield {
                "n": str(curve.n),
                "pairs": str(curve.pairs),
                **table.delta_cells(point),
                **worst,
                **table.at_delta_cells(curve.at_delta),
            }


def _curve_charts(report: results.CurveReport, bounds: Sequence[results.Bound]) -> Charts:
    return Charts(profile=True, epsilon=None if report.budget is None else report.budget.epsilon)


CURVE = sized_view(
    charts=_curve_charts,
    figure="dpaudit.report.figures.curves:plot_curves",
    table=_curve_table,
    columns=("n", "pairs", "epsilon", *pair_of_ends("delta"), "x", "y"),
    lines=_curve_lines,
)
