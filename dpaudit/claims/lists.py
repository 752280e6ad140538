"""Lists as values of variables: examples, by number, at which statements about lists are evaluated.

A variable of the sort ``reals`` or ``integers`` is a list without an end in either direction.  At a
point of a domain its value is the number of an example, so that a point remains names and numbers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.claims.polynomial import FormulaError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["entry", "examples"]

_WHOLE: tuple[Callable[[int], int], ...] = (
    lambda i: 1,
    lambda i: 0,
    lambda i: int(i == 1),
    lambda i: int(i == 2),
    lambda i: i,
    lambda i: 2 * int(i == 1) + int(i == 3),
    lambda i: 3 * int(i == 2),
    lambda i: i % 2,
    lambda i: -1,
    lambda i: 4 - i,
    lambda i: 2,
)

_REAL: tuple[Callable[[int], Fraction], ...] = (
    lambda i: Fraction(1, 2),
    lambda i: Fraction(1, 40),
    lambda i: Fraction(1, 1 + abs(i)),
    lambda i: Fraction(7 * abs(i), 3),
    lambda i: Fraction(5, 2) if i == 1 else Fraction(1, 10),
    lambda i: Fraction(5, 2) if i == 2 else Fraction(1, 10),
    lambda i: Fraction(-1, 2),
)


def examples(sort: str) -> list[Fraction]:
    """Return the numbers of the examples of a sort of lists."""
    count = len(_WHOLE) + (len(_REAL) if sort == "reals" else 0)
    return [Fraction(number) for number in range(count)]


def entry(number: Fraction, index: Fraction) -> Fraction:
    """Return an entry of an example; ``FormulaError`` for a number or an index that is none."""
    known: tuple[Callable[[int], int | Fraction], ...] = (*_WHOLE, *_REAL)
    if index.denominator != 1 or number not in range(len(known)):
        raise FormulaError(f"no entry {index} of a list {number} is known")
    return Fraction(known[int(number)](int(index)))
