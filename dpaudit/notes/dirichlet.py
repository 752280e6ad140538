"""Dirichlet posteriors and the Hellinger distances between them.

The posterior of counts c under the prior α is Dir(α + c) (N §1).  Between two posteriors of the
same number of records (A §1)

    1 − H(Dir(a), Dir(b))² = B((a + b)/2) / √(B(a)·B(b)) = Π_i G(aᵢ, bᵢ),
    G(s, t) = Γ((s + t)/2) / √(Γ(s)·Γ(t)) ∈ (0, 1],

because the totals agree, so that every Γ(Σ) cancels.  G depends on one coordinate and not on n:
its tables serve every size of a sweep.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from dpaudit.data.histograms import Counts
from dpaudit.numbers.ball import Ball, ball, gamma, precision, working_precision

__all__ = ["AffinityTable", "HellingerMetric"]

_GUARD_BITS = 24


class AffinityTable:
    """G(α + c, α + c′) for one coordinate with prior parameter α, grown on demand.

    Every ball is computed with 24 bits more than the precision asked for, so that tables shared
    between sizes stay as tight as freshly computed ones.
    """

    def __init__(self, alpha: Fraction, bits: int) -> None:
        """Take the prior parameter ``alpha`` > 0 and the working precision in ``bits``."""
        self.alpha = alpha
        self.bits = bits
        self._gammas: list[Ball] = []  # Γ(α + j/2)
        self._roots: list[Ball] = []  # 1/√Γ(α + c)
        self._rows: list[list[Ball]] = []

    def row(self, count: int, size: int) -> list[Ball]:
        """Return [G(α + count, α + c) for c in 0 … at least ``size``]."""
        while len(self._rows) <= count:
            self._rows.append([])
        row = self._rows[count]
        if len(row) <= size:
            with precision(self.bits):
                self._grow(max(size, count))
                root = self._roots[count]
                row.extend(
                    ball(1) if c == count else self._gammas[count + c] * root * self._roots[c]
                    for c in range(len(row), size + 1)
                )
        return row

    def _grow(self, size: int) -> None:
        with precision(self.bits + _GUARD_BITS):
            for j in range(len(self._gammas), 2 * size + 1):
                below = self._gammas[j - 2] if j >= 2 else None
                argument = self.alpha + Fraction(j, 2)
                # Γ(z) = (z − 1)·Γ(z − 1)
                self._gammas.append(
                    gamma(argument) if below is None else below * ball(argument - 1)
                )
            for c in range(len(self._roots), size + 1):
                self._roots.append(self._gammas[2 * c].rsqrt())


@lru_cache(maxsize=64)
def _table(alpha: Fraction, bits: int) -> AffinityTable:
    return AffinityTable(alpha, bits)


class HellingerMetric:
    """H between the posteriors of histograms under one prior, at the working precision.

    >>> from dpaudit.numbers.ball import precision
    >>> with precision(64):
    ...     metric = HellingerMetric((Fraction(1), Fraction(1)))
    ...     metric.between((4, 4), (5, 3)).str(12, radius=False)
    '0.233629480709'
    """

    def __init__(self, prior: tuple[Fraction, ...]) -> None:
        """Take the ``prior``, at least two rationals > 0; tables are shared between metrics."""
        self.tables = [_table(alpha, working_precision()) for alpha in prior]

    def between(self, left: Counts, right: Counts) -> Ball:
        """Return a ball of H between two histograms of the same n; exactly 0 where they agree."""
        affinity = ball(1)
        for table, a, b in zip(self.tables, left, right, strict=True):
            if a != b:
                affinity *= table.row(a, b)[b]
        return (1 - affinity).sqrt()

    def row(self, counts: Counts) -> list[Ball]:
        """Return the balls of H from ``counts`` to every histogram of the same n, in their order.

        Each entry costs one multiplication and one square root: partial products of affinities
        are shared by all histograms that start alike.
        """
        n = sum(counts)
        rows = [table.row(a, n) for table, a in zip(self.tables, counts, strict=True)]
        row: list[Ball] = []
        _extend(row, rows, ball(1), 0, n)
        return row


def _extend(
    row: list[Ball], rows: list[list[Ball]], partial: Ball, coordinate: int, remaining: int
) -> None:
    """Append H for every way to share ``remaining`` among the coordinates from here on.

    (A function of its own: one inside another that calls itself is a circle of references, which
    keeps the rows of many histograms until it is collected.)
    """
    if coordinate == len(rows) - 2:
        first, last = rows[coordinate], rows[coordinate + 1]
        scaled = [partial * g for g in first[: remaining + 1]] if coordinate else first
        row.extend([(1 - p * q).sqrt() for p, q in zip(scaled, last[remaining::-1], strict=False)])
        return
    for count in range(remaining + 1):
        _extend(row, rows, partial * rows[coordinate][count], coordinate + 1, remaining - count)
