"""All pairs and all outputs of an exponential mechanism in float64, with proved error bounds.

The laws are P_x(r) = e^(−W(x, r))/Z(x) with W ≥ 0, over the histograms of one size, of which some
categories are interchangeable.  The loss of a pair at an output is

    ln(P_x(r)/P_y(r)) = W(y, r) − W(x, r) + ln Z(y) − ln Z(x),

so its maximum over r needs no exponential: the extremes of W(y, r) − W(x, r) are gathered while the
outputs go by, a few rows of |R| numbers at a time, and the normalisers are added at the end.

*Symmetry.*  A permutation g of interchangeable categories leaves W(gx, gr) = W(x, r).  Over all
pairs, one output r of every orbit is therefore enough for the extremes, and every pair is looked at
nonetheless; the normalisers of an orbit O follow from Σ over x in O of Σ over those r of
|orbit of r|·e^(−W(x, r)), divided by |O|.

*Error.*  W is known to within a(x) absolutely, e^(−W) to 10u of itself (or 4.3·10⁻¹⁸ absolutely
beyond 40), and a sum of N positive terms, in whatever order, to N·u of itself; the weights
|orbit of r| are exact, and their products and the division by |O| round once each.  Hence the
relative error z(x) of Ẑ(x) is at most a(x)(1 + a(x)) + (26 + |R|)u + |R|·4.3·10⁻¹⁸/Ẑ(x), where
a(x) ≤ 1/1000 gives e^a − 1 ≤ a(1 + a); the logarithm of Ẑ is taken in balls, and the loss is within

    a(x) + a(y) + 1.01·(z(x) + z(y)) + 4u·(w(x) + w(y) + |ln Z(x)| + |ln Z(y)|),

w(x) a bound on W(x, ·): three subtractions or additions, each of terms bounded by that bracket.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.exact.ball import Ball, precision
from dpaudit.exact.floats import (
    EXPONENTIAL_CUT,
    EXPONENTIAL_ERROR,
    SLACK,
    UNIT,
    Exponential,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dpaudit.data.arrays import Moves, Orbits
    from dpaudit.data.histograms import Counts
    from dpaudit.laws.law import LawBook

    Floats = NDArray[np.float64]

__all__ = ["FloatLaws", "LossScreen", "NotScreened", "screen_losses"]

_BLOCK = 1 << 15  # numbers in a block: a handful of such blocks fit a core's cache
_PARTS = 16  # of the outputs, whatever the number of threads is
_ENTRIES_WORTH_A_PART = 1 << 22


class NotScreened(Exception):  # noqa: N818  (an answer, not a failure: use balls)
    """These laws are outside what the bounds are proved for."""


class FloatLaws(ABC):
    """The weights W(x, r) ≥ 0 of all datasets and outputs of one size, in float64."""

    n: int
    """The size."""
    moves: Moves
    """The pairs."""
    groups: tuple[tuple[int, ...], ...]
    """The groups of interchangeable categories."""
    orbits: Orbits
    """The orbits of the datasets, which are the outputs as well."""
    ceiling: Floats
    """w(x) ≥ W(x, r) for every r."""
    error: Floats
    """a(x) ≥ |Ŵ(x, r) − W(x, r)| for every r."""

    @abstractmethod
    def book(self) -> LawBook[Counts]:
        """Return the laws in balls, for a few datasets."""

    @abstractmethod
    def block(self, shape: tuple[int, int]) -> Block:
        """Return a calculator of blocks of at most this shape, for one thread."""


class Block(ABC):
    """Computes Ŵ a block at a time, in scratch space of its own."""

    @abstractmethod
    def weights(self, outputs: NDArray[np.intp], datasets: slice, out: Floats) -> None:
        """Write Ŵ(x, r), one row for each rank r of ``outputs``, to ``out``."""

    @abstractmethod
    def row(self, dataset: int, out: Floats) -> None:
        """Write Ŵ(x, r) for the rank x of one ``dataset`` and all outputs r to ``out``."""


@dataclass(frozen=True)
class LossScreen:
    """The largest loss of every pair, in both directions, to within an error.

    Arrays have one row for each pair of categories and one column for each shared histogram; see
    :class:`~dpaudit.data.arrays.Moves`.
    """

    forward: Floats
    """max over r of ln(P_x(r)/P_y(r)), x the earlier histogram of the pair."""
    backward: Floats
    """max over r of ln(P_y(r)/P_x(r))."""
    error: Floats
    """A bound on the error of both."""
    normalisers: Floats
    """Z of every histogram."""
    normaliser_error: Floats
    """A bound on its relative error."""

    @property
    def upper(self) -> Floats:
        """A bound on the loss of every pair, in either direction."""
        return np.nextafter(np.maximum(self.forward, self.backward) + self.error, np.inf)

    @property
    def lower(self) -> Floats:
        """What the larger loss of every pair certainly reaches."""
        return np.nextafter(np.maximum(self.forward, self.backward) - self.error, -np.inf)


def screen_losses(laws: FloatLaws, threads: int = 1) -> LossScreen:
    """Return the largest loss of every pair, from every output, using ``threads`` threads.

    The result does not depend on the number of threads.  Raises :class:`NotScreened` for weights
    so large or so uncertain that nothing would be learned.
    """
    datasets, outputs = len(laws.moves.ranks), len(laws.orbits.representatives)
    if not (np.isfinite(laws.ceiling).all() and laws.ceiling.max() < 1e9):
        raise NotScreened("weights of 10⁹ and more are left to balls")
    if laws.ceiling.min() < 1e-100 or laws.error.max() > 1e-3:
        raise NotScreened("weights this small or this uncertain are left to balls")
    parts = min(_PARTS, 1 + datasets * outputs // _ENTRIES_WORTH_A_PART)
    chosen = np.array_split(np.arange(outputs), parts)
    if threads > 1 and parts > 1:
        with ThreadPoolExecutor(threads) as pool:
            gathered = _combined(pool.map(lambda part: _gather(laws, part), chosen))
    else:
        gathered = _combined(_gather(laws, part) for part in chosen)
    return _losses(laws, *gathered)


Gathered = tuple["Floats", "Floats", "Floats"]


def _combined(parts: Iterator[Gathered]) -> Gathered:
    total, largest, smallest = next(parts)
    for more_total, more_largest, more_smallest in parts:
        total += more_total
        np.maximum(largest, more_largest, out=largest)
        np.minimum(smallest, more_smallest, out=smallest)
    return total, largest, smallest


def _gather(laws: FloatLaws, chosen: NDArray[np.intp]) -> Gathered:
    """Return Σ |orbit|·e^(−W), max and min of the differences, over some representatives."""
    moves, orbits = laws.moves, laws.orbits
    datasets = len(moves.ranks)
    rows = max(1, min(len(chosen), _BLOCK // datasets))
    width = min(datasets, _BLOCK)
    shape = (rows, width)
    block, exponential = laws.block(shape), Exponential(shape)
    weights, powers = np.empty((rows, datasets)), np.empty(shape)
    total = np.zeros(datasets)
    largest = np.full((len(moves.categories), moves.shared_count), -np.inf)
    smallest = np.full(largest.shape, np.inf)
    difference = np.empty((rows, moves.shared_count))
    for start in range(0, len(chosen), rows):
        some = chosen[start : start + rows]
        count = len(some)
        outputs = orbits.representatives[some]
        multiplicity = orbits.sizes[some].astype(float)[:, None]
        for first in range(0, datasets, width):
            columns = slice(first, min(first + width, datasets))
            here = weights[:count, columns]
            size = columns.stop - columns.start
            block.weights(outputs, columns, here)
            power = powers[:count, :size]
            exponential.minus(here, power)
            np.multiply(power, multiplicity, out=power)
            total[columns] += np.add.reduce(power, axis=0)
        ends = [weights[:count, end] for end in moves.ends]
        for index, (i, j) in enumerate(moves.categories):
            np.subtract(ends[i], ends[j], out=difference[:count])
            np.maximum(largest[index], difference[:count].max(axis=0), out=largest[index])
            np.minimum(smallest[index], difference[:count].min(axis=0), out=smallest[index])
    return total, largest, smallest


def _losses(laws: FloatLaws, total: Floats, largest: Floats, smallest: Floats) -> LossScreen:
    moves, orbits = laws.moves, laws.orbits
    of_orbits = np.bincount(orbits.of, weights=total) / orbits.sizes
    with precision(128):
        logs = np.array([float(Ball(float(value)).log()) for value in of_orbits])[orbits.of]
    normalisers = of_orbits[orbits.of]
    datasets = len(moves.ranks)
    relative = SLACK * (
        laws.error * (1 + laws.error)
        + EXPONENTIAL_ERROR
        + (16 + datasets) * UNIT
        + datasets * EXPONENTIAL_CUT / normalisers
    )
    log_error = SLACK * (1.01 * relative + 3 * UNIT * np.abs(logs))
    if not relative.max() < 1e-3:
        raise NotScreened("the normalisers are too uncertain")
    forward, backward = np.empty_like(largest), np.empty_like(largest)
    error = np.empty_like(largest)
    doubt = laws.error + log_error + 4 * UNIT * (laws.ceiling + np.abs(logs))
    for index, (i, j) in enumerate(moves.categories):
        # The record in category j comes first: x = ends[j], y = ends[i].
        x, y = moves.ends[j], moves.ends[i]
        shift = logs[y] - logs[x]
        forward[index] = largest[index] + shift
        backward[index] = -smallest[index] - shift
        error[index] = SLACK * (doubt[x] + doubt[y])
    return LossScreen(forward, backward, error, normalisers, relative)
