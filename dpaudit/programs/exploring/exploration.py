"""Explorations: the paths of a program at one dataset, and those that are run again."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from dpaudit.numbers.ball import Ball, ball, certainly_less, precision
from dpaudit.numbers.real import Real
from dpaudit.programs.exploring.estimates import LOOKED_AHEAD
from dpaudit.programs.exploring.outputs import Raised
from dpaudit.programs.exploring.subsamplers import REST
from dpaudit.programs.guarding.guards import unseen
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.real.counted import RealRuns
from dpaudit.programs.unknowns.noises import Draws
from dpaudit.programs.unknowns.wholes import chance
from dpaudit.programs.zones.integrals import probability
from dpaudit.programs.zones.regions import Region, regions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.zones.regions import Alike, Seen

__all__ = [
    "Exploration",
    "Left",
    "Path",
    "exploration_of",
    "to_retry",
    "too_many",
]


@dataclass(frozen=True, slots=True)
class Exploration:
    """Regions of draws for each output of a program at one dataset."""

    regions: dict[Hashable, list[Region]]
    """The regions of every output; different regions share no draws."""
    paths: int
    """Number of paths run."""
    trails: dict[Hashable, tuple[int, ...]] = field(default_factory=dict)
    """The decisions of one path to every output."""
    complete: bool = True
    """True if there are no other paths."""
    real: RealRuns = field(default=RealRuns(0), compare=False)
    """The real runs that the paths were held to."""

    def raises(self) -> str:
        """Return what every run raises; empty where some run gives an output."""
        if not all(isinstance(output, Raised) for output in self.trails):
            return ""
        return f"every run {' or '.join(sorted(map(str, self.trails)))}"


class Path(NamedTuple):
    """A path at one dataset."""

    taken: tuple[int, ...]
    """Its decisions."""
    output: Hashable
    """Fixed part of its output."""
    region: Region
    alike: Alike


def exploration_of(paths: Sequence[Path], *, complete: bool = True) -> Exploration:
    """Return what the paths at one dataset make."""
    trails: dict[Hashable, tuple[int, ...]] = {}
    for path in paths:
        trails.setdefault(path.output, path.taken)
    return Exploration(regions_of(path[1:] for path in paths), len(paths), trails, complete)


@unseen
def probability_of(run: Run) -> Ball:
    """Return the probability of a path."""
    found = run.weight.ball()
    if run.draws:
        zone = run.weighed()
        part = probability(Draws(run.draws), tuple(zone), tuple(zone.values()))
        found *= part.ball() if isinstance(part, Real) else part
    for draw, support in zip(run.wholes, run.supports, strict=True):
        part = chance(draw, support)
        found *= part.ball() if isinstance(part, Real) else part
    return found


class Left:
    """Probability left of a law whose likeliest paths are followed."""

    def __init__(self, most: int) -> None:
        """Begin with all of it; at most so many paths are run."""
        self._most = most
        self._left = Ball(1)
        self._last: list[tuple[int, float]] = []
        """Improbability −ln p of some paths, by their number."""
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
                probability = probability_of(run)
                self._left -= probability
                self._note(float(probability.mid()))
                is_all = self._cut + self._ended >= self._most
                if (is_all or float(self._left.mid()) < REST) and certainly_less(
                    self._left, ball(MOST_REST)
                ):
                    return True  # how much it is, is found from the law
        if self._cut > LOOKED_AHEAD + self._ended:
            raise Refused(
                f"most of its paths are too long to be followed: {self}; "
                "make fewer random draws before an output is decided",
                inside=False,
            )
        if self._cut + self._ended > self._most:
            raise Refused(
                f"it seems to have unbounded paths; {self}; raise the limit (paths) or, in a "
                "program of (data, random), move one pass of the loop into a function and call "
                "it by random.until (docs/programs_outputs.md)",
                inside=False,
            )
        return False

    @property
    def run(self) -> int:
        """Number of paths run."""
        return self._cut + self._ended

    def _before(self, number: int) -> float:
        """Return how improbable about the path of this number was; NaN where it is not known."""
        return next((one for run, one in reversed(self._last) if run <= number), math.nan)

    def _note(self, probability: float) -> None:
        """Keep how probable a path is, of a few."""
        run = self._ended
        if 0 < probability < 1 and (not self._last or 10 * run >= 11 * self._last[-1][0]):
            self._last.append((run, -math.log(probability)))

    def expected(self) -> float | None:
        """Return about how many paths are run until little enough is left.

        The n-th path has about the probability a·exp(−c·nᵖ): p is 1 for one loop, and less for
        several.  What n paths leave falls with n times that.
        """
        run, left = self.run, float(self._left.mid())
        at = [self._before(self._ended // part) for part in (1, 8, 64)]
        if not 0 < left < 1 or not at[0] > at[1] > at[2]:
            return None
        power = math.log((at[0] - at[1]) / (at[1] - at[2])) / math.log(8)
        power = min(1.0, max(_LEAST_POWER, power))
        now = (at[0] - at[1]) / (1 - 8**-power)
        low, high = 0.0, _MOST_TIMES
        for _ in range(50):  # the logarithm of how many times as many paths are needed
            middle = (low + high) / 2
            then = math.log(left) + middle - now * math.expm1(power * middle)
            low, high = (middle, high) if then > math.log(REST) else (low, middle)
        return run * math.exp(high)

    def __str__(self) -> str:
        """Say how much is left."""
        left = float(self._left.upper())
        paths = self._cut + self._ended
        return f"the {paths} likeliest paths leave {left:.2g} of the probability to others"


_BITS = 128
_LEAST_POWER, _MOST_TIMES = 0.05, 100.0
"""The least power p, and ln of how many times as many paths are said to be needed at most."""
MOST_REST = Fraction(1, 10**6)
"""Largest probability that may be left when no more paths may be run."""


def too_many(most: int, expected: float | None) -> str:
    """Return what is said of a program with more paths than it may have, and about how many."""
    about = "" if expected is None else f" (about {max(expected, most + 1):.2g})"
    return (
        f"it has more than {most} paths{about}; raise the limit (paths), or make fewer random "
        "draws before the output is decided"
    )


_ONE_IN = 32


def to_retry(seen: Iterable[Seen]) -> Iterator[Seen]:
    """Yield the paths of code that only calculates that are run again: one of those alike.

    What such code gives is a function of dataset and draws
    (:mod:`dpaudit.programs.guarding.calculating`): a path that is run again with the same ones can
    only show that what stands for a number does otherwise than that number.  Sums, multiples and
    comparisons with exact numbers are exact in both.  So a path on which there was nothing else is
    tried where it decides something, at some place, that no other did, and one in thirty-two all
    the same; any other path is tried itself.
    """
    known: set[Hashable] = set()
    for number, one in enumerate(seen):
        _, run, output = one
        decided = frozenset((decision.where, decision.taken) for decision in run.decisions)
        alike = run.plain and not isinstance(output, Raised) and decided in known
        known.add(decided)
        if not alike or number % _ONE_IN == 0:
            yield one
