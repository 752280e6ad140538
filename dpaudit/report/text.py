"""Tables for people: aligned text for a terminal or a file, and Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import combining, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["aligned_table", "markdown_table", "printable"]

_RIGHT = {"n", "pairs", "outputs"}
_TAG = re.compile(r"<(?=[A-Za-z/!?])")


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
    escaped = [[_escaped(cell) for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def _escaped(cell: str) -> str:
    """Return a cell without marks that would end it, or begin a tag."""
    return _TAG.sub("&lt;", cell.replace("\\", "\\\\").replace("|", r"\|"))
