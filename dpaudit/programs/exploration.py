"""What was explored of a program at one dataset, how far, and what of it is run again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.errors import LawError
from dpaudit.notices import ManyPathsWarning, notice
from dpaudit.numbers.ball import Ball, ball, certainly_less, precision
from dpaudit.numbers.real import Real
from dpaudit.programs.guards import unseen, unwatching
from dpaudit.programs.integrals import probability
from dpaudit.programs.noises import Draws
from dpaudit.programs.outputs import Raised
from dpaudit.programs.real.counted import RealRuns
from dpaudit.programs.refusal import Refused
from dpaudit.programs.regions import Region, regions_of
from dpaudit.programs.subsamplers import REST
from dpaudit.programs.wholes import chance

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dpaudit.programs.regions import Alike, Seen
    from dpaudit.programs.run import Run

__all__ = [
    "LOOKED_AHEAD",
    "Exploration",
    "Left",
    "Path",
    "exploration_of",
    "look_ahead",
    "share_of",
    "to_retry",
    "too_many",
]


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a program gives at one dataset, and where."""

    regions: dict[Hashable, list[Region]]
    """The regions of every output; different regions share no draws."""
    paths: int
    """How many paths were run."""
    trails: dict[Hashable, tuple[int, ...]] = field(default_factory=dict)
    """The decisions of one path to every output."""
    complete: bool = True
    """Whether there are no other paths."""
    real: RealRuns = field(default=RealRuns(0), compare=False)
    """The real runs that the paths were held to."""


class Path(NamedTuple):
    """A path at one dataset."""

    taken: tuple[int, ...]
    """Its decisions."""
    output: Hashable
    """What is fixed of its output."""
    region: Region
    alike: Alike


def exploration_of(paths: Sequence[Path], *, complete: bool = True) -> Exploration:
    """Return what the paths at one dataset make; ``LawError`` where every run raises."""
    if all(isinstance(path.output, Raised) for path in paths):
        raised = sorted({str(path.output) for path in paths})
        raise LawError(f"every run {' or '.join(raised)}")
    trails: dict[Hashable, tuple[int, ...]] = {}
    for path in paths:
        trails.setdefault(path.output, path.taken)
    return Exploration(regions_of(path[1:] for path in paths), len(paths), trails, complete)


@unseen
def probability_of(run: Run) -> Ball:
    """Return the probability of a path."""
    found = run.weight.ball()
    if run.draws:
        zone = tuple(run.zone), tuple(run.zone.values())
        part = probability(Draws(run.draws), *zone)
        found *= part.ball() if isinstance(part, Real) else part
    for draw, support in zip(run.wholes, run.supports, strict=True):
        part = chance(draw, support)
        found *= part.ball() if isinstance(part, Real) else part
    return found


class Left:
    """What is left of a law whose likeliest paths are followed."""

    def __init__(self, most: int) -> None:
        """Begin with all of it; at most so many paths are run."""
        self._most = most
        self._left = Ball(1)
        self._ended = self._cut = 0

    def is_small_after(self, run: Run) -> bool:
        """Take a path off; tell whether no more than ``REST`` is left.

        Raises ``Refused`` where too many paths would be needed, or most of them have no end.
        """
        if run.cut:
            self._cut += 1
        else:
            self._ended += 1
            with precision(_BITS):
                self._left -= probability_of(run)
                is_all = self._cut + self._ended >= self._most
                if (is_all or float(self._left.mid()) < REST) and certainly_less(
                    self._left, ball(MOST_REST)
                ):
                    return True  # how much it is, is found from the law
        if self._cut > LOOKED_AHEAD + self._ended:
            raise Refused(f"most of its paths seem to have no end; {self}", inside=False)
        if self._cut + self._ended > self._most:
            raise Refused(
                f"it seems to have paths without an end; {self}; raise paths, or declare what is "
                "repeated as a sampler (docs/programs.md)",
                inside=False,
            )
        if self._ended == 5 * LOOKED_AHEAD and not run.cut:
            with unwatching():
                notice(
                    f"a program seems to have paths without an end; {self}, and at most "
                    f"{self._most} are run; Ctrl-C ends it",
                    ManyPathsWarning,
                )
        return False

    def __str__(self) -> str:
        """Say how much is left."""
        left = float(self._left.upper())
        return f"the {self._cut + self._ended} likeliest leave {left:.2g} of its law"


@unseen
def share_of(run: Run) -> Fraction:
    """Return what part of all paths this one would be, if each way were as probable."""
    return Fraction(1, prod(decision.ways for decision in run.decisions))


_BITS = 128
MOST_REST = Fraction(1, 10**6)
"""What is left at most where no more paths may be run."""
LOOKED_AHEAD = 1000
"""After so many paths their number is estimated."""


def look_ahead(most: int, explored: Fraction) -> None:
    """Say so where a program seems to have more paths than it may have."""
    estimate = float(LOOKED_AHEAD / explored)
    if estimate > most:
        with unwatching():
            notice(
                f"a program seems to have about {estimate:.2g} paths at one dataset, and may have "
                f"{most} (paths); Ctrl-C ends it",
                ManyPathsWarning,
            )


def too_many(most: int, explored: Fraction) -> str:
    """Return what is said of a program with more paths than it may have."""
    estimate = float(most / explored)
    return (
        f"it has more than {most} paths (about {estimate:.2g}, by those that were run); raise "
        "paths, or draw less before an output is decided"
    )


_ONE_IN = 32


def to_retry(seen: Iterable[Seen]) -> Iterator[Seen]:
    """Yield the paths of code that only calculates that are run again: one of those alike.

    What such code gives is a function of dataset and draws (:mod:`dpaudit.programs.calculating`):
    a path that is run again with the same ones can only show that what stands for a number does
    otherwise than that number.  Sums, multiples and comparisons with exact numbers are exact in
    both.  So a path on which there was nothing else is tried where it decides something, at some
    place, that no other did, and one in thirty-two all the same; any other path is tried itself.
    """
    known: set[Hashable] = set()
    for number, one in enumerate(seen):
        _, run, output = one
        decided = frozenset((decision.where, decision.taken) for decision in run.decisions)
        alike = run.plain and not isinstance(output, Raised) and decided in known
        known.add(decided)
        if not alike or number % _ONE_IN == 0:
            yield one
