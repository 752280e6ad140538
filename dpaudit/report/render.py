"""Results in a requested form: one function for each form, one table of them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from dpaudit.errors import ParameterError
from dpaudit.fingerprint import fingerprint
from dpaudit.question import forms
from dpaudit.report import table as tables
from dpaudit.report.fitting import aligned_table, folded, printable, shortened_rows
from dpaudit.report.view import VIEWS, view_of_kind
from dpaudit.report.views import view_of
from dpaudit.results import (
    Audit,
    Data,
    ReportList,
    Verdict,
    worst_verdict,
)
from dpaudit.results.documents import encode
from dpaudit.version import __version__

if TYPE_CHECKING:
    from dpaudit.report.view import Block

__all__ = [
    "AUDIT_FORMS",
    "FORMATS",
    "below",
    "document_of",
    "forms_of",
    "listed",
    "marked",
    "render",
]

ResultT = TypeVar("ResultT")


def render(
    results: Sequence[Any], form: str, data: Data | None = None, rows: int | None = None
) -> bytes:
    """Return results of one kind in one of their forms.

    Args:
        results: one or more, all of one kind.
        form: one of :func:`forms_of` their kind.
        data: the file that the data came from, if there is one.
        rows: number of rows of a long sweep in the text form; None for all.

    Raises:
        ParameterError: for results that do not have this form.
    """
    document = document_of(results, data)
    if form == "text":
        return _text(document, most=rows)
    return (FORMATS.get(form) or view_of(results[0]).form(form))(document)


def forms_of(kind: type[Any]) -> list[str]:
    """Return the forms of a kind of result."""
    return [*FORMATS, *view_of_kind(kind).forms]


def document_of(results: Sequence[Any], data: Data | None = None) -> Any:
    """Return the document of one result, or of several reports."""
    if len(results) == 1:
        return results[0] if data is None else replace(results[0], data=data)
    verdicts = [
        result.verdict for result in results if getattr(result, "verdict", None) is not None
    ]
    unheld = any(isinstance(result, Audit) and result.verdict is None for result in results)
    return ReportList(
        schema="dpaudit.reports/1",
        version=__version__,
        reports=tuple(results),
        verdict=worst_verdict(verdicts) if verdicts and not unheld else None,
        data=data,
    )


def marked(document: ResultT) -> ResultT:
    """Return a document, and those in it, with the fingerprint of the code."""
    marks: dict[str, Any] = {}
    if hasattr(document, "fingerprint"):
        marks["fingerprint"] = fingerprint()
    if isinstance(document, ReportList):
        marks["reports"] = tuple(map(marked, document.reports))
    worst = getattr(document, "worst", None)
    if worst is not None:
        marks["worst"] = replace(worst, audit=marked(worst.audit))
    result: ResultT = replace(document, **marks) if marks else document  # type: ignore[type-var]
    return result


def listed(header: Sequence[str], rows: Sequence[Sequence[str]], form: str, schema: str) -> bytes:
    """Return a list, such as that of all mechanisms, as a table in one of the common forms."""
    names = [name.replace(" ", "_") for name in header]
    if form == "csv":
        return tables.csv_table(names, rows)
    if form == "json":
        entries = [dict(zip(names, row, strict=True)) for row in rows]
        return encode({"schema": schema, "listed": entries})
    table = tables.markdown_table if form == "markdown" else aligned_table
    return f"{table(header, rows)}\n".encode()


def _parts(document: Any) -> Sequence[Any]:
    """Return the results in a document: those of several, or the one that it is."""
    return document.reports if isinstance(document, ReportList) else [document]


def _json(document: Any) -> bytes:
    has_view = type(document) in VIEWS or type(document) in forms()
    return encode(marked(view_of(document).document(document) if has_view else document))


def _csv(document: Any) -> bytes:
    """Return a line of cells for each row of the result, every number as in the JSON."""
    view = view_of(_parts(document)[0])
    parts = view.shown(_parts(document))
    columns = list(dict.fromkeys(name for part in parts for name in view.columns(part)))
    if not columns:
        raise ParameterError("format", f"{parts[0].schema} has no CSV form")
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
    writer.writeheader()
    for part in parts:
        writer.writerows(view.lines(part))
    return stream.getvalue().encode(errors="backslashreplace")


def _overall(document: Any) -> str:
    """Return the worst verdict of several reports, and where it is; empty for one report."""
    parts, worst = _parts(document), getattr(document, "verdict", None)
    if len(parts) < 2 or worst is None:
        return ""
    if worst is Verdict.WITHIN:
        return f"overall {worst.value}: all {len(parts)}"
    places = []
    for part in parts:
        if part.verdict is not worst:
            continue
        sized = [*getattr(part, "results", ()), *getattr(part, "uncalibrated", ())]
        sizes = [size.n for size in sized if getattr(size, "verdict", Verdict.WITHIN) is worst]
        if worst is Verdict.UNDECIDED:
            sizes += [
                *(size.n for size in getattr(part, "undecided", ())),
                *getattr(part, "missing", ()),
            ]
        where = f" at {tables.sizes_text(sorted(sizes))}" if sizes else ""
        parameters = tables.parameters_text(tables.parameters_of(part))
        places.append(f"{part.mechanism}{f' ({parameters})' if parameters else ''}{where}")
    more = f"; and {len(places) - _PLACES} more" if len(places) > _PLACES else ""
    count = f"{len(places)} of {len(parts)}"
    return f"overall {worst.value}: {count}: {'; '.join(places[:_PLACES])}{more}"


_PLACES = 3
"""Number of places of the worst verdict that are named."""


def _page(
    document: Any,
    *,
    mark: str,
    title: str,
    table: Callable[..., str],
    line: Callable[[str], str],
    most: int | None = None,
) -> bytes:
    """Return titles, findings, tables and notes, with empty lines between.

    A table of more than ``most`` rows has its first, worst and last rows, with a note on the rest.
    The first interval whose ends share digits is explained below its table.
    """
    read: list[str] = []  # the explanation is printed once, below the first table that needs it

    def texts() -> Iterator[str]:
        data = getattr(document, "data", None)
        if data is not None:
            yield "\n".join(mark + line(text) for text in tables.data_lines(data))
        overall = _overall(document)
        if overall:
            yield mark + line(overall)
        view = view_of(_parts(document)[0])
        for part in view.shown(_parts(document)):
            for block in view.blocks(part):
                yield from texts_of(block)

    def texts_of(block: Block) -> Iterator[str]:
        if block.title:
            lines = (block.title,) if isinstance(block.title, str) else block.title
            yield title.format("\n".join(map(line, lines)))
        if block.summary:
            yield "\n".join(mark + line(finding) for finding in block.summary)
        notes, texts = list(block.notes), list[str]()
        if block.header:
            rows, count = shortened_rows(block.rows, block.worst, None if block.whole else most)
            if count < len(block.rows):
                notes.insert(
                    0,
                    f"{count} of {len(block.rows)} rows; --rows all shows all, as other formats do",
                )
            yield table(block.header, rows)
            texts = [cell for row in rows for cell in row]
            said = "".join(block.summary)  # a form whose digits stand there needs them once
            bare = (cell for cell in texts if f"{cell} (" not in said)
            notes.extend(filter(None, [tables.decimals(bare)]))
        if not read:
            shown = [*texts, *block.summary, *notes]
            read.extend(filter(None, [tables.explained(shown)]))
            read.extend(tables.runs_explained(shown))
            notes.extend(read)
        if notes:
            yield "\n".join(mark + line(note) for note in notes)

    return ("\n\n".join(texts()) + "\n").encode()


_text = partial(
    _page, mark="", title="{}", table=aligned_table, line=lambda text: folded(printable(text))
)


def below(lines: Sequence[str]) -> bytes:
    """Return a paragraph that stands below a report in text; nothing for no lines."""
    return "".join(f"{folded(printable(line))}\n" for line in ["", *lines] if lines).encode()


FORMATS: dict[str, Callable[[Any], bytes]] = {
    "text": _text,
    "json": _json,
    "csv": _csv,
    "markdown": partial(
        _page, mark="- ", title="**{}**", table=tables.markdown_table, line=tables.markdown_text
    ),
}
"""Writers of a result, by form; a new form adds a row."""

AUDIT_FORMS = (*FORMATS, "html")
"""Forms of an audit that are written to files: with a page, which draws what texts cannot."""
