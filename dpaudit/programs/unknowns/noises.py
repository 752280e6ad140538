"""The continuous draws: which noise, of which exact scale."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpaudit.numbers.ball import Ball
from dpaudit.numbers.normal import normal_cdf
from dpaudit.numbers.real import ONE, ZERO, Real, rational

__all__ = ["KINDS", "Draw", "Draws", "draw_of", "probability_between"]

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
    """Factor of the draw, not 0."""

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


def probability_between(draw: Draw, low: Fraction | None, high: Fraction | None) -> Real | Ball:
    """Return the probability that a draw lies between two ends, in closed form if there is one."""
    least, most = draw.support()
    low = least if low is None else low if least is None else max(low, least)
    high = most if high is None else high if most is None else min(high, most)
    if low is not None and high is not None and low >= high:
        return ZERO
    if low is not None and (low >= 0 or high is None):  # from above, without cancellation
        first = _tail(draw, low, above=True)
        rest = ZERO if high is None else _tail(draw, high, above=True)
    else:
        first = ONE if high is None else _tail(draw, high, above=False)
        rest = ZERO if low is None else _tail(draw, low, above=False)
    if isinstance(first, Real) and isinstance(rest, Real):
        return first - rest
    return _ball(first) - _ball(rest)


def _ball(number: Real | Ball) -> Ball:
    return number.ball() if isinstance(number, Real) else number


def _tail(draw: Draw, x: Fraction, *, above: bool) -> Real | Ball:
    """Return the probability that a draw lies above ``x``, or below."""
    if draw.factor < 0:  # −y lies above x where y lies below −x
        return _tail(draw.times(Fraction(-1)), -x, above=not above)
    scale = draw.scale * rational(draw.factor)
    if draw.kind == "uniform":
        low, high = (end * draw.factor for end in draw.ends)
        return rational(((high - x) if above else (x - low)) / (high - low))
    if draw.kind == "gumbel":
        below = (-(rational(-x) / scale).exp().ball()).exp()
        return 1 - below if above else below
    if draw.kind == "gaussian":
        at = (rational(x) / scale).ball()
        return normal_cdf(-at if above else at)
    falling = (rational(-abs(x)) / scale).exp()
    if draw.kind == "exponential":
        return falling if above else ONE - falling
    half = falling / rational(2)
    return half if above == (x >= 0) else ONE - half


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
