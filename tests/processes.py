"""Processes that tests leave, or should not."""

from contextlib import suppress
from pathlib import Path

__all__ = ["those_in"]


def those_in(folder: Path) -> list[int]:
    """The processes whose working directory is a folder."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if place.readlink() == folder:
                found.append(int(place.parent.name))
    return found
