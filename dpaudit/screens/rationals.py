"""Rational probabilities in float64, with proved error bounds: no ball is made of any of them.

A probability P = a/b of whole numbers 0 < a, b < 2⁶³ lies between 2⁻⁶³ and 1, where floats are
normal.  Python's quotient of whole numbers is the nearest float, so P̂ is within u·P̂·(1 + u) of P.

For its logarithm P̂ = m·2^e with 1/2 ≤ m < 1, which is exact, and ln P̂ = e·ln 2 − ln(1/m).

* 1/m rounds once: its logarithm is moved by at most 1.01u.
* The logarithm of the rounded quotient, which is from 1 to 2, is corrected by
  :func:`~dpaudit.screens.logarithms.checked_logarithm`, which bounds its error.
* ln 2 is within 2.01u of itself, relatively, and the product with e, which is at least −62, rounds
  once: 3.02u·|e|·ln 2.
* The difference rounds once: u·(|e|·ln 2 + ln(1/m)), both parts having one sign.

From ln P̂ to ln P it is at most 1.01u more.
"""

from __future__ import annotations

from functools import cache
from operator import truediv
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.numbers.ball import ball, precision
from dpaudit.numbers.floats import SLACK, UNIT, rounded
from dpaudit.screens.logarithms import checked_logarithm

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = ["Rationals", "rational_floats"]

_BLOCK = 1 << 14
"""Quotients of Python's whole numbers at a time."""


class Rationals:
    """Probabilities of many laws as quotients, of which equal ones are given the same number."""

    def __init__(self) -> None:
        """Begin with none."""
        self._pairs: list[Whole] = []
        self.count = 0

    def add(self, law: Mapping[Hashable, tuple[int, int]] | None) -> Whole | None:
        """Take the probabilities of a law and return a place below 0 for each.

        None, with nothing taken, for numbers of 2⁶³ or more, and where there is no law.
        """
        if law is None:
            return None
        try:
            pairs = np.array(list(law.values()), dtype=np.int64)
        except OverflowError:
            return None
        places = -1 - np.arange(self.count, self.count + len(pairs))
        self._pairs.append(pairs.T.copy())
        self.count += len(pairs)
        return places

    def numbered(self, first: int) -> tuple[Whole, Whole]:
        """Return the number of what is at each place, and the different pairs as two rows.

        The numbers begin with ``first``; place −1 is the first of the array, −2 the second.
        """
        if not self.count:
            return np.empty(0, dtype=np.int64), np.empty((2, 0), dtype=np.int64)
        pairs = np.concatenate(self._pairs, axis=1)
        self._pairs.clear()
        order = np.lexsort(pairs)
        pairs = pairs[:, order]
        new = np.concatenate(([True], (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)))
        numbers = np.empty(self.count, dtype=np.int64)
        numbers[order] = first - 1 + np.cumsum(new)
        return numbers, pairs[:, new]


def rational_floats(pairs: Whole) -> tuple[tuple[Floats, Floats], ...]:
    """Return ln(a/b) with its error, and a/b with its error, of a row of a and one of b ≥ a > 0.

    >>> (log, error), (mass, _) = rational_floats(np.array([[1, 1], [4, 1]]))
    >>> mass.tolist(), [round(x, 9) for x in log.tolist()], bool((error < 1e-14).all())
    ([0.25, 1.0], [-1.386294361, 0.0], True)
    """
    mass = np.concatenate(
        [
            np.array(list(map(truediv, *pairs[:, first : first + _BLOCK].tolist())))
            for first in range(0, pairs.shape[1], _BLOCK)
        ]
    )
    part, power = np.frexp(mass)
    inner, error = checked_logarithm(1.0 / part)
    outer = power * _log_two()
    log = outer - inner
    size = np.abs(outer)
    return (log, SLACK * (error + 2.02 * UNIT + 3.02 * UNIT * size + UNIT * (size + inner))), (
        mass,
        SLACK * UNIT * mass,
    )


@cache
def _log_two() -> float:
    with precision(128):
        return rounded(ball(2).log())
