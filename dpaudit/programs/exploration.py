"""What was explored of a program at one dataset."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.errors import LawError
from dpaudit.numbers.real import Real
from dpaudit.programs.outputs import Raised
from dpaudit.programs.regions import Region, regions_of
from dpaudit.programs.wholes import chance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpaudit.numbers.ball import Ball
    from dpaudit.programs.regions import Alike
    from dpaudit.programs.run import Run

__all__ = ["Exploration", "Path", "exploration_of", "probability_of"]


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a program gives at one dataset, and where."""

    regions: dict[Hashable, list[Region]]
    """The regions of every output; different regions share no draws."""
    paths: int
    """How many paths were run."""
    trails: dict[Hashable, tuple[int, ...]] = field(default_factory=dict)
    """The decisions of one path to every output."""


class Path(NamedTuple):
    """A path at one dataset."""

    taken: tuple[int, ...]
    """Its decisions."""
    output: Hashable
    """What is fixed of its output."""
    region: Region
    alike: Alike


def exploration_of(paths: Sequence[Path]) -> Exploration:
    """Return what the paths at one dataset make; ``LawError`` where every run raises."""
    if all(isinstance(path.output, Raised) for path in paths):
        raised = sorted({str(path.output) for path in paths})
        raise LawError(f"every run {' or '.join(raised)}")
    trails: dict[Hashable, tuple[int, ...]] = {}
    for path in paths:
        trails.setdefault(path.output, path.taken)
    return Exploration(regions_of(path[1:] for path in paths), len(paths), trails)


def probability_of(run: Run) -> Ball:
    """Return the probability of a path of finite and countable draws."""
    if run.draws:
        run.refuse("a sub-sampler without an end draws continuous noise")
    found = run.weight.ball()
    for draw, support in zip(run.wholes, run.supports, strict=True):
        part = chance(draw, support)
        found *= part.ball() if isinstance(part, Real) else part
    return found
