"""The pairs that can be the worst at some ε ≥ 0, found in float64.

For a pair P, Q the events {loss > ε} are prefixes of the outputs sorted by loss, and δ(ε) is the
largest p − e^ε·q over their points (q, p) = (Q(S), P(S)).  Over all pairs, in both directions, what
matters is the upper concave hull of the points with loss ≥ 0, from (0, 0) on, as far as its slope
is at least 1.  (What is worst at ε < 0 is the complement of what is worst at −ε in the other
direction.)  A pair whose points all lie certainly below that hull is never the worst.

*Error.*  All probabilities are known relatively: P̂(r) to a(1 + a) + 10u + 1.01·z + 2u, prefix sums
to |R|·u more; η bounds both for all datasets.  Let H be the hull of the points (q̂, p̂), continued
with slope 1 beyond its last vertex.  If

    p̂·(1 + η) ≤ (1 − η)·H(q̂·(1 − η)/(1 + η)),

then the true (q, p) is dominated by the true vertices of H: p is at most the same convex
combination of their true ordinates, and q is at least that of their true abscissae; beyond the last
vertex, p − e^ε·q stays below its value there for every ε ≥ 0.

Outputs are sorted by their floating loss, known to within some e.  The true event of loss > ε lies
in the prefix Ŝ of floating loss ≥ ε − e, and what Ŝ has besides are outputs with
|P − e^ε·Q| ≤ 2.2e·P, so that the true event has p − e^ε·q ≤ (1 + 2.2e)·P(Ŝ) − e^ε·Q(Ŝ).  Taking
η + 3e in place of η on the left covers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpaudit.numbers.floats import EXPONENTIAL_ERROR, EXPONENTIAL_REACH, LONG_REACH, SLACK, UNIT
from dpaudit.screens.bounds import NotScreened
from dpaudit.screens.deltas import Probabilities, ranks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from dpaudit.screens.exponents import FloatLaws, LossScreen

    Floats = NDArray[np.float64]

__all__ = ["curve_candidates", "worst_somewhere"]


class _Hull:
    """An upper concave hull from (0, 0), as far as its slope is at least 1."""

    def __init__(self) -> None:
        self.q = np.zeros(1)
        self.p = np.zeros(1)
        self.slope = np.ones(1)

    def at(self, q: Floats) -> Floats:
        """Return the hull's ordinate at ``q`` ≥ 0, to a relative error of 6u."""
        left = np.searchsorted(self.q, q, side="right") - 1
        height: Floats = self.p[left] + self.slope[left] * (q - self.q[left])
        return height

    def add(self, q: Floats, p: Floats) -> None:
        """Take more points into the hull."""
        every_q, every_p = np.concatenate([self.q, q]), np.concatenate([self.p, p])
        order = np.lexsort((every_p, every_q))
        hull: list[tuple[float, float]] = []
        for x, y in zip(every_q[order].tolist(), every_p[order].tolist(), strict=True):
            while len(hull) >= 2 and _not_above(hull[-2], hull[-1], (x, y)):
                hull.pop()
            # A slope below 1 is of an ε below 0, which the other direction looks at.
            if hull and (x == hull[-1][0] or y - hull[-1][1] < x - hull[-1][0]):
                if y <= hull[-1][1] or x > hull[-1][0]:
                    continue
                hull.pop()
            hull.append((x, y))
        self.q, self.p = np.array(hull).T.copy()
        steps = np.diff(self.p) / np.diff(self.q)
        self.slope = np.append(steps, 1.0)


def _not_above(
    left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]
) -> bool:
    run, rise = right[0] - left[0], right[1] - left[1]
    return (middle[1] - left[1]) * run <= rise * (middle[0] - left[0])


