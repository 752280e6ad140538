"""Bits that are shown by coins, each its own or all one and the same."""

from __future__ import annotations

from math import comb, factorial, prod
from typing import TYPE_CHECKING

from mpmath import mp, mpf

from dpaudit.recheck.failures import UnknownDefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Bits", "Level", "independent_masses", "shared_coin"]

Bits = tuple[int, ...]
Level = tuple[mpf, ...]
"""The probabilities that 0, 1, … times 1 is shown of a bit."""

_MOST_MASSES = 1_000_000


def shared_coin(bits: Bits, output: Bits, kept: mpf, coin: mpf) -> mpf:
    """Return P(output) where a bit is kept, or replaced by a fair coin that all bits share."""
    total = mpf(0)
    for face in (0, 1):
        chances = (
            kept * (shown == bit) + coin * (shown == face)
            for bit, shown in zip(bits, output, strict=True)
        )
        total += mp.fprod(chances) / 2
    return total


def independent_masses(x: Bits, y: Bits, one: Level, zero: Level) -> list[tuple[mpf, mpf]]:
    """Return (P_x, P_y) by how often each level is shown of the bits that differ.

    The bits that are equal have the same law on both sides, and add nothing.
    """
    falls = sum(a > b for a, b in zip(x, y, strict=True))
    rises = sum(a < b for a, b in zip(x, y, strict=True))
    ways = comb(falls + len(one) - 1, falls) * comb(rises + len(one) - 1, rises)
    if ways > _MOST_MASSES:
        raise UnknownDefinitionError(f"{ways} different losses are too many to list")
    return [
        (first[0] * second[1], first[1] * second[0])
        for first in _grouped(falls, one, zero)
        for second in _grouped(rises, one, zero)
    ]


def _grouped(count: int, one: Level, zero: Level) -> list[tuple[mpf, mpf]]:
    """Return the probabilities of what ``count`` bits show, if they are all 1 and if all 0."""
    found = []
    for often in _compositions(count, len(one)):
        ways = factorial(count) // prod(map(factorial, often))
        found.append(
            (
                ways * mp.fprod(p**times for p, times in zip(one, often, strict=True)),
                ways * mp.fprod(p**times for p, times in zip(zero, often, strict=True)),
            )
        )
    return found


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Iterate over the ways to write ``total`` as so many counts."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)
