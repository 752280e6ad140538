"""Exploring a program as it runs, and running every path again with real floats."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError
from dpaudit.mechanisms.user_laws import alike, held
from dpaudit.programs.as_run.curves import UNIT, Curve
from dpaudit.programs.as_run.interposed import generator_states, interposed
from dpaudit.programs.as_run.numpy_calls import remember_the_real_ones
from dpaudit.programs.as_run.supply import Asked, Exploring, Replaying, Supply
from dpaudit.programs.as_run.versions import check_versions
from dpaudit.programs.explorer import explore
from dpaudit.programs.flow import Flow
from dpaudit.programs.guards import guarded
from dpaudit.programs.outputs import outcome
from dpaudit.programs.refusal import Refused
from dpaudit.programs.run import Run
from dpaudit.programs.trails import CHANGED

if TYPE_CHECKING:
    from collections.abc import Hashable

    from dpaudit.programs.exploration import Exploration

__all__ = ["AsRun", "explore_as_run"]

_ADVICE = "it is reached past its module, where nothing can stand in for it"
_OTHERWISE = "it does not do the same with known floats as with unknown ones"


@dataclass
class AsRun:
    """What stood in for what, and what was assumed, over all datasets so far."""

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


@dataclass
class _Path:
    asked: list[Asked]
    run: Run
    output: Hashable
    flow: int


def explore_as_run(
    call: Callable[[], Any], most_paths: int, notes: AsRun, *, calculates: bool = False
) -> Exploration:
    """Return every path of ``call``, which draws from Python's or NumPy's own modules.

    Every path is run once more with real floats, at both ends of what it leaves open, and must
    give the same output.

    Args:
        call: runs the program once.
        most_paths: how many paths it may have.
        notes: is told what was stood in for and assumed.
        calculates: whether its code does nothing with numbers but calculate, so that the
            instructions that run need not be compared.

    Raises:
        LawError: for a program that cannot be followed, or cheats.
    """
    remember_the_real_ones()  # not while others stand in for them
    check_versions()
    UNIT.forget()
    current: list[Supply] = []
    paths: dict[tuple[int, ...], _Path] = {}

    def body(source: Any) -> Any:
        supply = Exploring(source._run)
        current[:] = [supply]
        path = _explored(call, supply, calculates)
        if not supply.run.cut:
            taken = tuple(decision.taken for decision in supply.run.decisions)
            paths[taken] = path
        return path.output

    before = generator_states()
    with interposed(lambda: current[-1], notes.used):
        found = explore(body, most_paths, advice=_ADVICE, again=False)
        try:
            _replay(call, list(paths.values()), current, calculates)
        except Refused as refusal:
            raise LawError(str(refusal)) from None
    after = generator_states()
    if any(one in after and after[one][1] != state for one, (_, state) in before.items()):
        raise LawError("it draws from a generator that was made before, past what stands in for it")
    for path in paths.values():
        notes.assumed |= _assumed(path.run)
    return found


def _explored(call: Callable[[], Any], supply: Exploring, calculates: bool) -> _Path:
    """Run a path with draws that are not known."""
    with Flow(idle=calculates) as flow:
        output = outcome(supply.run, lambda: _plain(call()))
    supply.run.open = False
    return _Path(supply.asked, supply.run, output, flow.taken)


def _replay(
    call: Callable[[], Any], paths: list[_Path], current: list[Supply], calculates: bool
) -> None:
    """Run every path with real floats, twice.

    It must do what it did with unknown ones: now, if not before, as what was kept for later by the
    first run, a table or an import, may be there.
    """
    unused = Run(())
    running: list[Run] = [unused]
    with guarded(lambda: running[-1], _ADVICE):
        for path in reversed(paths):  # each run comes after others than before
            for first in (0, 1):
                supply = Replaying(path.asked, path.run, CHANGED, first=first)
                current[:] = [supply]
                with Flow(idle=calculates) as flow:
                    output = outcome(unused, lambda: _plain(call()))
                if supply.refusal is not None:
                    raise supply.refusal
                supply.finished()
                if not alike(output, path.output):
                    raise Refused(_OTHERWISE, inside=False)
                if flow.taken != path.flow:
                    again = Exploring(Run([decision.taken for decision in path.run.decisions]))
                    current[:], running[:] = [again], [again.run]
                    path.flow = _explored(call, again, calculates).flow
                    running[:] = [unused]
                    if again.run.decisions != path.run.decisions:
                        raise Refused(CHANGED, inside=False)
                    if flow.taken != path.flow:
                        raise Refused(_OTHERWISE, inside=False)
                if not supply.left_open:
                    break


def _assumed(run: Run) -> set[str]:
    return {name for decision in run.decisions for name in _named(decision.asked)}


def _named(asked: Any) -> set[str]:
    """Return what the curves of a question assume."""
    if isinstance(asked, Curve):
        return set(asked.assumed)
    return set().union(*map(_named, asked)) if isinstance(asked, tuple) else set()


def _plain(output: Any) -> Any:
    """Return an output with lists for NumPy's arrays, and Python's numbers for NumPy's."""
    if type(output).__module__ == "numpy" and hasattr(output, "tolist"):
        return _plain(output.tolist())
    if type(output) in (list, tuple, set, frozenset):
        return held(output, map(_plain, output))
    return output
