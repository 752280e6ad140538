"""Number of real runs that a law was compared with, and the mass they may have missed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DEFAULT_RUNS", "MISSED", "RealRuns", "fewest", "unseen_mass"]

DEFAULT_RUNS = 20_724
"""So many agreeing runs leave a mass of 1/1000 unseen with a probability of :data:`MISSED`."""
MISSED = 10**-9
_UP = Context(prec=2, rounding=ROUND_CEILING)
_MORE = Decimal("1.000000001")
"""Factor by which the mass is larger than its float, whatever that was rounded to."""


@dataclass(frozen=True, slots=True)
class RealRuns:
    """The real runs of a program at one dataset, all of which agreed with the derived law."""

    runs: int
    """Number of runs with random draws."""
    chosen: int = 0
    """Number of runs with chosen draws."""
    exhaustive: bool = False
    """True if every outcome of the draws was among the chosen ones."""


def unseen_mass(runs: int) -> str:
    """Return the mass τ with (1 − τ)^runs = 10⁻⁹, rounded up, as a decimal.

    If the law were wrong on more than τ, so many independent runs would all have agreed with it
    with a probability of at most 10⁻⁹ (DESIGN: real runs).

    >>> unseen_mass(20724), unseen_mass(100)
    ('0.0010', '0.19')
    """
    if runs < 1:
        return "1"
    mass = Decimal.from_float(-math.expm1(math.log(MISSED) / runs))
    return format(min(_UP.multiply(mass, _MORE), Decimal(1)), "f")


def fewest(found: Iterable[RealRuns]) -> RealRuns:
    """Return what holds of every dataset."""
    listed = list(found)
    left = [one.runs for one in listed if not one.exhaustive] or [one.runs for one in listed]
    return RealRuns(
        min(left, default=0),
        min((one.chosen for one in listed), default=0),
        bool(listed) and all(one.exhaustive for one in listed),
    )
