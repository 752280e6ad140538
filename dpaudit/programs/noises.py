"""The continuous draws: which noise, of which exact scale."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from dpaudit.numbers.real import rational

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real

__all__ = ["KINDS", "Draw", "Draws", "draw_of"]

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

    mark: int = field(init=False, repr=False, compare=False)
    """Its hash."""

    def __post_init__(self) -> None:
        """Calculate the hash once: draws are looked up with every zone."""
        object.__setattr__(self, "mark", hash((self.kind, self.scale, self.ends, self.factor)))

    def __hash__(self) -> int:
        """Return the hash of all fields."""
        return self.mark

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it is; a hash is another one in each process."""
        return Draw, (self.kind, self.scale, self.ends, self.factor)

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


class Draws(tuple[Draw, ...]):
    """The draws of a path: regions of all datasets are looked up by them."""

    mark: int | None = None

    def __hash__(self) -> int:
        """Return the hash of the tuple, which is calculated once."""
        if self.mark is None:
            self.mark = super().__hash__()
        return self.mark

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it is; a hash is another one in each process."""
        return Draws, (tuple(self),)


@lru_cache(maxsize=1 << 10)
def draw_of(kind: str, over: int, under: int) -> Draw:
    """Return the draw of a rational scale over/under, the same object each time."""
    return Draw(kind, rational(Fraction(over, under)))
