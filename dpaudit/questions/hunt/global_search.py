"""The global search: a space-filling sample, differential evolution, then ever smaller steps.

A space of no more points than may be evaluated is evaluated whole.  Otherwise two fifths of the
evaluations go to the corners and a scrambled Sobol sequence, which draws the landscape.  Every peak
among those is climbed by a compass search, so that a narrow one is not lost to a broad one that is
higher so far; differential evolution (Storn and Price 1997, as SciPy has it) starts from the best
points; then the sequence goes on, and what it adds is climbed again.  All randomness comes from the
seed, and points are exact, so that a search can be repeated to the last digit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from dpaudit.audit.certify import EpsilonDelta
from dpaudit.audit.room import check_room
from dpaudit.errors import PrecisionError, TooLargeError
from dpaudit.questions.hunt.score import Score, cost, score
from dpaudit.worded import Worded

if TYPE_CHECKING:
    from dpaudit.questions.hunt.family import Family
    from dpaudit.questions.hunt.space import Point

__all__ = ["Evaluated", "Limits", "Search", "Stopped", "Unevaluated"]

_SAMPLED, _CLIMBED, _EVOLVED, _SAMPLED_AGAIN = 0.4, 0.6, 0.75, 0.9  # when a phase ends
_SAMPLE_TOLERANCE, _EVOLUTION_TOLERANCE = 1e-3, 1e-4
_MOST_PEAKS = 1000
_PEAKS, _COARSE, _LAST_STEP = 8, 32, 2.0**-22
_CORNERS = 64
_ASKS_PER_EVALUATION = 50  # a population that has come to rest asks for what is known


class Stopped(Worded):
    """Reason for the end of a search."""

    WHOLE = "every point was evaluated"
    CONVERGED = "the search converged"
    EVALUATIONS = "the limit of evaluations was reached"
    TIME = "the time cap was reached"
    INFINITE = "an infinite ε was found, which is the worst possible"
    INTERRUPTED = "the search was interrupted"


@dataclass(frozen=True)
class Limits:
    """Limits of a search, and its seed."""

    seed: int = 0
    """Seed of the search."""
    evaluations: int = 1000
    """Largest number of points that may be evaluated."""
    seconds: float = 60.0
    """Largest number of seconds for the search, and for the expected time of one evaluation."""


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One point that was looked at."""

    point: Point
    """Its exact values, in the order of the dimensions."""
    score: Score
    """Shares of the budget used at the point."""


@dataclass(frozen=True, slots=True)
class Unevaluated:
    """One point that could not be looked at."""

    point: Point
    """Its exact values, in the order of the dimensions."""
    reason: str
    """Reason for leaving the point out."""
    costly: bool
    """True if it would have taken too much time or memory; False if it could not be enclosed."""


class _Over(Exception):  # noqa: N818  (the search has what it wants, or may not go on)
    def __init__(self, why: Stopped) -> None:
        self.why = why


class _PhaseOver(Exception):  # noqa: N818  (what is left is for the other phases)
    pass


