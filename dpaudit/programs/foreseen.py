"""How many paths a program has, by those that were run."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

from dpaudit.notices import ManyPathsWarning, notice
from dpaudit.programs.guards import unseen, unwatching

if TYPE_CHECKING:
    from dpaudit.programs.run import Run

__all__ = ["LOOKED_AHEAD", "look_ahead", "share_of", "too_many"]


@unseen
def share_of(run: Run) -> Fraction:
    """Return what part of all paths this one would be, if each way were as probable."""
    return Fraction(1, prod(decision.ways for decision in run.decisions))


LOOKED_AHEAD = 1000
"""After so many paths their number is estimated."""


def look_ahead(most: int, explored: Fraction) -> None:
    """Say so where a program seems to have more paths than it may have."""
    estimate = float(LOOKED_AHEAD / explored)
    if estimate > most:
        with unwatching():
            notice(
                f"a program seems to have about {estimate:.2g} paths at one dataset, and may have "
                f"{most} (paths); Ctrl-C ends it",
                ManyPathsWarning,
            )


def too_many(most: int, explored: Fraction) -> str:
    """Return what is said of a program with more paths than it may have."""
    estimate = float(most / explored)
    return (
        f"it has more than {most} paths (about {estimate:.2g}, by those that were run); raise "
        "paths, or draw less before an output is decided"
    )
