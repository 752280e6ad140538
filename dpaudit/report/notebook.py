"""Finished work in a notebook: one line, a page with its figure, the columns of a frame."""

from __future__ import annotations

import base64
import csv
import io
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any

from dpaudit.errors import ParameterError
from dpaudit.report.fitting import SHOWN_ROWS, printable, shortened_rows
from dpaudit.report.table import shortened
from dpaudit.report.views import view_of
from dpaudit.results.brief import LONGEST
from dpaudit.results.comparing import float_down, float_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dpaudit.report.view import Block

__all__ = ["columns_of", "html", "line", "table"]

_WHOLE = {"n", "datasets", "pairs", "pairs_covered", "draws", "selected", "audits"}
_LONG = 60
_CELL = "padding: 2px 10px; text-align: left; white-space: nowrap"


def _blocks(work: Any) -> Iterator[Block]:
    for part in view_of(work.reports[0]).shown(work.reports):
        yield from view_of(work.reports[0]).blocks(part)


def line(work: Any) -> str:
    """Return the question and the findings in one short line, with parameters where they fit."""
    name = type(work).__name__
    for block in _blocks(work):
        title = block.title if isinstance(block.title, str) else next(iter(block.title), "")
        findings = [*block.summary, *block.notes][:2]
        if len("; ".join([title, *findings])) > LONGEST - len(name) - 4:
            title = shortened(title.partition(" (")[0].partition("; ")[0], LONGEST // 4)
        text = printable("; ".join([*([title] if title else []), *findings]))
        return f"<{name}: {shortened(text, LONGEST - len(name) - 4)}>"
    return f"<{name}>"


def html(work: Any) -> str:
    """Return the titles, summaries and tables, and the figure where there is one."""
    return "\n".join([*map(_section, _blocks(work)), _picture(work)])


def _section(block: Block) -> str:
    titles = (block.title,) if isinstance(block.title, str) else block.title
    parts = [f"<b>{_text(title)}</b><br>" for title in titles if title]
    parts += [f"{_text(finding)}<br>" for finding in block.summary]
    if block.header:
        most = None if block.whole else SHOWN_ROWS
        rows, _ = shortened_rows(block.rows, block.worst, most)
        parts.append(table(block.header, rows))
    parts += [f"<small>{_text(note)}</small><br>" for note in block.notes]
    return "\n".join(parts)


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts."""
    head = "".join(f'<th style="{_CELL}">{_text(name)}</th>' for name in header)
    body = "".join(f"<tr>{''.join(map(_cell_of, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell_of(text: str) -> str:
    """Return a cell of a table; what is long is broken into lines."""
    style = f"{_CELL}; white-space: normal" if len(text) > _LONG else _CELL
    return f'<td style="{style}">{_text(text)}</td>'


def _text(text: str) -> str:
    return escape(printable(text))


def _picture(work: Any) -> str:
    """Return the figure as an image that asks nothing of the network, or nothing."""
    try:
        figure = work.figure()
    except (ParameterError, ValueError, IndexError):  # there is none, or nothing to draw
        return ""
    stream = io.BytesIO()
    figure.savefig(stream, format="svg")
    data = base64.b64encode(stream.getvalue()).decode()
    titles = "; ".join(
        block.title if isinstance(block.title, str) else block.title[0]
        for block in _blocks(work)
        if block.title
    )
    return f'<img alt="{_text(titles)}" src="data:image/svg+xml;base64,{data}">'


def columns_of(lines: str) -> dict[str, list[Any]]:
    """Return the columns of a CSV: whole numbers, floats rounded outward, and texts.

    The direction of a float is in the name of its column.
    """
    rows = list(csv.DictReader(io.StringIO(lines)))
    names = list(rows[0]) if rows else []
    return {name: [_cell(name, row[name]) for row in rows] for name in names}


def _cell(name: str, text: str) -> Any:
    end = name.rstrip("_0123456789")
    if not text:
        return None
    if end.endswith("_lower"):
        return float_down(Decimal(text))
    if end.endswith("_upper"):
        return float_up(Decimal(text))
    return int(text) if name in _WHOLE and text.isdecimal() else text
