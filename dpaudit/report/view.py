"""Views: the blocks for people, lines of CSV and figure of each type of result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from dpaudit.question import forms
from dpaudit.report.table import headline, not_finished, provenance, subject_cells, without_size

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from dpaudit.results import Bound, Enclosure, Real

__all__ = [
    "COVERAGE",
    "VIEWS",
    "Block",
    "Charts",
    "Row",
    "Series",
    "View",
    "pair_of_ends",
    "sized_view",
    "undecided_lines",
    "unfinished",
    "view_of",
    "view_of_kind",
    "without_sizes",
]

Row = dict[str, str]
"""The cells of a line of CSV by column; those that are missing are empty."""

COVERAGE = ("n", "datasets", "pairs", "pairs_covered", "outputs")
"""The columns about what was covered."""


@dataclass(frozen=True)
class Block:
    """A title, what was found, a table and notes; parts that are empty are left out."""

    title: str | tuple[str, ...] = ""
    summary: Sequence[str] = field(default=(), kw_only=True)
    """Findings, printed before the table."""
    worst: int | None = field(default=None, kw_only=True)
    """The row that is shown of many, besides the first and the last."""
    whole: bool = field(default=False, kw_only=True)
    """True if every row is always shown: any of them may be what fails."""
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Series:
    """Intervals over a number, as one chart of a page."""

    title: str
    """Title of the chart."""
    across: str
    """Name of the number below."""
    up: str
    """Name of what the intervals hold."""
    points: Sequence[tuple[float, Enclosure]]
    """Places, each with its interval."""
    limit: Real | None = None
    """Largest value allowed; None for no limit."""
    says: str
    """Caption, without a full stop."""


@dataclass(frozen=True, kw_only=True)
class Charts:
    """Numbers that the charts of a page show; what is empty is not drawn."""

    symbol: str = ""
    """Symbol or name of what has a value at each size."""
    values: Sequence[tuple[int, Enclosure]] = ()
    """The sizes, each with its value."""
    limit: Real | None = None
    """Largest value allowed; None for no limit."""
    profile: bool = False
    """True if the curve δ(ε) is drawn, from the worst events at one size."""
    epsilon: Real | None = None
    """ε of the budget, which the curve marks; None for no mark."""
    series: Sequence[Series] = ()
    """Other charts, for what has no sizes."""


def _nothing(result: Any) -> Sequence[Any]:
    return ()


def _no_charts(result: Any, bounds: Sequence[Bound]) -> Charts:
    return Charts()


@dataclass(frozen=True, kw_only=True)
class View:
    """View of a type of result: blocks for people, lines of CSV, a figure."""

    blocks: Callable[[Any], Iterable[Block]]
    """The blocks of text and Markdown."""
    columns: Callable[[Any], Sequence[str]] = _nothing
    """The columns of the CSV; empty where there is none."""
    lines: Callable[[Any], Iterable[Row]] = _nothing
    """The lines of the CSV."""
    figure: str = ""
    """Function that draws the figure, as ``module:function``; empty for none."""
    charts: Callable[[Any, Sequence[Bound]], Charts] = _no_charts
    """Numbers of a result, held to the bounds of a gate's entry, that a page draws as charts."""
    witness: Callable[[Any], Sequence[str]] = _nothing
    """Sentences about the worst pair, for a page."""
    assumed: Callable[[Any], Sequence[str]] = _nothing
    """Sentences about what has to be true for the result to hold, for a page."""
    together: Callable[[Sequence[Any]], Any] | None = None
    """Makes one of several results, which blocks, lines and the figure are about then."""
    document: Callable[[Any], Any] = lambda result: result
    """The document of a result that is none itself."""
    forms: Mapping[str, str] = field(default_factory=dict)
    """Further forms, as ``module:function``."""
    presentable: Callable[[Any], Any] = lambda result: result
    """The result with the texts of users as those forms may show them."""

    def shown(self, results: Sequence[Any]) -> Sequence[Any]:
        """Return what is shown of ``results``: each, or all of them as one."""
        return results if self.together is None else [self.together(results)]

    def form(self, name: str) -> Callable[[Any], bytes]:
        """Return what writes a further form."""
        writer: Callable[[Any], bytes] = resolve_name(self.forms[name])
        return lambda result: writer(self.presentable(result))

    def plot(self, results: Sequence[Any], *more: Any) -> Figure:
        """Return the figure of ``results``."""
        figure: Figure = resolve_name(self.figure)(self.shown(results), *more)
        return figure


