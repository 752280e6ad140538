"""Tables for people: aligned text for a terminal or a file, and Markdown."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from dpaudit.audit.result import Audit
from dpaudit.report.table import (
    audit_header,
    audit_rows,
    curve_header,
    curve_rows,
    headline,
    summary,
    unfinished,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.audit.curve import CurveAudit

__all__ = ["aligned_table", "markdown_table", "render_markdown", "render_text"]

_RIGHT = {"n", "pairs", "outputs"}


def aligned_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table aligned with spaces, without colours or wrapping: stable for any reader."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in header:
        table.add_column(Text(name), justify="right" if name in _RIGHT else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    stream = io.StringIO()
    Console(file=stream, width=10_000, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().splitlines())


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    rules = ["---:" if name in _RIGHT else "---" for name in header]
    lines = [header, rules, *rows]
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
    return summary(audit) if isinstance(audit, Audit) else unfinished(audit)


def _table(audit: Audit | CurveAudit) -> tuple[list[str], list[list[str]]]:
    if isinstance(audit, Audit):
        return audit_header(audit), audit_rows(audit)
    return curve_header(audit), curve_rows(audit)
