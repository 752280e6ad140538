"""A call must not depend on calls before it: state that calls leave is compared, and tried.

Where calls change nothing that the code can reach (:mod:`dpaudit.programs.guarding.state`), each is
a function of its dataset and its draws.  Where they change something, a memo of what is calculated
all the same is harmless, and a flag is not.  Paths are then followed once more with the same draws:
in processes in which the program was never called, and here, after all other calls.  All must do
the same, and nothing may change any more.
"""

from __future__ import annotations

import _random
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dpaudit.errors import LawError, without_addresses
from dpaudit.mechanisms.user_laws import frozen
from dpaudit.programs.as_run.explored import plain
from dpaudit.programs.as_run.live import live_generators
from dpaudit.programs.exploring.outputs import look
from dpaudit.programs.exploring.trails import CHANGED, OTHERWISE
from dpaudit.programs.guarding.guards import python_state, unheard
from dpaudit.programs.guarding.pristine import Pristine, digest
from dpaudit.programs.guarding.process_settings import ProcessSettings
from dpaudit.programs.guarding.refusal import Refused
from dpaudit.programs.guarding.seeds import bits_of, seeded_state
from dpaudit.programs.guarding.state import State
from dpaudit.programs.real.effort import OTHER_DRAWS
from dpaudit.programs.real.masses import OUTSIDE
from dpaudit.subjects import DRAWN

if TYPE_CHECKING:
    from collections.abc import Hashable

    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.guarding.state import Change
    from dpaudit.programs.zones.regions import Seen

__all__ = ["BetweenCalls", "Path", "Place", "calling", "drawn_text"]

_MOST_PATHS = 128
"""Of more paths at a dataset, so many are followed again, chosen at random."""
_SHARE = 0.05
"""Share of the time of calls that looking may take."""
_KEEP_OUT = (
    "; create it inside the function, or finish building it when the module is imported, so that "
    "no call changes it"
)
_WRITE_ELSEWHERE = (
    "; if nothing reads it (a counter, a log), write it in the code that calls the function, or "
    "with logging; else create it inside the function"
)
_CHANGED_LINES = (CHANGED, OTHERWISE, OTHER_DRAWS, OUTSIDE, "a real run with the draws",
                  "random draw is used after", "after its run", "takes different decisions",
                  "output changes after", "plain numbers do not raise", "every run raises",
                  "refused once")  # fmt: skip
"""Messages about programs that do not do the same again, whatever the reason."""


class Place(NamedTuple):
    """A reading and a dataset."""

    reading: str
    dataset: Any


class Path(NamedTuple):
    """A path as it is followed again."""

    trail: tuple[int, ...]
    opens: bool
    """True if an output may leave whole numbers open."""
    endless: bool
    """True if the likeliest paths are followed."""


Following = Callable[[Place], AbstractContextManager[Callable[[Path], "tuple[Run, Hashable]"]]]
_DRAWS, _DRAWN_DATASETS = 8, 16
"""So many draws with known seeds are compared, at so many datasets."""


def _following_nothing(place: Place) -> AbstractContextManager[Any]:
    raise NotImplementedError(place)


