"""Numbers of guesses to plan an audit by canaries with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

__all__ = ["planned_sizes", "right_guesses"]

_FIRST = (1, 2, 5)


def right_guesses(share: Fraction, guesses: int) -> int:
    """Return how many of so many guesses are right: the share, rounded down."""
    return math.floor(share * guesses)


def planned_sizes(canaries: int, shares: Sequence[Fraction]) -> tuple[int, ...]:
    """Return the numbers of guesses that a plan tells about, increasing.

    They are 10, 20, 50, 100 and so on, all canaries, and for each share two of the last: the
    fewest guesses with as many right ones as all canaries give, and the most guesses of which the
    share is a whole number.  At the same share more guesses refute more, but rounding the number
    of right ones down costs up to one of them.

    Args:
        canaries: m.
        shares: shares of right guesses, in (0, 1].

    >>> from fractions import Fraction
    >>> planned_sizes(101, [Fraction(1), Fraction(3, 4)])
    (10, 20, 50, 100, 101)
    """
    sizes = {canaries}
    for power in range(1, len(str(canaries))):
        sizes |= {first * 10**power for first in _FIRST}
    sizes |= {math.ceil(right_guesses(share, canaries) / share) for share in shares}
    sizes |= {canaries - canaries % share.denominator for share in shares}
    return tuple(sorted(size for size in sizes if 1 <= size <= canaries))
