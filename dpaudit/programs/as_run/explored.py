"""Exploring a program as it runs, and holding what was derived to real runs of it."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

from dpaudit.errors import LawError
from dpaudit.machine import uncollected
from dpaudit.mechanisms.records import recorded
from dpaudit.mechanisms.user_laws import entries, held, one_nan
from dpaudit.programs.as_run.curves import UNIT, Curve
from dpaudit.programs.as_run.earlier import Earlier, earlier_generators
from dpaudit.programs.as_run.floats import FloatKind
from dpaudit.programs.as_run.generator_holders import stood_in
from dpaudit.programs.as_run.interposed import drawn_from, generator_states, interposed
from dpaudit.programs.as_run.numpy_calls import remember_the_real_ones
from dpaudit.programs.as_run.supply import Exploring
from dpaudit.programs.as_run.versions import check_versions
from dpaudit.programs.exploring.explore import explore
from dpaudit.programs.exploring.explorer import Followed, Samplers
from dpaudit.programs.exploring.outputs import PLAIN, outcome
from dpaudit.programs.frame_outputs import Opening, frame_parts
from dpaudit.programs.guarding.refusal import PAST_ITS_MODULE, Refused
from dpaudit.programs.guarding.standins import numbers_stood_for
from dpaudit.programs.real.as_run import hold_to_real_runs
from dpaudit.programs.real.constants import constants_of
from dpaudit.programs.real.effort import Effort
from dpaudit.programs.real.tree import Leaf

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from dpaudit.programs.as_run.supply import Stream
    from dpaudit.programs.exploring.exploration import Exploration
    from dpaudit.programs.exploring.run import Run
    from dpaudit.programs.zones.regions import Seen

__all__ = ["AsRun", "explore_as_run", "following_as_run", "plain"]


class Watching(Protocol):
    """Looks at what calls leave for later ones (:mod:`dpaudit.programs.output_laws`)."""

    def begin(self) -> None:
        """Begin calls with other stand-ins than before."""

    def end(self, place: Any, seen: Sequence[Seen]) -> None:
        """End the calls at a dataset, whose paths were these."""


@dataclass
class AsRun:
    """Functions that were stood in for, or assumed to be monotone, over all datasets so far."""

    used: set[str]
    """The functions that were called and stood in for."""
    assumed: set[str]
    """The functions that were assumed to be monotone."""

    def interposed(self) -> tuple[str, ...]:
        """Return what was stood in for, as a report says it."""
        return tuple(sorted(self.used))

    def monotone(self) -> tuple[str, ...]:
        """Return the functions that were assumed to be monotone, with the library of each."""
        library = " ".join(platform.libc_ver()) or platform.platform()
        numpy = sys.modules.get("numpy")
        return tuple(
            f"{name} (NumPy {getattr(numpy, '__version__', '')}, {platform.machine()})"
            if name.startswith("numpy.")
            else f"{name} ({library.strip()})"
            for name in sorted(self.assumed)
        )


@uncollected()
def explore_as_run(
    call: Callable[[], Any],
    most_paths: int,
    notes: AsRun,
    *,
    effort: Callable[[float], Effort] = lambda seconds: Effort(seconds=seconds),
    holds: Sequence[Any] = (),
    between: Watching | None = None,
    place: Any = None,
) -> Exploration:
    """Return every path of ``call``, which draws from Python's or NumPy's own modules.

    What was derived is held to real runs of the unchanged code (:mod:`dpaudit.programs.real`).

    Args:
        call: runs the program once.
        most_paths: how many paths it may have.
        notes: is told what was stood in for and assumed.
        effort: gives how many real runs are made, after so many seconds of exploring.
        holds: what the program holds: its function, parameters and dataset.
        between: looks at what calls leave; None for code that can leave nothing.
        place: the reading and the dataset, as ``between`` names them.

    Raises:
        LawError: for a program that cannot be followed, or cheats.
    """
    remember_the_real_ones()  # not while others stand in for them
    check_versions()
    UNIT.forget()
    paths: dict[tuple[int, ...], Leaf] = {}
    earlier = earlier_generators(holds)
    before, began = generator_states(earlier.live), time.process_time()
    with _body(call, notes.used, paths, earlier) as body:
        if between is not None:
            between.begin()
        found = explore(body, most_paths, advice=PAST_ITS_MODULE, again=False)
    seconds = time.process_time() - began
    _check_drawn_from(before)
    leaves = list(paths.values())
    if between is not None:
        between.begin()
    try:
        constants = partial(constants_of, *holds)
        drawn = _drawn(earlier, leaves)
        real = hold_to_real_runs(call, plain, leaves, constants, effort(seconds), earlier=drawn)
    except Refused as refusal:
        raise LawError(str(refusal)) from None
    _check_drawn_from(before)
    if between is not None:
        between.end(place, [(taken, leaf.run, leaf.output) for taken, leaf in paths.items()])
    for leaf in leaves:
        notes.assumed |= _assumed(leaf.run)
    return replace(found, real=real)


def _check_drawn_from(before: dict[int, Any]) -> None:
    """Refuse a program that drew from a generator that is not followed."""
    if drawn_from(before):
        raise LawError(
            "it draws from a generator that was created before the run and that dpaudit cannot "
            "follow: it has a seed, shares or exposes its state, or is kept where dpaudit cannot "
            "replace it; keep numpy.random.default_rng() in a module, an object or a list, or "
            "create it inside the function"
        )


def _drawn(earlier: Earlier, leaves: Sequence[Leaf]) -> dict[Stream, Any]:
    """Return the earlier generators from which a path draws, by their streams."""
    streams = {asked.stream for leaf in leaves for asked in leaf.asked}
    return {stream: one for stream, one in earlier.followed.items() if stream in streams}


_TAKEN = attrgetter("taken")
_UNKNOWN = Opening()
"""Columns of a dataset, of which nothing is known when a run ends."""


@contextmanager
def _body(
    call: Callable[[], Any],
    used: set[str],
    paths: dict[tuple[int, ...], Leaf],
    earlier: Earlier,
) -> Iterator[Callable[[Any], Any]]:
    """Let random functions be stood in for inside the block; ``paths`` gets those that end."""
    current: list[Exploring] = []

    def body(source: Any) -> Any:
        supply = Exploring(source._run)
        current[:] = [supply]
        output = outcome(supply.run, lambda: plain(call(), opening=_UNKNOWN))
        supply.run.open = False
        if not supply.run.cut:
            taken = tuple(map(_TAKEN, supply.run.decisions))
            paths[taken] = Leaf(supply.run, output, supply.asked)
        return output

    with (
        numbers_stood_for({float: FloatKind}),
        interposed(current, used) as standing,
        stood_in(standing.earlier(earlier.followed)),
    ):
        yield body


@contextmanager
def following_as_run(
    call: Callable[[], Any], most_paths: int, holds: Sequence[Any] = ()
) -> Iterator[Callable[[tuple[int, ...], bool], tuple[Run, Hashable]]]:
    """Yield what follows one path of ``call``: its trail, and whether it may have no end.

    Args:
        call: runs the program once.
        most_paths: how many paths it may have.
        holds: what the program holds.
    """
    remember_the_real_ones()
    UNIT.forget()
    with _body(call, set(), {}, earlier_generators(holds)) as body:

        def along(trail: tuple[int, ...], endless: bool) -> tuple[Run, Hashable]:
            samplers = Samplers(most_paths)
            settings: Any = {"advice": PAST_ITS_MODULE, "endless": endless, "compares": False}
            return Followed(body, most_paths, samplers, **settings).along(trail)

        yield along


def _assumed(run: Run) -> set[str]:
    return {name for decision in run.decisions for name in _named(decision.asked)}


def _named(asked: Any) -> set[str]:
    """Return what the curves of a question assume."""
    if isinstance(asked, Curve):
        return set(asked.assumed)
    return set().union(*map(_named, asked)) if isinstance(asked, tuple) else set()


def plain(output: Any, *, opening: Opening | None = None) -> Any:
    """Return an output with lists for NumPy's arrays, and Python's numbers for NumPy's.

    Series and frames are mappings; ``opening`` is None where no draws are open.
    """
    if type(output) in PLAIN:  # most are
        return one_nan(output)
    output = recorded(output)
    if type(output).__module__ == "numpy" and hasattr(output, "tolist"):
        return plain(entries(output), opening=opening)
    if type(output) is dict:
        return {
            plain(key, opening=opening): plain(part, opening=opening)
            for key, part in output.items()
        }
    if type(output) in (list, tuple, set, frozenset) or (
        isinstance(output, tuple) and hasattr(output, "_make")
    ):
        return held(output, [plain(part, opening=opening) for part in output])
    frame = frame_parts(output, opening=opening)
    return one_nan(output) if frame is None else plain(frame, opening=opening)
