"""View of trade-off functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dpaudit import results
from dpaudit.report import table
from dpaudit.report.table import compact, ends, pair_text
from dpaudit.report.view import Charts, Row, pair_of_ends, sized_view

__all__ = ["TRADEOFF"]


def _tradeoff_title(report: results.TradeoffReport) -> str:
    return f"trade-off function of {table.headline(report)}"


def _tradeoff_table(report: results.TradeoffReport) -> tuple[list[str], list[list[str]]]:
    asked = report.results[0].values if report.results else ()
    header = ["n", "pairs", "μ", *(f"f({at.type_one})" for at in asked), "worst pair"]
    return header, [_tradeoff_row(result) for result in report.results]


def _tradeoff_row(result: results.Tradeoff) -> list[str]:
    shown = map(compact, (result.mu, *result.values))
    return [str(result.n), str(result.pairs), *shown, pair_text(result)]


def _tradeoff_lines(report: results.TradeoffReport) -> Iterator[Row]:
    for result in report.results:
        for at in result.values:
            yield {
                "n": str(result.n),
                "pairs": str(result.pairs),
                **ends("mu", result.mu),
                "type_one": str(at.type_one),
                **ends("type_two", at),
            }


def _tradeoff_charts(report: results.TradeoffReport, bounds: Sequence[results.Bound]) -> Charts:
    values = [(result.n, result.mu) for result in report.results]
    return Charts(symbol="μ", values=values, limit=bounds[0].limit if bounds else None)


TRADEOFF = sized_view(
    charts=_tradeoff_charts,
    figure="dpaudit.report.figures.curves:plot_tradeoffs",
    title=_tradeoff_title,
    table=_tradeoff_table,
    columns=("n", "pairs", *pair_of_ends("mu"), "type_one", *pair_of_ends("type_two")),
    lines=_tradeoff_lines,
)
