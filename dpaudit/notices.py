"""Notices: what is done as it was surely meant, and said once, on one line."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dpaudit.progress import ended

__all__ = [
    "BlanksWarning",
    "ByPositionWarning",
    "CutOutputsWarning",
    "HalfInWarning",
    "ManyPathsWarning",
    "OldNameWarning",
    "StaysHereWarning",
    "notice",
    "notices_on_stderr",
]


class OldNameWarning(FutureWarning):
    """An old name whose meaning is certain was given, and read as the new one."""


class BlanksWarning(UserWarning):
    """Values of a file that differ in the blanks around them are counted as one."""


class ByPositionWarning(UserWarning):
    """Numbers without names were given, and go to names by their order."""


class CutOutputsWarning(RuntimeWarning):
    """Outputs of a sampler have more entries than are looked at."""


class HalfInWarning(UserWarning):
    """Exactly half of the canaries are in, as a design may have fixed that no bound here is for."""


class ManyPathsWarning(RuntimeWarning):
    """A program seems to have more paths than it may have."""


class StaysHereWarning(RuntimeWarning):
    """A mechanism that no other process can find again is audited in this one alone."""


def notice(text: str, kind: type[Warning] = OldNameWarning) -> None:
    """Say ``text``: as a warning of this ``kind``, on the command line as one line on stderr."""
    warnings.warn(text, kind, stacklevel=5)


_NOTICES = (
    BlanksWarning,
    ByPositionWarning,
    CutOutputsWarning,
    HalfInWarning,
    ManyPathsWarning,
    OldNameWarning,
    StaysHereWarning,
)


@contextmanager
def notices_on_stderr() -> Iterator[None]:
    """Print notices as lines of their own, each once."""
    said: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, _NOTICES):
            otherwise(message, category, *where, **more)
        elif str(message) not in said:
            said.add(str(message))
            ended()  # what shows progress is on this line
            print(f"dpaudit: {message}", file=sys.stderr)

    with warnings.catch_warnings():
        otherwise = warnings.showwarning
        for kind in _NOTICES:
            warnings.simplefilter("always", kind)
        warnings.showwarning = show
        yield
