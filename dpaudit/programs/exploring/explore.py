"""Exploring a program at one dataset: all of its paths, or the likeliest of endlessly many."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.errors import LawError
from dpaudit.mechanisms.user_laws import hold_apart
from dpaudit.programs.exploring.exploration import Exploration, Path, exploration_of
from dpaudit.programs.exploring.explorer import Body, Followed, Samplers
from dpaudit.programs.exploring.outputs import outcome
from dpaudit.programs.exploring.run import Run
from dpaudit.programs.exploring.source import Explored
from dpaudit.programs.guarding.refusal import NoEnd, Refused
from dpaudit.programs.real.counted import RealRuns, fewest
from dpaudit.programs.zones.regions import alike_of, key_of, region_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpaudit.programs.exploring.words import Words
    from dpaudit.programs.zones.regions import Seen

__all__ = ["along", "explore"]


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
    :data:`dpaudit.programs.exploring.subsamplers.REST` is left.

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

    began = time.process_time()
    real = RealRuns(0)
    samplers = Samplers(most_paths, calculates)
    try:
        try:
            seen, complete = (begun or followed(endless=False)).paths(again=again)
        except NoEnd:
            seen, complete = followed(endless=True).paths(again=again)
        if holds is not None:
            real = fewest([holds(seen, time.process_time() - began), *samplers.real])
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
