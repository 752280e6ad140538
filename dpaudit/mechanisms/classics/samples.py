"""Drawing as the classics are run: coins, and noise on the integers, in floats."""

from __future__ import annotations

from math import exp, floor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy.random import Generator

    from dpaudit.mechanisms.classics.bits import Bits

__all__ = ["discrete_gaussian", "geometric", "randomised_bits", "shared_coin_bits", "toss"]


def toss(p: float, rng: Generator) -> bool:
    """Return True with probability ``p``."""
    return bool(rng.random() < p)


def randomised_bits(bits: Bits, when_one: float, when_zero: float, rng: Generator) -> Bits:
    """Show every bit alone: as 1 with probability ``when_one`` or ``when_zero``."""
    return tuple(int(toss(when_one if bit else when_zero, rng)) for bit in bits)


def shared_coin_bits(bits: Bits, kept: float, rng: Generator) -> Bits:
    """Keep every bit with probability ``kept``, and else show the one coin of all bits."""
    coin = int(toss(0.5, rng))
    return tuple(bit if toss(kept, rng) else coin for bit in bits)


def geometric(rate: float, rng: Generator) -> int:
    """Draw two-sided geometric noise, t = e^(−rate), as the difference of two one-sided ones."""
    success = 1 - exp(-rate)
    return int(rng.geometric(success)) - int(rng.geometric(success))


def discrete_gaussian(sigma: float, rng: Generator) -> int:
    """Draw N_Z(0, σ²) from discrete Laplace noise by rejection (Canonne et al. 2020, Alg. 3)."""
    scale = floor(sigma) + 1
    while True:
        noise = geometric(1 / scale, rng)
        if toss(exp(-((abs(noise) - sigma**2 / scale) ** 2) / (2 * sigma**2)), rng):
            return noise