def worst_somewhere(
    compared: Callable[[int, int], tuple[Floats, Floats, Floats]],
    pairs: Sequence[tuple[int, int]],
    eta: float,
    doubt: float,
    progress: Callable[[int], None],
) -> list[int]:
    """Return the places in ``pairs`` of those that may be the worst at some ε ≥ 0.

    Args:
        compared: gives ln(P̂/Q̂), P̂ and Q̂ of two laws, over the same outputs.
        pairs: the numbers of the laws of each pair, in the order of the relation.
        eta: a bound on the relative error of probabilities and their sums.
        doubt: twice a bound on the error of a loss.
        progress: told of the pairs that have been looked at.

    Raises:
        NotScreened: for laws too uncertain for anything to be learned.
    """
    if not eta + doubt < 1e-4:
        raise NotScreened("the probabilities are too uncertain")
    hull = _Hull()

    def points(x: int, y: int) -> tuple[Floats, Floats]:
        loss, p, q = compared(x, y)
        order = np.argsort(-loss, kind="stable")
        order = order[: np.count_nonzero(loss >= -doubt)]  # the others are below 0
        return np.cumsum(q[order]), np.cumsum(p[order])

    def rejected(q: Floats, p: Floats) -> bool:
        limit = (1 - eta) * hull.at(q * ((1 - eta) / (1 + eta) * (1 - 4 * UNIT)))
        return bool((p * ((1 + eta + 3 * doubt) * (1 + 4 * UNIT)) <= limit).all())

    left = []
    for place, (x, y) in enumerate(pairs):
        kept = False
        for ordered in ((x, y), (y, x)):
            q, p = points(*ordered)
            if not rejected(q, p):
                kept = True
                above = p > hull.at(q)
                if above.any():
                    hull.add(q[above], p[above])
        if kept:
            left.append(place)
        progress(1)
    # The hull has grown: what was kept early may lie below it by now.
    chosen = [
        place
        for place in left
        if not all(rejected(*points(*ordered)) for ordered in (pairs[place], pairs[place][::-1]))
    ]
    if not chosen:  # the hull's own points cannot lie below it
        raise NotScreened("the hull contradicts itself")
    return chosen


def curve_candidates(
    laws: FloatLaws, losses: LossScreen, progress: Callable[[int], None]
) -> NDArray[np.bool_]:
    """Return the pairs that may be the worst at some ε ≥ 0.

    ``progress`` is told how many pairs have been looked at.  Raises ``NotScreened`` where
    probabilities are too small or too uncertain to be known relatively.
    """
    if laws.ceiling.max() > LONG_REACH:
        raise NotScreened("probabilities this small need interval arithmetic")
    a, z = float(laws.error.max()), float(losses.normaliser_error.max())
    outputs = len(laws.moves.ranks)
    eta = SLACK * (a * (1 + a) + EXPONENTIAL_ERROR + 1.01 * z + (outputs + 24) * UNIT)
    # Tiny probabilities are to be known relatively, not cut off.
    far = laws.ceiling.max() > EXPONENTIAL_REACH
    rows = Probabilities(laws, losses, LONG_REACH if far else EXPONENTIAL_REACH)

    def compared(x: int, y: int) -> tuple[Floats, Floats, Floats]:
        (p, p_weights), (q, q_weights) = rows.with_weights(x), rows.with_weights(y)
        shift = losses.log_normalisers[y] - losses.log_normalisers[x]
        return q_weights - p_weights + shift, p, q

    first = losses.first_of_orbits(np.ones(losses.forward.shape, dtype=bool))
    ordered = sorted(
        zip(ranks_of(laws.moves, first), zip(*np.nonzero(first), strict=True), strict=True)
    )
    size, done = losses.forward.size / max(1, len(ordered)), 0.0

    def in_proportion(pairs: int) -> None:
        nonlocal done
        progress(int(done + size) - int(done))
        done += size

    ranks = [pair for pair, _ in ordered]
    chosen = np.zeros(losses.forward.shape, dtype=bool)
    doubt = 2 * float(losses.error.max())
    for place in worst_somewhere(compared, ranks, eta, doubt, in_proportion):
        chosen[ordered[place][1]] = True
    return losses.whole_orbits(chosen)
