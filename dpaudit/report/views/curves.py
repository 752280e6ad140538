"""How privacy curves and trade-off functions are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.report.table import compact, dataset_text, delta_cells, ends, headline
from dpaudit.report.view import Row, pair_of_ends, sized_view

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.results import CurveReport, Tradeoff, TradeoffReport

__all__ = ["CURVE", "TRADEOFF"]


def _curve_table(report: CurveReport) -> tuple[list[str], list[list[str]]]:
    asked = report.results[0].values if report.results else ()
    header = ["n", "pairs", *(f"δ({point.epsilon})" for point in asked)]
    rows = [
        [str(curve.n), str(curve.pairs), *map(compact, curve.values)] for curve in report.results
    ]
    return header, rows


def _curve_lines(report: CurveReport) -> Iterator[Row]:
    for curve in report.results:
        for point in curve.values:
            worst = {} if point.x is None else {"x": dataset_text(point.x)}
            worst |= {} if point.y is None else {"y": dataset_text(point.y)}
            yield {"n": str(curve.n), "pairs": str(curve.pairs), **delta_cells(point), **worst}


def _tradeoff_title(report: TradeoffReport) -> str:
    return f"trade-off function of {headline(report)}"


def _tradeoff_table(report: TradeoffReport) -> tuple[list[str], list[list[str]]]:
    asked = report.results[0].values if report.results else ()
    header = ["n", "pairs", "μ", *(f"f({at.type_one})" for at in asked), "worst pair"]
    return header, [_tradeoff_row(result) for result in report.results]


def _tradeoff_row(result: Tradeoff) -> list[str]:
    pair = f"{dataset_text(result.x)} / {dataset_text(result.y)}"
    return [str(result.n), str(result.pairs), *map(compact, (result.mu, *result.values)), pair]


def _tradeoff_lines(report: TradeoffReport) -> Iterator[Row]:
    for result in report.results:
        for at in result.values:
            yield {
                "n": str(result.n),
                "pairs": str(result.pairs),
                **ends("mu", result.mu),
                "type_one": str(at.type_one),
                **ends("type_two", at),
            }


CURVE = sized_view(
    several="dpaudit.curves/1",
    figure="curves:plot_curves",
    table=_curve_table,
    columns=("n", "pairs", "epsilon", *pair_of_ends("delta"), "x", "y"),
    lines=_curve_lines,
)
TRADEOFF = sized_view(
    several="dpaudit.tradeoffs/1",
    figure="curves:plot_tradeoffs",
    title=_tradeoff_title,
    table=_tradeoff_table,
    columns=("n", "pairs", *pair_of_ends("mu"), "type_one", *pair_of_ends("type_two")),
    lines=_tradeoff_lines,
)
