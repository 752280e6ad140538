"""Exponential mechanisms over three and more categories: what all pairs lose, by structure.

A full screen looks at every pair at every output.  The worst output of a pair is known (see
:mod:`dpaudit.notes.hellinger_large`, whose first fact holds for any metric), so that only the
normalisers Z(x) = Σ_r e^(−u_x·H(x, r)) remain, first roughly for all datasets, and exactly for
those whose pairs may still have the largest loss.

*Roughly.*  With the notation of :mod:`dpaudit.notes.float_metric`, the totals of x and r agree, so

    t(x, r) = Σᵢ fᵢ(xᵢ, rᵢ),   fᵢ(a, b) = ½(φ(αᵢ + a) + φ(αᵢ + b)) − φ(αᵢ + (a + b)/2) ≥ 0.

Let qᵢ be S·fᵢ rounded to a whole number, or a cap where that is less.  Then b = Σ qᵢ is a whole
number, added without error, and S·t is within k·(½ + 10⁻³) of it; where b reaches the cap, S·t is
at least the cap less as much.  The outputs are counted by b.  H increases with t, so the counts of
neighbouring b times e^(−u·H) at either end of what t can be add up to bounds of Z on both sides.

*Exactly.*  Every output is looked at, as in :mod:`dpaudit.screens.exponents`.

*Error.*  fᵢ is computed from the two parts of φ: the high parts add up without rounding, the low
ones to within 2⁻⁴⁵, and the sum is rounded once.  So S·fᵢ, S = 2¹⁰, is within 10⁻³ as long as it is
below the cap of 2¹⁴.  H at an end is within 10⁻¹² of itself, and moved out by as much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpaudit.data.arrays import move_orbits
from dpaudit.notes.hellinger_large import BoundedLosses
from dpaudit.numbers.floats import EXPONENTIAL_CUT, EXPONENTIAL_ERROR, SLACK, UNIT, Exponential
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.exponents import FloatLaws, check_weights
from dpaudit.screens.logarithms import checked_logarithm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.notes.float_metric import FloatMetric

    Floats = NDArray[np.float64]
    Whole = NDArray[np.intp]

__all__ = ["binned_losses"]

_SCALE = 1 << 10
_CAP = 1 << 14
_ROUNDING = 1e-3
_BINS = 1 << 10
"""About so many bins are left of the counts, each as wide in H."""
_MOST_ROWS = 1 / 16
"""Of all orbits of datasets: more are not looked at exactly."""
_MOST_ORBITS = 8
"""Of pairs: more are not left to balls."""


def binned_losses(laws: FloatLaws, metric: FloatMetric, factors: Floats) -> BoundedLosses:
    """Return bounds on the largest loss of every pair of neighbours; k ≥ 3.

    Args:
        laws: the laws, W(x, r) = u_x·H(x, r).
        metric: the distances H.
        factors: u in floats; its error is part of that of the laws.

    Raises:
        NotScreened: where more pairs are left than are worth a look at every output.
    """
    check_weights(laws)
    orbits = laws.orbits
    low, high = _rough(laws, metric, factors)
    reached, bounded = _bounds(laws, metric, factors, low, high)
    # Only pairs whose upper bound reaches the best lower bound may hold the maximum.
    rows = _rows_left(laws, reached, bounded)
    if len(rows) > max(64, _MOST_ROWS * len(orbits.sizes)):
        raise NotScreened(f"the losses of {len(rows)} datasets are not told apart")
    exact_low, exact_high = _exact(laws, orbits.representatives[rows])
    low, high = low[orbits.representatives], high[orbits.representatives]
    low[rows], high[rows] = exact_low, exact_high
    low, high = low[orbits.of], high[orbits.of]
    reached, bounded = _bounds(laws, metric, factors, low, high)
    ordered, reverse = move_orbits(laws.moves, laws.n, laws.groups)
    pairs = np.minimum(ordered, reverse)
    candidates = len(np.unique(pairs[bounded.max(axis=0) >= reached.max()]))
    if candidates > _MOST_ORBITS:
        raise NotScreened(f"the losses of {candidates} orbits of pairs are not told apart")
    middle = (reached + bounded) / 2
    error = SLACK * ((bounded - reached) / 2).max(axis=0) + 4 * UNIT * np.abs(middle).max(axis=0)
    logs = (low + high) / 2
    return BoundedLosses(
        forward=middle[0],
        backward=middle[1],
        error=error,
        orbits=pairs,
        covered=int(np.count_nonzero(np.isfinite(middle).all(axis=0))),
        normalisers=np.exp(logs),
        normaliser_error=1.1 * np.expm1((high - low) / 2 + 1e-9),
        log_normalisers=logs,
        reached=reached.max(axis=0),
        bounded=bounded.max(axis=0),
    )


def _rows_left(laws: FloatLaws, reached: Floats, bounded: Floats) -> Whole:
    """Return the orbits of the datasets of pairs that may have the largest loss."""
    moves, of = laws.moves, laws.orbits.of
    candidates = bounded.max(axis=0) >= reached.max()
    ends_of_pairs = [
        of[moves.ranks[moves.ends[end]][candidates[index]]]
        for index, ends in enumerate(moves.categories)
        for end in ends
    ]
    return np.unique(np.concatenate(ends_of_pairs))


def _bounds(
    laws: FloatLaws, metric: FloatMetric, u: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Return bounds of the losses from bounds of ln Z, the earlier dataset against the later first.

    Both have a row for each direction, and then the shape of a
    :class:`~dpaudit.screens.exponents.LossScreen`.
    """
    moves = laws.moves
    below = np.empty((2, len(moves.categories), moves.shared_count))
    above = np.empty_like(below)
    magnitude = np.maximum(np.abs(low), np.abs(high))
    doubt = 2 * SLACK * laws.error + 8 * UNIT * (u + magnitude)
    for index, (i, j) in enumerate(moves.categories):
        earlier, later = moves.ends[j], moves.ends[i]
        near = metric.distances_between(earlier, later).values
        for row, (x, y) in enumerate(((earlier, later), (later, earlier))):
            largest = u[y] * near
            spare = doubt[x] + doubt[y]
            below[row, index] = largest + (low[y] - high[x]) - spare
            above[row, index] = largest + np.maximum(u[y] - u[x], 0.0) + (high[y] - low[x]) + spare
    return below, above


