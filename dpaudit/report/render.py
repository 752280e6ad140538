"""Audits in the form that was asked for: text, JSON, CSV or Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.curve import CurveAudit
    from dpaudit.audit.result import Audit

__all__ = ["FORMS", "render_audits", "render_curves"]

FORMS = ("text", "json", "csv", "markdown")
"""The forms of a report."""


def render_audits(audits: Sequence[Audit], form: str) -> bytes:
    """Return the audits in one of :data:`FORMS`."""
    if form == "json":
        from dpaudit.report.documents import audit_document, encode

        return encode(audit_document(audits))
    return _render_table(audits, form)


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
