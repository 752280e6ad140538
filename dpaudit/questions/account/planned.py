"""δ(ε) of sampled Gaussian runs on a lattice that is planned for it, and far out on the tail.

Where few runs have a loss that matters, an inversion takes very many places, and lattices as fine
as most losses very many points.  A lattice that is planned (:mod:`planning`) takes few.  Where even
that is long, single events show that δ is not 0.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import ceil, isfinite, log2
from typing import TYPE_CHECKING

from dpaudit.errors import PrecisionError
from dpaudit.numbers.ball import Ball, integer_power, nonnegative, precision
from dpaudit.numbers.enclosure import enclose
from dpaudit.numbers.lattice_power import MOST_PLACES
from dpaudit.questions.account.lattices import Effort, composed, dyadic
from dpaudit.questions.account.moments import Moments, SampledGaussianMoments
from dpaudit.questions.account.planning import TAIL, grid_of
from dpaudit.questions.account.sources import Source, Spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.numbers.lattice import LossLattice
    from dpaudit.numbers.real import Real

__all__ = ["FAR_PLACES", "PLACES", "SECOND_PLACES", "by_events", "composed_within", "planned"]

PLACES = 1 << 17
"""The most points of a planned lattice: a few seconds for both sides."""

SECOND_PLACES = 1 << 15
"""The most points for a direction that is hardly the worse."""

FAR_PLACES = 1 << 14
"""The most points where δ is next to nothing."""

_SPACING = 1 / 256
"""Distance of places of the noise, whose standard deviation is 1, in floats."""

_PLANNED = 0.8
"""The share of the accepted width that is planned for."""

_BITS = 128
_BEYOND_DELTA = 52
"""Bits that masses have beyond those of δ: all roundings of many runs and points stay below it."""

_PATIENT = 0.9e-3
"""A share below this is asked for, where there is time: it is less than by default."""

_COARSER = 12
"""So often the step is doubled for a window that is too long."""

_EVENT_BITS = 512, 2048, 8192
"""Working precisions at which events are tried."""

_EVENT_DIGITS = 7
"""So many bits for each decimal place of a bound are enough: half of them for what lies before."""

_LOSSES = ("1", "1.01", "1.03", "1.1", "1.2", "1.5")
"""Losses at which an event begins, as a multiple of ε or of its part of each run."""


def planned(
    source: Source | None,
    moments: Moments | None,
    runs: int,
    epsilons: Sequence[Real],
    *,
    share: float,
    effort: Effort,
    enough: Sequence[Decimal] | None = None,
) -> tuple[Spread, Effort] | None:
    """Return what a lattice of all runs is made from for intervals of δ as wide as a share of it.

    Args:
        source: the pair.
        moments: its moments.
        runs: how many runs.
        epsilons: where δ is sought.
        share: the width of an interval over δ.
        effort: with how much else there is to know.
        enough: at each ε, what δ is of interest above.

    Returns:
        the source and the effort; None for other than sampled Gaussian noise, for one run, and
        where floats do not tell.
    """
    if not (isinstance(source, Spread) and isinstance(moments, SampledGaussianMoments)):
        return None
    if runs < 2 or not epsilons:
        return None
    grid = grid_of(
        moments.drawn_every(_SPACING),
        runs,
        [float(epsilon) for epsilon in epsilons],
        _PLANNED * share,
        None if enough is None else [float(one) for one in enough],
    )
    if grid is None or not isfinite(grid.width):
        return None
    least = min(grid.deltas)
    if least <= 0:
        return None
    effort = replace(
        effort,
        tail=Fraction(TAIL * least),
        bits=max(_BITS, _BEYOND_DELTA + ceil(-log2(least))),
        rough=grid.rough,
        in_reach=True,
        step=dyadic(grid.step),
        places=PLACES if share >= _PATIENT else MOST_PLACES,
    )
    return replace(source, tilt=grid.tilt, floor=grid.floor), effort


def composed_within(source: Source, runs: int, effort: Effort, *, above: bool) -> LossLattice:
    """Return the lattice on one side, on a step at which it has as few points as allowed.

    Raises ``PrecisionError`` where there is none.
    """
    for _ in range(_COARSER):
        with suppress(PrecisionError):
            return composed(source, runs, effort, above=above)
        assert effort.step is not None
        effort = replace(effort, step=2 * effort.step)
    return composed(source, runs, effort, above=above)


def by_events(source: Source | None, runs: int, epsilon: Real, digits: int) -> Decimal:
    """Return a lower bound of δ(ε) by single events, which is little work.

    P(E) − e^ε·Q(E) ≤ δ(ε) for every event E of all runs.  With p and r the probabilities of a loss
    above l in one run, under P and Q, one event is that some loss is above l, 1 − (1 − p)^k and
    1 − (1 − r)^k, and another that all are, p^k and r^k.

    Args:
        source: the pair.
        runs: k.
        epsilon: ε.
        digits: how many digits the bound has.
    """
    found = Decimal(0)
    if not isinstance(source, Spread):
        return found
    for bits in _EVENT_BITS:
        with precision(bits):
            factor, (p_all, r_all) = epsilon.ball().exp(), source.measure.spread()
            for times, whole in product(_LOSSES, (True, False)):
                loss = epsilon.ball() * Ball(times) / (1 if whole else runs)
                p_below, r_below = source.measure.below(loss)
                p, r = (nonnegative(one).min(Ball(1)) for one in (p_all - p_below, r_all - r_below))
                if whole:
                    p, r = (-((-one).log1p() * runs).expm1() for one in (p, r))
                else:
                    p, r = (integer_power(one, runs) for one in (p, r))
                gain = p - factor * r
                if gain.is_finite():
                    found = max(found, enclose(nonnegative(gain), digits).lower)
        # masses this far out on a tail may need more bits to show beside 1
        if found and found.adjusted() > -bits // _EVENT_DIGITS:
            break
    return found
