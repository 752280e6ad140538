"""A column of a Parquet file, a batch at a time, or its rows, by way of pyarrow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dpaudit.errors import DataError

__all__ = ["parquet_cells", "parquet_rows", "parquet_titles", "parquet_values"]

_ROWS_AT_ONCE = 1 << 16


def parquet_values(
    path: Path, name: str | None, find: Callable[[Sequence[str]], int]
) -> tuple[str, Iterator[str]]:
    """Return the name of one column, and an iterator over its values as text; null is empty.

    ``find`` gives the place of the column ``name`` among the names of all.

    Raises ``DataError`` without pyarrow, for a file that is no Parquet file, and for a column that
    is neither text, whole numbers nor booleans.
    """
    file = _opened(path)
    import pyarrow as pa

    schema = file.schema_arrow
    _check_fields(path, name, schema)
    place = find(schema.names)
    title: str = schema.names[place]
    kind = schema.types[place]
    # A dictionary holds each value once; its values are what is read.
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    allowed = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_integer,
        pa.types.is_boolean,
        pa.types.is_null,
    )
    if not any(test(kind) for test in allowed):
        raise DataError(
            path,
            f"column {title!r} holds {_one_line(kind)} values; categories are text, whole numbers "
            "or booleans",
        )
    return title, _values(path, file, title)


def _opened(path: Path) -> Any:
    """Return a Parquet file to be read; ``DataError`` without pyarrow, or for another file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise DataError(
            path, "Parquet is read with pyarrow, which is not installed: pip install pyarrow"
        ) from None
    try:
        file = pq.ParquetFile(path)
        file.schema_arrow  # noqa: B018 (it is read now)
    except (pa.ArrowException, OSError) as error:
        raise DataError(path, f"it is not a Parquet file: {_one_line(error)}") from None
    return file


def parquet_titles(path: Path) -> list[str]:
    """Return the names of the columns; ``DataError`` as for :func:`parquet_values`."""
    return list(_opened(path).schema_arrow.names)


def parquet_cells(
    path: Path, names: Sequence[str], most: int, find: Callable[[str, Sequence[str]], int]
) -> list[list[str]]:
    """Return columns as text, row by row; a value that is missing is empty.

    ``find`` gives the place of a name among all.  Raises ``DataError`` without pyarrow, for a file
    that is no Parquet file, more than ``most`` rows, and values that are neither text, numbers nor
    booleans.
    """
    file = _opened(path)
    import pyarrow as pa

    schema = file.schema_arrow
    for name in names:
        kind = schema.types[find(name, schema.names)]
        if pa.types.is_nested(kind) or pa.types.is_binary(kind):
            raise DataError(
                path,
                f"column {name!r} holds {_one_line(kind)} values; allowed are text, numbers and "
                "booleans",
            )
    if file.metadata.num_rows > most:
        raise DataError(path, f"it has more than {most} rows, the most that are read")
    return [list(_values(path, file, name)) for name in names]


def parquet_rows(path: Path, most: int) -> list[dict[str, Any]]:
    """Return the rows of a Parquet file as mappings; a value that is missing is None.

    Raises ``DataError`` without pyarrow, for a file that is no Parquet file, more than ``most``
    rows, and values that are neither text, numbers nor booleans.
    """
    file = _opened(path)
    if file.metadata.num_rows > most:
        raise DataError(path, f"it has {file.metadata.num_rows} rows: at most {most} are read")
    try:
        rows: list[dict[str, Any]] = file.read().to_pylist()
    except (OSError, ValueError) as error:
        raise DataError(path, f"it cannot be read: {_one_line(error)}") from None
    for row in rows:
        for name, value in row.items():
            if not isinstance(value, (str, int, float, bool, type(None))):
                raise DataError(
                    path,
                    f"column {name!r} holds a {type(value).__name__}; allowed are text, numbers "
                    "and booleans",
                )
            # pandas writes missing numbers as nan.
            if isinstance(value, float) and math.isnan(value):
                row[name] = None
    return rows


def _check_fields(path: Path, name: str | None, schema: Any) -> None:
    """Refuse the path of a field in a struct, where no column has that name."""
    import pyarrow as pa

    if name is None or name in schema.names:
        return
    for title, kind in zip(schema.names, schema.types, strict=True):
        if pa.types.is_nested(kind) and name.startswith(f"{title}."):
            raise DataError(
                path,
                f"there is no column {name!r}: column {title!r} holds {_one_line(kind)} values, "
                "and their fields are not read; write the field as a column of its own",
            )


def _values(path: Path, file: Any, title: str) -> Iterator[str]:
    import pyarrow as pa

    try:
        # pyarrow reads ``s.c`` as a path as well, and gives the struct ``s`` beside the column.
        for batch in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=[title]):
            for value in batch.column(batch.schema.names.index(title)).to_pylist():
                yield "" if value is None else str(value)
    except (pa.ArrowException, OSError) as error:
        raise DataError(path, f"it cannot be read: {_one_line(error)}") from None


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:160]
