"""Laws of bits that are randomised one by one, and of bits that share a coin by mistake."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING

from dpaudit.errors import ParameterError
from dpaudit.laws.explicit import ExplicitLaw
from dpaudit.laws.independent import IndependentLaw, Table
from dpaudit.mechanisms.parameters import ChoiceParameter
from dpaudit.numbers.real import ONE, ZERO, Real, real

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = [
    "COIN",
    "MAX_SHARED_BITS",
    "Bits",
    "bit_table",
    "bitwise_law",
    "check_shared_bits",
    "shared_coin_law",
]

Bits = tuple[int, ...]
"""Zeros and ones."""

MAX_SHARED_BITS = 12
"""How many bits may share a coin: their law is written out, 2^bits outputs."""

COIN = ChoiceParameter(
    "coin",
    "the fair second coin, which gives a bit where the first coin does not keep it",
    "tossed",
    "it is what the definition says",
    (
        ("tossed", "it is tossed for every bit that needs it"),
        ("left", "a mistake: it is tossed once, and left in place for all the bits"),
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


def check_shared_bits(count: int, name: str) -> None:
    """Refuse more bits than a law can be written out for."""
    if count > MAX_SHARED_BITS:
        raise ParameterError(
            name, f"{name} = {count}: must be at most {MAX_SHARED_BITS} where bits share a coin"
        )
