"""Rational probabilities in float64, with proved error bounds: no ball is made of any of them.

A probability P = a/b of whole numbers 0 < a, b < 2⁶³ lies between 2⁻⁶³ and 1, where floats are
normal.  Python's quotient of whole numbers is the nearest float, and so is that of floats where
both are whole numbers below 2⁵³, so P̂ is within u·P̂·(1 + u) of P.

For its logarithm P̂ = m·2^e with 1/2 ≤ m < 1, which is exact, and ln P̂ = e·ln 2 − ln(1/m).

* 1/m rounds once: its logarithm is moved by at most 1.01u.
* The logarithm of the rounded quotient, which is from 1 to 2, is corrected by
  :func:`~dpaudit.screens.logarithms.checked_logarithm`, which bounds its error.
* ln 2 is within 2.01u of itself, relatively, and the product with e, which is at least −62, rounds
  once: 3.02u·|e|·ln 2.
* The difference rounds once: u·(|e|·ln 2 + ln(1/m)), both parts having one sign.

From ln P̂ to ln P it is at most 1.01u more.

*Two of them are equal where their floats are*, if all whole numbers are below 2²⁶: of a/b < c/d the
second is larger by (bc − ad)/(ad) ≥ 1/(ad) > 2⁻⁵², relatively, and two numbers with the same
nearest float differ by at most one unit in its last place, which is 2⁻⁵² of the smaller at most.
Only of others are the whole numbers kept.
"""

from __future__ import annotations

from functools import cache
from operator import truediv
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpaudit.numbers.ball import ball, precision
from dpaudit.numbers.floats import SLACK, UNIT, rounded
from dpaudit.screens.bounds import SMALL_BITS
from dpaudit.screens.logarithms import checked_logarithm

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

__all__ = ["Rationals", "Rounded", "logarithms"]

_SMALL, _EXACT = 1 << SMALL_BITS, 1 << 53


class Rounded(NamedTuple):
    """The probabilities of a law in floats."""

    masses: Floats
    """The nearest float of each."""
    large: Whole
    """Places of those that their floats do not tell apart."""
    first: int
    """The number of the first of them, among those of all laws."""


class Rationals:
    """Probabilities of many laws; of those that floats do not tell apart, the whole numbers."""

    def __init__(self) -> None:
        """Begin with none."""
        self._pairs: list[Whole] = []
        self.count = 0

    def add(self, law: Mapping[Hashable, tuple[int, int]] | None) -> Rounded | None:
        """Round the probabilities of a law.

        None for numbers of 2⁶³ or more, and where there is no law.
        """
        if law is None:
            return None
        try:
            pairs = np.array(list(law.values()), dtype=np.int64).T
        except OverflowError:
            return None
        # Floats tell smaller ones apart whether or not these are in lowest terms.
        if pairs.max() >= _SMALL:
            pairs = pairs // np.gcd(*pairs)
        largest = pairs.max(axis=0)
        large = np.flatnonzero(largest >= _SMALL)
        if largest.max() < _EXACT:
            masses = pairs[0] / pairs[1]
        else:
            # Python's quotient of whole numbers is rounded once, however long they are.
            masses = np.array(list(map(truediv, *pairs.tolist())))
        first = self.count
        if len(large):
            self._pairs.append(pairs[:, large])
            self.count += len(large)
        return Rounded(masses, large, first)

    def numbered(self, first: int) -> Whole:
        """Return a number for each that was kept, from ``first`` on: the same for equal ones."""
        if not self.count:
            return np.empty(0, dtype=np.int64)
        pairs = np.concatenate(self._pairs, axis=1)
        # Held once: the parts are not needed beside the whole.
        self._pairs.clear()
        order = np.lexsort(pairs)
        pairs = pairs[:, order]
        new = np.concatenate(([True], (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)))
        numbers = np.empty(self.count, dtype=np.int64)
        numbers[order] = first - 1 + np.cumsum(new)
        return numbers


def logarithms(masses: Floats) -> tuple[Floats, Floats]:
    """Return ln P with its error, of probabilities P that were rounded to ``masses``.

    >>> log, error = logarithms(np.array([0.25, 1.0]))
    >>> [round(x, 9) for x in log.tolist()], bool((error < 1e-14).all())
    ([-1.386294361, 0.0], True)
    """
    part, power = np.frexp(masses)
    np.divide(1.0, part, out=part)
    inner, error = checked_logarithm(part)
    outer = power * _log_two()
    size = np.abs(outer)
    error += 2.02 * UNIT
    error += UNIT * (4.02 * size + inner)
    error *= SLACK
    outer -= inner
    return outer, error


@cache
def _log_two() -> float:
    with precision(128):
        return rounded(ball(2).log())
