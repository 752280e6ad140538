"""The continuous draws: which noise, of which exact scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real

__all__ = ["KINDS", "Draw"]

KINDS = ("laplace", "exponential", "uniform", "gumbel", "gaussian")
"""The continuous draws by name."""


@dataclass(frozen=True, slots=True)
class Draw:
    """A continuous draw, times a rational factor."""

    kind: str
    """One of :data:`KINDS`."""
    scale: Real
    """The scale, mean or standard deviation; 1 for a uniform draw."""
    ends: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    """Between which a uniform draw lies, before the factor."""
    factor: Fraction = Fraction(1)
    """What the draw is multiplied by, not 0."""

    def times(self, factor: Fraction) -> Draw:
        """Return the draw multiplied by ``factor``; a symmetric one loses the sign."""
        product = self.factor * factor
        if self.kind in ("laplace", "gaussian"):
            product = abs(product)
        return replace(self, factor=product)

    def support(self) -> tuple[Fraction | None, Fraction | None]:
        """Return between which numbers the draw lies; None for no end."""
        if self.kind == "uniform":
            low, high = sorted(end * self.factor for end in self.ends)
            return low, high
        if self.kind == "exponential":
            zero = Fraction(0)
            return (zero, None) if self.factor > 0 else (None, zero)
        return None, None
