"""Bounds of pairs of laws in a screen, and the pairs that may then hold the largest value.

A pair whose upper bound lies below what some other pair certainly reaches cannot hold the maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Literal

from dpaudit.machine import available

if TYPE_CHECKING:
    from collections.abc import Hashable
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from dpaudit.numbers.real import Real

__all__ = [
    "BALL_BYTES",
    "ENTRY_BYTES",
    "EXACT_BYTES",
    "MOST_ENTRIES",
    "NUMBERED_BYTES",
    "RATIONAL_BYTES",
    "SMALL_BITS",
    "SMALL_BYTES",
    "Best",
    "Bound",
    "NotScreened",
    "check_room",
]

MOST_ENTRIES = 1 << 24
"""Larger tables are left to balls, which hold a few laws at a time."""

SMALL_BITS = 26
"""Quotients of whole numbers of so many bits are told apart by their floats."""
SMALL_BYTES = 18
"""Bytes that tables of those quotients take at their peak for each entry."""
RATIONAL_BYTES = 92
"""Those of quotients of larger ones, below 2⁶³."""
ENTRY_BYTES = 40
"""Those of other probabilities, as floats."""
EXACT_BYTES = 1050
"""And for each different probability in closed form: as it is read, as a key and in floats."""
BALL_BYTES = 40
"""And for each probability that is a ball."""
NUMBERED_BYTES = 12
"""And for each entry where the patterns of all pairs are looked at."""


class NotScreened(Exception):  # noqa: N818  (an answer, not a failure: use balls)
    """These laws are outside what the bounds are proved for."""


def check_room(entries: int) -> None:
    """Raise ``NotScreened`` for tables of so many entries that there is no room for."""
    if entries > MOST_ENTRIES or entries * (ENTRY_BYTES + BALL_BYTES) > available():
        raise NotScreened("tables this large need interval arithmetic")


@dataclass(frozen=True)
class Bound:
    """One quantity of a pair, the larger of both directions."""

    name: Literal["loss", "delta", "kl", "renyi", "zcdp", "gdp"]
    """The largest loss, δ(ε), a divergence, or what bounds ρ or μ monotonically."""
    at: Real | Fraction | None = None
    """The ε of a δ, the order of a Rényi divergence."""


@dataclass
class Best:
    """The pairs that may hold one maximum, of those seen so far."""

    lower: float = -inf
    """Lower bound of the maximum."""
    kept: dict[int, float] = field(default_factory=dict)
    """By number, what a pair certainly does not exceed."""
    seen: set[Hashable] = field(default_factory=set)
    """Keys of the pairs that are kept, or were; a pair with an equal key ties with one of them."""

    def reaches(self, lower: NDArray[np.float64]) -> None:
        """Note what some pairs certainly reach."""
        if lower.size:
            self.lower = max(self.lower, float(lower.max()))

    @property
    def numbers(self) -> set[int]:
        """The pairs that are left."""
        # Not only above: a pair that ties may be the one an audit of all would report.
        return {number for number, upper in self.kept.items() if upper >= self.lower}
