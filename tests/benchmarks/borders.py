"""Null audits in bulk: the counts from which ε = 0 is refuted, and how often draws reach them.

The bound from all numbers of guesses rests on the largest k(r, V_r) over the numbers r of guesses
(:mod:`dpaudit.questions.canaries.all_sizes`), and each k grows with V_r.  So ε = 0 is refuted where
some V_r reaches the least count that refutes it alone.  That count is sought with the package's own
decision in balls, once for each r, and draws are only counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from dpaudit.numbers.closed_form import rational
from dpaudit.questions.canaries.all_sizes import Ranked, refuted_by_all, sizes_tried
from dpaudit.questions.canaries.guessing import ranked

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from tests.benchmarks.canary_draws import Bools, Draws, Floats

__all__ = ["Border", "alarms", "border", "right_guesses"]


@dataclass(frozen=True)
class Border:
    """The least numbers of right guesses that refute ε = 0."""

    canaries: int
    sizes: tuple[int, ...]
    """Numbers r of guesses that are tried."""
    counts: tuple[int, ...]
    """For each the least V_r that refutes ε = 0 alone; r + 1 where none does."""


@cache
def border(canaries: int, delta: Fraction, level: Fraction) -> Border:
    """Return where ε = 0 begins to be refuted.

    Raises:
        ValueError: where counts that do not refute it alone do so together: they must not.
    """
    given = rational(delta), rational(level)
    sizes = sizes_tried(canaries, *given)

    def refutes(right: tuple[int, ...]) -> bool:
        return bool(refuted_by_all(Ranked(canaries, sizes, right), rational(delta * 0), *given))

    counts = []
    for place, size in enumerate(sizes):
        low, high = 0, size + 1
        while high - low > 1:
            middle = (low + high) // 2
            alone = tuple(middle if place == other else 0 for other in range(len(sizes)))
            low, high = (low, middle) if refutes(alone) else (middle, high)
        counts.append(high)
    if refutes(tuple(count - 1 for count in counts)):
        raise ValueError(f"{canaries} canaries: counts refute ε = 0 together, and none alone")
    return Border(canaries, sizes, tuple(counts))


def right_guesses(scores: Floats, member: Bools, sizes: tuple[int, ...]) -> list[int]:
    """Return V_r of one audit, as the package counts it."""
    return ranked(scores, member, sizes)  # type: ignore[arg-type] # arrays are counted faster


def alarms(draws: Draws, reached: Border) -> NDArray[np.bool_]:
    """Return for each audit whether its right guesses refute ε = 0."""
    scores, member = draws
    found = [
        right_guesses(row, inside, reached.sizes)
        for row, inside in zip(scores, member, strict=True)
    ]
    return np.asarray(np.any(np.array(found) >= np.array(reached.counts), axis=1))
