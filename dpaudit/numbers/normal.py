"""The standard normal distribution, and weighted sums of many balls at once."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb_mat

from dpaudit.numbers.ball import Ball, PrecisionNeeded

__all__ = ["Columns", "normal_cdf", "normal_quantile"]


def normal_cdf(x: Ball) -> Ball:
    """Return Φ(x) = erfc(−x/√2)/2, without cancellation in the lower tail.

    >>> normal_cdf(Ball(0)).str(3)
    '0.500'
    """
    return (-x / Ball(2).sqrt()).erfc() / 2


def normal_quantile(probability: Ball) -> Ball:
    """Return Φ⁻¹(p) for 0 < p < 1, without cancellation where p is small.

    Raises ``PrecisionNeeded`` where the ball does not lie certainly inside (0, 1).

    >>> round(float(normal_quantile(normal_cdf(Ball(-20)))), 9)
    -20.0
    """
    if not (probability > 0 and probability < 1):
        raise PrecisionNeeded("a probability is not separated from 0 and 1")
    found = -Ball(2).sqrt() * (2 * probability).erfcinv()
    if not found.is_finite():
        raise PrecisionNeeded("a quantile of the normal distribution is not enclosed")
    return found


class Columns:
    """A table of balls whose columns are summed with changing weights."""

    def __init__(self, rows: Sequence[Sequence[Ball]]) -> None:
        """Take the rows, all of one length, at least one."""
        self._matrix = arb_mat([list(row) for row in rows])

    def sums(self, weights: Sequence[Ball]) -> list[Ball]:
        """Return Σ over rows of weight · entry, for every column.

        >>> [str(x) for x in Columns([[Ball(1), Ball(2)], [Ball(3), Ball(4)]]).sums(
        ...     [Ball(1), Ball(10)])]
        ['31.0000000000000', '42.0000000000000']
        """
        return list((arb_mat([list(weights)]) * self._matrix).entries())
