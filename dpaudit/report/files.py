"""Writing files whole: aside first, then renamed, so that no reader sees half of one.

A link is followed, and what is no regular file (a device, a pipe, the standard output by a
name of its own) is written into: renaming would put a regular file in its place.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path

from dpaudit.errors import OutputError

__all__ = [
    "PLOT_SUFFIXES",
    "caption_of",
    "check_distinct",
    "check_writable",
    "plot_path",
    "write_plot",
    "write_whole",
]

PLOT_SUFFIXES = (".png", ".svg", ".pdf")
"""The forms a plot can be written in."""

_STANDARD_OUTPUT = 1


def plot_path(path: Path) -> Path:
    """Return the path of a plot: without a suffix it is an SVG.

    Raises ``OutputError`` for a suffix other than :data:`PLOT_SUFFIXES`.
    """
    if path.name and not path.suffix and not path.is_dir():
        return path.with_name(f"{path.name}.svg")
    if path.suffix.lower() not in PLOT_SUFFIXES:
        allowed = ", ".join(PLOT_SUFFIXES)
        raise OutputError(path, f"a plot file must end in one of {allowed}")
    return path


def caption_of(path: Path, *, always: bool = False) -> Path | None:
    """Return where the caption of a plot lies, as text: beside a vector file, or ``always``."""
    vector = path.suffix.lower() != ".png"
    return path.with_suffix(".caption.txt") if vector or always else None


def check_writable(path: Path) -> None:
    """Raise ``OutputError`` unless a file could be written at ``path`` now; leave no trace."""
    try:
        if path.is_dir():
            raise OutputError(path, "it is a folder; give the name of a file")
        with suppress(FileNotFoundError):
            path.lstat()  # a name that no file can have is not found by writing a file aside
    except OSError as error:
        raise OutputError(path, error.strerror or str(error)) from None
    except ValueError as error:
        raise OutputError(ascii(str(path)), str(error)) from None
    if _is_stream(path):
        if not os.access(path, os.W_OK):
            raise OutputError(path, "Permission denied")
        return
    place = _followed(path)
    try:
        handle, aside = _file_aside(place)
    except OSError as error:
        raise OutputError(path, f"{error.strerror or error} ({place.parent})") from None
    os.close(handle)
    os.unlink(aside)


def check_distinct(paths: Iterable[Path]) -> None:
    """Raise ``OutputError`` if two of ``paths`` are the same file, which can be written once."""
    places: set[Path] = set()
    for path in paths:
        place = _followed(path)
        if place in places and not _is_stream(path):
            raise OutputError(path, "two options name the same file; give two different files")
        places.add(place)


def write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` by way of a file aside; ``OutputError`` if that fails."""
    try:
        if _is_stream(path):
            _write_into(path, content)
        else:
            _replace(_followed(path), content)
    except OSError as error:
        raise OutputError(path, error.strerror or str(error)) from None


def write_plot(path: Path, content: bytes, caption: str, *, keep: bool, column: bool) -> Path:
    """Write a plot, and its caption beside it; return the path of the plot.

    Args:
        path: path of the plot.
        content: bytes of the plot.
        caption: text to write beside a vector file.
        keep: whether another plot at ``path`` stays; this one gets a number then.
        column: whether the caption is written in any case, for it is nowhere on the plot.

    Raises:
        OutputError: where a file cannot be written.
    """
    place = path
    for number in count(2):
        if not keep or not place.exists() or place.read_bytes() == content:
            break
        place = path.with_stem(f"{path.stem}-{number}")
    write_whole(place, content)
    if caption and (beside := caption_of(place, always=column)) is not None:
        write_whole(beside, f"{caption}\n".encode())
    return place


def _is_stream(path: Path) -> bool:
    """Tell whether ``path`` is there and has to be written into, not replaced."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(status.st_mode) or _same_as_output(status)


def _same_as_output(status: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(status, os.fstat(_STANDARD_OUTPUT))
    return False


def _write_into(path: Path, content: bytes) -> None:
    shared = _same_as_output(path.stat())  # opened again, it would be written from its start
    sys.stdout.flush()
    handle = os.dup(_STANDARD_OUTPUT) if shared else os.open(path, os.O_WRONLY)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)


def _followed(path: Path) -> Path:
    try:
        return Path(os.path.realpath(path))
    except ValueError as error:
        raise OutputError(ascii(str(path)), str(error)) from None


def _file_aside(path: Path) -> tuple[int, str]:
    return tempfile.mkstemp(dir=path.parent, prefix=".dpaudit.")


def _replace(path: Path, content: bytes) -> None:
    handle, aside = _file_aside(path)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        umask = os.umask(0)  # it can only be read by setting it
        os.umask(umask)
        os.chmod(aside, 0o666 & ~umask)
        os.replace(aside, path)
    except BaseException:  # an interrupt too must not leave the file aside
        with suppress(OSError):
            os.unlink(aside)
        raise
