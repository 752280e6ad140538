"""Exponential mechanisms over two categories at large sizes: what all pairs lose, by structure.

A full screen looks at (n + 1)² entries.  Here x and r are counts of the first category, 0 … n, and
two facts spare almost all of them; for neighbours x and y:

* *The output.*  H is a metric, so u_y·H(y, r) − u_x·H(x, r) ≤ u_y·H(x, y) + (u_y − u_x)·H(x, r).
  At r = x it is u_y·H(x, y).  The maximum over r is therefore that where u_y ≤ u_x, and at most
  u_y − u_x more elsewhere, since 0 ≤ H ≤ 1.
* *The normaliser.*  H(x, r) grows with |r − x| on either side.  With φ = lnΓ, ψ = φ′ and prior
  (a, b), t(x, r) = −ln(1 − H²) has, for r > x, the derivative ½(ψ(a + r) − ψ(a + (x + r)/2))
  − ½(ψ(b + n − r) − ψ(b + n − (x + r)/2)) > 0 in a real r, since ψ increases; for r < x alike.  So
  of the outputs between two distances the sum of e^(−u·H) lies between their number times the
  values at either end.

Distances are looked at one by one while they are short, and then in growing steps.  Pairs that
cannot have the largest loss are left aside, and the rows of others are looked at in smaller steps,
at last at every output.

*Error.*  As in :mod:`dpaudit.screens.exponents`: weights are within a(x), an exponential within 10u
of itself (or 4.3·10⁻¹⁸ absolutely), a sum of K positive terms within K·u, numbers of outputs are
exact; the logarithm is corrected as in :mod:`dpaudit.screens.scores`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.data.arrays import move_orbits
from dpaudit.numbers.floats import EXPONENTIAL_CUT, EXPONENTIAL_ERROR, SLACK, UNIT, Exponential
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.exponents import FloatLaws, LossScreen, check_weights
from dpaudit.screens.logarithms import checked_logarithm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpaudit.notes.float_metric import FloatMetric

    Floats = NDArray[np.float64]
    Whole = NDArray[np.intp]

__all__ = ["BoundedLosses", "losses_by_structure"]

_STEPS = (0.5, 0.1, 0.01, 0.001)
_SINGLY = 32
_MOST_ROWS = 400
_BLOCK = 1 << 17


@dataclass(frozen=True)
class BoundedLosses(LossScreen):
    """A screen whose pairs have the larger of their two losses bounded better than each."""

    reached: Floats
    """Lower bound of the larger loss, for each pair."""
    bounded: Floats
    """Upper bound of the larger loss, for each pair."""

    @property
    def upper(self) -> Floats:
        return self.bounded

    @property
    def lower(self) -> Floats:
        return self.reached


@dataclass(frozen=True)
class _Screen:
    """Quantities shared by the screen of all pairs at one size."""

    n: int
    metric: FloatMetric
    factors: Floats
    error: Floats


def losses_by_structure(laws: FloatLaws, metric: FloatMetric, factors: Floats) -> LossScreen:
    """Return bounds on the largest loss of every pair of neighbours; k = 2.

    Args:
        laws: the laws, W(x, r) = u_x·H(x, r).
        metric: the distances H.
        factors: u in floats; its error is part of that of the laws.

    Raises:
        NotScreened: where more pairs are left than are worth a look at every output.
    """
    check_weights(laws)
    n, moves = laws.n, laws.moves
    screen = _Screen(n, metric, factors, laws.error)
    low, high = np.empty(n + 1), np.empty(n + 1)
    rows = np.arange(n + 1)
    symmetric = len(laws.groups) == 1
    if symmetric:
        rows = rows[: n // 2 + 1]
    for step in (*_STEPS, 0.0):
        if step == 0.0 and len(rows) > _MOST_ROWS:
            raise NotScreened(f"{len(rows)} datasets are left whose losses are not told apart")
        low[rows], high[rows] = _normalisers(screen, rows, _distances(n, step))
        if symmetric:
            low[n - rows], high[n - rows] = low[rows], high[rows]
        below, above = _losses(screen, low, high)
        candidates = np.flatnonzero(above.max(axis=0) >= below.max())
        rows = np.unique(np.concatenate([candidates, candidates + 1]))  # both ends of a pair
        if symmetric:
            rows = np.unique(np.minimum(rows, n - rows))
    middle = (below + above) / 2
    error = SLACK * ((above - below) / 2).max(axis=0) + 4 * UNIT * np.abs(middle).max(axis=0)
    ordered, reverse = move_orbits(moves, n, laws.groups)
    logs = (low + high) / 2
    normalisers = np.exp(logs)
    return BoundedLosses(
        forward=middle[:1],
        backward=middle[1:],
        error=error[None, :],
        orbits=np.minimum(ordered, reverse),
        covered=int(np.count_nonzero(np.isfinite(middle).all(axis=0))),
        normalisers=normalisers,
        normaliser_error=1.1 * np.expm1((high - low) / 2 + 1e-9),
        log_normalisers=logs,
        reached=below.max(axis=0)[None, :],
        bounded=above.max(axis=0)[None, :],
    )


def _distances(n: int, step: float) -> Whole:
    """Return 1, 2, … and then distances that grow by a factor of 1 + ``step``, up to n."""
    if step == 0.0:
        return np.arange(1, n + 1)
    distances = list(range(1, min(n, max(_SINGLY, int(1 / step))) + 1))
    while distances[-1] < n:
        distances.append(min(n, max(distances[-1] + 1, int(distances[-1] * (1 + step)))))
    return np.array(distances)


def _normalisers(screen: _Screen, rows: Whole, distances: Whole) -> tuple[Floats, Floats]:
    """Return bounds of ln Z for the datasets of these ``rows``."""
    low, high = np.empty(len(rows)), np.empty(len(rows))
    height = max(1, _BLOCK // len(distances))
    for start in range(0, len(rows), height):
        part = slice(start, start + height)
        low[part], high[part] = _sums(screen, rows[part], distances)
    return low, high


def _sums(screen: _Screen, rows: Whole, distances: Whole) -> tuple[Floats, Floats]:
    n = screen.n
    factors = screen.factors[rows][:, None]
    least, most = np.ones(len(rows)), np.ones(len(rows))  # the output x itself
    single = np.diff(distances, prepend=0) == 1
    for sign in (1, -1):
        reached = np.clip(rows[:, None] + sign * distances, 0, n)
        counts = np.abs(np.diff(reached, axis=1, prepend=rows[:, None])).astype(float)
        weights = screen.metric.distances_between(rows[:, None], reached).values * factors
        powers = np.empty_like(weights)
        Exponential(weights.shape).minus(weights, powers)
        least += (counts * powers).sum(axis=1)
        # Between two distances the value at the nearer one bounds the weights from above.
        before = np.concatenate([np.ones((len(rows), 1)), powers[:, :-1]], axis=1)
        most += (counts * np.where(single, powers, before)).sum(axis=1)
    doubt = screen.error[rows]
    relative = SLACK * (
        doubt * (1 + doubt)
        + EXPONENTIAL_ERROR
        + (16 + 2 * len(distances)) * UNIT
        + (n + 1) * EXPONENTIAL_CUT
    )
    low, low_error = checked_logarithm(least)
    high, high_error = checked_logarithm(most)
    spare = SLACK * 1.01 * relative
    return low - low_error - spare, high + high_error + spare


def _losses(screen: _Screen, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return bounds of the losses of x = 0 … n − 1 against x + 1, and the other way round."""
    n = screen.n
    near = screen.metric.distances_between(slice(0, n), slice(1, n + 1)).values
    u = screen.factors
    below, above = np.empty((2, n)), np.empty((2, n))
    for row, (x, y) in enumerate(((slice(0, n), slice(1, n + 1)), (slice(1, n + 1), slice(0, n)))):
        largest = u[y] * near
        doubt = 2 * SLACK * (screen.error[x] + screen.error[y]) + 8 * UNIT * (
            u[x] + u[y] + high[x] + high[y]
        )
        below[row] = largest + (low[y] - high[x]) - doubt
        above[row] = largest + np.maximum(u[y] - u[x], 0.0) + (high[y] - low[x]) + doubt
    return below, above
