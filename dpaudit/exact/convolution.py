"""Exact convolution of lists of integers, by way of polynomials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flint import fmpz_poly

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["convolve", "convolve_rounded_up"]


def convolve(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Return Σᵢ left[i]·right[j − i] for every j, exactly.

    >>> convolve([1, 1], [1, 2, 3])
    [1, 3, 5, 3]
    """
    product = fmpz_poly(list(left)) * fmpz_poly(list(right))
    found = [int(coefficient) for coefficient in product.coeffs()]
    return found + [0] * (len(left) + len(right) - 1 - len(found))


def convolve_rounded_up(left: Sequence[int], right: Sequence[int], bits: int) -> list[int]:
    """Return the convolution of non-negative masses at the scale 2^bits, at that scale again.

    Every result is rounded up, so it is certainly not below the true mass.

    >>> convolve_rounded_up([1, 1], [1, 1], 1)
    [1, 1, 1]
    """
    return [-(-mass >> bits) for mass in convolve(left, right)]
