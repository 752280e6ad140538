"""View: a row for each size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dpaudit.report.table import compact, ends, pair_text
from dpaudit.report.view import Charts, Row, pair_of_ends, sized_view

if TYPE_CHECKING:
    from dpaudit.questions.expected_loss.result import ExpectedLossReport

    from dpaudit.results import Bound

__all__ = ["EXPECTED_LOSS"]


def _table(report: ExpectedLossReport) -> tuple[list[str], list[list[str]]]:
    rows = [
        [str(one.n), str(one.pairs), compact(one.loss), pair_text(one)] for one in report.results
    ]
    return ["n", "pairs", f"expected loss ({report.unit})", "worst pair"], rows


def _lines(report: ExpectedLossReport) -> Iterator[Row]:
    for one in report.results:
        yield {"n": str(one.n), "pairs": str(one.pairs), **ends("loss", one.loss)}


def _charts(report: ExpectedLossReport, bounds: Sequence[Bound]) -> Charts:
    values = [(one.n, one.loss) for one in report.results]
    return Charts(symbol="expected loss", values=values, limit=bounds[0].limit if bounds else None)


EXPECTED_LOSS = sized_view(
    charts=_charts,
    figure="dpaudit.questions.expected_loss.figure:plot",
    table=_table,
    columns=("n", "pairs", *pair_of_ends("loss")),
    lines=_lines,
)
