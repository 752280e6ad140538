"""Inputs from a file: a list in JSON, or the rows of a table with each row left out in turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any, NamedTuple

from dpaudit.data.columns import check_file, is_parquet, read_cells, read_titles
from dpaudit.data.files import open_regular
from dpaudit.data.neighbouring import SEQUENCE_ADD_REMOVE
from dpaudit.errors import DataError

__all__ = ["FileInputs", "read_file"]

_SUFFIXES = (".json", ".csv", ".tsv", ".tab", ".parquet", ".pq")
_LARGEST_LIST = 10 << 20
_MOST_ROWS = 2_000
_WHOLE = re.compile(r"[-+]?\d{1,300}", re.ASCII)
_DECIMAL = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d{1,4})?", re.ASCII)


class FileInputs(NamedTuple):
    """The datasets in a file that a function is called with."""

    text: str
    """The datasets as they are written after ``--inputs``."""
    relation: str | None
    """Name of the relation between them, where the file says it; None for a list."""


def read_file(text: str, folder: Path) -> FileInputs | None:
    """Return the inputs in a file, or None for a text that does not name one.

    A JSON file is a list of inputs.  A table (CSV, tab-separated, Parquet) is one dataset, a list
    of records, which are mappings from columns to values; the inputs are the table, and what is
    left of it without each of its rows.

    Args:
        text: what is given as inputs; a file has a name with one of the suffixes of such files.
        folder: what its path is relative to.

    Raises:
        DataError: for a file that cannot be read, or is too large.
    """
    name = text.strip()
    if not name.lower().endswith(_SUFFIXES) or any(mark in name for mark in ",[]{}()'\"\n"):
        return None
    path = folder / name
    check_file(path)
    if path.suffix.lower() == ".json":
        return FileInputs(_listed(path), None)
    records = _records(path)
    if len(records) > _MOST_ROWS:
        raise DataError(
            path,
            f"it has {len(records)} rows, and dpaudit leaves out each in turn; at most "
            f"{_MOST_ROWS} rows are allowed",
        )
    datasets = [records, *(records[:place] + records[place + 1 :] for place in range(len(records)))]
    try:
        texts = dict.fromkeys(json.dumps(dataset, allow_nan=False) for dataset in datasets)
    except ValueError:
        raise DataError(path, "it has an infinite number") from None
    return FileInputs(
        f"[{', '.join(texts)}]", SEQUENCE_ADD_REMOVE.name
    )  # equal rows leave the same


def _listed(path: Path) -> str:
    """Return the text of a list in JSON."""
    try:
        with open_regular(path) as file:
            content = file.read(_LARGEST_LIST + 1)
        if len(content) > _LARGEST_LIST:
            raise DataError(path, f"it has more than {_LARGEST_LIST} bytes; list fewer inputs")
        inputs = json.loads(content)
        text = json.dumps(inputs, allow_nan=False)
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(path, f"it is not a list in JSON: {error}") from None
    if not isinstance(inputs, list):
        raise DataError(
            path, "it is not a list: give the inputs of the function as [first, second]"
        )
    return text


def _records(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a table, each with its columns' names."""
    if is_parquet(path):
        from dpaudit.data.parquet import parquet_rows

        rows: list[dict[str, Any]] = parquet_rows(path, _MOST_ROWS)
        return rows
    titles = read_titles(path)
    cells, _ = read_cells(path, titles)
    columns = map(_typed, cells)
    return [dict(zip(titles, row, strict=True)) for row in zip(*columns, strict=True)]


def _typed(cells: list[str]) -> list[Hashable]:
    """Return the values of a column: numbers where all cells are; None for an empty cell."""
    kind: Callable[[str], Hashable] = str
    written = [cell.strip() for cell in cells]
    present = [cell for cell in written if cell]
    if present and all(map(_WHOLE.fullmatch, present)):
        kind = int
    elif present and all(map(_DECIMAL.fullmatch, present)):
        kind = float
    return [kind(cell) if cell else None for cell in written]