class Search:
    """A search in progress; what it has found stays when it is interrupted."""

    def __init__(
        self,
        family: Family,
        limits: Limits,
        progress: Callable[[int, float], None] = lambda evaluations, worst: None,
    ) -> None:
        """Take what is searched; ``progress`` is told how many points, and the largest ratio."""
        self.family = family
        self.space = family.space
        self.limits = limits
        self.evaluated: dict[Point, Evaluated] = {}
        self.unevaluated: dict[Point, Unevaluated] = {}
        self.preferred: Evaluated | None = None
        self._progress = progress
        self._worst = 0.0
        self._asked = 0
        self._due = math.inf
        self._extended = False

    def run(self) -> Stopped:
        """Search until the limits, or Ctrl-C; return why it ended."""
        self._due = time.monotonic() + self.limits.seconds
        try:
            size = self.space.size
            if size is not None and size <= self.limits.evaluations:
                for point in product(*(d.values() for d in self.space.dimensions)):
                    self.evaluate(point)
                return Stopped.WHOLE
            sample = self._sample()
            self._look_at(sample, _SAMPLED)
            self._climb_all(_CLIMBED)
            self._evolve()
            self._look_at(sample, _SAMPLED_AGAIN)
            self._climb_all(1.0)
        except _Over as over:
            return over.why
        except KeyboardInterrupt:
            return Stopped.INTERRUPTED
        return Stopped.CONVERGED

    def ranked(self) -> list[Evaluated]:
        """Return what was evaluated, the worst first; of equals, what was found first.

        What is ``preferred`` stands before all others.
        """
        ranked = sorted(self.evaluated.values(), key=lambda found: -found.score.height)
        if self.preferred is not None:
            ranked.remove(self.preferred)
            ranked.insert(0, self.preferred)
        return ranked

    def late(self) -> bool:
        """Tell whether the time of the search is over."""
        return time.monotonic() >= self._due

    def extend(self) -> None:
        """Lift the limits, for the last few evaluations."""
        self._extended = True

    def evaluate(self, point: Point) -> float:
        """Return the height at ``point``, −∞ where there is none; look only once."""
        evaluated = self.evaluated.get(point)
        if evaluated is not None:
            return evaluated.score.height
        if point in self.unevaluated:
            return -math.inf
        # What is known costs nothing, so the limits are looked at after it.
        self._check_limits()
        subject = self.family.at(point)
        try:
            # Room and time are asked for first: one point may not take what is left for all.
            check_room(EpsilonDelta(), subject.mechanism, (subject.n,), subject.plan)
        except TooLargeError as error:
            self.unevaluated[point] = Unevaluated(point, str(error), True)
            return -math.inf
        seconds = cost(subject)
        if seconds > self.limits.seconds:
            reason = f"it would take about {seconds:.1g} seconds"
            self.unevaluated[point] = Unevaluated(point, reason, True)
            return -math.inf
        try:
            found = Evaluated(point, score(subject))
        except PrecisionError as error:
            self.unevaluated[point] = Unevaluated(point, str(error), False)
            return -math.inf
        self.evaluated[point] = found
        self._worst = max(self._worst, found.score.ratio)
        self._progress(len(self.evaluated) + len(self.unevaluated), self._worst)
        # The point is kept before the search ends: it is the answer.
        if math.isinf(found.score.ratio) and not self._extended:
            raise _Over(Stopped.INFINITE)
        return found.score.height

    def _check_limits(self) -> None:
        if self._extended:
            return
        if len(self.evaluated) + len(self.unevaluated) >= self.limits.evaluations:
            raise _Over(Stopped.EVALUATIONS)
        if self.late():
            raise _Over(Stopped.TIME)

    def _spent(self, share: float) -> bool:
        spent = len(self.evaluated) + len(self.unevaluated)
        return spent >= share * self.limits.evaluations

    def _look_at(self, sample: Iterator[Point], share: float) -> None:
        while not self._spent(share):
            point = next(sample, None)
            if point is None:
                return
            self.evaluate(point)

    def _sample(self) -> Iterator[Point]:
        """Iterate over the corners, then over points that fill the space more and more evenly."""
        from scipy.stats import qmc

        ends = [dimension.ends for dimension in self.space.dimensions]
        yield from islice(product(*ends), _CORNERS)
        # A Sobol sequence is balanced at powers of 2; 4 more leave the faces a bit at least.
        power = math.ceil(math.log2(self.limits.evaluations + 4))
        inside, on_faces = (
            qmc.Sobol(len(ends), scramble=True, rng=self.limits.seed + stream).random_base2(bits)
            # One in four points is followed by one on a face.
            for stream, bits in ((0, power), (1, power - 2))
        )
        for index, coordinates in enumerate(inside):
            yield self.space.point(coordinates, _SAMPLE_TOLERANCE)
            if len(ends) > 1 and index % 4 == 3:  # extremes like to lie on a face
                face = on_faces[index // 4]
                axis = index // 4 % len(ends)
                face[axis] = round(face[axis])
                yield self.space.point(face, _SAMPLE_TOLERANCE)

    def _evolve(self) -> None:
        from scipy.optimize import differential_evolution

        population = self._population()
        # SciPy takes no smaller one.
        if len(population) < 5:
            return

        raised: list[Exception] = []

        def depth(coordinates: Sequence[float]) -> float:
            self._asked += 1
            too_many = self._asked > _ASKS_PER_EVALUATION * self.limits.evaluations
            if too_many or self._spent(_EVOLVED):
                raise _PhaseOver
            try:
                height = self.evaluate(self.space.point(coordinates, _EVOLUTION_TOLERANCE))
            except Exception as error:  # SciPy would take some for errors of its own
                raised.append(error)
                raise _PhaseOver from None
            # With an infinite one among its energies SciPy never comes to rest.
            return -height if height > -math.inf else 1e300

        try:
            differential_evolution(
                depth,
                [(0.0, 1.0)] * len(self.space.dimensions),
                init=population,
                rng=self.limits.seed,
                maxiter=10_000,
                tol=1e-9,
                # It would follow a gradient of heights that are constant between exact points.
                polish=False,
                updating="immediate",
            )
        except _PhaseOver:
            if raised:
                raise raised[0] from None

    def _population(self) -> Any:
        """Return unit coordinates: half the best points, half spread over the others."""
        ranked = self.ranked()
        count = min(len(ranked), max(8, 8 * len(self.space.dimensions)))
        best, others = ranked[: count // 2], ranked[count // 2 :]
        stride = max(1, len(others) // max(1, count - len(best)))
        chosen = [*best, *others[::stride][: count - len(best)]]
        return [self.space.coordinates(found.point) for found in chosen]

    def _climb_all(self, share: float) -> None:
        """Go uphill from every peak of what is known, coarsely, and to the top from the best."""
        spacing = max(len(self.evaluated), 2) ** (-1 / len(self.space.dimensions))
        for start in self._peaks():
            if self._spent(share):
                return
            self._climb(start, spacing, spacing / _COARSE)
        ranked = self.ranked()
        if ranked:
            self._climb(ranked[0], spacing / _COARSE, _LAST_STEP)

    def _climb(self, start: Evaluated, first: float, last: float) -> None:
        """Go uphill one coordinate at a time, by steps that halve from ``first`` to ``last``."""
        point, height, step = start.point, start.score.height, first
        while step >= last:
            better = self._better(point, height, step)
            if better is None:
                step /= 2
            else:
                point, height = better

    def _peaks(self) -> list[Evaluated]:
        """Return points that no near one is worse than: the most isolated, then the highest.

        Isolation is the distance to the nearest point that is worse, as of mountains; it keeps the
        many shoulders of a broad peak from crowding out a narrow one.  A point on a plain, where
        all near ones are as bad, is no peak.
        """
        import numpy as np
        from scipy.spatial import KDTree

        points = list(self.evaluated.values())
        near = 2 * len(self.space.dimensions) + 3  # itself is one
        if len(points) <= near:
            return self.ranked()[:_PEAKS]
        heights = np.array([found.score.height for found in points])
        places = np.array([self.space.coordinates(found.point) for found in points])
        _, nearest = KDTree(places).query(places, k=near)
        around = heights[nearest]
        peak = (around.max(axis=1) <= heights) & (around.min(axis=1) < heights)
        found = sorted(np.flatnonzero(peak).tolist(), key=lambda index: -heights[index])
        some = found[:: 1 + len(found) // _MOST_PEAKS]

        def isolation(index: int) -> float:
            higher = places[heights > heights[index]]
            return float(np.min(np.abs(higher - places[index]).max(axis=1), initial=math.inf))

        isolated = sorted(some, key=isolation, reverse=True)[:_PEAKS]
        return [points[index] for index in dict.fromkeys([*isolated, *found[: _PEAKS // 2]])]

    def _better(self, point: Point, height: float, step: float) -> tuple[Point, float] | None:
        for index, dimension in enumerate(self.space.dimensions):
            for value in dimension.near(point[index], step):
                there = (*point[:index], value, *point[index + 1 :])
                found = self.evaluate(there)
                if found > height:
                    return there, found
        return None
