"""About how many paths an exploration has, and how long it takes: said before it is over.

The paths of a program are the leaves of a tree of decisions.  How many there are is estimated from
a few random paths (Knuth 1975), of which one stands for all nodes of a stratum, chosen in
proportion to how many they are (Chen 1992): nodes at one depth where about as many decisions went
another way than the first.  The mean is the number of leaves whatever the strata are; so chosen,
they are alike in most programs, whose state counts what has happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dpaudit.machine import Deadline, duration
from dpaudit.notices import ManyPathsWarning, notice
from dpaudit.programs.exploring.run import MOST_DECISIONS
from dpaudit.programs.guarding.guards import unwatching
from dpaudit.progress import ended, step

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "LOOKED_AHEAD",
    "Chance",
    "Pace",
    "Series",
    "explored_now",
    "exploring",
    "leaves",
    "told",
]

LOOKED_AHEAD = 1000
"""After so many paths their number is estimated, if not before."""
_FIRST_SECONDS = 1.5
"""So many seconds of this process's time after it has begun an exploration is estimated."""
_PROBING_SHARE, _MOST_PROBING = 0.5, 1.0
"""Limits of the time for random paths: as a share of the time so far, and in seconds."""
_CIRCLE = 720_720 << 20
"""So many ways are taken to be alike of any number of ways."""
_MOST_ESTIMATES = 4
_LAST_SECONDS = 0.2
_PATHS = "paths"
_LONG = 20.0
"""An exploration that takes more seconds is said to be long."""
_AGAIN = 2.5
"""About how much longer it takes with all paths run again, than to find them."""
_CLASSES = 16
"""Into so many strata nodes at one depth are put at most."""

Ways = tuple[int, ...]
"""Number of ways at each decision of a path."""
Trail = tuple[int, ...]


class _Stratum(NamedTuple):
    weight: float
    """Number of nodes that it stands for."""
    trail: Trail
    """Trail to one of them."""
    ways: Ways | None
    """The decisions of the path from there that takes the first way each time, if it was run."""


