"""Series and frames that are given out: as mappings and lists, below a key that tells their types.

An output is compared by what can be seen of it: the library, names, types, labels and numbers, in
their order.  While a function is explored, pandas keeps draws in columns of objects, which have the
type of the numbers that they stand for where the code is run for real.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

__all__ = ["FrameKind", "Opening", "frame_parts"]


class Opening(NamedTuple):
    """Columns of objects hold draws, or fractions, which stand for numbers of one type."""

    whole: bool = False
    """True if a column was converted to whole numbers, and ends that it is clipped at are such."""


class FrameKind(str):
    """A key that tells what a series or a frame is; it equals no text."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is the same kind of frame."""
        return type(other) is FrameKind and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Tell whether the other is no kind of frame, or another."""
        return not self == other

    def __hash__(self) -> int:
        """Return a hash that differs from that of the text."""
        return hash((FrameKind, str(self)))

    def __repr__(self) -> str:
        """Show it without quotation marks, as no text looks."""
        return str(self)


def frame_parts(value: Any, *, opening: Opening | None) -> dict[FrameKind, Any] | None:
    """Return a series, an index or a frame of pandas or polars as a mapping from its kind to parts.

    Args:
        value: what was given out.
        opening: what is known of columns of draws; None where the code is run for real.

    Returns:
        None for any other value.
    """
    for base in type(value).__mro__:
        parts = _PARTS.get((base.__module__.partition(".")[0], base.__qualname__))
        if parts is not None:
            kind = f"{base.__module__.partition('.')[0]}.{type(value).__qualname__}"
            about, body = parts(value, opening)
            return {FrameKind(" ".join(filter(None, [kind, *about]))): body}
    return None


def _column(column: Any, opening: Opening | None) -> tuple[str, list[Any]]:
    """Return the type of a column's entries, and these; draws among objects are numbers."""
    kind, cells = _type_text(column.dtype), list(map(_cell, column))
    if opening is None or kind not in ("object", "Object"):
        return kind, cells
    sizes = ("int64", "float64") if kind == "object" else ("Int64", "Float64")
    kinds = set(map(_number_kind, cells))
    if None in kinds:
        return kind, cells
    open_ = any(hasattr(type(cell), "_stands_for") for cell in cells)
    if kinds == {int} and (open_ or opening.whole):
        return sizes[0], cells
    return sizes[1], [cell * 1.0 if _number_kind(cell) is int else cell for cell in cells]


def _number_kind(cell: Any) -> type | None:
    """Return ``int`` or ``float`` for what a number is or stands for; None for any other value."""
    kind: type = type(cell)
    if hasattr(kind, "_stands_for"):
        kind = cell._stands_for()
    if issubclass(kind, (float, Fraction)):
        return float
    return int if issubclass(kind, int) and kind is not bool else None


def _cell(cell: Any) -> Any:
    """Return an entry; None for a missing one that is no float, as it equals nothing."""
    if isinstance(cell, float) or hasattr(type(cell), "_stands_for"):
        return cell
    try:
        return None if cell != cell else cell  # noqa: PLR0124
    except (TypeError, ValueError):  # pandas.NA compares as nothing
        return None


def _type_text(dtype: Any) -> str:
    """Return the name of a type of entries, with its categories where it has some."""
    categories = getattr(dtype, "categories", None)
    if categories is None or callable(categories):
        return str(dtype)
    return f"{dtype} {list(categories)!r} ordered={getattr(dtype, 'ordered', None)}"


def _labels(index: Any) -> tuple[str, list[Any] | None]:
    """Return what an index of pandas is, and its labels; nothing for the numbers of the rows."""
    names = [name for name in index.names if name is not None]
    is_range = type(index).__name__ == "RangeIndex" and not names
    if is_range and (index.start, index.step) == (0, 1):
        return "", None
    types = getattr(index, "dtypes", None)
    told = list(map(_type_text, types)) if types is not None else [_type_text(index.dtype)]
    return f"by {type(index).__name__} {list(index.names)} {' '.join(told)}", [
        tuple(map(_cell, label)) if isinstance(label, tuple) else _cell(label) for label in index
    ]


def _by_label(labels: list[Any], values: list[Any]) -> Any:
    """Return a mapping from labels to values; pairs where a label occurs twice."""
    return (
        dict(zip(labels, values, strict=True))
        if len(set(labels)) == len(labels)
        else list(zip(labels, values, strict=True))
    )


def _series(series: Any, opening: Opening | None) -> tuple[list[str], Any]:
    about, labels = _labels(series.index)
    kind, values = _column(series, opening)
    told = [repr(series.name) if series.name is not None else "", kind, about, _attrs(series)]
    return told, values if labels is None else _by_label(labels, values)


def _attrs(frame: Any) -> str:
    return f"attrs={frame.attrs!r}" if frame.attrs else ""


def _index(index: Any, opening: Opening | None) -> tuple[list[str], Any]:
    about, labels = _labels(index)
    return [about], list(index) if labels is None else labels


def _frame(frame: Any, opening: Opening | None) -> tuple[list[str], Any]:
    about, labels = _labels(frame.index)
    columns = [_column(frame.iloc[:, place], opening) for place in range(frame.shape[1])]
    names = list(frame.columns)
    axis = f"columns {list(frame.columns.names)}" if any(frame.columns.names) else ""
    told = [f"({', '.join(kind for kind, _ in columns)})", axis, about, _attrs(frame)]
    body = _by_label(names, [values for _, values in columns])
    return told, body if labels is None and columns else (body, labels, len(frame))


def _polars_series(series: Any, opening: Opening | None) -> tuple[list[str], Any]:
    kind, values = _column(series, opening)
    return [repr(series.name), kind], values


def _polars_frame(frame: Any, opening: Opening | None) -> tuple[list[str], Any]:
    columns = [_column(series, opening) for series in frame.get_columns()]
    told = [f"({', '.join(kind for kind, _ in columns)})"]
    return told, _by_label(frame.columns, [values for _, values in columns])


_PARTS: dict[tuple[str, str], Any] = {
    ("pandas", "Series"): _series,
    ("pandas", "Index"): _index,
    ("pandas", "DataFrame"): _frame,
    ("polars", "Series"): _polars_series,
    ("polars", "DataFrame"): _polars_frame,
}
"""Functions that return words about a value and its parts, by library and type."""
