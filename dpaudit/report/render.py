"""Audits in the form that was asked for: text, JSON, CSV or Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.curve import CurveAudit
    from dpaudit.audit.result import Audit
    from dpaudit.data.columns import Column

__all__ = ["FORMS", "data_heading", "render_audits", "render_curves"]

FORMS = ("text", "json", "csv", "markdown")
"""The forms of a report."""


def render_audits(audits: Sequence[Audit], form: str, data: Column | None = None) -> bytes:
    """Return the audits in one of :data:`FORMS`; ``data`` is what they were made at, if a file."""
    if form == "json":
        from dpaudit.report.data import data_document
        from dpaudit.report.documents import audit_document, encode

        return encode(audit_document(audits, data_document(data)))
    return data_heading(data, form) + _render_table(audits, form)


def data_heading(data: Column | None, form: str) -> bytes:
    """Return the lines about the data that stand above a table; CSV has none."""
    if data is None or form not in ("text", "markdown"):
        return b""
    from dpaudit.report.data import data_lines
    from dpaudit.report.text import printable

    mark = "- " if form == "markdown" else ""
    return ("\n".join(f"{mark}{printable(line)}" for line in data_lines(data)) + "\n\n").encode()


def render_curves(audits: Sequence[CurveAudit], form: str) -> bytes:
    """Return the curves in one of :data:`FORMS`."""
    if form == "json":
        from dpaudit.report.documents import curve_document, encode

        return encode(curve_document(audits))
    return _render_table(audits, form)


def _render_table(audits: Sequence[Audit | CurveAudit], form: str) -> bytes:
    if form == "csv":
        from dpaudit.report.csv import render_csv

        return render_csv(audits).encode()
    from dpaudit.report.text import render_markdown, render_text

    return (render_markdown if form == "markdown" else render_text)(audits).encode()
