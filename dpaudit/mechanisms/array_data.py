"""Arrays and frames as datasets: held as tuples, which can be hashed, and made anew for each call.

An array of NumPy's, a series or a frame of pandas or of polars is a dataset as a list is one: its
entries, or its rows, are what neighbouring relations are about.  A function is called with a new
object of the same kind, type and names, which it may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

__all__ = ["Arrayed", "held_array"]

Convert = Callable[[Any], Any]


class _Kind(NamedTuple):
    """Functions by which values of one type become tuples, and come back."""

    parts: Callable[[Any], Iterable[Any]]
    """Function that returns the entries, or the rows."""
    form: Callable[[Any], Any]
    """Function that returns what the entries do not tell: types, names, shape."""
    make: Callable[[list[Any], Any], Any]
    """Function that makes a value from entries and form."""


class Arrayed(tuple[Any, ...]):
    """An array, a series or a frame that is a dataset: equal to a tuple of its parts."""

    kind: tuple[str, str]
    """Library and type."""
    form: Any
    """Types, names and shape."""

    def made(self, thaw: Convert) -> Any:
        """Return a new value like the one that was held; ``thaw`` makes its parts anew."""
        return _KINDS[self.kind].make(list(map(thaw, self)), self.form)


def held_array(value: Any, freeze: Convert) -> Arrayed | None:
    """Return an array, a series or a frame as a tuple of what ``freeze`` makes of its parts.

    None for any other value.
    """
    kind = type(value)
    key = kind.__module__.partition(".")[0], kind.__qualname__
    if key not in _KINDS:
        return None
    held = Arrayed(map(freeze, _KINDS[key].parts(value)))
    held.kind, held.form = key, _KINDS[key].form(value)
    return held


def _with_none(part: Any) -> Any:
    """Return an entry, or a list of these, with None for missing values.

    A dataset has to equal itself, as NaN does not.  The type of the array makes NaN of None again.
    """
    if isinstance(part, list):
        return list(map(_with_none, part))
    try:
        return None if part != part else part  # noqa: PLR0124
    except TypeError:  # pandas.NA compares as nothing
        return None


def _entries(array: Any) -> list[Any]:
    """Return the entries of an array of NumPy's, as lists in lists where it has more axes."""
    if array.dtype.kind in "mM":  # Python's own times are fewer
        array = array.view("i8")
    listed: list[Any] = array.tolist() if array.ndim else [array.item()]
    return listed if array.dtype.hasobject or array.dtype.names else _with_none(listed)


def _cells(series: Any) -> list[Any]:
    """Return the cells of a column of pandas; among objects None and NaN stay what they are."""
    return list(series) if series.dtype == object else list(map(_with_none, series))


def _rows(frame: Any) -> Iterable[Any]:
    """Return the rows of a frame of pandas."""
    columns = [_cells(frame.iloc[:, place]) for place in range(frame.shape[1])]
    return zip(*columns, strict=True)


def _array(parts: list[Any], form: Any) -> Any:
    import numpy as np

    dtype, shape = form
    if dtype.hasobject or dtype.names:  # entry by entry, so that lists among them stay entries
        array = np.empty(len(parts), dtype)
        for place, part in enumerate(parts):
            array[place] = tuple(part) if dtype.names else part
        return array.reshape(shape)
    if dtype.kind in "mM":
        return np.array(parts, "i8").reshape(shape).view(dtype)
    return np.array(parts, dtype).reshape(shape)


def _index(frame: Any) -> Any:
    """Return the index of what is of pandas; None for that of the positions."""
    import pandas as pd

    plain = pd.RangeIndex(len(frame))
    is_plain = type(frame.index) is pd.RangeIndex and frame.index.equals(plain)
    return None if is_plain and frame.index.name is None else frame.index.copy(deep=True)


def _pandas_series(parts: list[Any], form: Any) -> Any:
    import pandas as pd

    dtype, name, index = form
    return pd.Series(parts, index=index, dtype=dtype, name=name)


def _pandas_frame(parts: list[Any], form: Any) -> Any:
    import pandas as pd

    names, types, index, length = form
    if not types:
        return pd.DataFrame(index=pd.RangeIndex(length) if index is None else index, columns=names)
    columns = list(zip(*parts, strict=True)) if parts else [()] * len(types)
    series = [
        pd.Series(list(column), index=index, dtype=dtype)
        for column, dtype in zip(columns, types, strict=True)
    ]
    frame = pd.concat(series, axis=1)
    frame.columns = names.copy()
    return frame


def _polars_series(parts: list[Any], form: Any) -> Any:
    import polars as pl

    name, dtype = form
    return pl.Series(name, parts, dtype=dtype)


def _polars_frame(parts: list[Any], form: Any) -> Any:
    import polars as pl

    return pl.DataFrame(parts, schema=form, orient="row")


_KINDS = {
    ("numpy", "ndarray"): _Kind(_entries, lambda array: (array.dtype, array.shape), _array),
    ("pandas", "Series"): _Kind(
        _cells, lambda series: (series.dtype, series.name, _index(series)), _pandas_series
    ),
    ("pandas", "DataFrame"): _Kind(
        _rows,
        lambda frame: (frame.columns, list(frame.dtypes), _index(frame), len(frame)),
        _pandas_frame,
    ),
    ("polars", "Series"): _Kind(list, lambda series: (series.name, series.dtype), _polars_series),
    ("polars", "DataFrame"): _Kind(
        lambda frame: frame.iter_rows(), lambda frame: dict(frame.schema), _polars_frame
    ),
}
"""The kinds by library and type."""