VIEWS: dict[type[Any], View] = {}
"""Views of the types of results: those of no question, and those of questions when first used."""


def view_of(result: Any) -> View:
    """Return the view of a result; ``KeyError`` for a type without one."""
    return view_of_kind(type(result))


def view_of_kind(kind: type[Any]) -> View:
    """Return the view of results of a type; ``KeyError`` for a type without one."""
    if kind not in VIEWS:
        VIEWS[kind] = resolve_name(forms()[kind].view)
    return VIEWS[kind]


def sized_view(
    *,
    table: Callable[[Any], tuple[Sequence[str], Sequence[Sequence[str]]]],
    columns: Sequence[str],
    lines: Callable[[Any], Iterable[Row]],
    figure: str = "",
    notes: Callable[[Any], list[str]] | None = None,
    summary: Callable[[Any], tuple[list[str], int | None]] = lambda report: ([], None),
    title: Callable[[Any], str] = headline,
    charts: Callable[[Any, Sequence[Bound]], Charts] = _no_charts,
    witness: Callable[[Any], Sequence[str]] = _nothing,
) -> View:
    """Return the view of a report of one mechanism at several sizes.

    Args:
        table: the header and a row for each size.
        columns: the columns of the CSV, after those about the mechanism.
        lines: the lines of the CSV, without those columns.
        figure: function that draws the figure, as ``module:function``.
        notes: lines below the table; by default about sizes without a result.
        summary: lines above the table, and the index of its worst row.
        title: line above everything.
        charts: the numbers that a page draws.
        witness: sentences about the worst pair, for a page.
    """

    def blocks(report: Any) -> Iterator[Block]:
        lines_below = (notes or unfinished)(report)
        findings, worst = summary(report)
        header, rows = table(report)
        if without_sizes(report):
            lines_below = [*map(without_size, lines_below)]
            findings = [*map(without_size, findings)]
            if header[:1] == ["n"]:
                header, rows = header[1:], [row[1:] for row in rows]
        notes_of = [*lines_below, *provenance(report)]
        yield Block(title(report), header, rows, notes_of, summary=findings, worst=worst)

    def every_column(report: Any) -> Sequence[str]:
        further = next(iter(lines(report)), {})
        fixed = (*subject_cells(report), *columns)
        return (*fixed, *(name for name in further if name not in fixed))

    def every_line(report: Any) -> Iterator[Row]:
        for line in lines(report):
            yield subject_cells(report) | line | ({"n": ""} if without_sizes(report) else {})

    return View(
        blocks=blocks,
        columns=every_column,
        lines=every_line,
        figure=figure,
        charts=charts,
        witness=witness,
    )


def without_sizes(report: Any) -> bool:
    """Tell whether the one size of a report tells nothing: its datasets have none."""
    return not getattr(report, "sized", True) and len(getattr(report, "sizes", ())) == 1


def unfinished(report: Any) -> list[str]:
    """Return a line for each size without a result, and one for those that were not finished."""
    return [
        *(f"undecided: {size.reason}" for size in report.undecided),
        *not_finished(report.missing),
    ]


def undecided_lines(report: Any) -> Iterator[Row]:
    """Iterate over the lines of CSV of sizes without a result."""
    for size in report.undecided:
        yield {"n": str(size.n), "verdict": "undecided", "reason": size.reason}


def pair_of_ends(*names: str) -> tuple[str, ...]:
    """Return the columns of intervals."""
    return tuple(f"{name}_{end}" for name in names for end in ("lower", "upper"))
