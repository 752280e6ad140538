"""Seeds for the generators of ``random`` and ``numpy.random`` in tests.

dpaudit refuses a generator with a seed that somebody chose, and hypothesis gives both generators
the seed 0 for every example.  Here they get a seed that is as long as their state: examples repeat,
and nothing tells that the seed was chosen.
"""

import random
import sys
from collections.abc import Callable
from hashlib import shake_256
from typing import Any

__all__ = ["repeatable", "unpredictable"]

_WORDS = 624


def unpredictable() -> None:
    """Seed both generators from the system."""
    random.seed()
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()


def _seed_both(seed: int) -> None:
    """Seed both generators with as many words as they have, made of a short seed."""
    content = shake_256(str(seed).encode()).digest(4 * _WORDS)
    random.seed(int.from_bytes(content, "little"))
    if "numpy.random" in sys.modules:
        words = [int.from_bytes(content[4 * at : 4 * at + 4], "little") for at in range(_WORDS)]
        sys.modules["numpy.random"].seed(words)


def repeatable(seeder_and_restorer: Callable[..., Any]) -> Callable[..., Any]:
    """Return what hypothesis seeds generators with, but for the seeds of these two."""

    def made(seed: int = 0) -> tuple[Callable[[], None], Callable[[], None]]:
        seed_all, restore_all = seeder_and_restorer(seed)

        def seed_them() -> None:
            seed_all()
            _seed_both(seed)

        return seed_them, restore_all

    return made
