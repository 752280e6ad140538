"""Upper bounds on the products of a strategy's columns, as whole multiples of one number.

With G = CᵀC, the sensitivity sums |G_ij| over a pattern.  Sums of whole numbers are exact, so that
after this file no rounding needs a bound.  A product of floats, added in any order, errs by at most
γ·(|C|ᵀ|C|)_ij with γ = nu/(1 − nu), u = 2⁻⁵³ and n the number of terms (Higham 2002, "Accuracy and
stability of numerical algorithms", Section 3.1), and nothing where all sums are whole numbers below
2⁵³.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import frexp
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.questions.account_matrix.strategy import Strategy

__all__ = ["Gram", "gram_of"]

_ROUNDING = 2.0**-53
_WHOLE = 2.0**53
_ROWS = 256
_BITS = 61  # sums of whole numbers stay below 2 to this power


@dataclass(frozen=True)
class Gram:
    """G = CᵀC, bounded from above in size."""

    sizes: NDArray[np.int64]
    """Entry (i, j) times ``unit`` is at least |G_ij|."""
    unit: Fraction
    """A power of two."""
    signed: NDArray[np.float64]
    """G in floats, which chooses signs and proves nothing."""
    band: int
    """G_ij is 0 where |i − j| ≥ band."""


def gram_of(strategy: Strategy, most: int) -> Gram:
    """Return the products of a strategy's columns, to be summed over at most ``most`` steps.

    >>> from dpaudit.questions.account_matrix.strategy import read_strategy
    >>> gram = gram_of(read_strategy([[1, 0], [1, 2]]), 2)
    >>> (gram.sizes * gram.unit).tolist() == [[2, 2], [2, 4]]
    True
    """
    entries = strategy.floats
    steps = len(entries)
    _, exponent = frexp(float(np.abs(entries).max()))
    scaled = np.ldexp(entries, -exponent)  # at most 1 in size, and exactly so
    signed = _product(scaled)
    terms = steps + 4  # two more roundings for each entry that is no float
    gamma = terms * _ROUNDING / (1 - terms * _ROUNDING)
    if strategy.rationals is None and _exact(scaled):
        upper = np.abs(signed)
    else:
        # Twice γ also covers the rounding of |C|ᵀ|C| itself and of these two operations.
        upper = np.abs(signed)
        upper += 2 * gamma * _product(np.abs(scaled))
    reached = _product((entries != 0).astype(np.float32)) > 0
    _, top = frexp(float(upper.max()))
    bits = min(52, _BITS - 2 * most.bit_length()) - top
    sizes = np.ceil(np.ldexp(upper, bits)).astype(np.int64)
    sizes = np.maximum(sizes, sizes.T)
    last = steps - reached[:, ::-1].argmax(axis=1)  # one past the last product that is not 0
    band = int((last - np.arange(steps)).max())
    unit = Fraction(2) ** (2 * exponent - bits)
    return Gram(sizes, unit, signed, band)


def _product(matrix: NDArray[Any]) -> NDArray[Any]:
    """Return MᵀM in parts that take less than a second each: a signal ends the command between."""
    found = np.empty(matrix.shape, dtype=matrix.dtype)
    for first in range(0, len(matrix), _ROWS):
        found[first : first + _ROWS] = matrix[:, first : first + _ROWS].T @ matrix
    return found


def _exact(scaled: NDArray[np.float64]) -> bool:
    """Tell whether all sums of products are whole multiples of one number, and below 2^53 of it."""
    mantissas, exponents = np.frexp(scaled[scaled != 0])
    whole = (mantissas * _WHOLE).astype(np.int64)
    zeros = np.log2((whole & -whole).astype(np.float64)).astype(np.int64)
    places = int((53 - zeros - exponents).max())
    return places < 26 and len(scaled) * 2.0 ** (2 * places) <= _WHOLE
