"""Local and smooth sensitivities of the Hellinger score in float64, with proved error bounds.

The definitions are those of :mod:`dpaudit.bayes.sensitivity`.  Maxima and minima are exact; what
rounds is counted.  A smoothing is repeated passes over the neighbour graph, until a pass changes
nothing.  Then no value is better than its neighbour's taken one rounded step further, so none is
worse than what any x′ gives after d(x, x′) rounded additions (or products) of the step; and each
is what some x′ gives after so many.  d is at most the number n of records: n roundings are counted,
however few the passes were, since values that tie from step to step need no pass to be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpaudit.exact.floats import ROUNDED_BALL_ERROR, SLACK, UNIT, Relative

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from dpaudit.bayes.float_metric import FloatMetric
    from dpaudit.data.arrays import Moves

    Floats = NDArray[np.float64]

__all__ = [
    "decayed_maximum",
    "local_float_sensitivities",
    "near_maximum",
    "near_minimum",
    "stepped_minimum",
]


def local_float_sensitivities(metric: FloatMetric, moves: Moves) -> Relative:
    """Return LS for every histogram, in order: the largest distance to a neighbour."""
    local = np.zeros(len(metric))
    for i, j in moves.categories:
        left, right = moves.ends[i], moves.ends[j]
        distances = metric.distances_between(left, right).values
        local[left] = np.maximum(local[left], distances)
        local[right] = np.maximum(local[right], distances)
    return Relative(local, metric.relative_error)


def stepped_minimum(start: Relative, step: float, moves: Moves, n: int) -> Relative:
    """Return min over x′ of start(x′) + step·d(x, x′) for every x; ``step`` > 0 once rounded.

    Adding the step n times costs n roundings, and the step its own: all relative, as nothing is
    negative.
    """
    values = _relax(start.values, moves, np.minimum, lambda near: near + step)
    return Relative(values, SLACK * (start.error + ROUNDED_BALL_ERROR + n * UNIT))


def decayed_maximum(start: Relative, decay: float, moves: Moves, n: int) -> Relative:
    """Return max over x′ of start(x′)·decay^d(x, x′) for every x; 0 < ``decay`` < 1 once rounded.

    Each of n products costs a rounding and the relative error of the decay.
    """
    values = _relax(start.values, moves, np.maximum, lambda near: near * decay)
    return Relative(values, SLACK * (start.error + n * (ROUNDED_BALL_ERROR + UNIT)))


def _relax(
    start: Floats,
    moves: Moves,
    better: Callable[[Floats, Floats], Floats],
    further: Callable[[Floats], Floats],
) -> Floats:
    """Improve every value by its neighbours' until nothing changes."""
    values = start
    while True:
        reached = further(values)
        improved = values.copy()
        for i, j in moves.categories:
            left, right = moves.ends[i], moves.ends[j]
            improved[left] = better(improved[left], reached[right])
            improved[right] = better(improved[right], reached[left])
        if np.array_equal(improved, values):
            return values
        values = improved


def near_minimum(approximate: Floats, error: float) -> NDArray[np.intp]:
    """Return the indices that can hold the minimum of positive numbers known to ``error``.

    A minimiser m of the true values has approximate(m) ≤ true(m)·(1 + e) ≤ true(i)·(1 + e) ≤
    approximate(i)·(1 + e)/(1 − e) for every i, and (1 + e)/(1 − e) ≤ 1 + 3e for e ≤ 1/3.
    """
    return np.flatnonzero(approximate <= approximate.min() * (1 + 3 * error) * (1 + 4 * UNIT))


def near_maximum(approximate: Floats, error: float) -> NDArray[np.intp]:
    """Return the indices that can hold the maximum of positive numbers known to ``error``.

    As in :func:`near_minimum`, approximate(m) ≥ approximate(i)·(1 − e)/(1 + e), which is at least
    approximate(i)·(1 − 2e).
    """
    return np.flatnonzero(approximate >= approximate.max() * (1 - 2 * error) * (1 - 4 * UNIT))
