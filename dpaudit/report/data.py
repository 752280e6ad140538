"""The data an audit was made at: a file's column and its counts, as a document and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from dpaudit.data.columns import Column

__all__ = ["DataDocument", "data_document", "data_lines"]

_SHOWN = 24


class DataDocument(msgspec.Struct):
    """The counts of one column of a file; of its ``missing`` values so many were ``dropped``."""

    file: str
    column: str
    n: int
    categories: list[str]
    counts: list[int]
    missing: int
    dropped: int


def data_document(column: Column | None) -> DataDocument | None:
    """Return the document of a column, if there is one; the file without its folder."""
    if column is None:
        return None
    return DataDocument(
        column.path.name,
        column.name,
        column.n,
        list(column.categories),
        list(column.counts),
        column.missing,
        column.dropped,
    )


def data_lines(column: Column | None) -> list[str]:
    """Return a column in words: what was read, and how often each category occurs."""
    if column is None:
        return []
    k = len(column.categories)
    pairs = list(zip(column.categories, column.counts, strict=True))
    counts = ", ".join(f"{category} {count}" for category, count in pairs[:_SHOWN])
    rest = f", … ({k - _SHOWN} more)" if k > _SHOWN else ""
    lines = [
        f"data: {column.path.name}, column {column.name}: {column.n} records, {k} categories",
        f"counts, in this order: {counts}{rest}",
    ]
    if column.missing:
        fate = "left out" if column.dropped else "a category of their own"
        lines.append(f"missing values: {column.missing}, {fate}")
    return lines
