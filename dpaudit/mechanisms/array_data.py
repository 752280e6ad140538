"""Arrays and frames as datasets: held as tuples, which can be hashed, and made anew for each call.

An array of NumPy's, a series or a frame of pandas or of polars is a dataset as a list is one: its
entries, or its rows, are what neighbouring relations are about.  A function is called with a new
object of the same kind, types and names, which it may change: it is pickled once, and read from
that for every call, so that nothing of one call is left for the next.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from typing import Any

from dpaudit.errors import LawError, one_line

__all__ = ["Arrayed", "held_array"]

Convert = Callable[[Any], Any]


class Arrayed(tuple[Any, ...]):
    """An array, a series or a frame that is a dataset, as a tuple of its entries or rows."""

    pickled: bytes
    """The value; two that differ in types, names or shape are two datasets."""
    writeable: bool
    """False for an array that a function may not change."""

    def __eq__(self, other: object) -> bool:
        """Tell whether the other is of the same kind, types, names and entries."""
        return type(other) is Arrayed and self.pickled == other.pickled

    def __ne__(self, other: object) -> bool:
        """Tell whether the other is another."""
        return not self == other

    def __hash__(self) -> int:
        """Return a hash of all that it is."""
        return hash(self.pickled)

    def made(self) -> Any:
        """Return a new value like the one that was held."""
        value = pickle.loads(self.pickled)
        if not self.writeable:
            value.flags.writeable = False
        return value


def held_array(value: Any, freeze: Convert) -> Arrayed | None:
    """Return an array, a series or a frame as a tuple of what ``freeze`` makes of its parts.

    None for any other value.  Raises ``LawError`` for one that cannot be pickled.
    """
    parts = next((_PARTS[key] for key in map(_named, type(value).__mro__) if key in _PARTS), None)
    if parts is None:
        return None
    kind = type(value).__qualname__
    try:
        again = pickle.loads(pickle.dumps(value, protocol=5))
        same = pickle.dumps(again, protocol=5)
    except Exception as error:
        raise LawError(f"a dataset of {kind} cannot be pickled: {one_line(error)}") from None
    if str(getattr(again, "dtype", "")) != str(getattr(value, "dtype", "")):
        # NumPy forgets the order of the bytes of times.
        raise LawError(
            f"a dataset of {kind} with dtype {value.dtype} comes back with another dtype "
            "when it is pickled"
        )
    held = Arrayed(map(freeze, parts(value)))
    held.pickled = same  # what one call changes in memory order is no other dataset
    held.writeable = bool(getattr(getattr(value, "flags", None), "writeable", True))
    return held


def _named(kind: type) -> tuple[str, str]:
    return kind.__module__.partition(".")[0], kind.__qualname__


def _with_none(part: Any) -> Any:
    """Return an entry, or a list of these, with None for missing values.

    A dataset has to equal itself, as NaN does not.
    """
    if isinstance(part, list):
        return list(map(_with_none, part))
    try:
        return None if part != part else part  # noqa: PLR0124
    except (TypeError, ValueError):  # pandas.NA compares as nothing
        return None


def _entries(array: Any) -> list[Any]:
    """Return the entries of an array of NumPy's, as lists in lists where it has more axes."""
    listed: list[Any] = array.tolist() if array.ndim else [array.item()]
    return listed if array.dtype.hasobject or array.dtype.names else _with_none(listed)


def _cells(series: Any) -> list[Any]:
    """Return the cells of a column of pandas; among objects None and NaN stay what they are."""
    return list(series) if series.dtype == object else list(map(_with_none, series))


def _rows(frame: Any) -> Iterable[Any]:
    """Return the rows of a frame of pandas."""
    columns = [_cells(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return zip(*columns, strict=True)


_PARTS: dict[tuple[str, str], Callable[[Any], Iterable[Any]]] = {
    ("numpy", "ndarray"): _entries,
    ("pandas", "Series"): _cells,
    ("pandas", "DataFrame"): _rows,
    ("polars", "Series"): list,
    ("polars", "DataFrame"): lambda frame: frame.iter_rows(),
}
"""Functions that return the entries or the rows of a value, by library and type."""
