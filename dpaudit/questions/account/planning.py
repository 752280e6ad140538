"""The lattice that δ(ε) of many runs takes, found by composing them in floats.

The step that a width needs depends on how often losses are large: where few runs have a loss that
matters, as at small sampling rates, lattices may be far coarser than the losses of most runs.  So
losses are put on a lattice as it is done above, on ever finer steps, until δ(ε) changes little.  A
tilt e^(cl) of the masses keeps the tail at ε in reach of floats.  Nothing is proved here: a bad
choice costs width, or time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, inf, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["TAIL", "Grid", "grid_of"]

_FEWEST = 10
"""Logarithm of the fewest points that are tried."""

_LOOKS = 13, 16, 19
"""Logarithms of the most points of each look; one tells the next how rare losses may be left out.
"""

_NATS = 24.0
"""−ln of the share of the tilted mass that may lie beyond a window."""

_BEYOND = 12.0
"""−ln of the share of Chernoff's bound of δ that larger losses may be left out with at first."""

TAIL = 2e-4
"""The share of δ that tails of one run may cost."""

_NEAR = 0.5
"""The share that half the step may change δ by where δ is known well enough for that."""

_TINIEST = 1e-300

_LONGEST = 1 << 22
"""More points of one run than this are not listed."""

_SIDES = 4.0
"""The width of an interval over the change that half the step makes: two sides, each of which may
change by as much again."""

_ROUGH_SHARE = 0.1
"""The share of the accepted width that cells of large losses may cost."""

_ROUGH = 0.001, 0.07
"""The smallest and the largest width of such a cell, as a share of its loss."""


@dataclass(frozen=True)
class Grid:
    """A lattice of all runs as it is planned."""

    step: float
    """Distance of two points."""
    rough: float
    """The share of large losses of one run that a cell may be wide."""
    floor: float
    """A loss of one run that all others cannot make up for."""
    tilt: float
    """The power of e^loss whose mean depends most on the losses that matter."""
    deltas: tuple[float, ...]
    """About δ at each ε."""
    width: float
    """About how wide intervals of δ become, as a share of δ."""


@dataclass(frozen=True)
class _Losses:
    """The losses of one run."""

    weights: Any
    losses: Any

    def tilted(self, power: float) -> tuple[float, float, float]:
        """Return ln M(c), and the mean and the mean square of the loss tilted by c."""
        parts = np.log(self.weights) + power * self.losses
        top = float(parts.max())
        weights = np.exp(parts - top)
        total = float(weights.sum())
        mean, square = (float((weights * self.losses**i).sum()) / total for i in (1, 2))
        return top + log(total), mean, square

    def power(self, runs: int, epsilon: float) -> float:
        """Return the c at which the mean of the tilted losses of all runs is about ε."""
        low, high = log(1e-3), log(1e4)
        for _ in range(40):
            middle = (low + high) / 2
            if runs * self.tilted(exp(middle))[1] < epsilon:
                low = middle
            else:
                high = middle
        return exp(low)

    def ends(self, runs: int, power: float, nats: float) -> tuple[float, float]:
        """Return between which losses all but e^−nats of all runs lie, tilted by c."""
        here = self.tilted(power)[0]
        low, high = (
            sign
            * min(
                (runs * (self.tilted(power + sign * more)[0] - here) + nats) / more
                for more in np.geomspace(1e-3, 1e6, 60)
            )
            for sign in (-1.0, 1.0)
        )
        return (
            max(float(low), runs * float(self.losses.min())),
            min(float(high), runs * float(self.losses.max())),
        )

    def delta(self, epsilon: float) -> float:
        """Return about δ of one run."""
        over = self.losses > epsilon
        return float((self.weights[over] * -np.expm1(epsilon - self.losses[over])).sum())

    def between(self, low: float, high: float) -> _Losses:
        """Return the losses that are neither smaller nor larger."""
        near = (self.losses >= low) & (self.losses <= high)
        return _Losses(self.weights[near], self.losses[near])

    def without(self, mass: float) -> _Losses:
        """Return the losses without tails of so much mass each."""
        order = np.argsort(self.losses)
        sums = np.cumsum(self.weights[order])
        low = self.losses[order][min(int(np.searchsorted(sums, mass)), len(order) - 1)]
        beyond = np.cumsum(self.weights[order][::-1])
        high = self.losses[order][::-1][min(int(np.searchsorted(beyond, mass)), len(order) - 1)]
        return self.between(float(low), float(high))

    def on(self, step: float, rough: float) -> tuple[int, Any]:
        """Return the index of the first point of a lattice above, and the masses of all."""
        points = np.floor(self.losses / step).astype(int)
        first, last = int(points.min()), int(points.max()) + 1
        edges = np.array([*(-x for x in _edges(-first, rough)[:0:-1]), *_edges(last, rough)])
        cell = np.searchsorted(edges, points, side="right") - 1
        low, high = edges[cell], edges[cell + 1]
        up = self.weights * np.expm1(low * step - self.losses) / np.expm1((low - high) * step)
        up = np.minimum(np.maximum(up, 0), self.weights)
        start = int(edges[0])
        masses = np.bincount(low - start, self.weights - up, int(edges[-1]) - start + 1)
        masses += np.bincount(high - start, up, len(masses))
        return start, masses

    def deltas(
        self,
        runs: int,
        lattice: tuple[float, float],
        window: tuple[float, int],
        asked: Sequence[tuple[float, float]],
    ) -> list[float]:
        """Return about δ at each ε, which comes with its c, of a lattice above.

        Args:
            runs: how many runs.
            lattice: its step, and how wide cells of large losses are.
            window: the least loss of all runs, and the number of points.
            asked: each ε and c.
        """
        step, (start, count) = lattice[0], window
        first, masses = self.on(*lattice)
        begin = round(start / step)
        losses = step * (begin + np.arange(count))
        places, found = np.arange(len(masses)), []
        for epsilon, power in asked:
            parts = np.log(masses) + power * step * (first + places)
            top = float(parts.max())
            weights = np.exp(parts - top)
            total = float(weights.sum())
            folded = np.bincount(places % count, weights / total, count)
            powered = np.exp(runs * np.log(np.fft.rfft(folded)))
            sums = np.roll(np.fft.irfft(np.nan_to_num(powered), count), runs * first - begin)
            over = losses > epsilon
            size = runs * (top + log(total)) - power * losses[over]
            found.append(
                float((sums[over] * -np.expm1(epsilon - losses[over]) * np.exp(size)).sum())
            )
        return found


