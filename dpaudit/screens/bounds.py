"""What a screen can bound of a pair of laws, and which pairs may then hold the largest value.

A pair whose upper bound lies below what some other pair certainly reaches cannot hold the maximum.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Hashable
    from fractions import Fraction

    import numpy as np
    from numpy.typing import NDArray

    from dpaudit.numbers.real import Real

__all__ = ["Best", "Bound", "NotScreened"]


class NotScreened(Exception):  # noqa: N818  (an answer, not a failure: use balls)
    """These laws are outside what the bounds are proved for."""


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
    """What the maximum certainly reaches."""
    kept: dict[int, float] = field(default_factory=dict)
    """By number, what a pair certainly does not exceed."""
    seen: set[Hashable] = field(default_factory=set)
    """What ties with a pair that is kept, or was."""

    def reaches(self, lower: NDArray[np.float64]) -> None:
        """Note what some pairs certainly reach."""
        if lower.size:
            self.lower = max(self.lower, float(lower.max()))

    @property
    def numbers(self) -> set[int]:
        """The pairs that are left."""
        return {number for number, upper in self.kept.items() if upper >= self.lower}
