"""What was explored of a program at one dataset."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dpaudit.errors import LawError
from dpaudit.numbers.real import Real
from dpaudit.programs.outputs import Raised
from dpaudit.programs.regions import Region, regions_of, trails_of
from dpaudit.programs.wholes import chance

if TYPE_CHECKING:
    from dpaudit.numbers.ball import Ball
    from dpaudit.programs.regions import Key, Seen
    from dpaudit.programs.run import Run

__all__ = ["Exploration", "exploration_of", "probability_of"]


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a program gives at one dataset, and where."""

    regions: dict[Hashable, list[Region]]
    """The regions of every output; different regions share no draws."""
    paths: int
    """How many paths were run."""
    trails: dict[Hashable, tuple[int, ...]] = field(default_factory=dict)
    """The decisions of one path to every output."""


def exploration_of(seen: list[Seen], keys: list[Key]) -> Exploration:
    """Return what the paths at one dataset make, with what :func:`key_of` says of each.

    Raises ``LawError`` where every run raises.
    """
    if all(isinstance(output, Raised) for _, _, output in seen):
        raised = sorted({str(output) for _, _, output in seen})
        raise LawError(f"every run {' or '.join(raised)}")
    return Exploration(regions_of(seen, keys), len(seen), trails_of(seen, keys))


def probability_of(run: Run) -> Ball:
    """Return the probability of a path of finite and countable draws."""
    if run.draws:
        run.refuse("a sub-sampler without an end draws continuous noise")
    found = run.weight.ball()
    for draw, support in zip(run.wholes, run.supports, strict=True):
        part = chance(draw, support)
        found *= part.ball() if isinstance(part, Real) else part
    return found