def _rough(laws: FloatLaws, metric: FloatMetric, factors: Floats) -> tuple[Floats, Floats]:
    """Return bounds of ln Z for every dataset, from counts of outputs by distance."""
    orbits = laws.orbits
    outputs = _Outputs(metric)
    edges = _edges()
    spread = metric.k * (0.5 + _ROUNDING)
    # The last bin has every output of which no more is known than that it is beyond the cap.
    nearest = _distances((edges - spread) / _SCALE) * (1 - 1e-12)
    furthest = _distances((edges[1:] - 1 + spread) / _SCALE) * (1 + 1e-12)
    furthest = np.minimum(np.append(furthest, 1.0), 1.0)  # H is at most 1
    ends = np.stack([furthest, nearest])
    least, most = np.empty(len(orbits.sizes)), np.empty(len(orbits.sizes))
    powers, exponential = np.empty(ends.shape), Exponential(ends.shape)
    for row, rank in enumerate(orbits.representatives.tolist()):
        counts = np.add.reduceat(outputs.counted(rank), edges).astype(float)
        exponential.minus(ends * factors[rank], powers)
        least[row], most[row] = (powers * counts).sum(axis=1)
    doubt = laws.error[orbits.representatives]
    relative = _relative(doubt, len(edges), len(metric))
    low, low_error = checked_logarithm(np.maximum(least, 1.0))  # the output x itself
    high, high_error = checked_logarithm(most)
    low, high = low - low_error - relative, high + high_error + relative
    return low[orbits.of], high[orbits.of]


