"""Exploring a program: every path that it can take at one dataset, and what it gives there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.errors import LawError, one_line
from dpaudit.programs.guards import guarded
from dpaudit.programs.lazy import Lazy
from dpaudit.programs.refusal import Refused
from dpaudit.programs.run import Run
from dpaudit.programs.source import Explored, Source
from dpaudit.programs.unknown import Unknown
from dpaudit.programs.zones import Edge, closure, covers

if TYPE_CHECKING:
    from dpaudit.numbers.real import Real
    from dpaudit.programs.noises import Draw
    from dpaudit.programs.wholes import Support, WholeDraw

__all__ = ["CHANGED", "Exploration", "Raised", "Region", "explore", "outcome"]

_PACKAGE = str(Path(__file__).resolve().parent.parent)

Body = Callable[[Source], Any]


@dataclass(frozen=True, slots=True)
class Raised:
    """The output of a run that ends with an exception."""

    kind: str
    """The name of the exception's class."""
    message: str
    """Its text."""

    def __str__(self) -> str:
        """Say what was raised, as a report shows it."""
        return f"raises {self.kind}: {self.message}" if self.message else f"raises {self.kind}"


@dataclass(frozen=True, slots=True)
class Region:
    """The draws of some paths: what was decided about the finite ones, and where others lie."""

    weight: Real
    """The probability of the finite draws."""
    draws: tuple[Draw, ...]
    zone: frozenset[tuple[Edge, Fraction]]
    """Where the continuous draws lie."""
    wholes: tuple[tuple[WholeDraw, Support], ...]
    """Where the countable draws lie."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a program gives at one dataset, and where."""

    regions: dict[Hashable, list[Region]]
    """The regions of every output; different regions share no draws."""
    paths: int
    """How many paths were run."""


def explore(body: Body, most_paths: int, advice: str = "", *, again: bool = True) -> Exploration:
    """Return every path of ``body``, which draws from the source that it is given.

    Every path is run twice, the second time in the opposite order, and must take the same decisions
    and give the same output, but where ``again`` is false: the caller sees to it otherwise.
    ``advice`` is what to do instead of drawing from elsewhere.

    Raises:
        LawError: for a program that cannot be followed, or has more than ``most_paths`` paths.
    """
    running: list[Run] = []
    seen: list[tuple[tuple[int, ...], Run, Hashable]] = []
    try:
        with guarded(lambda: running[-1], *filter(None, [advice])):
            waiting: list[tuple[int, ...]] = [()]
            explored = Fraction(0)
            while waiting:
                trail = waiting.pop()
                run, output = _run(body, trail, running)
                taken = tuple(decision.taken for decision in run.decisions)
                if seen:
                    _agree(seen[-1][1], run, trail)
                share = Fraction(1)
                for decision in run.decisions:
                    share /= decision.ways
                explored += share
                seen.append((taken, run, output))
                if len(seen) > most_paths:
                    raise Refused(_too_many(most_paths, explored), inside=False)
                for place in range(len(trail), len(taken)):
                    others = range(run.decisions[place].ways - 1, 0, -1)
                    waiting += [(*taken[:place], other) for other in others]
        for trail, run, output in reversed(seen) if again else ():
            other_run, other = _run(body, trail, running)
            if other_run.decisions != run.decisions or type(other) is not type(output):
                raise Refused(CHANGED, inside=False)
            if other != output:
                raise Refused(CHANGED, inside=False)
    except Refused as refusal:
        raise LawError(str(refusal)) from None
    raised = {output for _, _, output in seen if isinstance(output, Raised)}
    if len(raised) == len({output for _, _, output in seen}):
        raise LawError(f"every run {' or '.join(sorted(map(str, raised)))}")
    return Exploration(_regions(seen), len(seen))


CHANGED = "it does not do the same when it is run again with the same draws"
"""What is said of a program that is no function of its draws."""


def _too_many(most: int, explored: Fraction) -> str:
    estimate = float(most / explored)
    return (
        f"it has more than {most} paths (about {estimate:.2g}, by those that were run); raise "
        "paths, or draw less before an output is decided"
    )


