"""Which pairs can hold a maximum: all pairs are looked at in floats, a few are left for balls.

The screen bounds every pair's largest loss from both sides.  A pair whose upper bound lies below
what some other pair certainly reaches cannot hold the maximum and needs no ball; the same is done
for δ(ε) at each ε asked for.  What is left over, usually one pair, is certified in balls, and the
union of both is a certificate over all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.data.adjacency import Substitution, later_substitutes
from dpaudit.data.histograms import Counts, Histograms
from dpaudit.laws.curve_screen import curve_contenders
from dpaudit.laws.delta_screen import delta_contenders, ranks_of
from dpaudit.laws.screen import NotScreened, screen_losses

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from dpaudit.audit.plan import Pairs
    from dpaudit.exact.real import Real
    from dpaudit.laws.law import LawBook
    from dpaudit.laws.screen import FloatLaws, LossScreen
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["Contenders", "contenders", "curve_pairs"]


@dataclass(frozen=True)
class Contenders:
    """The pairs that an audit in balls still has to look at."""

    book: LawBook[Any]
    """The laws of the contenders."""
    pairs: list[tuple[Counts, Counts]]
    """The pairs, in the order of the relation."""
    covered: int
    """How many pairs were looked at in all, by count."""


def contenders(
    mechanism: Mechanism[Any], pairs: Pairs, epsilons: tuple[Real, ...], threads: int
) -> Contenders | None:
    """Return the pairs that may hold a maximum, or None if the pairs are not screened at all.

    That is so for a mechanism without laws in floats, for other relations than substitution, and
    if only some pairs are asked for.  The laws may be asked for at any precision.
    """
    laws = _float_laws(mechanism, pairs)
    if laws is None:
        return None
    try:
        losses = screen_losses(laws, threads)
        chosen = losses.upper >= losses.lower.max()
        for epsilon in epsilons:
            chosen |= delta_contenders(laws, losses, epsilon)
    except NotScreened:
        return None
    return Contenders(laws.book(), _first_of_each_orbit(laws, losses, chosen), losses.covered)


def curve_pairs(
    mechanism: Mechanism[Any], pairs: Pairs, threads: int, tick: Callable[[int], None]
) -> Contenders | None:
    """Return the pairs that may be the worst at some ε ≥ 0, or None; see :func:`contenders`."""
    laws = _float_laws(mechanism, pairs)
    if laws is None:
        return None
    try:
        losses = screen_losses(laws, threads)
        chosen = curve_contenders(laws, losses, tick)
    except NotScreened:
        return None
    return Contenders(laws.book(), _first_of_each_orbit(laws, losses, chosen), losses.covered)


def _float_laws(mechanism: Mechanism[Any], pairs: Pairs) -> FloatLaws | None:
    if pairs.only is not None or not isinstance(pairs.relation, Substitution):
        return None
    return mechanism.screen(pairs.n)


def _first_of_each_orbit(
    laws: FloatLaws, losses: LossScreen, chosen: NDArray[np.bool_]
) -> list[tuple[Counts, Counts]]:
    """Return one pair of every orbit that has a chosen pair.

    It is the first in the order of the relation, which is where an audit of all pairs would have
    met it.
    """
    space = Histograms(laws.n, len(laws.moves.ends))
    chosen = losses.whole_orbits(chosen)
    by_first: dict[Counts, dict[Counts, int]] = {}
    for orbit, (first, second) in sorted(
        zip(losses.orbits[chosen].tolist(), ranks_of(laws.moves, chosen), strict=True),
        key=lambda item: item[1],
    ):
        by_first.setdefault(space[first], {})[space[second]] = orbit
    found: dict[int, tuple[Counts, Counts]] = {}
    for x, near in by_first.items():
        for y in later_substitutes(x):
            if y in near:
                found.setdefault(near[y], (x, y))
    return list(found.values())
