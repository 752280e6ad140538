"""Reports in the form that was asked for: text, JSON, CSV or Markdown."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec.structs import replace

from dpaudit.fingerprint import fingerprint
from dpaudit.report.data import data_lines
from dpaudit.report.table import provenance, subject_cells
from dpaudit.report.text import aligned_table, markdown_table, printable
from dpaudit.report.views import view_of
from dpaudit.results import CalibrationReport, Calibrations, Report, Several, worst_verdict
from dpaudit.results.documents import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.results import Data

__all__ = ["FORMS", "data_heading", "document_of", "marked", "render"]

ReportT = TypeVar("ReportT", bound=Report[Any])

FORMS = ("text", "json", "csv", "markdown")
"""The forms of a report."""


def render(reports: Sequence[Report[Any]], form: str, data: Data | None = None) -> bytes:
    """Return reports of one kind in one of :data:`FORMS`.

    Args:
        reports: one or more, all of one kind.
        form: one of :data:`FORMS`.
        data: what they were made at, if that is a file.
    """
    if form == "json":
        return encode(document_of(reports, data))
    if form == "csv":
        return _csv(reports).encode(errors="backslashreplace")
    blocks = [_block(report, form) for report in reports]
    return data_heading(data, form) + ("\n\n".join(blocks) + "\n").encode()


def document_of(reports: Sequence[Report[Any]], data: Data | None = None) -> Any:
    """Return the document of one report, or of several."""
    if len(reports) == 1:
        return replace(marked(reports[0]), data=data)
    schema = view_of(reports[0]).several
    reports = [marked(report) for report in reports]
    verdicts = [report.verdict for report in reports if hasattr(report, "verdict")]
    verdict = worst_verdict(verdicts) if verdicts else None
    if isinstance(reports[0], CalibrationReport):
        calibrations: Any = tuple(reports)
        return Calibrations(
            schema=schema, calibrations=calibrations, verdict=worst_verdict(verdicts), data=data
        )
    return Several(schema=schema, audits=tuple(reports), verdict=verdict, data=data)


def marked(report: ReportT) -> ReportT:
    """Return a report with the fingerprint of the code, as documents have it."""
    found: ReportT = replace(report, fingerprint=fingerprint())
    return found


def data_heading(data: Data | None, form: str) -> bytes:
    """Return the lines about the data that stand above a table; CSV has none."""
    if data is None or form not in ("text", "markdown"):
        return b""
    mark = "- " if form == "markdown" else ""
    return ("\n".join(f"{mark}{printable(line)}" for line in data_lines(data)) + "\n\n").encode()


def _block(report: Report[Any], form: str) -> str:
    """Return a heading, a table and what is to be said of it."""
    view = view_of(report)
    title, (header, rows) = view.title(report), view.table(report)
    notes = [*view.notes(report), *provenance(report)]
    if form == "markdown":
        table = markdown_table(header, rows)
        parts = [f"**{title}**", table, "\n".join(f"- {note}" for note in notes)]
    else:
        parts = [title, aligned_table(header, rows), "\n".join(notes)]
    return "\n\n".join(part for part in parts if part)


def _csv(reports: Sequence[Report[Any]]) -> str:
    """Return one line for each size, or each ε asked for, every number as in the JSON."""
    columns = view_of(reports[0]).columns
    lines = [subject_cells(r) | line for r in reports for line in view_of(r).lines(r)]
    first: dict[str, str] = lines[0] if lines else {}
    subject = subject_cells(reports[0])
    further = [name for name in first if name not in subject and name not in columns]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, [*subject, *columns, *further], restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return stream.getvalue()
