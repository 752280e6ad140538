"""Arrays of draws with the methods that arrays of floats have.

NumPy keeps unknown numbers in arrays of objects, for which it has no rounding, and whose conversion
to numbers would decide every draw.  An array of floats makes a float of each number that is put
into it, as of the 0 in ``np.maximum(noisy, 0)``; an array of objects keeps it a whole one.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.programs.plain.conversions import float_value, whole_part
from dpaudit.programs.unknowns.lazy import Lazy
from dpaudit.programs.unknowns.rounded import Rounded
from dpaudit.programs.unknowns.unknown import Unknown

__all__ = ["OpenArray", "array_like", "column_as"]


class OpenArray(np.ndarray[Any, Any]):
    """An array of objects of which some are draws."""

    def round(self, decimals: Any = 0, out: Any = None) -> Any:
        """Round each number to ``decimals`` digits; as in NumPy, they stay floats."""
        if self.dtype != object or out is not None:
            return super().round(decimals, out)
        return self._each(lambda x: float_value(round(x, int(decimals))))

    def astype(self, dtype: Any, *more: Any, **named: Any) -> Any:
        """Convert each number, cut towards 0 for whole ones; a draw stays open."""
        kind = np.dtype(dtype).kind
        if self.dtype != object or kind not in "iuf":
            return super().astype(dtype, *more, **named)
        return self._each(float_value if kind == "f" else whole_part)

    def __array_wrap__(self, array: Any, context: Any = None, *more: Any) -> Any:
        """Return what a function of NumPy gives; a single number is no array."""
        found = _alike(np.asarray(array), context[1] if context else ())
        return found[()] if found.ndim == 0 else found.view(type(self))

    def __setitem__(self, place: Any, value: Any) -> None:
        """Put numbers into the array: as floats, where it has floats."""
        if self.dtype == object and _has_floats(self):
            value = _as_float(value)
            if isinstance(value, np.ndarray) and value.dtype == object:
                value = _each(value, _as_float)
        super().__setitem__(place, value)

    def __array_function__(self, function: Any, *given: Any) -> Any:
        """Call a function that is no ufunc, as ``np.where``."""
        found = super().__array_function__(function, *given)
        if type(found) in (np.ndarray, OpenArray):
            return _alike(found, given[1])
        return found

    def _each(self, convert: Any) -> Any:
        found = _each(self, convert)
        return found[()] if found.ndim == 0 else found.view(type(self))


def array_like(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands for ``np.array`` or the like: an array of draws has their methods."""

    def made(given: Any, dtype: Any = None, *more: Any, **named: Any) -> Any:
        if isinstance(given, (list, tuple, OpenArray)):
            kind = "" if dtype is None else np.dtype(dtype).kind
            found = real(given, *more, dtype=object, **named) if kind in "iuf" else None
            if found is not None and any(isinstance(one, Lazy) for one in found.flat):
                return found.view(OpenArray).astype(dtype) if kind else found.view(OpenArray)
        return real(given, dtype, *more, **named)

    return made


def column_as(real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands for the conversion of a column of pandas: its draws stay open."""

    def converted(values: Any, dtype: Any, copy: bool = False) -> Any:
        kind = getattr(dtype, "kind", "")
        objects = isinstance(values, np.ndarray) and values.dtype == object
        draws = [x for x in values.flat if isinstance(x, Lazy)] if objects else []
        if not draws or kind not in "iuf":
            return real(values, dtype, copy)
        draws[0]._run.whole_columns |= kind != "f"
        found = _each(values, float_value if kind == "f" else whole_part)
        return found if any(isinstance(x, Lazy) for x in found.flat) else found.astype(dtype)

    return converted


def _each(array: Any, convert: Any) -> Any:
    found = np.empty(array.shape, dtype=object)
    for place in np.ndindex(*array.shape):
        found[place] = convert(array[place])
    return found


def _alike(found: Any, given: Any) -> Any:
    """Return numbers made of arrays with floats in them as floats all, where some are whole."""
    if found.dtype != object or not any(type(one) is int for one in found.flat):
        return found
    if not (_has_floats(found) or any(map(_has_floats, given))):
        return found
    return _each(found, _as_float).view(type(found))


def _has_floats(one: Any) -> bool:
    """Tell whether NumPy would hold this as floats."""
    if isinstance(one, (list, tuple)):
        return any(map(_has_floats, one))
    if isinstance(one, np.ndarray):
        return one.dtype.kind == "f" or (one.dtype == object and any(map(_is_float, one.flat)))
    return _is_float(one)


def _is_float(one: Any) -> bool:
    stands_for = one._stands_for() if isinstance(one, (Unknown, Rounded)) else type(one)
    return issubclass(stands_for, (float, np.floating, Fraction))


def _as_float(one: Any) -> Any:
    return float(one) if type(one) is int else one


# What a function sees of its class is what it would see of any array.
OpenArray.__name__, OpenArray.__qualname__, OpenArray.__module__ = "ndarray", "ndarray", "numpy"
