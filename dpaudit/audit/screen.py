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
from dpaudit.laws.delta_screen import delta_contenders, orbit_of_pair, ranks_of
from dpaudit.laws.screen import NotScreened, screen_losses

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dpaudit.audit.plan import Pairs
    from dpaudit.exact.real import Real
    from dpaudit.laws.law import LawBook
    from dpaudit.laws.screen import FloatLaws
    from dpaudit.mechanisms.base import Mechanism

__all__ = ["Contenders", "contenders"]


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
    if pairs.only is not None or not isinstance(pairs.relation, Substitution):
        return None
    laws = mechanism.screen(pairs.n)
    if laws is None:
        return None
    try:
        losses = screen_losses(laws, threads)
        chosen = losses.upper >= losses.lower.max()
        for epsilon in epsilons:
            chosen |= delta_contenders(laws, losses, epsilon)
    except NotScreened:
        return None
    return Contenders(laws.book(), _first_of_each_orbit(laws, chosen), losses.forward.size)


def _first_of_each_orbit(laws: FloatLaws, chosen: NDArray[np.bool_]) -> list[tuple[Counts, Counts]]:
    """Return the chosen pairs, one of those that permutations of categories turn into others.

    It is the first in the order of the relation, which is where an audit of all pairs would have
    met it.
    """
    space = Histograms(laws.n, len(laws.moves.ends))
    by_first: dict[Counts, set[Counts]] = {}
    for first, second in sorted(ranks_of(laws.moves, chosen)):
        by_first.setdefault(space[first], set()).add(space[second])
    found: dict[Any, tuple[Counts, Counts]] = {}
    for x, near in by_first.items():
        for y in later_substitutes(x):
            if y in near:
                found.setdefault(orbit_of_pair(x, y, laws.groups), (x, y))
    return list(found.values())
