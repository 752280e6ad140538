"""Unary encodings of one of k values, bit by bit: SUE and OUE (Wang et al. 2017).

Bits are randomised one by one, or share a coin by mistake; RAPPOR's are as well.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, ClassVar

from dpaudit.errors import ParameterError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.mechanisms.classics import base as classic
from dpaudit.mechanisms.parameters import ChoiceParameter, ProbabilityParameter
from dpaudit.numbers.ball import Sign
from dpaudit.numbers.real import ONE, ZERO, Real, complement, rational, real

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "COIN",
    "OUE",
    "SUE",
    "Bits",
    "bit_table",
    "bitwise_law",
    "check_shared_bits",
    "randomised_bits",
    "shared_coin_bits",
    "shared_coin_law",
]

ROW = ("randomised by each user", "SUE OUE")


Bits = tuple[int, ...]
"""Zeros and ones."""

MAX_SHARED_BITS = 12
"""Largest number of bits that may share a coin: their law is written out, 2^bits outputs."""

COIN = ChoiceParameter(
    "coin",
    "the fair second coin, which gives a bit where the first coin does not keep it",
    "tossed",
    "it is what the definition says",
    (
        ("tossed", "it is tossed for every bit that needs it"),
        ("left", "a mistake: it is tossed once, and used for all the bits"),
    ),
)


@lru_cache(maxsize=1 << 8)
def bit_table(one: Real, zero: Real, total: Real = ONE) -> Table:
    """Return the law of a bit that is 1 with weight ``one`` and 0 with ``zero``."""
    return Table({0: zero, 1: one}, total)


def bitwise_law(bits: Bits, when_one: Table, when_zero: Table) -> IndependentLaw:
    """Return the law of ``bits``, each randomised alone."""
    return IndependentLaw(tuple(when_one if bit else when_zero for bit in bits))


def shared_coin_law(bits: Bits, kept: Real, coin: Real) -> ExplicitLaw:
    """Return the law where each bit is kept, or replaced by one fair coin that all bits share.

    ``kept`` and ``coin`` are the weights of the two, for each bit.
    """
    half = real("1/2")
    weights: dict[Hashable, Real] = {}
    for output in product((0, 1), repeat=len(bits)):
        total = ZERO
        for face in (0, 1):
            weight = half
            for bit, shown in zip(bits, output, strict=True):
                weight *= (kept if shown == bit else ZERO) + (coin if shown == face else ZERO)
            total += weight
        weights[output] = total
    return ExplicitLaw(weights, normalised=False)


def randomised_bits(
    lines: ArrayLike, when_one: float, when_zero: float, rng: Generator
) -> NDArray[np.int64]:
    """Show every bit alone: as 1 with probability ``when_one`` or ``when_zero``."""
    import numpy as np

    chances = np.where(lines, when_one, when_zero)
    return (rng.random(chances.shape) < chances).astype(np.int64)


def shared_coin_bits(bits: Bits, kept: float, size: int, rng: Generator) -> NDArray[np.int64]:
    """Keep every bit with probability ``kept``, and else show the one coin of all bits."""
    import numpy as np

    coin = classic.toss(0.5, size, rng).reshape(-1, 1)
    told = rng.random((size, len(bits))) < kept
    return np.where(told, bits, coin).astype(np.int64)


def check_shared_bits(count: int, name: str) -> None:
    """Refuse more bits than a law can be written out for."""
    if count > MAX_SHARED_BITS:
        raise ParameterError(
            name, f"{name} = {count}: must be at most {MAX_SHARED_BITS} if bits share a coin"
        )


@dataclass(frozen=True)
class UnaryEncoding(classic.LocalMechanism):
    """A value is written as k bits, one of them 1; every bit is randomised alone.

    A 1 is shown as 1 with probability p, a 0 with probability q.
    """

    pairs_alike: ClassVar = True  # to rename values moves bits, which are all randomised alike
    epsilon: Real
    k: int

    @property
    def values_of_a_user(self) -> Sequence[Bits]:
        return [tuple(int(i == value) for i in range(self.k)) for value in range(self.k)]

    def draw(self, dataset: Bits, size: int, rng: Generator) -> NDArray[np.int64]:
        p, q = (float(one) / float(total) for one, _, total in (self.bit(1), self.bit(0)))
        return randomised_bits([dataset] * size, p, q, rng)

    @abstractmethod
    def bit(self, value: int) -> tuple[Real, Real, Real]:
        """Return the weights of showing a bit of this ``value`` as 1 and as 0, and their sum."""

    def law(self, dataset: Bits) -> IndependentLaw | ExplicitLaw:
        """Return the law of the bits shown for the bits of ``dataset``."""
        return bitwise_law(dataset, bit_table(*self.bit(1)), bit_table(*self.bit(0)))


@dataclass(frozen=True)
class SUE(UnaryEncoding):
    """Symmetric unary encoding: every bit is kept with one probability, else turned."""

    p: Real | str
    coin: str

    name: ClassVar = "SUE"
    source: ClassVar = (
        'Wang, Blocki, Li and Jha 2017, "Locally differentially private protocols for frequency '
        'estimation" (the encoding of basic RAPPOR)'
    )
    definition: ClassVar = (
        "k bits, one of them 1; p = P(1 → 1) = e^(ε/2)/(1 + e^(ε/2)), q = P(0 → 1) = 1 − p; "
        "one user, n = 1"
    )
    guarantee: ClassVar = "ε-differentially private, ε = 2·ln(p/q)"
    parameters: ClassVar = (
        classic.EPSILON,
        classic.VALUES,
        classic.CalibratedParameter(
            "p",
            "the probability that a bit that is 1 is shown as 1",
            classic.CALIBRATED,
            "the definition computes it from ε",
        ),
        COIN,
    )

    def __post_init__(self) -> None:
        """Refuse what two coins cannot give."""
        if self.coin == "left":
            check_shared_bits(self.k, "k")
            if isinstance(self.p, Real) and (self.p - real("1/2")).sign() is not Sign.POSITIVE:
                raise ParameterError(
                    "p", f"p = {self.p}: must be above 1/2 for two coins (coin = left)"
                )

    def bit(self, value: int) -> tuple[Real, Real, Real]:
        if isinstance(self.p, Real):
            kept, turned, total = self.p, complement(self.p), ONE
        else:
            weight = (self.epsilon / rational(2)).exp()
            kept, turned, total = weight, ONE, ONE + weight
        return (kept, turned, total) if value else (turned, kept, total)

    def draw(self, dataset: Bits, size: int, rng: Generator) -> NDArray[np.int64]:
        if self.coin == "tossed":
            return super().draw(dataset, size, rng)
        kept, turned, total = map(float, self.bit(1))
        return shared_coin_bits(dataset, (kept - turned) / total, size, rng)

    def law(self, dataset: Bits) -> IndependentLaw | ExplicitLaw:
        if self.coin == "tossed":
            return super().law(dataset)
        # p = kept + coin/2 and q = coin/2, up to a common factor
        if isinstance(self.p, Real):
            return shared_coin_law(
                dataset,
                self.p - complement(self.p),
                rational(2) * complement(self.p),
            )
        weight = (self.epsilon / rational(2)).exp()
        return shared_coin_law(dataset, weight - ONE, rational(2))


@dataclass(frozen=True)
class OUE(UnaryEncoding):
    """Optimised unary encoding: a 1 is shown by a fair coin, a 0 seldom as 1."""

    p: Real
    q: Real | str

    name: ClassVar = "OUE"
    source: ClassVar = (
        'Wang, Blocki, Li and Jha 2017, "Locally differentially private protocols for frequency '
        'estimation"'
    )
    definition: ClassVar = (
        "k bits, one of them 1; p = P(1 → 1) = 1/2, q = P(0 → 1) = 1/(1 + e^ε); one user, n = 1"
    )
    guarantee: ClassVar = "ε-differentially private, ε = ln(p(1 − q)/((1 − p)q))"
    parameters: ClassVar = (
        classic.EPSILON,
        classic.VALUES,
        ProbabilityParameter(
            "p",
            "the probability that a bit that is 1 is shown as 1",
            "1/2",
            "it is the optimal one",
        ),
        classic.CalibratedParameter(
            "q",
            "the probability that a bit that is 0 is shown as 1",
            classic.CALIBRATED,
            "the definition computes it from ε",
        ),
    )

    def bit(self, value: int) -> tuple[Real, Real, Real]:
        if value:
            return self.p, complement(self.p), ONE
        if isinstance(self.q, Real):
            return self.q, complement(self.q), ONE
        weight = self.epsilon.exp()
        return ONE, weight, ONE + weight
