"""Tables for people: aligned text for a terminal or a file, and Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

from dpaudit.audit.result import Audit
from dpaudit.report.table import (
    audit_header,
    audit_rows,
    curve_header,
    curve_rows,
    headline,
    provenance,
    summary,
    unfinished,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.curve import CurveAudit

__all__ = ["aligned_table", "markdown_table", "printable", "render_markdown", "render_text"]

_RIGHT = {"n", "pairs", "outputs"}


def aligned_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table aligned with spaces, without colours or wrapping: stable for any reader.

    >>> print(aligned_table(["n", "verdict"], [["10", "within"], ["9", "exceeds"]]))
     n   verdict
    ────────────
    10   within
     9   exceeds
    """
    lines = [[printable(cell) for cell in line] for line in (header, *rows)]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    aligned = [
        "   ".join(
            " " * (width - _width(cell)) + cell
            if name in _RIGHT
            else cell + " " * (width - _width(cell))
            for name, cell, width in zip(header, line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
    rule = "─" * (sum(widths) + 3 * (len(widths) - 1))
    return "\n".join([aligned[0], rule, *aligned[1:]])


def printable(cell: str) -> str:
    """Return ``cell`` with what would break its line or move the cursor written as an escape."""
    if cell.isprintable():
        return cell
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in cell)


def _width(cell: str) -> int:
    """Return how many columns of a terminal ``cell`` takes."""
    if cell.isascii():
        return len(cell)
    return sum((east_asian_width(c) in "WF") + (not combining(c)) for c in cell)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rules = ["---:" if name in _RIGHT else "---" for name in header]
    lines = [header, rules, *([printable(cell) for cell in row] for row in rows)]
    escaped = [[cell.replace("|", r"\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def render_text(audits: Sequence[Audit | CurveAudit]) -> str:
    """Return the audits as text: a heading, a table and a summary for each."""
    blocks = []
    for audit in audits:
        header, rows = _table(audit)
        lines = [headline(audit.subject), "", aligned_table(header, rows)]
        if notes := _notes(audit):
            lines += ["", *notes]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def render_markdown(audits: Sequence[Audit | CurveAudit]) -> str:
    """Return the audits as Markdown."""
    blocks = []
    for audit in audits:
        header, rows = _table(audit)
        lines = [f"**{headline(audit.subject)}**", "", markdown_table(header, rows)]
        if notes := _notes(audit):
            lines += ["", *(f"- {line}" for line in notes)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _notes(audit: Audit | CurveAudit) -> list[str]:
    notes = summary(audit) if isinstance(audit, Audit) else unfinished(audit)
    return [*notes, *provenance(audit.subject)]


def _table(audit: Audit | CurveAudit) -> tuple[list[str], list[list[str]]]:
    if isinstance(audit, Audit):
        return audit_header(audit), audit_rows(audit)
    return curve_header(audit), curve_rows(audit)
