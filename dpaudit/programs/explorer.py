"""Exploring a program: every path that it can take at one dataset, and what it gives there."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError
from dpaudit.mechanisms.user_laws import alike, brief_look, hold_apart
from dpaudit.programs.exploration import (
    LOOKED_AHEAD,
    Exploration,
    Left,
    Path,
    exploration_of,
    look_ahead,
    share_of,
    to_retry,
    too_many,
)
from dpaudit.programs.flow import Flow, unfollowed
from dpaudit.programs.guards import guarded, unwatching
from dpaudit.programs.held import changing_nothing, held_by
from dpaudit.programs.integrals import product
from dpaudit.programs.known import tells_apart
from dpaudit.programs.outputs import Raised, look, outcome
from dpaudit.programs.real.counted import RealRuns, fewest
from dpaudit.programs.real.effort import Effort
from dpaudit.programs.real.tree import Leaf
from dpaudit.programs.refusal import NoEnd, Refused
from dpaudit.programs.regions import Given, alike_of, key_of, region_of
from dpaudit.programs.run import LAST, MOST_DECISIONS, Decision, Run
from dpaudit.programs.source import Explored, Source
from dpaudit.programs.subsamplers import outcomes_of
from dpaudit.programs.trails import CHANGED, OTHERWISE, Trails, agree
from dpaudit.programs.wholes import chance

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from dpaudit.programs.integrals import Weight
    from dpaudit.programs.known import Known
    from dpaudit.programs.regions import Seen
    from dpaudit.programs.subsamplers import Outcome
    from dpaudit.programs.words import Words

__all__ = ["CHANGED", "Followed", "Samplers", "along", "explore"]

Body = Callable[[Source], Any]


def explore(
    body: Body,
    most_paths: int,
    advice: str = "",
    *,
    again: bool = True,
    begun: Followed | None = None,
    calculates: bool = False,
    holds: Callable[[list[Seen], float], RealRuns] | None = None,
) -> Exploration:
    """Return every path of ``body``, which draws from the source that it is given.

    Where some path seems to have no end, the likeliest are followed until no more than
    :data:`dpaudit.programs.subsamplers.REST` is left.

    Every path is run twice, the second time in the opposite order, and must take the same decisions
    and give the same output, but where ``again`` is false: the caller sees to it otherwise.  Of
    code that only ``calculates``, paths that do the same are tried by one of them.  ``advice`` is
    what to do instead of drawing from elsewhere.  What was ``begun`` goes on.  What ``holds`` the
    paths to real runs is given them, and the seconds that they took.

    Raises:
        LawError: for a program that cannot be followed, or has more than ``most_paths`` paths.
    """

    def followed(*, endless: bool) -> Followed:
        return Followed(
            body,
            most_paths,
            samplers,
            again=Samplers(most_paths, calculates),
            advice=advice,
            opens=again and not endless,
            endless=endless,
            calculates=calculates,
            compares=again,
        )

    began = time.perf_counter()
    real = RealRuns(0)
    samplers = Samplers(most_paths, calculates)
    try:
        try:
            seen, complete = (begun or followed(endless=False)).paths(again=again)
        except NoEnd:
            seen, complete = followed(endless=True).paths(again=again)
        if holds is not None:
            real = fewest([holds(seen, time.perf_counter() - began), *samplers.real])
    except Refused as refusal:
        raise LawError(str(refusal)) from None
    paths = []
    for taken, run, output in seen:
        key = key_of(output)
        paths.append(Path(taken, key[0], region_of(run, key), alike_of(run)))
    hold_apart({}, (path.output for path in paths))
    return replace(exploration_of(paths, complete=complete), real=real)


def along(body: Body, trail: tuple[int, ...], most_paths: int, words: Words) -> None:
    """Run ``body`` along one path, and tell what is decided in ``words``."""
    run = Run(trail)
    run.samplers, run.opens, run.words = Samplers(most_paths), True, words
    outcome(run, lambda: body(Explored(run)))
    run.open = False


@dataclass
class Followed:
    """The paths of one body."""

    body: Body
    most: int
    samplers: Samplers
    again: Samplers | None = None
    """What derives them anew when every path is run again; by default what was derived first."""
    advice: str = ""
    """What to do instead of what is refused."""
    opens: bool = False
    """Whether an output may leave whole numbers open."""
    endless: bool = False
    """Whether to follow the likeliest paths first, until no more than a rest is left."""
    datasets: Sequence[tuple[int, ...]] = ()
    """The datasets that are explored together, if there are several."""
    looks_ahead: bool = True
    """Whether to say so where there seem to be more paths than may be."""
    calculates: bool = False
    """Whether its code was read, and only calculates."""
    compares: bool = True
    """Whether instructions that run are compared; real runs of the code itself need it not."""
    waiting: Trails = field(init=False)
    seen: list[Seen] = field(default_factory=list)
    looked: list[Hashable] = field(default_factory=list)
    """How the output of each path looked when it was given."""
    left: bool = False
    """Whether some path was left."""

    def __post_init__(self) -> None:
        """Begin with the trail of no decisions."""
        self.waiting = Trails(likeliest=self.endless)

    def paths(self, *, again: bool = True) -> tuple[list[Seen], bool]:
        """Return the paths, and whether there are no others; each is run ``again`` and compared."""
        running: list[Run] = []
        left = Left(self.most)
        with self._guarded(running):
            explored = sum((share_of(run) for _, run, _ in self.seen), Fraction(0))
            while self.waiting:
                run = self._next(running)
                explored += share_of(run)
                if self.endless:
                    if left.is_small_after(run):
                        break
                    continue
                if len(self.seen) == LOOKED_AHEAD and self.looks_ahead:
                    look_ahead(self.most, explored)
                if len(self.seen) > self.most:
                    raise Refused(too_many(self.most, explored), inside=False)
            tried = self._tried() if again else []
            for trail, run, output in reversed(tried):
                found = self._again(trail, run.decisions, output, running, self.again)
                if found is None:
                    raise Refused(CHANGED, inside=False)
                run.flow = found.flow
            for _, run, output in tried:
                if self._tells_apart(run, output, running):
                    raise Refused(OTHERWISE, inside=False)
        for (_, _, output), before in zip(self.seen, self.looked, strict=True):
            if look(output) != before:
                raise Refused("an output changes after it was given", inside=False, final=True)
        return self.seen, not self.waiting and not self.left

    def confirms(self, seen: Seen, decisions: list[Decision], running: list[Run]) -> bool:
        """Tell whether a path that was found otherwise is one, with known numbers as well."""
        trail, _, output = seen
        found = self._again(trail, decisions, output, running)
        return found is not None and not self._tells_apart(found, output, running)

    def _again(
        self,
        trail: tuple[int, ...],
        decisions: list[Decision],
        output: Hashable,
        running: list[Run],
        samplers: Samplers | None = None,
    ) -> Run | None:
        """Run a path once more; None where it is not the same."""
        with self._following() as flow:
            found, other = self._run(trail, running, samplers)
        found.flow = flow.taken
        same = found.decisions == decisions and type(other) is type(output)
        return found if same and alike(other, output) else None

    def begin(self, count: int) -> bool:
        """Run so many paths; tell whether there are others."""
        running: list[Run] = []
        with self._guarded(running):
            while self.waiting and len(self.seen) <= min(count, self.most):
                self._next(running)
        return bool(self.waiting)

    def repeats(self) -> bool:
        """Tell whether the paths that were run so far come out again."""
        running: list[Run] = []
        with self._guarded(running):
            return all(
                self._again(trail, run.decisions, output, running) is not None
                for trail, run, output in self._tried()
            )

    def _tried(self) -> list[Seen]:
        """Return the paths that are run again."""
        return list(to_retry(self.seen)) if self.calculates else self.seen

    def _guarded(self, running: list[Run]) -> AbstractContextManager[None]:
        advice = filter(None, [self.advice])
        return guarded(lambda: running[-1], *advice, calls=not self.calculates)

    def _following(self, *, first: bool = False) -> Flow:
        """Return what tells the instructions that run, where code may do more than calculate."""
        return Flow(idle=self.calculates or not self.compares, first=first)

    def _tells_apart(self, run: Run, output: Hashable, running: list[Run]) -> bool:
        """Hold a path to what the program does with known numbers."""

        def again(source_of: Callable[[Run], Known]) -> Hashable:
            other_run = Run(())
            source = source_of(other_run)
            running[:] = [other_run]
            with self._following() as flow:
                found = outcome(other_run, lambda: self.body(source))
            source.finished()
            return found if flow.taken == run.flow else flow

        return tells_apart(run, output, again, OTHERWISE)

    def some_again(self, count: int) -> None:
        """Run a few of the paths once more, others each time, as a later call would."""
        running: list[Run] = []
        with self._guarded(running):
            for trail, run, output in self.seen[:count]:
                if self._again(trail, run.decisions, output, running) is None:
                    raise Refused(CHANGED, inside=False)
        self.seen = self.seen[count:] + self.seen[:count]

    def _next(self, running: list[Run]) -> Run:
        if len(self.seen) == _LOOKED_FOR_AN_END and not self.endless:
            self._run((LAST,) * MOST_DECISIONS, running)
        trail = self.waiting.next()
        with self._following(first=True):
            run, output = self._run(trail, running)
        taken = tuple(decision.taken for decision in run.decisions)
        if self.seen and not self.endless:
            agree(self.seen[-1][1], run, trail)
        if not run.cut:
            self.seen.append((taken, run, output))
            self.looked.append(look(output))
        self.left = self.left or run.cut
        self.waiting.add(run, len(trail))
        return run

    def _run(
        self, trail: tuple[int, ...], running: list[Run], samplers: Samplers | None = None
    ) -> tuple[Run, Hashable]:
        run = Run(trail)
        run.samplers, run.follows = samplers or self.samplers, self.endless
        run.opens = self.opens
        run.datasets, run.active = self.datasets, tuple(range(len(self.datasets)))
        return _run(self.body, run, running)


_LOOKED_FOR_AN_END = 64
"""After so many paths it is tried whether taking the last way each time comes to an end."""


_LOOKED_AT, _MOST_LOOKS = 4, 100
"""So many paths of a sub-sampler are run again when it is drawn from, and how often they are."""


@dataclass
class Samplers:
    """The laws of sub-samplers, each derived once."""

    most: int
    calculates: bool = False
    """Whether the code was read, and only calculates."""
    known: dict[Any, tuple[Outcome, ...]] = field(default_factory=dict)
    followed: dict[Any, Followed] = field(default_factory=dict)
    calls: dict[Any, int] = field(default_factory=dict)
    real: list[RealRuns] = field(default_factory=list)
    """The real runs that the laws were held to."""
    looking: bool = False
    """Whether paths of one are run again."""

    def __call__(
        self,
        sampler: Callable[..., Any],
        given: tuple[Any, ...],
        outcomes: tuple[Hashable, ...] | None,
        *,
        renewed: bool,
    ) -> tuple[Outcome, ...]:
        """Return the law of ``sampler`` at these arguments."""
        try:
            look = brief_look((given, outcomes))  # 1 is not True
            key = held_by(sampler), given, outcomes, renewed, look
            hash(key)
        except TypeError as error:
            raise Refused(f"a sub-sampler is given what cannot be hashed ({error})") from None
        with unwatching(), unfollowed():  # the sampler is watched on its own
            if key in self.known:
                self.calls[key] += 1
                if not self.looking and self.calls[key] <= _MOST_LOOKS:
                    self.looking = True  # what those paths call in turn is known as it is
                    self.followed[key].body = changing_nothing(sampler, given)
                    self.followed[key].some_again(_LOOKED_AT)
                    self.looking = False
                return self.known[key]
            self.calls[key] = 0
            self.followed[key] = followed = Followed(
                changing_nothing(sampler, given),
                self.most,
                self,
                endless=outcomes is not None,
                calculates=self.calculates,
            )
            seen, complete = followed.paths()
            self.real.append(_held_to_real_runs(sampler, given, seen))
        found = [_weighed(run, output) for _, run, output in seen]
        try:
            hold_apart({}, (*(outcomes or ()), *(output for output, _ in found)))
        except LawError as error:
            raise Refused(f"a sub-sampler: {error}", inside=False) from None
        self.known[key] = outcomes_of(found, complete, outcomes, renewed=renewed)
        return self.known[key]


def _held_to_real_runs(
    sampler: Callable[..., Any], given: tuple[Any, ...], seen: list[Seen]
) -> RealRuns:
    """Hold the paths of a sub-sampler to real runs of it."""
    from dpaudit.programs.real.ideal import hold_ideal

    leaves = [Leaf(run, output, run.gave) for _, run, output in seen]
    return hold_ideal(lambda source: sampler(source, *given), leaves, list, _OF_SAMPLER)


_OF_SAMPLER = Effort(datasets=40)
"""A program may draw from many sub-samplers: each gets as much as a dataset of so many does."""


def _weighed(run: Run, output: Hashable) -> tuple[Hashable, Weight]:
    if run.draws or isinstance(output, (Given, Raised)):
        raise Refused("a sub-sampler draws continuous noise, or raises", inside=False)
    weight: Weight = run.weight
    for draw, support in zip(run.wholes, run.supports, strict=True):
        weight = product(weight, chance(draw, support))
    return output, weight


def _run(body: Body, run: Run, running: list[Run]) -> tuple[Run, Hashable]:
    """Run the program once along its trail."""
    running[:] = [run]
    output = outcome(run, lambda: body(Explored(run)))
    run.open = False
    return run, output
