"""δ(ε) of pairs in float64, with proved error bounds, to find the pairs where it can be largest.

For one pair, δ̂ = Σ over r of (P̂(r) − ê·Q̂(r))₊ with P̂ = e^(−Ŵ)/Ẑ and ê within 2.01u of e^ε.  The
positive part moves no more than its argument, so the errors of the summands add up:
Σ|P̂ − P| ≤ η(x) = a(1 + a) + 10u + z(x)·1.01 + 2u + |R|·4.3·10⁻¹⁸/Ẑ(x) since ΣP = 1 (see
:mod:`dpaudit.screens.exponents`), the products with ê add 3.01u·e^ε, the differences u(1 + e^ε),
and the sum |R|·u·(1 + e^ε).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpaudit.numbers import floats
from dpaudit.numbers.ball import precision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dpaudit.data.arrays import Moves
    from dpaudit.numbers.real import Real
    from dpaudit.screens.exponents import FloatLaws, LossScreen

    Floats = NDArray[np.float64]

__all__ = ["Probabilities", "delta_candidates", "ranks_of", "screened_delta"]

_WIDTH = 1 << 15


def ranks_of(moves: Moves, chosen: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Iterate over the chosen pairs as ranks, the earlier histogram first."""
    for move, shared in zip(*np.nonzero(chosen), strict=True):
        i, j = moves.categories[move]
        yield int(moves.ranks[moves.ends[j]][shared]), int(moves.ranks[moves.ends[i]][shared])


class Probabilities:
    """Rows of probabilities P̂(x, ·) in floats; the last few are kept."""

    def __init__(
        self, laws: FloatLaws, losses: LossScreen, reach: float = floats.EXPONENTIAL_REACH
    ) -> None:
        """Take the laws, the normalisers that a screen found, and the reach of e^(−W)."""
        self.laws = laws
        self.losses = losses
        self.outputs = len(laws.moves.ranks)
        shape = (1, min(self.outputs, _WIDTH))
        self._block = laws.block(shape)
        self._exponential = floats.Exponential((self.outputs,), reach)
        self._kept: dict[int, tuple[Floats, Floats]] = {}

    def row(self, dataset: int) -> Floats:
        """Return P̂(x, ·) for the dataset of that rank."""
        return self.with_weights(dataset)[0]

    def with_weights(self, dataset: int) -> tuple[Floats, Floats]:
        """Return P̂(x, ·) and Ŵ(x, ·) for the dataset of that rank."""
        known = self._kept.get(dataset)
        if known is None:
            row, weights = np.empty(self.outputs), np.empty(self.outputs)
            self._block.row(dataset, weights)
            self._exponential.minus(weights, row)
            np.divide(row, self.losses.normalisers[dataset], out=row)
            while len(self._kept) >= 8:
                del self._kept[next(iter(self._kept))]
            known = self._kept[dataset] = row, weights
        return known

    def error(self, dataset: int) -> float:
        """Return η(x), a bound on Σ over r of |P̂ − P|."""
        a = float(self.laws.error[dataset])
        cut = self.outputs * floats.EXPONENTIAL_CUT / float(self.losses.normalisers[dataset])
        z = float(self.losses.normaliser_error[dataset])
        return floats.SLACK * (
            a * (1 + a) + floats.EXPONENTIAL_ERROR + 1.01 * z + 2 * floats.UNIT + cut
        )


def screened_delta(rows: Probabilities, x: int, y: int, factor: float) -> tuple[float, float]:
    """Return δ̂ at the ε with e^ε ≈ ``factor``, P the law at rank x, and a bound on its error."""
    scratch = rows.row(y) * factor
    np.subtract(rows.row(x), scratch, out=scratch)
    np.maximum(scratch, 0.0, out=scratch)
    rounding = (rows.outputs + 5) * floats.UNIT
    error = rows.error(x) + rounding + factor * (rows.error(y) + rounding)
    return float(np.add.reduce(scratch)), floats.SLACK * error


def delta_candidates(
    laws: FloatLaws, losses: LossScreen, epsilon: Real
) -> tuple[NDArray[np.bool_], tuple[float, float]]:
    """Return the pairs that may have the largest δ(ε) > 0, and bounds on that.

    A pair whose loss certainly stays below ε has δ(ε) = 0.
    """
    moves = laws.moves
    limit = float(epsilon)
    # The nearest float may lie above ε.
    above: NDArray[np.bool_] = losses.upper >= limit - abs(limit) * 1e-15
    if not above.any() or limit > floats.LARGEST_EPSILON:
        # e^ε would overflow: nothing better than 1 is known.
        return above, (0.0, 1.0 if above.any() else 0.0)
    with precision(128):
        factor = floats.rounded(epsilon.ball().exp())
    rows = Probabilities(laws, losses)
    first = losses.first_of_orbits(above)
    lower = 0.0
    upper = np.full(above.shape, -np.inf)
    places = zip(*np.nonzero(first), strict=True)
    for place, (x, y) in sorted(
        zip(places, ranks_of(moves, first), strict=True), key=lambda item: item[1]
    ):
        for p, q in ((x, y), (y, x)):
            delta, error = screened_delta(rows, p, q, factor)
            lower = max(lower, delta - error)
            upper[place] = max(upper[place], delta + error)
    chosen = losses.whole_orbits(first & (upper >= lower * (1 - 4 * floats.UNIT)))
    return chosen, (lower, max(0.0, float(upper.max())))
