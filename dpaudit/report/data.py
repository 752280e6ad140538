"""The data an audit was made at: a file's column and its counts, as a document and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.results import Data

if TYPE_CHECKING:
    from dpaudit.data.columns import Column

__all__ = ["data_document", "data_lines"]

_SHOWN = 24


def data_document(column: Column | None) -> Data | None:
    """Return the document of a column, if there is one; the file without its folder."""
    if column is None:
        return None
    return Data(
        column.path.name,
        column.name,
        column.n,
        list(column.categories),
        list(column.counts),
        column.missing,
        column.dropped,
    )


def data_lines(data: Data) -> list[str]:
    """Return a column in words: what was read, and how often each category occurs."""
    k = len(data.categories)
    pairs = list(zip(data.categories, data.counts, strict=True))
    counts = ", ".join(f"{category} {count}" for category, count in pairs[:_SHOWN])
    rest = f", … ({k - _SHOWN} more)" if k > _SHOWN else ""
    lines = [
        f"data: {data.file}, column {data.column}: {data.n} records, {k} categories",
        f"counts, in this order: {counts}{rest}",
    ]
    if data.missing:
        fate = "left out" if data.dropped else "a category of their own"
        lines.append(f"missing values: {data.missing}, {fate}")
    return lines
