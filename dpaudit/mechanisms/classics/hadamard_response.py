"""Hadamard response: an answer that shares a row of a Hadamard matrix with the user's value.

Acharya, Sun and Zhang 2019, "Hadamard response: estimating distributions privately, efficiently,
and with little communication", Algorithm 1 (the scheme for high privacy).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from typing import TYPE_CHECKING, ClassVar

from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.mechanisms.classics import base as classic
from dpaudit.numbers.real import ONE, Real, rational

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

__all__ = ["HadamardResponse"]

ROW = ("randomised by each user", "HadamardResponse")


@lru_cache(maxsize=1 << 10)
def _table(epsilon: Real, order: int, value: int) -> Table:
    odds = epsilon.exp()
    shown: dict[Hashable, Real] = {
        answer: odds if _agree(value, answer) else ONE for answer in range(order)
    }
    return Table(shown, rational(order // 2) * (odds + ONE))


def _agree(value: int, answer: int) -> bool:
    """Tell whether the matrix of Sylvester has +1 in the row of a value, at an answer.

    Its entry in row i and column j is (−1) to the number of ones that both have in binary.  Row 0,
    of ones alone, belongs to no value.
    """
    return (value + 1 & answer).bit_count() % 2 == 0


@dataclass(frozen=True)
class HadamardResponse(classic.LocalMechanism):
    """Hadamard response: half of the answers are e^ε times as likely as the others."""

    epsilon: Real
    k: int

    # An invertible matrix over two elements takes any two rows to any two others, and moves the
    # answers so that the entries stay what they were.
    pairs_alike: ClassVar = True

    name: ClassVar = "HadamardResponse"
    source: ClassVar = (
        'Acharya, Sun and Zhang 2019, "Hadamard response: estimating distributions privately, '
        'efficiently, and with little communication", Algorithm 1'
    )
    definition: ClassVar = (
        "P(r) = e^ε/w if H(x + 1, r) = 1, 1/w if it is −1; H the Hadamard matrix of Sylvester of "
        "order K, the least power of 2 above k; w = K(1 + e^ε)/2; one user, n = 1"
    )
    guarantee: ClassVar = "ε-differentially private"
    parameters: ClassVar = (classic.EPSILON, classic.VALUES)

    @property
    def order(self) -> int:
        """The number of answers: the least power of 2 above k."""
        return 1 << self.k.bit_length()

    @property
    def values_of_a_user(self) -> Sequence[int]:
        return range(self.k)

    def draw(self, dataset: int, size: int, rng: Generator) -> NDArray[np.int64]:
        import numpy as np

        likely = np.array([_agree(dataset, answer) for answer in range(self.order)])
        odds = exp(float(self.epsilon))
        agrees = classic.toss(odds / (1 + odds), size, rng)
        place = rng.integers(self.order // 2, size=size)
        return np.where(agrees, np.flatnonzero(likely)[place], np.flatnonzero(~likely)[place])

    def law(self, dataset: int) -> IndependentLaw:
        return IndependentLaw((_table(self.epsilon, self.order, dataset),), bare=True)
