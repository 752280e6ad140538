"""Logarithms in float64 whose error is bounded afterwards: that of a library is never trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpaudit.numbers.floats import EXPONENTIAL_ERROR, UNIT, Exponential
from dpaudit.screens.bounds import NotScreened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["checked_logarithm"]


def checked_logarithm(values: Floats) -> tuple[Floats, Floats]:
    """Return ln of numbers from 1 to 10¹⁶, and a bound on its error."""
    # A library may return less than 0 of 1, and e^(−t) takes t ≥ 0.
    log = np.maximum(np.log(values), 0.0)
    back = np.empty_like(log)
    Exponential(log.shape).minus(log, back)
    off = np.abs(values * back - 1.0) + EXPONENTIAL_ERROR + 4 * UNIT
    if not off.max() < 1e-2:
        raise NotScreened("a logarithm is not what it should be")
    return log, 1.01 * off
