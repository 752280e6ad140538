"""Views: the blocks for people, lines of CSV and figure of each type of result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from dpaudit.question import forms
from dpaudit.report.table import headline, not_finished, provenance, subject_cells

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "COVERAGE",
    "VIEWS",
    "Block",
    "Row",
    "View",
    "pair_of_ends",
    "sized_view",
    "undecided_lines",
    "unfinished",
    "view_of",
    "view_of_kind",
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


def _nothing(result: Any) -> Sequence[Any]:
    return ()


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
        found: Callable[[Any], bytes] = resolve_name(self.forms[name])
        return lambda result: found(self.presentable(result))

    def plot(self, results: Sequence[Any], *more: Any) -> Figure:
        """Return the figure of ``results``."""
        figure: Figure = resolve_name(self.figure)(self.shown(results), *more)
        return figure


VIEWS: dict[type[Any], View] = {}
"""Views of the types of results: those of no question, and those of questions when first used."""


def view_of(result: Any) -> View:
    """Return how a result is shown; ``KeyError`` where nothing says it."""
    return view_of_kind(type(result))


def view_of_kind(kind: type[Any]) -> View:
    """Return how results of a type are shown; ``KeyError`` where nothing says it."""
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
) -> View:
    """Return the view of a report of one mechanism at several sizes.

    Args:
        table: the header and a row for each size.
        columns: the columns of the CSV, after those that say what was audited.
        lines: the lines of the CSV, without those columns.
        figure: what draws it.
        notes: what stands below the table; by default what has no result.
        summary: what stands above the table, and its worst row.
        title: what stands above all of it.
    """

    def blocks(report: Any) -> Iterator[Block]:
        said = (notes or unfinished)(report)
        found, worst = summary(report)
        notes_of = [*said, *provenance(report)]
        yield Block(title(report), *table(report), notes_of, summary=found, worst=worst)

    def every_column(report: Any) -> Sequence[str]:
        further = next(iter(lines(report)), {})
        known = (*subject_cells(report), *columns)
        return (*known, *(name for name in further if name not in known))

    def every_line(report: Any) -> Iterator[Row]:
        for line in lines(report):
            yield subject_cells(report) | line

    return View(blocks=blocks, columns=every_column, lines=every_line, figure=figure)


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