def _run(body: Body, trail: tuple[int, ...], running: list[Run]) -> tuple[Run, Hashable]:
    """Run the program once along ``trail``."""
    run = Run(trail)
    running[:] = [run]
    output = outcome(run, lambda: body(Explored(run)))
    run.open = False
    return run, output


def outcome(run: Run, call: Callable[[], Any]) -> Hashable:
    """Return what a call gives out or raises, for ``run`` to refuse what is no output."""
    output: Any
    try:
        output = _known(run, call())
        hash(output)
    except (RecursionError, MemoryError) as error:
        run.refuse(f"it raised {one_line(error)}")
    except Exception as error:
        if "unhashable" in str(error) and isinstance(error, TypeError):
            run.refuse(f"an output cannot be hashed ({one_line(error)}); give a tuple")
        if _raised_by_engine(error):
            run.refuse(f"it makes the engine raise {one_line(error)}")
        output = Raised(type(error).__name__, _text(error))
    except (Refused, KeyboardInterrupt):
        raise
    except BaseException as error:
        run.refuse(f"it raised {one_line(error)}, which is no Exception")
    if run.refusal is not None:
        raise run.refusal
    return output  # type: ignore[no-any-return]


def _raised_by_engine(error: BaseException) -> bool:
    """Tell whether an exception comes from the engine's own code: that is no output."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = "" if trace is None else trace.tb_frame.f_code.co_filename
    return file.startswith(_PACKAGE) and not file.endswith("explorer.py")


def _text(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _known(run: Run, output: Any) -> Any:
    """Return an output without unknown numbers: whole ones are decided, real ones refused."""
    if isinstance(output, Lazy) and not isinstance(output, Unknown):
        return output._fixed()
    if isinstance(output, Unknown):
        run.refuse(
            "it gives out a continuous draw; densities are not audited yet: give out what is "
            "decided about it, or round it"
        )
    if isinstance(output, (list, tuple)):
        parts = [_known(run, part) for part in output]
        if type(output) in (list, tuple):
            return tuple(parts)
        if hasattr(output, "_make"):
            return output._make(parts)
    if isinstance(output, (set, frozenset)):
        return frozenset(_known(run, part) for part in output)
    return output


def _agree(before: Run, now: Run, trail: tuple[int, ...]) -> None:
    """Hold a run to the one before it, as far as their trails are the same."""
    for earlier, later, taken in zip(before.decisions, now.decisions, trail, strict=False):
        if (earlier.asked, earlier.where, earlier.ways) != (later.asked, later.where, later.ways):
            raise Refused(f"{later.where}: {CHANGED}", inside=False)
        if earlier.taken != taken:
            return


def _regions(seen: list[tuple[tuple[int, ...], Run, Hashable]]) -> dict[Hashable, list[Region]]:
    """Return where each output is given, with regions joined that fill a zone together."""
    found: dict[Hashable, dict[Any, list[dict[Edge, Fraction]]]] = {}
    for _, run, output in seen:
        wholes = tuple(zip(run.wholes, run.supports, strict=True))
        # Regions of one key differ in their zones alone, so that these are disjoint.
        key = tuple(run.draws), wholes, run.weight, tuple(run.finite), tuple(run.scales)
        found.setdefault(output, defaultdict(list))[key].append(closure(run.zone))
    return {
        output: [
            Region(weight, draws, frozenset(zone.items()), wholes)
            for (draws, wholes, weight, *_), zones in groups.items()
            for zone in _joined(zones)
        ]
        for output, groups in found.items()
    }


def _joined(zones: list[dict[Edge, Fraction]]) -> list[dict[Edge, Fraction]]:
    """Return one zone for all, where they fill one together, else the zones themselves."""
    if len(zones) < 2:
        return zones
    hull = dict(zones[0])
    for zone in zones[1:]:
        hull = {edge: max(c, zone[edge]) for edge, c in hull.items() if edge in zone}
    return [hull] if covers(zones, hull) else zones