class Chance:
    """Random numbers of its own: those of Python and NumPy are watched while a program runs."""

    def __init__(self, seed: int = 1) -> None:
        """Begin where every other begins: the same program is estimated in the same way."""
        self._state = 0x9E3779B97F4A7C15 * seed % (1 << 64)
        self._ways: Trail = ()

    def below(self, n: int) -> int:
        """Return one of 0, …, n − 1."""
        return int(self.unit() * n)

    def unit(self) -> float:
        """Return a number between 0 and 1."""
        self._state = (self._state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        return (self._state >> 11) * 2.0**-53

    def ways(self) -> Trail:
        """Return what takes any way at as many decisions as a path may have."""
        if not self._ways:
            self._ways = tuple(-1 - self.below(_CIRCLE) for _ in range(2 * MOST_DECISIONS))
        first = self.below(MOST_DECISIONS)
        return self._ways[first : first + MOST_DECISIONS]


def leaves(
    waiting: Iterable[tuple[Trail, int]],
    ways_along: Callable[[Trail], Ways],
    chance: Chance,
    out_of_time: Callable[[], bool] = lambda: False,
) -> float:
    """Return about how many paths there are below some decisions.

    Args:
        waiting: the first decisions of paths that were not run, and the number of ways at the last
            of them, of which those before were run.
        ways_along: runs the path that takes these decisions, and the first way at others; of -k it
            takes the k-th way from the last, in a circle.
        chance: picks the paths.
        out_of_time: tells whether to run only one more path for each stratum that is left.
    """
    strata: dict[int, dict[int, _Stratum]] = {}

    def put(weight: float, trail: Trail, other: int, ways: Ways | None = None) -> None:
        level = strata.setdefault(len(trail), {})
        kind = other * _CLASSES // max(len(trail), _CLASSES)
        known = level.get(kind)
        total = weight if known is None else known.weight + weight
        if known is not None and chance.unit() * total >= weight:
            level[kind] = known._replace(weight=total)
        else:
            level[kind] = _Stratum(total, trail, ways)

    for trail, ways in waiting:
        first = trail[-1] if trail else 0
        count = ways - first
        put(count, (*trail[:-1], first + chance.below(count)) if trail else (), _others(trail))
    found = 0.0
    while strata:
        depth = min(strata)
        for one in strata.pop(depth).values():
            if out_of_time():
                some = chance.ways()
                found += one.weight * _product(ways_along(one.trail + some)[depth:])
                continue
            along = ways_along(one.trail) if one.ways is None else one.ways
            if depth >= len(along):
                found += one.weight
                continue
            others, count = _others(one.trail), along[depth]
            put(one.weight, (*one.trail, 0), others, along)
            if count > 1:
                way = 1 + chance.below(count - 1)
                put(one.weight * (count - 1), (*one.trail, way), others + 1)
    return found


def _product(ways: Ways) -> float:
    return math.prod(map(float, ways))


def _others(trail: Trail) -> int:
    """Return how many decisions went another way than the first."""
    return len(trail) - trail.count(0)


class _Exploring:
    """Name of the exploration under way, and the number of explorations like it."""

    what = "a program"
    count = 1
    said = False
    """True if it was announced that the exploration takes long."""
    series: Series | None = None
    """The explorations that it is one of."""
    unit = ""
    """Unit that is counted now; ``began`` and ``first`` are the time and the count at its start."""
    began = 0.0
    first = 0


@contextmanager
def exploring(what: str, count: int = 1, series: Series | None = None) -> Iterator[None]:
    """Say inside the block what is explored, and that about ``count`` explorations are like it.

    Of those of one ``series`` it is announced once that they take long.
    """
    before = _Exploring.what, _Exploring.count, _Exploring.series
    _Exploring.what, _Exploring.count, _Exploring.said = what, count, False
    _Exploring.series = series
    try:
        yield
    finally:
        _Exploring.what, _Exploring.count, _Exploring.series = before
        ended()


def explored_now() -> str:
    """Return the name of what is explored now."""
    return _Exploring.what


def told(done: int, expected: float | None, unit: str) -> None:
    """Tell how many of some ``unit`` of what is explored are done; say once if they take long."""
    with unwatching():  # what shows progress may ask for the time
        step(done, expected, f"{unit} of {_Exploring.what}")
    if expected is None or _Exploring.said or unit == _PATHS:  # which a pace announces
        return
    now = process_time()
    if unit != _Exploring.unit or done <= _Exploring.first:
        _Exploring.unit, _Exploring.began, _Exploring.first = unit, now, done
    elif now >= _Exploring.began + _FIRST_SECONDS:
        in_all = (now - _Exploring.began) / (done - _Exploring.first) * expected
        if in_all > _LONG:
            _Exploring.said = True
            about = f"{_number(expected)} {unit}, {duration(in_all)}"
            _notice(f"{_Exploring.what} takes a long time: {about}; {_LESS}")


class Endless(Protocol):
    """Rest of a program of which the likeliest paths are run."""

    def expected(self) -> float | None:
        """Return about how many are run; None where nobody can say."""


class Pace:
    """Progress of an exploration, with an estimate of the number of its paths."""

    def __init__(self, most: int) -> None:
        """Begin; at most so many paths may be run."""
        self._most = most
        self._began = process_time()
        self._due = Deadline(_FIRST_SECONDS)
        self._probed = 0.0
        self._said = 0.0
        self._chance = Chance()
        self.expected: float | None = None
        """About how many paths there are."""

    def passes(self, done: int, left: Endless | None = None) -> bool:
        """Take note of a path where nothing is to be estimated; tell whether that was so."""
        if done == LOOKED_AHEAD or self._due.passed():
            return False
        if done == self._most and self.expected is None and left is None:
            return False
        self._tell(done)
        return True

    def step(
        self,
        done: int,
        waiting: Callable[[], Iterable[tuple[Trail, int]]],
        ways_along: Callable[[Trail], Ways],
        left: Endless | None = None,
    ) -> None:
        """Take note of a path; say now and then how many there are, if they are many.

        Args:
            done: how many were run.
            waiting: returns the decisions that others begin with; see :func:`leaves`.
            ways_along: runs one of them.
            left: what is left, where the likeliest paths are run and not all.
        """
        if self.passes(done, left):
            return
        if done == self._most and self.expected is None and left is None:  # for the refusal
            self.expected = done + self._left(waiting(), ways_along, _LAST_SECONDS)
        else:
            now = process_time()
            seconds = now - self._began - self._probed
            if left is None:
                budget = min(_MOST_PROBING, _PROBING_SHARE * seconds)
                self.expected = done + self._left(waiting(), ways_along, budget)
            else:
                self.expected = left.expected()
            self._probed += process_time() - now
            self._due = Deadline(max(_FIRST_SECONDS, seconds))
            self._say(seconds / done, left)
        self._tell(done)

    def _tell(self, done: int) -> None:
        told(done, None if self.expected is None else min(self.expected, self._most), _PATHS)

    def _left(
        self,
        waiting: Iterable[tuple[Trail, int]],
        ways_along: Callable[[Trail], Ways],
        budget: float,
    ) -> float:
        """Return the mean of some estimates of how many paths are left."""
        end, listed = process_time() + budget, list(waiting)
        found: list[float] = []
        while len(found) < _MOST_ESTIMATES and (not found or process_time() < end):
            found.append(leaves(listed, ways_along, self._chance, lambda: process_time() > end))
        return math.fsum(found) / len(found)

    def _say(self, seconds: float, left: Endless | None) -> None:
        """Say so where there are too many paths, or they take long, at so many seconds a path."""
        if self.expected is None or self.expected <= 2 * self._said:
            return
        most, count = self._most, _Exploring.count
        over = left is None and self.expected > most
        in_all = seconds * min(self.expected, most) * (1 if over else _AGAIN * count)
        if not over and (in_all <= _LONG or not _is_news(in_all)):
            return
        self._said, _Exploring.said = self.expected, True
        begun = f"{_Exploring.what} has about {_number(self.expected)} paths"
        if left is not None:
            run = _number(min(self.expected, most))
            begun = f"{_Exploring.what} seems to have unbounded paths ({left}); about {run} "
            begun += "are run"
        if over:
            _notice(
                f"{begun}, but the limit is {most} (paths); dpaudit runs those, "
                f"{duration(in_all)}, and then refuses the program if there are more; raise "
                "the limit, or make fewer random draws before the output is decided"
            )
        else:
            more = f", and {count - 1} more datasets are explored after it" * (count > 1)
            _notice(f"{begun}{more}, {duration(in_all)} in all; {_LESS}")


def _is_news(seconds: float) -> bool:
    """Tell whether a series takes far longer than was announced of it, and note what is now."""
    series = _Exploring.series
    if series is None:
        return True
    if seconds <= 2 * series.announced:
        return False
    series.announced = seconds
    return True


class Series:
    """Explorations of one program at many datasets, one by one."""

    def __init__(self) -> None:
        """Begin with none."""
        self._seconds = 0.0
        self._done = 0
        self.announced = 0.0
        """The seconds that were announced."""

    def step(self, name: str, left: int, took: float) -> None:
        """Take note of an exploration of what has this name, which took so many seconds.

        So many are ``left``.  What else a process does between two of them does not count.
        """
        self._done += 1
        self._seconds += took
        seconds = self._seconds
        in_all = seconds / self._done * (self._done + left)
        if seconds >= _FIRST_SECONDS and not self.announced and left and in_all > _LONG:
            self.announced = in_all
            _notice(
                f"{name} is explored at {self._done + left} datasets, one by one, "
                f"{duration(in_all)} in all; {_LESS}"
            )
        step(self._done, self._done + left, f"datasets of {name}")


_LESS = (
    "to shorten it, give fewer datasets, make fewer random draws or, in a program of (data, "
    "random), call repeated parts by random.sub"
)


def _notice(text: str) -> None:
    with unwatching():
        notice(f"{text}; Ctrl-C ends it", ManyPathsWarning)


def _number(count: float) -> str:
    return f"{count:.2g}" if math.isfinite(count) else "more than 1e+300"
