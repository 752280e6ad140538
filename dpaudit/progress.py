"""Progress of long loops: a loop tells how far it has come, and whoever runs it may show that.

Nothing is shown unless somebody asks for it with :func:`shown_by`, as the command line does.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

__all__ = ["Show", "Step", "ended", "profile_again", "shown_by", "step"]


class Step(NamedTuple):
    """Progress of a loop."""

    done: int
    """Number of passes done."""
    expected: float | None
    """About how many there are; None where nobody can say."""
    what: str
    """Name of the passes, such as ``paths of count at 3``."""


Show = Callable[[Step | None], float]
"""Shows a step, or with None that the loop is over; returns in how many seconds to tell it more."""


class _Shown:
    """Function that shows progress now, and the time at which it is to be called next."""

    show: Show | None = None
    due = math.inf


def step(done: int, expected: float | None, what: str) -> None:
    """Tell how far a loop has come: at every pass of one that may be long, as it costs little.

    Args:
        done: how many passes are done.
        expected: about how many there are, if anybody can say.
        what: what is counted, of what: ``paths of count at 3``.

    It may be called while a program is watched: what shows the progress is not.
    """
    if monotonic() >= _Shown.due:
        _tell(Step(done, expected, what))


def ended() -> None:
    """Tell that a loop is over, so that nothing of it stays on the screen."""
    if _Shown.show is not None:
        _tell(None)


@contextmanager
def shown_by(show: Show, first: float = 0.0) -> Iterator[None]:
    """Let ``show`` be told of all loops inside the block, ``first`` after so many seconds."""
    before = _Shown.show, _Shown.due
    _Shown.show, _Shown.due = show, monotonic() + first
    try:
        yield
    finally:
        ended()
        _Shown.show, _Shown.due = before


def _tell(what: Step | None) -> None:
    """Show a step, with whatever watches calls or follows instructions out of the way."""
    assert _Shown.show is not None
    watching, following = sys.getprofile(), sys.gettrace()
    sys.setprofile(None)
    sys.settrace(None)
    try:
        wait = _Shown.show(what)
        if what is not None:
            _Shown.due = monotonic() + wait
    finally:
        profile_again(watching)
        sys.settrace(following)


def profile_again(before: Any) -> None:
    """Let what ``sys.getprofile`` gave watch calls again.

    Python's own profiler (``cProfile``) is no function that could be set: it enables itself.
    """
    if before is None or callable(before):
        sys.setprofile(before)
    else:
        before.enable()
