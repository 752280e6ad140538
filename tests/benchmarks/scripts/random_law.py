"""A mechanism with 51 outputs of random mass, whose privacy losses are on no lattice."""

import random
from fractions import Fraction

from dpaudit.mechanisms.user import finite_mechanism

__all__ = ["random_law"]

_DICE = random.Random(51)
_WEIGHTS = [[_DICE.randint(900, 1100) for _ in range(51)] for _ in range(2)]


@finite_mechanism(budget="1", datasets=[0, 1], neighbours="all")
def random_law(x: int) -> dict[int, Fraction]:
    """Return the law of dataset ``x``."""
    return {r: Fraction(weight, sum(_WEIGHTS[x])) for r, weight in enumerate(_WEIGHTS[x])}
