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
from typing import Any

from dpaudit.data.histograms import Counts
from dpaudit.numbers.ball import Ball, ball, gamma, precision, quotient, working_precision
from dpaudit.numbers.varying import Varying

__all__ = ["AffinityTable", "HellingerMetric", "VaryingAffinities"]

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
        self._rows: dict[int, list[Ball]] = {}

    def row(self, count: int, size: int) -> list[Ball]:
        """Return [G(α + count, α + c) for c in 0 … at least ``size``]."""
        row = self._rows.setdefault(count, [])
        done = len(row)
        if done <= size:
            with precision(self.bits):
                self._grow(max(size, count))
                root = self._roots[count]
                row.extend(
                    [
                        middle * root * root_of_c
                        for middle, root_of_c in zip(
                            self._gammas[count + done : count + size + 1],
                            self._roots[done : size + 1],
                            strict=True,
                        )
                    ]
                )
                if done <= count <= size:
                    row[count] = ball(1)
        return row

    def at(self, first: int, second: int) -> Ball:
        """Return G(α + first, α + second), without a row unless there is one."""
        if first == second:
            return ball(1)
        row = self._rows.get(first, ())
        if second < len(row):
            return row[second]
        with precision(self.bits):
            self._grow(max(first, second))
            return self._gammas[first + second] * self._roots[first] * self._roots[second]

    def _grow(self, size: int) -> None:
        p, q = self.alpha.numerator, self.alpha.denominator
        with precision(self.bits + _GUARD_BITS):
            gammas = self._gammas
            if not gammas:
                gammas.extend(gamma(self.alpha + Fraction(j, 2)) for j in (0, 1))
            unit = quotient(1, 2 * q)
            before, last = gammas[-2:]
            # Γ(z) = (z − 1)·Γ(z − 1) at z = α + j/2, where z − 1 = (2p + q·(j − 2))/(2q).
            for numerator in range(2 * p + q * (len(gammas) - 2), 2 * p + q * (2 * size - 1), q):
                before, last = last, before * numerator * unit
                gammas.append(last)
            for c in range(len(self._roots), size + 1):
                self._roots.append(gammas[2 * c].rsqrt())


class VaryingAffinities:
    """The same for a prior parameter that varies.

    With s, t = α + c, α + c′ the derivative of ln G is ψ((s + t)/2) − (ψ(s) + ψ(t))/2, and the
    derivative of that ψ′((s + t)/2) − (ψ′(s) + ψ′(t))/2 ≤ 0, as ψ′ is convex: it falls with α, and
    all over a piece lies between its values at the ends.
    """

    def __init__(self, alpha: Varying) -> None:
        """Take the prior parameter, which is above 0 all over the piece."""
        self.alpha = alpha
        self._ends = alpha.lower(), alpha.upper()
        self._logs: list[Ball] = []  # lnΓ(α + j/2) in the middle of the piece
        self._slopes: tuple[list[Ball], list[Ball]] = [], []  # ψ(α + j/2) at its ends
        self._known: dict[tuple[int, int], Varying] = {}

    def row(self, count: int, size: int) -> list[Any]:
        """Return [G(α + count, α + c) for c in 0 … ``size``]."""
        self._grow(max(size, count))
        return [self._between(count, c) for c in range(size + 1)]

    def at(self, first: int, second: int) -> Any:
        """Return G(α + first, α + second)."""
        self._grow(max(first, second))
        return self._between(first, second)

    def _grow(self, size: int) -> None:
        for j in range(len(self._logs), 2 * size + 1):
            shift = ball(Fraction(j, 2))
            self._logs.append((self.alpha.at_middle + shift).lgamma())
            for end, slopes in zip(self._ends, self._slopes, strict=True):
                slopes.append((end + shift).digamma())

    def _between(self, c: int, d: int) -> Any:
        if c == d:
            return ball(1)
        key = min(c, d), max(c, d)
        if key not in self._known:
            at_middle, first, last = (
                table[c + d] - (table[2 * c] + table[2 * d]) / 2
                for table in (self._logs, *self._slopes)
            )
            slope = first.union(last) * self.alpha.slope
            self._known[key] = Varying(at_middle, slope, self.alpha.reach).exp()
        return self._known[key]


@lru_cache(maxsize=64)
def _table(alpha: Fraction | Varying, bits: int) -> AffinityTable | VaryingAffinities:
    return VaryingAffinities(alpha) if isinstance(alpha, Varying) else AffinityTable(alpha, bits)


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

    def between(self, first: Counts, second: Counts) -> Ball:
        """Return a ball of H between two histograms of the same n; exactly 0 where they agree."""
        affinity = ball(1)
        for table, a, b in zip(self.tables, first, second, strict=True):
            if a != b:
                affinity *= table.at(a, b)
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
