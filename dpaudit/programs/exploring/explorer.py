"""Following the paths of a program, one run each, and running them again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError
from dpaudit.mechanisms.user_laws import alike, brief_look, hold_apart
from dpaudit.programs.exploring.estimates import Pace, told
from dpaudit.programs.exploring.exploration import (
    Left,
    to_retry,
    too_many,
)
from dpaudit.programs.exploring.known import tells_apart
from dpaudit.programs.exploring.outputs import PLAIN, Raised, limit, look, outcome
from dpaudit.programs.exploring.run import LAST, MOST_DECISIONS, Decision, Run
from dpaudit.programs.exploring.source import Explored, Source
from dpaudit.programs.exploring.subsamplers import outcomes_of
from dpaudit.programs.exploring.trails import CHANGED, OTHERWISE, Trails, agree
from dpaudit.programs.guarding.flow import Flow, unfollowed
from dpaudit.programs.guarding.guards import guarded, unheard, unwatching
from dpaudit.programs.guarding.outside_values import changing_nothing, held_by
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.real.effort import Effort
from dpaudit.programs.real.tree import Leaf
from dpaudit.programs.unknowns.wholes import chance
from dpaudit.programs.zones.integrals import product
from dpaudit.programs.zones.regions import Given

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from dpaudit.programs.exploring.known import Known
    from dpaudit.programs.exploring.subsamplers import Outcome
    from dpaudit.programs.real.counted import RealRuns
    from dpaudit.programs.zones.integrals import Weight
    from dpaudit.programs.zones.regions import Seen

__all__ = ["CHANGED", "Body", "Followed", "Samplers"]

Body = Callable[[Source], Any]


@dataclass
class Followed:
    """The paths of one body."""

    body: Body
    most: int
    samplers: Samplers
    again: Samplers | None = None
    """Laws of sub-samplers for when every path is run again; by default those derived first."""
    advice: str = ""
    """Advice in messages of refusal."""
    opens: bool = False
    """True if an output may leave whole numbers open."""
    endless: bool = False
    """True to follow the likeliest paths first, until no more than a rest is left."""
    datasets: Sequence[tuple[int, ...]] = ()
    """The datasets that are explored together, if there are several."""
    calculates: bool = False
    """True if its code was read, and only calculates."""
    compares: bool = True
    """True if instructions that run are compared; real runs of the code itself need it not."""
    waiting: Trails = field(init=False)
    pace: Pace = field(init=False)
    """About how many paths there are."""
    seen: list[Seen] = field(default_factory=list)
    looked: list[Hashable] = field(default_factory=list)
    """Appearance of the output of each path, when it was given."""
    left: bool = False
    """True if some path was left."""
    estimates: bool = field(default=False, init=False)
    """True if it is time to estimate how many paths there are."""
    raised: set[Hashable] = field(default_factory=set)
    """Exceptions, with their places, that were compared with those of known numbers."""

    def __post_init__(self) -> None:
        """Begin with the trail of no decisions."""
        self.waiting, self.pace = Trails(likeliest=self.endless), Pace(self.most)

    def paths(self, *, again: bool = True) -> tuple[list[Seen], bool]:
        """Return the paths, and whether there are no others; each is run ``again`` and compared."""
        running: list[Run] = []
        left = Left(self.most)
        with self._guarded(running):
            while self.waiting.left:
                run = self._next(running)
                if self.endless and left.is_small_after(run):
                    break
                if self.endless or self.estimates:
                    self._step(running, left)
                if len(self.seen) > self.most and not self.endless:
                    raise Refused(too_many(self.most, self.pace.expected), inside=False)
            tried = self._tried() if again else []
            for done, (trail, run, output) in enumerate(reversed(tried)):
                told(done, len(tried), "paths run again")
                found = self._again(trail, run.decisions, output, running, self.again)
                if found is None:
                    raise Refused(CHANGED, inside=False)
                run.flow = found.flow
            for done, (_, run, output) in enumerate(tried):
                told(done, len(tried), "paths run again with plain numbers")
                if self._tells_apart(run, output, running):
                    raise _otherwise(run, output)
        for (_, _, output), before in zip(self.seen, self.looked, strict=True):
            if look(output) != before:
                raise Refused(
                    "an output changes after it was returned; return a copy",
                    inside=False,
                    final=True,
                )
        return self.seen, not self.waiting.left and not self.left

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
            while self.waiting.left and len(self.seen) <= min(count, self.most):
                self._next(running)
                if self.endless or self.estimates:
                    self._step(running)
        return bool(self.waiting.left)

    def _step(self, running: list[Run], left: Left | None = None) -> None:
        """Estimate how many paths there are, where it is time to."""

        def ways_along(trail: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(decision.ways for decision in self._run(trail, running)[0].decisions)

        left = left if self.endless else None
        done = max(1, len(self.seen) if left is None else left.run)
        self.pace.step(done, self.waiting.parted, ways_along, left)

    def repeats(self) -> bool:
        """Tell whether the paths that were run so far come out again."""
        running: list[Run] = []
        with self._guarded(running):
            return all(
                self._again(trail, run.decisions, output, running) is not None
                for trail, run, output in self._tried()
            )

    def along(self, trail: tuple[int, ...]) -> tuple[Run, Hashable]:
        """Return the run along one path, and what it gives."""
        running: list[Run] = []
        with self._guarded(running):
            return self._run(trail, running)

    def _tried(self) -> list[Seen]:
        """Return the paths that are run again."""
        return list(to_retry(self.seen)) if self.calculates else self.seen

    def _guarded(self, running: list[Run]) -> AbstractContextManager[None]:
        advice = filter(None, [self.advice])
        return guarded(lambda: running[-1], *advice, calls=not self.calculates)

    def _following(self, *, first: bool = False) -> Flow:
        """Return what tells the instructions that run, where code may do more than calculate."""
        return Flow(idle=self.calculates or not self.compares, first=first)

    def _tells_apart(
        self, run: Run, output: Hashable, running: list[Run], *, steps: bool = True
    ) -> bool:
        """Hold a path to what the program does with known numbers, its ``steps`` as well."""

        def again(source_of: Callable[[Run], Known]) -> Hashable:
            other_run = Run(())
            source = source_of(other_run)
            running[:] = [other_run]
            with self._following() as flow:
                found = outcome(other_run, lambda: self.body(source))
            source.finished()
            return found if flow.taken == run.flow or not steps else flow

        return tells_apart(run, output, again, OTHERWISE)

    def _hold_raised(self, run: Run, raised: Raised, running: list[Run]) -> None:
        """Refuse an exception that known numbers do not raise: at once, the first from a line.

        Others are found out when all paths are run again, by whoever explores.
        """
        kind = raised.kind, run.raised_at
        if self.datasets or run.as_run or kind in self.raised:
            return
        self.raised.add(kind)
        if self._tells_apart(run, raised, running, steps=False):
            raise limit(run, raised)

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
        run = unheard(self._first_waiting)
        with self._following(first=True):
            output = self._output(run, running)
        if self.seen and not self.endless:
            agree(self.seen[-1][1], run)
        if isinstance(output, Raised):
            self._hold_raised(run, output, running)
        if type(output) in PLAIN:  # to look at it runs no code of the program
            unheard(self._note, run, output)
        else:
            self._note(run, output)
        return run

    def _note(self, run: Run, output: Hashable) -> None:
        """Keep a path that was run, and the trails that part after those it followed."""
        if not run.cut:
            taken = tuple(decision.taken for decision in run.decisions)
            self.seen.append((taken, run, output))
            self.looked.append(look(output))
        self.left = self.left or run.cut
        self.waiting.add(run, len(run.trail))
        # Of endless paths it is told once it is known how much is left.
        self.estimates = not self.endless and not self.pace.passes(max(1, len(self.seen)))

    def _run(
        self, trail: tuple[int, ...], running: list[Run], samplers: Samplers | None = None
    ) -> tuple[Run, Hashable]:
        run = unheard(self._run_along, trail, samplers)
        return run, self._output(run, running)

    def _first_waiting(self) -> Run:
        """Return a run, not begun, along the next trail that waits."""
        return self._run_along(self.waiting.next())

    def _run_along(self, trail: tuple[int, ...], samplers: Samplers | None = None) -> Run:
        """Return a run along a trail, not begun."""
        run = Run(trail)
        run.samplers, run.follows = samplers or self.samplers, self.endless
        run.opens = self.opens
        run.datasets, run.active = self.datasets, tuple(range(len(self.datasets)))
        return run

    def _output(self, run: Run, running: list[Run]) -> Hashable:
        """Run the program once, and return what it gives."""
        running[:] = [run]
        output = outcome(run, lambda: self.body(Explored(run)))
        run.open = False
        return output


def _otherwise(run: Run, output: Hashable) -> Refused:
    """Return what is said of a path that comes out otherwise with known numbers."""
    if isinstance(output, Raised):
        return limit(run, output)
    return Refused(OTHERWISE, inside=False)


_LOOKED_FOR_AN_END = 64
"""After so many paths it is tried whether taking the last way each time comes to an end."""


_LOOKED_AT, _MOST_LOOKS = 4, 100
"""So many paths of a sub-sampler are run again when it is drawn from, and how often they are."""


@dataclass
class Samplers:
    """The laws of sub-samplers, each derived once."""

    most: int
    calculates: bool = False
    """True if the code was read, and only calculates."""
    known: dict[Any, tuple[Outcome, ...]] = field(default_factory=dict)
    followed: dict[Any, Followed] = field(default_factory=dict)
    calls: dict[Any, int] = field(default_factory=dict)
    real: list[RealRuns] = field(default_factory=list)
    """The real runs that the laws were held to."""
    looking: bool = False
    """True while paths of a sub-sampler are run again."""

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
            raise Refused(
                f"an argument of a function of random.sub is not hashable ({error}); pass numbers, "
                "texts or tuples"
            ) from None
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
            raise Refused(f"a function of random.sub: {error}", inside=False) from None
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
        raise Refused(
            "a function of random.sub draws continuous noise or raises an exception, which "
            "dpaudit cannot follow there; draw in the program itself",
            inside=False,
        )
    weight: Weight = run.weight
    for draw, support in zip(run.wholes, run.supports, strict=True):
        weight = product(weight, chance(draw, support))
    return output, weight
