"""Hellinger distances between the posteriors of one size in float64, with a proved error bound.

With φ(z) = lnΓ(z), the sums over all coordinates and totals that agree (see
:mod:`dpaudit.notes.dirichlet`),

    t(x, r) = −ln(1 − H(x, r)²) = A(x) + A(r) − M(x + r) ≥ 0,
    A(x) = ½·Σᵢ φ(αᵢ + xᵢ),   M(s) = Σᵢ φ(αᵢ + sᵢ/2),   H = √(1 − e^(−t)).

A and M are tables over one dataset, or over the sum of two, so that a row of distances is a few
passes over memory and nothing of size |R|² is held.

*The exponent.*  φ is tabulated once from balls and split into hi + lo, hi a multiple of 2⁻ᵍ and
0 ≤ lo < 2⁻ᵍ; g is chosen so that every sum of hi parts stays below 2⁵³ units of 2⁻ᵍ⁻¹ and is
computed without rounding.  Only sums of lo parts round: at most 6k + 2 operations, results of at
most 2k·2⁻ᵍ, tables within 1.5u·2⁻ᵍ each.  So t̂ is within τ = (3k + 2k(6k + 2))·2⁻ᵍ·u of t before
its last addition, which is correctly rounded.

*No cancellation is left.*  If x ≠ r then some coordinate differs by m ≥ 1.  φ″(z) = ψ′(z) > 1/z and
z ≤ max α + n there, so by the midpoint rule ½(φ(a) + φ(b)) − φ((a + b)/2) ≥ m²/(8(max α + n)); two
coordinates differ at least, hence t ≥ 1/(4(max α + n)) and τ is a relative error of at most
4(max α + n)·τ.  If x = r then t̂ = 0 exactly: both halves of A(x) are the very numbers in M.

*The distance.*  1 − e^(−t) moves relatively no more than t does, the root halves a relative error,
and its own rounding adds u.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dpaudit.data.arrays import histogram_array
from dpaudit.numbers.ball import ball, fixed_point_below, log_gamma, precision, rational_log
from dpaudit.numbers.floats import ONE_MINUS_EXPONENTIAL_ERROR, SLACK, UNIT, Exponential, Relative

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ranks = NDArray[np.intp] | slice

__all__ = ["FloatMetric"]

_SCALE = 160  # bits after the point in the integer tables of lnΓ
_FINE = 224  # while they are added up
_WORTH_A_SIEVE = 1 << 12  # entries
_SIEVED = 1 << 23  # integers
_MAX_CELLS = 1 << 20  # of one table of M; made of six arrays of as many


class _LogGammaTable:
    """lnΓ(α + j/2) for j = 0, 1, …, as integers at the scale 2¹⁶⁰ (each off by less than 2)."""

    def __init__(self, alpha: Fraction) -> None:
        self.alpha = alpha
        self.integers: list[int] = []
        self.largest = 0
        self._last: tuple[int, ...] = ()  # the last two, at the scale 2²²⁴
        self._split: dict[int, tuple[Floats, Floats]] = {}

    def grow(self, length: int) -> None:
        """Make the table ``length`` entries long at least.

        Every addition adds an error of some 21 units of 2⁻²²⁴ at most, which is not to be seen at
        the scale 2¹⁶⁰ after any number of them.
        """
        done = len(self.integers)
        if length <= done:
            return
        with precision(_FINE + 64):
            if not done:
                self._last = tuple(
                    fixed_point_below(log_gamma(self.alpha + Fraction(j, 2)), _FINE) for j in (0, 1)
                )
                self.integers = [value >> (_FINE - _SCALE) for value in self._last]
            length = max(length, 2)
            logarithms = self._logarithms(len(self.integers) - 2, length - 2)
            # lnΓ(z) = lnΓ(z − 1) + ln(z − 1), and z − 1 is two entries before z.
            fresh = [0] * len(logarithms)
            last = list(self._last)
            for parity in (0, 1):
                # Of the fine sums the last alone is kept: a list of them would fill the memory.
                fine = last[parity]
                fresh[parity::2] = [
                    (fine := fine + logarithm) >> (_FINE - _SCALE)
                    for logarithm in logarithms[parity::2]
                ]
                last[parity] = fine
            self.integers.extend(fresh)
            # The next entry follows the earlier of the two.
            self._last = tuple(last if len(fresh) % 2 == 0 else reversed(last))
        largest_added = max(map(abs, self.integers[done:]))
        self.largest = max(self.largest, largest_added)

    def _logarithms(self, first: int, end: int) -> list[int]:
        """Return ln(α + j/2) at the scale 2²²⁴ for j from ``first`` up to ``end``, not included.

        Many are added up from those of primes.
        """
        p, q = self.alpha.numerator, self.alpha.denominator
        most = max(2 * p + q * (end + 2), 2 * q)
        if end - first < _WORTH_A_SIEVE or most > _SIEVED:
            return [
                fixed_point_below(rational_log(self.alpha + Fraction(j, 2)), _FINE)
                for j in range(first, end)
            ]
        logarithms = _logarithms_of_integers(most)
        divisor = logarithms[2 * q]  # α + j/2 = (2p + qj)/(2q)
        return [
            logarithm - divisor for logarithm in logarithms[2 * p + q * first : 2 * p + q * end : q]
        ]

    def split(self, length: int, grid: int) -> tuple[Floats, Floats]:
        """Return the first ``length`` entries as multiples of 2^−grid, and the rest."""
        parts = self._split.get(grid)
        done = 0 if parts is None else len(parts[0])
        if parts is None or done < length:
            shift = _SCALE - grid
            mask = (1 << shift) - 1
            fresh = self.integers[done:]
            high = np.array([number >> shift for number in fresh], dtype=float) * 2.0**-grid
            low = np.array([float(number & mask) for number in fresh]) * 2.0**-_SCALE
            parts = (
                (high, low)
                if parts is None
                else (np.concatenate([parts[0], high]), np.concatenate([parts[1], low]))
            )
            self._split[grid] = parts
        return parts[0][:length], parts[1][:length]


def _logarithms_of_integers(most: int) -> list[int]:
    """Return ln m at the scale 2²²⁴ for m = 1 … ``most`` (and nothing for 0).

    Those of primes are off by less than 1, others by less than the number of their prime factors.
    """
    # Odd numbers first: m has the index m // 2 in what follows.
    smallest_factor = np.zeros((most + 1) // 2, dtype=np.int64)  # 0 for primes
    for p in range(3, int(most**0.5) + 1, 2):
        if not smallest_factor[p // 2]:
            multiples = smallest_factor[p * p // 2 :: p]
            multiples[multiples == 0] = p
    odd = [0]
    with precision(_FINE + 64):
        for m, factor in zip(range(3, most + 1, 2), smallest_factor[1:].tolist(), strict=True):
            if factor:
                odd.append(odd[factor // 2] + odd[m // factor // 2])
            else:
                odd.append(fixed_point_below(ball(m).log(), _FINE))
        log_of_two = fixed_point_below(ball(2).log(), _FINE)
    logarithms = np.zeros(most + 1, dtype=object)
    logarithms[1::2] = odd
    power = 2
    while power <= most:
        # ln 2m = ln m + ln 2, for the m that power/2 divides and power does not.
        halves = logarithms[power // 2 :: power]
        doubles = logarithms[power :: 2 * power]
        doubles[:] = halves[: len(doubles)] + log_of_two
        power *= 2
    return logarithms.tolist()


@lru_cache(maxsize=64)
def _log_gammas(alpha: Fraction) -> _LogGammaTable:
    return _LogGammaTable(alpha)


class _SumTable:
    """The part of M(x + r) that depends on some coordinates, and that of A, split into hi and lo.

    Histograms have a place each in a cube of sums: the place of a sum is the sum of the places.
    """

    def __init__(self, parts: tuple[Floats, Floats], place: NDArray[np.intp]) -> None:
        self.high, self.low = parts
        self.place = place
        self.half_high = self.high[2 * place] / 2
        self.half_low = self.low[2 * place] / 2

    def add_exponents(
        self, rank: int, columns: slice, high: Floats, low: Floats, scratch: Floats
    ) -> None:
        """Add A(x) + A(r) − M(x + r), part by part, for one x and the r of ``columns``."""
        start = self.place[rank]
        for total, table, half in (
            (high, self.high, self.half_high),
            (low, self.low, self.half_low),
        ):
            np.take(table[start:], self.place[columns], out=scratch, mode="clip")
            np.subtract(half[columns], scratch, out=scratch)
            np.add(scratch, half[rank], out=scratch)
            np.add(total, scratch, out=total)

    def between(self, first: Ranks, second: Ranks) -> tuple[Floats, Floats]:
        """Return A(x) + A(r) − M(x + r), part by part, for pairs of ranks."""
        place = self.place[first] + self.place[second]
        return (
            self.half_high[first] - self.high[place] + self.half_high[second],
            self.half_low[first] - self.low[place] + self.half_low[second],
        )


def _sum_tables(
    split: list[tuple[Floats, Floats]], counts: NDArray[np.intp], n: int
) -> list[_SumTable]:
    """Return the tables of M: one over the first k − 1 coordinates, or several if that is large."""
    k, radix = len(split), 2 * n + 1
    implied = k == 2 or radix ** (k - 1) <= _MAX_CELLS
    width = k - 1
    while not implied and width > 1 and radix**width > _MAX_CELLS:
        width -= 1
    groups = [range(start, min(start + width, k)) for start in range(0, k, width)]
    tables = []
    for group in groups[:1] if implied else groups:
        place = np.zeros(len(counts), dtype=np.intp)
        total = np.zeros((radix,) * len(group), dtype=np.intp)
        parts = [np.zeros(total.shape) for _ in range(2)]
        for axis, coordinate in enumerate(group):
            place = place * radix + counts[:, coordinate]
            shape = [1] * len(group)
            shape[axis] = radix
            total = total + np.arange(radix).reshape(shape)
            parts = [a + b.reshape(shape) for a, b in zip(parts, split[coordinate], strict=True)]
        if implied:  # the last coordinate is what remains; sums above 2n are never asked for
            rest = np.maximum(2 * n - total, 0)
            parts = [a + b[rest] for a, b in zip(parts, split[-1], strict=True)]
        tables.append(_SumTable((parts[0].reshape(-1), parts[1].reshape(-1)), place))
    return tables


class FloatMetric:
    """H between the histograms of ``n`` records under one prior, in float64.

    One object serves one thread.
    """

    def __init__(self, prior: tuple[Fraction, ...], n: int) -> None:
        """Take the ``prior`` (k ≥ 2 rationals > 0) and the size ``n`` ≥ 1."""
        k = len(prior)
        self.n = n
        self.k = k
        self.prior = prior
        self.counts = histogram_array(n, k)
        gammas = [_log_gammas(alpha) for alpha in prior]
        for table in gammas:
            table.grow(2 * n + 1)
        largest = sum(table.largest for table in gammas) >> _SCALE
        # Sums of the high parts must be exact: the proof above counts no rounding of them.
        # 2·Σ max|φ|·2^(grid + 1) < 2^53; in steps of 4, so that the sizes of a sweep share tables
        grid = (50 - (largest + 1).bit_length()) // 4 * 4
        self.split = [table.split(2 * n + 1, grid) for table in gammas]
        """For each category lnΓ(α + j/2), j = 0 … 2n, as multiples of 2^−grid, and the rest."""
        self._tables = _sum_tables(self.split, self.counts, n)
        tau = (3 * k + 2 * k * (6 * k + 2)) * 2.0**-grid * UNIT
        exponent_error = UNIT + 4 * float(max(prior) + n) * tau
        self.relative_error: float = SLACK * (
            (ONE_MINUS_EXPONENTIAL_ERROR + exponent_error) / 2 + UNIT
        )
        """A bound on |Ĥ − H|/H, the same for every pair of histograms."""

    def __len__(self) -> int:
        """Return the number of histograms."""
        return len(self.counts)

    def exponents(
        self, rows: NDArray[np.intp], columns: slice, out: Floats, scratch: Floats
    ) -> None:
        """Write t(x, r) for the ranks x in ``rows`` and r of ``columns`` to ``out``.

        ``scratch`` has the shape of ``out``.  For k = 2 the ``rows`` are consecutive.
        """
        if self.k == 2:
            table = self._tables[0]
            first = int(rows[0])
            near = slice(first, first + len(rows))
            start = first + columns.start
            for part, half, target in (
                (table.high, table.half_high, out),
                (table.low, table.half_low, scratch),
            ):
                windows = sliding_window_view(part, columns.stop - columns.start)
                np.subtract(half[columns], windows[start : start + len(rows)], out=target)
                np.add(target, half[near, None], out=target)
        else:
            spare = np.empty(out.shape[1])
            out[:] = 0
            scratch[:] = 0
            for rank, high, low in zip(rows, out, scratch, strict=True):
                for table in self._tables:
                    table.add_exponents(int(rank), columns, high, low, spare)
        np.add(out, scratch, out=out)

    def distances_between(self, first: Ranks, second: Ranks) -> Relative:
        """Return H for pairs of ranks; arrays of unlike shapes are broadcast."""
        parts = [table.between(first, second) for table in self._tables]
        exponents, low = parts[0]
        for more_high, more_low in parts[1:]:
            exponents, low = exponents + more_high, low + more_low
        exponents = exponents + low
        squares = np.empty_like(exponents)
        Exponential(exponents.shape).one_minus(exponents, squares)
        return Relative(np.sqrt(squares), self.relative_error)
