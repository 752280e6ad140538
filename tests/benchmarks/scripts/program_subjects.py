"""Programs with independent entries, as one writes them: what the programs benchmark audits."""

from fractions import Fraction
from typing import Any

from dpaudit import program

__all__ = ["clamped", "reached", "responses", "total"]

BITS = [(0,) * 20, (1, *(0,) * 19)]
COUNTS = [(7,) * 20, (8, *(7,) * 19)]


@program(datasets=BITS, neighbours="all", budget="ln(3)")
def responses(bits: tuple[int, ...], random: Any, p: str = "3/4") -> tuple[int, ...]:
    """Tell each of 20 bits, or its opposite."""
    return tuple(bit if random.bernoulli(p) else 1 - bit for bit in bits)


@program(datasets=COUNTS, neighbours="all", budget="eps")
def clamped(counts: tuple[int, ...], random: Any, eps: Any = Fraction(1, 2)) -> tuple[int, ...]:
    """Give 20 counts with geometric noise of either sign, clamped to 0..20."""
    return tuple(max(0, min(20, one + random.discrete_laplace(1 / eps))) for one in counts)


@program(datasets=COUNTS, neighbours="all", budget="eps")
def reached(counts: tuple[int, ...], random: Any, eps: Any = Fraction(1, 2)) -> tuple[bool, ...]:
    """Tell which of 20 noisy counts reach 5."""
    noisy = [one + random.discrete_laplace(1 / eps) for one in counts]
    return tuple(value >= 5 for value in noisy)


@program(datasets=[(0,) * 200, (1, *(0,) * 199)], neighbours="all", budget="ln(3)")
def total(bits: tuple[int, ...], random: Any, p: str = "3/4") -> int:
    """Add up 200 randomised bits."""
    return sum(bit if random.bernoulli(p) else 1 - bit for bit in bits)