def _relative(doubt: Floats, terms: int, outputs: int) -> Floats:
    """Return the error of the logarithm of a sum of so many ``terms`` over the ``outputs``.

    ``doubt`` is that of the weights.  The sum is 1 at least, e⁰ for the output x itself.
    """
    error: Floats = (
        SLACK**2
        * 1.01
        * (
            doubt * (1 + doubt)
            + EXPONENTIAL_ERROR
            + (16 + 2 * terms) * UNIT
            + (outputs + 1) * EXPONENTIAL_CUT
        )
    )
    return error


def _exact(laws: FloatLaws, ranks: Whole) -> tuple[Floats, Floats]:
    """Return bounds of ln Z for datasets of these ``ranks``, from every output."""
    outputs = len(laws.moves.ranks)
    width = min(outputs, 1 << 15)
    block, exponential = laws.block((1, width)), Exponential((width,))
    weights, powers = np.empty(outputs), np.empty(width)
    sums = np.zeros(len(ranks))
    for row, rank in enumerate(ranks.tolist()):
        block.row(rank, weights)
        for start in range(0, outputs, width):
            part = weights[start : start + width]
            exponential.minus(part, powers[: len(part)])
            sums[row] += powers[: len(part)].sum()
    logs, error = checked_logarithm(sums)
    error = error + _relative(laws.error[ranks], outputs, outputs)
    return logs - error, logs + error


def _distances(exponents: Floats) -> Floats:
    """Return H = √(1 − e^(−t)) for every t, or 0 where it is negative."""
    squares = np.empty_like(exponents)
    Exponential(squares.shape).one_minus(np.maximum(exponents, 0.0), squares)
    return np.sqrt(squares)


def _edges() -> Whole:
    """Return where bins of counts start, each about as wide in H; the last starts at the cap."""
    distances = _distances(np.arange(_CAP) / _SCALE)
    starts = np.unique(np.floor(distances * _BINS), return_index=True)[1]
    return np.append(starts, _CAP)


class _Outputs:
    """The outputs of one size, to be counted by their distance from a dataset.

    An output is a head, its first coordinates, and a tail, all others.
    """

    def __init__(self, metric: FloatMetric) -> None:
        self.datasets = metric.counts
        tables: dict[object, Whole] = {}
        self.tables = []
        for alpha, parts in zip(metric.prior, metric.split, strict=True):
            if alpha not in tables:
                tables[alpha] = _rounded_exponents(parts, metric.n)
            self.tables.append(tables[alpha])
        split = metric.k // 2
        self.parts = [
            (columns, *_distinct(metric.counts[:, columns], metric.n))
            for columns in (slice(split), slice(split, metric.k))
        ]
        self.total, self.spare = (np.empty(len(metric), dtype=np.intp) for _ in range(2))

    def counted(self, rank: int) -> Whole:
        """Return how many outputs have each b at the dataset of a ``rank``."""
        dataset = self.datasets[rank]
        for (columns, values, which), target in zip(
            self.parts, (self.total, self.spare), strict=True
        ):
            rows = zip(self.tables[columns], dataset[columns].tolist(), values, strict=True)
            first, *others = (np.take(table[count], value) for table, count, value in rows)
            for column in others:
                first += column
            np.take(first, which, out=target, mode="clip")
        np.add(self.total, self.spare, out=self.total)
        return np.bincount(self.total, minlength=_CAP + 1)


def _distinct(counts: Whole, n: int) -> tuple[list[Whole], Whole]:
    """Return the different rows of ``counts``, by column, and which of them each row is."""
    places = np.zeros(len(counts), dtype=np.intp)
    for column in counts.T:
        places = places * (n + 1) + column
    _, first, which = np.unique(places, return_index=True, return_inverse=True)
    return [np.ascontiguousarray(column) for column in counts[first].T], which.reshape(-1)


def _rounded_exponents(parts: tuple[Floats, Floats], n: int) -> Whole:
    """Return q(a, b) for all counts a and b of one category, from the two parts of φ."""
    place = np.arange(n + 1)
    exponents = np.zeros((n + 1, n + 1))
    for part in parts:
        half = part[2 * place] / 2
        exponents += (half[:, None] - part[place[:, None] + place]) + half
    rounded: Whole = np.rint(np.minimum(exponents * _SCALE, _CAP)).astype(np.intp)
    return rounded