def _edges(last: int, rough: float) -> list[int]:
    """Return where cells from 0 on begin, and where the last one ends."""
    found = [0]
    while found[-1] < last:
        found.append(found[-1] + max(1, int(rough * found[-1])))
    return found


@np.errstate(all="ignore")
def grid_of(
    drawn: tuple[Any, Any],
    runs: int,
    epsilons: Sequence[float],
    share: float,
    enough: Sequence[float] | None = None,
) -> Grid | None:
    """Return a lattice for intervals of δ as wide as a share of it.

    Args:
        drawn: the weights and the losses of one run, close enough to stand for its density.
        runs: how many runs.
        epsilons: where δ is sought.
        share: the width of an interval over δ.
        enough: at each ε, what δ is of interest above; a lattice that shows it below is enough.

    Returns:
        the lattice, the finest that is tried where intervals will be wider; None where floats do
        not tell.
    """
    weights, losses = drawn
    one = _Losses(weights[weights > 0], losses[weights > 0])
    whole = [(epsilon, one.power(runs, epsilon)) for epsilon in epsilons]
    bounds = [runs * one.tilted(c)[0] - c * epsilon for epsilon, c in whole]
    spreads = [sqrt(c * (c + 1) * runs * one.tilted(c)[2]) for _, c in whole]
    rough = min(max(sqrt(8 * _ROUGH_SHARE * share) / max(spreads), _ROUGH[0]), _ROUGH[1])
    alone = [max(runs * one.delta(epsilon), _TINIEST) for epsilon in epsilons]
    # A loss far beyond ε hardly ever occurs, and a tilt would make it common.
    few = _BEYOND - min(0.0, *bounds, *(log(delta) for delta in alone if delta > _TINIEST))
    high = one.ends(runs, 0.0, few)[1]
    floor = min(epsilons) - high
    one = one.between(floor, inf)
    rest = one.between(floor, high)
    best: Grid | None = None
    for most in _LOOKS:
        found = _refined(rest, runs, epsilons, (share, rough), most=most, enough=enough)
        if found is None:
            continue  # too coarse for floats to tell
        best = replace(found, floor=floor)
        if most > _LOOKS[0] and (best.width <= share or _all_below(best, enough)):
            break
        # Too coarse a lattice shows far too large a δ; one large loss alone is less than all.
        sizes = best.deltas if best.width < _NEAR else tuple(map(min, best.deltas, alone))
        rest = one.without(TAIL * min(sizes) / runs)
    return best


def _refined(
    one: _Losses,
    runs: int,
    epsilons: Sequence[float],
    wanted: tuple[float, float],
    *,
    most: int,
    enough: Sequence[float] | None,
) -> Grid | None:
    """Return the first lattice, of ever more points, whose δ change little with half the step."""
    share, rough = wanted
    if not len(one.losses):
        return None
    asked = [(epsilon, one.power(runs, epsilon)) for epsilon in epsilons]
    ends = [one.ends(runs, c, _NATS) for _, c in asked]
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    if not -inf < low < high < inf:
        return None
    extent = float(one.losses.max() - one.losses.min())
    before: list[float] | None = None
    best: Grid | None = None
    for places in range(_FEWEST, most + 1):
        count = 1 << places
        step = (high - low) / (count - 2)
        if extent > _LONGEST * step:
            break
        found = one.deltas(runs, (step, rough), (low, count), asked)
        if not all(0 < delta < inf for delta in found):
            before = None
            continue
        if before is not None:
            changes = [abs(a - b) / b for a, b in zip(before, found, strict=True)]
            width = _SIDES * max(changes)
            best = Grid(2 * step, rough, -inf, max(c for _, c in asked), tuple(found), width)
            if width <= share or _all_below(best, enough):
                break
        before = found
    return best


def _all_below(grid: Grid, enough: Sequence[float] | None) -> bool:
    if enough is None:
        return False
    return all(
        delta * (1 + 2 * grid.width) < most for delta, most in zip(grid.deltas, enough, strict=True)
    )
