"""Tables that fit the terminal, and sweeps that fit a screen.

A file or a pipe gets the whole table.  On a terminal (or where ``COLUMNS`` says how wide one is) a
table that is too wide is fitted in three steps.  It drops the columns :data:`DROPPED`, which the
CSV has.  It folds texts inside their columns.  It moves columns that still do not fit into another
table below.  No row is broken.
"""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from unicodedata import combining, east_asian_width

__all__ = [
    "DROPPED",
    "RIGHT",
    "SHOWN_ROWS",
    "aligned_table",
    "coloured",
    "folded",
    "printable",
    "shortened_rows",
    "shown_rows",
    "terminal_width",
]

DROPPED = ("outputs", "pairs")
"""The columns that a narrow terminal does without, in this order; the summary counts the pairs."""
RIGHT = {"n", "pairs", "outputs"}
"""The columns of whole numbers."""
SHOWN_ROWS = 12
"""Default number of rows shown of a sweep."""

_GAP = 3
_NARROWEST = 40, 24
"""Least number of columns of a table, and least width that a text is folded to."""


def terminal_width() -> int | None:
    """Return the number of columns of the terminal; None for a file or a pipe."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and columns.isascii() and int(columns[:6]):
        return max(_NARROWEST[0], int(columns[:6]))
    with suppress(OSError, ValueError, AttributeError):
        if sys.stdout.isatty():
            return max(_NARROWEST[0], os.get_terminal_size(sys.stdout.fileno()).columns)
    return None


def shown_rows(count: int, worst: int | None, most: int | None) -> list[int | None]:
    """Return the indices of the rows to show of ``count``: the first, the ``worst`` and the last.

    Args:
        count: number of rows.
        worst: index of the worst row; None if there is none.
        most: largest number of rows to show; None for no limit.

    Returns:
        The indices in order, with a None wherever rows are left out.

    >>> shown_rows(100, 40, 6)
    [0, 1, 2, None, 40, None, 98, 99]
    >>> shown_rows(3, None, 12)
    [0, 1, 2]
    """
    if most is None or count <= most:
        return list(range(count))
    tail = max(1, (most - 1) // 2)
    shown = {*range(most - tail - (worst is not None)), *range(count - tail, count)}
    shown |= set() if worst is None else {worst}
    places: list[int | None] = []
    for row in sorted(shown):
        if places and places[-1] != row - 1:
            places.append(None)
        places.append(row)
    return places


def shortened_rows(
    rows: Sequence[Sequence[str]], worst: int | None, most: int | None
) -> tuple[list[Sequence[str]], int]:
    """Return the :func:`shown_rows` with a row of "…" for what is left out, and how many they are.

    >>> shortened_rows([["1"], ["2"], ["3"], ["4"]], None, 3)
    ([['1'], ['2'], ['…'], ['4']], 3)
    """
    places = shown_rows(len(rows), worst, most)
    left_out = [["…", *[""] * (len(row) - 1)] for row in rows[:1]]
    chosen = [left_out[0] if place is None else rows[place] for place in places]
    return chosen, len(places) - places.count(None)


_ALL_COLUMNS = "(--format csv shows all columns)"


def aligned_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None
) -> str:
    """Return a table aligned with spaces, no wider than ``width``, by default the terminal's.

    >>> print(aligned_table(["n", "verdict"], [["10", "within"], ["9", "exceeds"]]))
     n   verdict
    ────────────
    10   within
     9   exceeds
    >>> print(aligned_table(["n", "outputs", "pair"], [["10", "11", "(0,10) / (1,9)"]], 20))
     n   pair
    ───────────────────
    10   (0,10) / (1,9)
    not shown at this width: outputs (--format csv shows all columns)
    """
    width = terminal_width() if width is None else width
    cells = [[printable(cell) for cell in line] for line in (header, *rows)]
    dropped: list[str] = []
    for name in DROPPED:
        if width is None or _total(cells) <= width:
            break
        if name in header:
            place = cells[0].index(name)
            cells = [[*line[:place], *line[place + 1 :]] for line in cells]
            dropped.append(name)
    tables = [cells] if width is None else list(_split(cells, width))
    texts = ["\n".join(_lines(table, width)) for table in tables]
    if dropped:
        texts[-1] += f"\nnot shown at this width: {', '.join(dropped)} {_ALL_COLUMNS}"
    return "\n\n".join(texts)


Cells = list[list[str]]


def _widths(cells: Cells) -> list[int]:
    return [max(map(_width, column)) for column in zip(*cells, strict=True)]


def _total(cells: Cells) -> int:
    widths = _widths(cells)
    return sum(widths) + _GAP * (len(widths) - 1)


def _split(cells: Cells, width: int) -> Iterator[Cells]:
    """Yield tables that fit once their texts are folded, each with the first column."""
    first = 0 if len(cells[0]) == 1 else 1
    columns = list(range(first))
    for column in range(first, len(cells[0])):
        wider = [*columns, column]
        if len(columns) > first and not _fits([[line[i] for i in wider] for line in cells], width):
            yield [[line[i] for i in columns] for line in cells]
            wider = [*range(first), column]
        columns = wider
    yield [[line[i] for i in columns] for line in cells]


def _fits(cells: Cells, width: int) -> bool:
    return sum(_folded_widths(cells, width)) + _GAP * (len(cells[0]) - 1) <= width


def _folded_widths(cells: Cells, width: int) -> list[int]:
    """Return the widths of columns, the widest texts folded until all fit, as far as that goes."""
    widths = _widths(cells)
    least = [max(_NARROWEST[1], _width(name)) for name in cells[0]]
    texts = [any(" " in line[i] for line in cells[1:]) for i in range(len(widths))]
    for i in sorted(range(len(widths)), key=lambda i: -widths[i]):
        excess = sum(widths) + _GAP * (len(widths) - 1) - width
        if excess > 0 and texts[i]:
            widths[i] = max(min(widths[i], least[i]), widths[i] - excess)
    return widths


def _lines(cells: Cells, width: int | None) -> Iterator[str]:
    widths = _widths(cells) if width is None else _folded_widths(cells, width)
    for number, line in enumerate(cells):
        parts = [_wrapped(cell, most) for cell, most in zip(line, widths, strict=True)]
        for level in range(max(map(len, parts))):
            aligned = [
                _aligned(part[level] if level < len(part) else "", most, name)
                for part, most, name in zip(parts, widths, cells[0], strict=True)
            ]
            yield (" " * _GAP).join(aligned).rstrip()
        if number == 0:
            yield "─" * (sum(widths) + _GAP * (len(widths) - 1))


def _aligned(cell: str, width: int, name: str) -> str:
    space = " " * (width - _width(cell))
    return space + cell if name in RIGHT else cell + space


def _wrapped(cell: str, width: int) -> list[str]:
    """Return a cell in lines no wider than ``width``, broken at spaces where there are any."""
    if _width(cell) <= width:
        return [cell]
    lines = [""]
    for word in cell.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if _width(joined) <= width:
            lines[-1] = joined
            continue
        rest = word
        if not lines[-1]:
            lines.pop()
        while _width(rest) > width:
            cut = next(i for i in range(len(rest), 0, -1) if _width(rest[:i]) <= width)
            lines.append(rest[:cut])
            rest = rest[cut:]
        lines.append(rest)
    return lines


def folded(line: str) -> str:
    """Return a line of prose in lines that fit the terminal, all but the first further in."""
    width = terminal_width()
    if width is None or _width(line) <= width:
        return line
    return textwrap.fill(
        line,
        width,
        subsequent_indent=" " * (len(line) - len(line.lstrip()) + 2),
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
    )


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


_COLOURS = {"within": 32, "pass": 32, "exceeds": 31, "FAIL": 31, "undecided": 33}
_JUDGED = re.compile(rf"(^|overall |   )({'|'.join(_COLOURS)})(?=:|   |$)".encode(), re.MULTILINE)


def coloured(text: bytes) -> bytes:
    """Return a report with its verdicts in colour if it goes to a terminal that has some."""
    if not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb":
        return text
    return _JUDGED.sub(
        lambda match: match[1] + b"\x1b[%dm%b\x1b[0m" % (_COLOURS[match[2].decode()], match[2]),
        text,
    )
