"""Simplest fraction of a float: the number that it stands for where floats are read as reals."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

__all__ = ["simplest"]


@lru_cache(maxsize=1 << 12)
def simplest(x: float) -> Fraction:
    """Return the fraction of the smallest denominator that rounds to ``x``.

    >>> simplest(1 / 0.3), simplest(0.1), simplest(2.5)
    (Fraction(10, 3), Fraction(1, 10), Fraction(5, 2))
    """
    if not math.isfinite(x) or x == 0:
        return Fraction(x)
    exact = Fraction(abs(x))
    below = Fraction(math.nextafter(abs(x), 0))
    above = 2 * exact - below  # as far on the other side; next to a power of 2 it is too near
    found = _between((below + exact) / 2, (exact + above) / 2)
    found = found if float(found) == abs(x) else exact  # the ends themselves may round elsewhere
    return found if x > 0 else -found


def _between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of the smallest denominator from ``low`` to ``high``, both positive."""
    whole = math.ceil(low)
    if whole <= high:
        return Fraction(whole)
    whole -= 1
    return whole + 1 / _between(1 / (high - whole), 1 / (low - whole))
