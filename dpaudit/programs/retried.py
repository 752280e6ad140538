"""Which paths of code that only calculates are run again: one of those that do the same.

What such code gives is a function of its dataset and draws (:mod:`dpaudit.programs.calculating`):
a path that is run again with the same ones can only show that what stands for a number does
otherwise than that number.  Sums, multiples and comparisons with exact numbers are exact in both.
So a path on which there was nothing else is tried where it decides something, at some place, that
no other did, and one in thirty-two all the same; any other path is tried itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.programs.outputs import Raised

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from dpaudit.programs.regions import Seen

__all__ = ["to_retry"]

_ONE_IN = 32


def to_retry(seen: Iterable[Seen]) -> Iterator[Seen]:
    """Yield the paths that are to be run again."""
    known: set[Hashable] = set()
    for number, one in enumerate(seen):
        _, run, output = one
        decided = frozenset((decision.where, decision.taken) for decision in run.decisions)
        alike = run.plain and not isinstance(output, Raised) and decided in known
        known.add(decided)
        if not alike or number % _ONE_IN == 0:
            yield one
