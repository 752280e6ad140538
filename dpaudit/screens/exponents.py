"""All pairs and all outputs of an exponential mechanism in float64, with proved error bounds.

The laws are P_x(r) = e^(−W(x, r))/Z(x) with W ≥ 0, over the histograms of one size, of which some
categories are interchangeable.  The loss of a pair at an output is

    ln(P_x(r)/P_y(r)) = W(y, r) − W(x, r) + ln Z(y) − ln Z(x),

so its maximum over r needs no exponential: the extremes of W(y, r) − W(x, r) are gathered while the
outputs go by, a few rows of |R| numbers at a time, and the normalisers are added at the end.

*Symmetry.*  A permutation g of interchangeable categories leaves W(gx, gr) = W(x, r).  One output
of every orbit is therefore enough: every pair is looked at there, and the largest loss of a pair is
the largest that any pair of its orbit has there; the normalisers of an orbit O follow from Σ over
x in O of Σ over those r of |orbit of r|·e^(−W(x, r)), divided by |O|.

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
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dpaudit.data.arrays import Moves, Orbits, move_orbits
from dpaudit.numbers.ball import Ball, precision
from dpaudit.numbers.floats import EXPONENTIAL_CUT, EXPONENTIAL_ERROR, SLACK, UNIT, Exponential
from dpaudit.screens.bounds import NotScreened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from dpaudit.data.histograms import Counts
    from dpaudit.laws.law import OutputLaws

    Floats = NDArray[np.float64]

__all__ = [
    "Block",
    "Extremes",
    "FloatLaws",
    "LossScreen",
    "check_weights",
    "extremes",
    "part_count",
    "screen_losses",
]

_BLOCK = 1 << 15  # numbers in a block: a handful of such blocks fit a core's cache
_PARTS = 32  # of the outputs, however many workers there are
_ENTRIES_WORTH_A_PART = 1 << 21
_ENTRIES_WORTH_A_TICK = 1 << 20


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
    def book(self) -> OutputLaws[Counts]:
        """Return the laws in balls, for a few datasets."""

    def losses(self) -> LossScreen | None:
        """Return bounds on the losses of all pairs by other means than every entry; None without.

        The largest loss is to be well known; others, and normalisers, may be wide.
        """
        return None

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
    orbits: NDArray[np.intp]
    """The number of the pair's orbit, whatever the order of its histograms."""
    covered: int
    """Number of pairs visited, by count: a pair that is passed over has no losses."""
    normalisers: Floats
    """Z of every histogram."""
    normaliser_error: Floats
    """A bound on its relative error."""
    log_normalisers: Floats
    """ln Z, whose error :attr:`error` counts in."""

    def whole_orbits(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return all pairs of the orbits that ``chosen`` has a pair of."""
        return np.isin(self.orbits, self.orbits[chosen])

    def first_of_orbits(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return one of the chosen pairs of every orbit."""
        first = np.zeros(chosen.size, dtype=bool)
        first[np.unique(np.where(chosen, self.orbits, -1), return_index=True)[1]] = True
        return first.reshape(chosen.shape) & chosen

    @property
    def upper(self) -> Floats:
        """A bound on the loss of every pair, in either direction."""
        # The sum is rounded to the nearest float: the next one is certainly above.
        return np.nextafter(np.maximum(self.forward, self.backward) + self.error, np.inf)

    @property
    def lower(self) -> Floats:
        """Lower bound of the larger loss of each pair."""
        return np.nextafter(np.maximum(self.forward, self.backward) - self.error, -np.inf)


class Extremes(NamedTuple):
    """Contribution of one part of the outputs to a screen."""

    part: int
    """Number of the part, from 0."""
    outputs: int
    """Number of representative outputs in the part."""
    total: Floats
    """Σ |orbit of r|·e^(−W(x, r)) for every histogram x."""
    largest: Floats
    """max of W(y, r) − W(x, r), shaped as in :class:`LossScreen`."""
    smallest: Floats
    """min of W(y, r) − W(x, r)."""


def part_count(laws: FloatLaws) -> int:
    """Return into how many parts the outputs are cut.

    It depends on the laws alone, so that the sums are the same whoever computes the parts.
    """
    entries = len(laws.moves.ranks) * len(laws.orbits.representatives)
    return min(_PARTS, 1 + entries // _ENTRIES_WORTH_A_PART)


def screen_losses(
    laws: FloatLaws,
    parts: Iterable[Extremes] | None = None,
    progress: Callable[[int], None] = lambda outputs: None,
) -> LossScreen:
    """Return the largest loss of every pair, from every output.

    ``parts`` are the :func:`extremes` of all parts, in order, where others compute them;
    ``progress`` is told how many representative outputs have been looked at since it was last
    called.  Raises :class:`NotScreened` for weights so large or so uncertain that nothing would be
    learned.
    """
    check_weights(laws)
    count = part_count(laws)
    if parts is None:
        parts = (extremes(laws, part, progress) for part in range(count))
    moves = laws.moves
    total = np.zeros(len(moves.ranks))
    largest = np.full((len(moves.categories), moves.shared_count), -np.inf)
    smallest = np.full(largest.shape, np.inf)
    gathered = outputs = 0
    for part in parts:
        if part.part != gathered:
            raise ValueError(f"part {part.part} was given where part {gathered} is due")
        total += part.total
        np.maximum(largest, part.largest, out=largest)
        np.minimum(smallest, part.smallest, out=smallest)
        gathered += 1
        outputs += part.outputs
    if (gathered, outputs) != (count, len(laws.orbits.representatives)):
        raise ValueError(f"{gathered} of {count} parts were given, {outputs} outputs")
    return _losses(laws, total, largest, smallest)


def check_weights(laws: FloatLaws) -> None:
    """Raise :class:`NotScreened` for laws that are outside what the bounds are proved for."""
    if not (np.isfinite(laws.ceiling).all() and laws.ceiling.max() < 1e9):
        raise NotScreened("weights of 10⁹ and more need interval arithmetic")
    if laws.ceiling.min() < 1e-100 or laws.error.max() > 1e-3:
        raise NotScreened("weights this small or this uncertain need interval arithmetic")


def extremes(
    laws: FloatLaws, part: int, progress: Callable[[int], None] = lambda outputs: None
) -> Extremes:
    """Return what one part of the outputs adds to the screen; see :func:`part_count`."""
    outputs = np.arange(len(laws.orbits.representatives))
    chosen = np.array_split(outputs, part_count(laws))[part]
    return Extremes(part, len(chosen), *_gather(laws, chosen, progress))


def _gather(
    laws: FloatLaws, chosen: NDArray[np.intp], progress: Callable[[int], None]
) -> tuple[Floats, Floats, Floats]:
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
    unreported = 0
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
            # Into another array: the differences below need the weights themselves.
            exponential.minus(here, power)
            np.multiply(power, multiplicity, out=power)
            total[columns] += np.add.reduce(power, axis=0)
        ends = [weights[:count, end] for end in moves.ends]
        for index, (i, j) in enumerate(moves.categories):
            np.subtract(ends[i], ends[j], out=difference[:count])
            np.maximum(largest[index], difference[:count].max(axis=0), out=largest[index])
            np.minimum(smallest[index], difference[:count].min(axis=0), out=smallest[index])
        unreported += count
        if unreported * datasets >= _ENTRIES_WORTH_A_TICK:
            progress(unreported)
            unreported = 0
    progress(unreported)
    return total, largest, smallest


def _losses(laws: FloatLaws, total: Floats, largest: Floats, smallest: Floats) -> LossScreen:
    moves, orbits = laws.moves, laws.orbits
    of_orbits = np.bincount(orbits.of, weights=total) / orbits.sizes
    with precision(128):
        # In balls: nothing is proved of the logarithm of a library.
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
    if np.isnan(forward).any() or np.isnan(backward).any() or not np.isfinite(error).all():
        raise NotScreened("a loss is not a number")
    ordered, reverse = move_orbits(moves, laws.n, laws.groups)
    covered = int(np.count_nonzero(np.isfinite(forward) & np.isfinite(backward)))
    # Representatives show a pair some of its outputs, and its orbit all of them.
    highest = np.full(max(ordered.max(), reverse.max()) + 1, -np.inf)
    np.maximum.at(highest, ordered.reshape(-1), forward.reshape(-1))
    np.maximum.at(highest, reverse.reshape(-1), backward.reshape(-1))
    return LossScreen(
        forward=highest[ordered],
        backward=highest[reverse],
        error=error,
        orbits=np.minimum(ordered, reverse),
        covered=covered,
        normalisers=normalisers,
        normaliser_error=relative,
        log_normalisers=logs,
    )
