"""Arrays of draws with the methods that arrays of floats have.

NumPy keeps unknown numbers in arrays of objects, for which it has no rounding, and whose conversion
to numbers would decide every draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dpaudit.programs.plain.conversions import float_value, whole_part

__all__ = ["OpenArray"]


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

    def __array_wrap__(self, array: Any, *more: Any) -> Any:
        """Return what a function of NumPy gives; a single number is no array."""
        found = np.asarray(array)
        return found[()] if found.ndim == 0 else found.view(type(self))

    def _each(self, convert: Any) -> Any:
        found = np.empty(self.shape, dtype=object)
        for place in np.ndindex(*self.shape):
            found[place] = convert(self[place])
        return found[()] if found.ndim == 0 else found.view(type(self))


# What a function sees of its class is what it would see of any array.
OpenArray.__name__, OpenArray.__qualname__, OpenArray.__module__ = "ndarray", "ndarray", "numpy"
