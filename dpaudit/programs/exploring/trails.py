"""The trails that are left to follow, and what is said of a path that does not come out again."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dpaudit.programs.guarding.refusal import Refused

if TYPE_CHECKING:
    from dpaudit.programs.exploring.run import Run

__all__ = ["CHANGED", "OTHERWISE", "Trails", "agree"]

Trail = tuple[int, ...]
"""Number of the way taken at each decision."""

OTHERWISE = "it behaves differently with plain numbers than with symbolic draws"
"""Message about a program that tells the two apart."""
CHANGED = "it behaves differently when it runs again with the same draws"
"""Message about a program that is no function of its draws."""


@dataclass
class Trails:
    """Trails to follow: the likeliest first, or the last that was found.

    Of those that part at one decision one waits at a time, with the number of ways there.
    """

    likeliest: bool = False
    left: list[tuple[float, Trail, int]] = field(default_factory=lambda: [(-1.0, (), 1)])
    """Those that wait."""

    def parted(self) -> list[tuple[Trail, int]]:
        """Return those that wait, with the number of ways at the last decision of each."""
        return [(trail, ways) for _, trail, ways in self.left]

    def add(self, run: Run, known: int) -> None:
        """Let those wait that part from a run after its ``known`` first decisions."""
        taken = tuple(decision.taken for decision in run.decisions)
        masses = [*run.masses, 0.0]
        for place in range(known, len(taken) - run.cut):
            ways = run.decisions[place].ways
            if ways > 1:
                mass = masses[place + 1] - masses[place] if self.likeliest else 0.0
                self._put(mass, (*taken[:place], 1), ways)

    def next(self) -> Trail:
        """Take one; the next that parts from the others where it does waits then."""
        mass, trail, ways = heapq.heappop(self.left) if self.likeliest else self.left.pop()
        if trail and trail[-1] + 1 < ways:
            self._put(mass, (*trail[:-1], trail[-1] + 1), ways)
        return trail

    def _put(self, mass: float, trail: Trail, ways: int) -> None:
        if self.likeliest:
            heapq.heappush(self.left, (mass, trail, ways))
        else:
            self.left.append((mass, trail, ways))


def agree(before: Run, now: Run) -> None:
    """Hold a run to the one before it, as far as their trails are the same."""
    for earlier, later, taken in zip(before.decisions, now.decisions, now.trail, strict=False):
        if (earlier.asked, earlier.where, earlier.ways) != (later.asked, later.where, later.ways):
            raise Refused(f"{later.where}: {CHANGED}", inside=False, final=True)
        if earlier.taken != taken:
            return
