"""k runs of one directed pair on the same data, enclosed from both sides by loss lattices.

Runs are doubled: with m = ⌊k/2^i⌋ the lattices of m and m + 1 runs give those of the next m.  A
lattice of step h that stands for m of k runs may be put on every second point where that costs
little: the variance of the loss of all runs changes by about (k/m)·(2h)²/8, up above and down
below.  So the step doubles each time the runs quadruple, and lattices stay about as long as they
are.  Floats choose steps and windows; every mass is a whole number, rounded to its side, and what a
bad choice costs is width.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit import machine
from dpaudit.errors import PrecisionError
from dpaudit.numbers.lattice_power import MOST_PLACES, powered, window_of
from dpaudit.numbers.loss_cells import MOST_POINTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.numbers.ball import Ball
    from dpaudit.numbers.lattice import LossLattice
    from dpaudit.numbers.real import Real
    from dpaudit.questions.account.sources import Source

__all__ = [
    "BYTES_A_POINT",
    "FIRST_SHARE",
    "LATER_SHARE",
    "Band",
    "Effort",
    "band",
    "composed",
    "dyadic",
    "multiplied",
]

FIRST_SHARE = 0.25
"""The part of the change of the variance that the first cells may have."""

_FEW = 16
"""Up to so many runs lattices are doubled, whose steps may then be their own."""

_COARSER = 3
"""So often a step is doubled for a window of all runs that is too long."""

_SPARE = 14.0
"""−ln of the share of tails that each of 2^20 points may lose."""

LATER_SHARE = 0.75
"""The part that later doublings may have."""

BYTES_A_POINT = 1000
"""Bytes that a product of lattices takes for each point of both, its transform included."""


@dataclass(frozen=True)
class Effort:
    """Precision at which a composition is computed."""

    inflation: float
    """About how much the variance of the loss of all runs may change."""
    tail: Fraction
    """About how much of δ may be given away by cutting right tails."""
    bits: int = 128
    """The scale of the masses."""
    rough: float = 0.0
    """The share of large losses of one run that a cell may be wide."""
    in_reach: bool = False
    """True if small losses were left out, so that what is cut on the left is part of δ as well."""
    step: Fraction | None = None
    """The step of a lattice of all runs at once, where one is planned already."""
    places: int = MOST_PLACES
    """The most points of such a lattice."""

    def cuts(self, share: Fraction, *, regrids: bool) -> tuple[Fraction, Fraction]:
        """Return how much may be cut on the left and on the right of so large a share of the runs.

        What is cut on the left costs no more of ε than its mass times some losses.
        """
        if not regrids:
            return (Fraction(1, 1 << (self.bits - 16)),) * 2
        right = self.tail * share
        return right if self.in_reach else Fraction(self.inflation) / 64 * share, right

    def cuts_of(self, count: int, runs: int) -> tuple[float, float]:
        """Return the shares of ``count`` runs in floats, of lattices of any step."""
        left, right = self.cuts(Fraction(count, runs), regrids=True)
        return float(left), float(right)

    def finer(self, factor: float) -> Effort:
        """Return the effort with ``factor`` times the change of the variance, and the tails."""
        tail = max(self.tail * Fraction(factor), Fraction(1, 1 << (self.bits - 16)))
        return replace(
            self,
            inflation=self.inflation * factor,
            tail=tail,
            rough=self.rough * math.sqrt(min(factor, 1.0)),
            step=None if self.step is None else dyadic(float(self.step) * math.sqrt(factor)),
        )


@dataclass(frozen=True)
class Band:
    """The privacy curve of all runs of one directed pair, between two lattices."""

    below: LossLattice
    above: LossLattice

    def delta(self, epsilon: Real) -> tuple[Ball, Ball]:
        """Return balls: δ(ε) is from the lower end of the first to the upper end of the second."""
        return self.below.delta(epsilon), self.above.delta(epsilon)

    def epsilon(self, delta: Real) -> tuple[Ball, Ball]:
        """Return balls: min {ε ≥ 0 : δ(ε) ≤ δ} is between the outer ends, as of :meth:`delta`."""
        return self.below.epsilon(delta), self.above.epsilon(delta)


def band(source: Source, runs: int, effort: Effort) -> Band:
    """Return the band of ``runs`` ≥ 1 runs; see :func:`composed`."""
    below, above = (composed(source, runs, effort, above=above) for above in (False, True))
    return Band(below, above)


def composed(source: Source, runs: int, effort: Effort, *, above: bool) -> LossLattice:
    """Return the lattice of ``runs`` ≥ 1 runs on one side.

    Raises ``PrecisionError`` where a lattice would be too long.
    """
    start = source.starts(runs)
    if effort.step is not None:
        return _at_once(source, runs, effort, above=above)
    # The transform keeps one fine step for all runs.  That is worth its points where a cell is
    # expensive, as of sampled normal noise; other densities are doubled, on ever coarser steps.
    if effort.rough and source.regrids and start == 1 and runs > _FEW:
        with suppress(PrecisionError):
            return _at_once(source, runs, effort, above=above)
    scale = runs.bit_length() - start.bit_length()
    odd = (runs & -runs).bit_length() - 1  # prefixes from here on have no rest
    step = _first_step(effort, runs, start)
    made = _Composition(runs, effort, above, source.regrids)

    def block(count: int) -> LossLattice:
        tails = effort.cuts(Fraction(count, runs), regrids=source.regrids)
        return made.trimmed(source.block(count, step, tails, effort.bits, above=above), count)

    count, one = start, block(start)
    more: LossLattice | None = None
    if scale > odd:
        more = block(start + 1) if start > 1 else made.times(one, one, 2)
    for place in range(scale - 1, -1, -1):
        wanted, rest = runs >> place, place > odd
        left = one if wanted == 2 * count else more
        assert left is not None
        after = None
        if rest:
            assert more is not None
            after = made.times(one if wanted == 2 * count else more, more, wanted + 1)
        one, more, count = made.times(one, left, wanted), after, wanted
    return one


def _at_once(source: Source, runs: int, effort: Effort, *, above: bool) -> LossLattice:
    """Return the lattice of all runs of a pair with densities, on one step throughout.

    Raises ``PrecisionError`` where even a coarser one takes too long a window.
    """
    step, coarsenings = effort.step, 0
    if step is None:
        step, coarsenings = dyadic(math.sqrt(6 * effort.inflation / runs)), _COARSER
    tails = effort.cuts(Fraction(1, runs), regrids=True)
    nats = _SPARE - math.log(effort.tail)
    for coarser in range(coarsenings + 1):
        lattice = source.block(
            1, step * 2**coarser, tails, effort.bits, above=above, rough=effort.rough
        )
        window = window_of(lattice, runs, nats)
        if window.count <= effort.places:
            return powered(lattice, runs, window)
    raise PrecisionError(
        f"the grid of privacy losses needs {window.count} points, and the limit is {effort.places}"
    )


def multiplied(lattices: Sequence[LossLattice], effort: Effort, *, regrids: bool) -> LossLattice:
    """Return the product of lattices of one side and step, which are of different runs."""
    made = _Composition(1, effort, lattices[0].above, regrids)
    found = lattices[0]
    for one in lattices[1:]:
        found = made.times(found, one, 1)
    return found


def _first_step(effort: Effort, runs: int, start: int) -> Fraction:
    """Return the step of the first lattice: a cell of width h changes the variance by h²/6."""
    return dyadic(math.sqrt(6 * FIRST_SHARE * effort.inflation * start / runs))


def dyadic(wanted: float) -> Fraction:
    """Return about this number, above 0, with few bits.

    >>> dyadic(0.1)
    Fraction(838861, 8388608)
    """
    places = 20 - math.frexp(wanted)[1]
    return Fraction(max(1, round(math.ldexp(wanted, places)))) / Fraction(2) ** places


@dataclass(frozen=True)
class _Composition:
    runs: int
    effort: Effort
    above: bool
    regrids: bool

    def times(self, left: LossLattice, right: LossLattice, count: int) -> LossLattice:
        """Return the product, of ``count`` runs, on the coarser lattice of the two."""
        while float(left.step) < 0.75 * float(right.step):
            left = left.coarsened()
        while float(right.step) < 0.75 * float(left.step):
            right = right.coarsened()
        points = len(left) + len(right)
        most = min(2 * MOST_POINTS, (machine.available() - machine.INTERPRETER) // BYTES_A_POINT)
        if points > most:
            raise PrecisionError(
                f"the grid of privacy losses needs {points} points, about "
                f"{machine.amount(points * BYTES_A_POINT)}, and the limit is {most}; give a "
                "larger --width, or compose fewer runs"
            )
        return self.trimmed(left.times(right), count)

    def trimmed(self, lattice: LossLattice, count: int) -> LossLattice:
        """Return the lattice of ``count`` runs without tails, on as few points as it may."""
        cuts = self.effort.cuts(Fraction(count, self.runs), regrids=self.regrids)
        lattice = lattice.windowed(*(int(cut * (1 << lattice.bits)) for cut in cuts))
        levels = max(1.0, math.log(self.runs, 4))
        share = LATER_SHARE * self.effort.inflation / levels * count / self.runs
        while len(lattice) > 8 and (
            (self.regrids and float(lattice.step) ** 2 / 2 <= share) or len(lattice) > MOST_POINTS
        ):
            lattice = lattice.coarsened()
        return lattice