class BetweenCalls:
    """State that calls of a program leave, from the first on."""

    def __init__(
        self, function: Callable[..., Any], following: Following = _following_nothing
    ) -> None:
        """Begin before the first call.

        Args:
            function: what is called.
            following: gives what follows one path at a dataset, in whatever process; by default
                nothing is followed, and draws alone are compared.
        """
        self._function, self._following = function, following
        self._settings = ProcessSettings()
        self._outside, self._inside = State(function), State(function)
        try:
            self._pristine: Pristine | None = Pristine(self._telling)
        except OSError:
            self._pristine = None
        self.change: Change | None = None
        """The first change that was seen; None if there was none."""
        self._paths: dict[Place, list[Seen]] = {}
        self._runs, self._looked, self._next, self._ended = 0, 0, 1, 0.0
        self.refusal = ""
        """Refusal of calls that depend on those before; empty if there is none."""

    def watch(self, function: Callable[..., Any]) -> None:
        """Look at what another function reaches from now on, as another reading calls it.

        Raises:
            LawError: where calls were found to depend on those before.
        """
        if self.refusal:
            raise LawError(self.refusal)
        self._outside, self._inside = State(function), State(function)
        self._paths.clear()

    def begin(self) -> None:
        """Begin calls with other stand-ins than before: what these change is no change."""
        self._runs, self._looked, self._next, self._ended = 0, 0, 1, time.perf_counter()

    def call(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Call the program, and look at some times whether it has changed anything."""
        try:
            return function(*given, **named)
        finally:
            self._runs += 1
            if self._runs >= self._next:
                unheard(self._look)

    def _look(self) -> None:
        began = time.perf_counter()
        if self._runs == 1:
            self._inside.take()
        elif self.change is None:
            self.change = self._inside.change()
        ended = time.perf_counter()
        runs = max(1, self._runs - self._looked)
        each = max((began - self._ended) / runs, 1e-6)
        few = 1 if self._runs == 1 else int((ended - began) / (_SHARE * each))
        self._next = self._runs + max(1, self._runs // 4, few)
        self._looked, self._ended = self._runs, ended

    def end(self, place: Place, seen: Sequence[Seen]) -> None:
        """End the calls at a dataset, whose paths were these."""
        self.compare()
        few = len(seen) <= _MOST_PATHS
        self._paths[place] = list(seen) if few else random.sample(list(seen), _MOST_PATHS)

    def compare(self) -> bool:
        """Tell whether anything changed since the last time."""
        found = self._outside.change()
        self.change = self.change or found
        return found is not None

    def explains(self, error: LawError) -> LawError:
        """Return what is said instead, where a program does not do the same again."""
        self.compare()
        if self.change is None or not any(line in str(error) for line in _CHANGED_LINES):
            return error
        self.refusal = (
            f"a later call finds {self.change} as an earlier call left it, so calls do not all "
            f"have the same output distribution{_KEEP_OUT}"
        )
        return LawError(self.refusal)

    def check(self) -> None:
        """Refuse a program whose calls depend on those before.

        Raises:
            LawError: where a change makes a difference, or there is no end of changes.
        """
        try:
            self._check()
        except LawError as error:
            self.refusal = str(error)
            raise

    def _check(self) -> None:
        if self.change is None:
            return
        for place, seen in self._paths.items():
            paths = [_path_of(one) for one in seen]
            before = [digest(_told(run, output)) for _, run, output in seen]
            self._check_here(place, paths, before)
            self._hold_apart(place, paths, before)

    def check_draws(self, datasets: Sequence[Any]) -> None:
        """Refuse to draw from a function whose calls depend on those before.

        Raises:
            LawError: where a change makes a difference, or there is no end of changes.
        """
        self.compare()
        if self.change is None:
            return
        seeds, among = range(_DRAWS), live_generators()  # once: it takes long in a large process
        for dataset in datasets[:_DRAWN_DATASETS]:
            here, again = (
                [digest(drawn_text(self._function, dataset, seed, among)) for seed in seeds]
                for _ in range(2)
            )
            self._refuse_change(self._outside)
            if here != again:
                raise LawError(
                    f"a call changes {self.change}, and because it draws from a source without a "
                    "seed, dpaudit cannot check that later calls have the same output "
                    f"distribution{_KEEP_OUT}"
                )
            self._hold_apart(Place(DRAWN, dataset), seeds, here)

    def _check_here(self, place: Place, paths: Sequence[Path], before: Sequence[str]) -> None:
        """Refuse paths that have become others, or still change something."""
        with self._following(place) as along:
            for number, (path, told) in enumerate(zip(paths, before, strict=True)):
                if digest(_told_of(along, path)) != told:
                    raise self._differs()
                if not number:
                    self._inside.take()
                self._refuse_change(self._inside)
        self._refuse_change(self._outside)

    def _refuse_change(self, state: State) -> None:
        change = state.change()
        if change is not None:
            raise LawError(
                f"every call changes {change}, so later calls may have a different output "
                f"distribution{_WRITE_ELSEWHERE}"
            )

    def _hold_apart(self, place: Place, paths: Sequence[Any], before: Sequence[str]) -> None:
        """Refuse calls that are others in a first call."""
        if self._pristine is None:
            raise LawError(
                f"a call changes {self.change}, and this system cannot fork a process to compare "
                f"it with a first call{_KEEP_OUT}"
            )
        try:
            apart = list(self._pristine.ask(place, paths))
        except Refused as refusal:
            raise LawError(str(refusal)) from None
        if apart != list(before):
            raise self._differs()

    def _differs(self) -> LawError:
        return LawError(
            f"a call returns something else after an earlier call has changed {self.change}, so "
            f"calls do not all have the same output distribution{_KEEP_OUT}"
        )

    @contextmanager
    def _telling(self, place: Place) -> Iterator[Callable[[Any], str]]:
        if place.reading == DRAWN:
            among = live_generators()
            yield lambda seed: self._twice(
                lambda: drawn_text(self._function, place.dataset, seed, among)
            )
            return
        with self._following(place) as along:
            yield lambda path: self._twice(lambda: _told_of(along, path))

    def _twice(self, call: Callable[[], str]) -> str:
        """Return what a first call does, and whether the same call once more changes anything."""
        first = call()
        state = State(self._function)
        again = call()
        return first if again == first and state.is_same() else f"{first}, then {again}"

    def close(self) -> None:
        """End the process that waits, and leave this one as it was before the calls."""
        self._settings.restore()
        if self._pristine is not None:
            self._pristine.close()


def calling(between: BetweenCalls | None, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what calls a program, and looks between its calls."""
    return function if between is None else partial(between.call, function)


def drawn_text(
    function: Callable[[Any], Any], dataset: Any, seed: int, among: Sequence[Any]
) -> str:
    """Return as text what a function gives where each generator ``among`` some has this seed."""
    with _seeded(seed, among):
        try:
            return without_addresses(repr(look(frozen(plain(function(dataset))))))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # an exception is an output
            return f"raises {type(error).__name__}: {error}"


def _set_python_state(generator: random.Random, state: Any) -> None:
    """Set what :func:`~dpaudit.programs.guarding.guards.python_state` gave."""
    _random.Random.setstate(generator, state[0])
    generator.gauss_next = state[1]  # type: ignore[attr-defined]


@contextmanager
def _seeded(seed: int, among: Sequence[Any]) -> Iterator[None]:
    """Seed generators inside the block."""
    restored: list[tuple[Callable[[Any], object], Any]] = []
    states: dict[Any, Any] = {}  # of each class once: a process may have many generators
    try:
        for one in among:
            if isinstance(one, random.Random) and not isinstance(one, random.SystemRandom):
                # Not by its own methods: a class may change these, and one made by ``__new__``
                # alone has no half of a pair yet.
                restored.append((partial(_set_python_state, one), python_state(one)))
                random.Random.seed(one, seed)
            elif hasattr(one, "set_state"):
                restored.append((one.set_state, one.get_state(legacy=False)))
                kind = type(one), type(bits_of(one))
                if kind not in states:
                    states[kind] = seeded_state(one, seed)
                one.set_state(states[kind])
            elif hasattr(one, "state"):
                restored.append((partial(setattr, one, "state"), one.state))
                if type(one) not in states:
                    states[type(one)] = type(one)(seed).state
                one.state = states[type(one)]
        yield
    finally:
        for restore, state in restored[::-1]:
            restore(state)


def _path_of(seen: Seen) -> Path:
    trail, run, _ = seen
    return Path(trail, run.opens, run.follows)


def _told_of(along: Callable[[Path], tuple[Run, Hashable]], path: Path) -> str:
    """Return what a path does, as text; what it is refused for is no reason here."""
    try:
        return _told(*along(path))
    except Refused as refusal:
        return f"refused: {refusal}"


def _told(run: Run, output: Hashable) -> str:
    """Return what a run did as text: its draws, its decisions and its output."""
    decisions = [(one.where, one.ways, one.taken) for one in run.decisions]
    draws = run.weight, run.draws, run.wholes, run.supports, run.zone
    return without_addresses(repr((decisions, draws, output, look(output))))
