"""Writing files whole: aside first, then renamed, so that no reader sees half of one."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from dpaudit.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["PLOT_SUFFIXES", "check_plot_suffix", "check_writable", "write_whole"]

PLOT_SUFFIXES = (".png", ".svg", ".pdf")
"""The forms a plot can be written in."""


def check_plot_suffix(path: Path) -> None:
    """Raise ``OutputError`` unless ``path`` ends in one of :data:`PLOT_SUFFIXES`."""
    if path.suffix.lower() not in PLOT_SUFFIXES:
        allowed = ", ".join(PLOT_SUFFIXES)
        raise OutputError(path, f"a plot file must end in one of {allowed}")


def check_writable(path: Path) -> None:
    """Raise ``OutputError`` unless a file could be written at ``path`` now; leave no trace."""
    if path.is_dir():
        raise OutputError(path, "it is a folder; a file name is needed")
    try:
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise OutputError(path, f"{error.strerror or error} ({path.parent})") from None
    os.close(handle)
    os.unlink(aside)


def write_whole(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path`` by way of a file aside; ``OutputError`` if that fails."""
    aside = None
    try:
        handle, aside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(aside, 0o666 & ~umask)
        os.replace(aside, path)
    except OSError as error:
        if aside is not None:
            with suppress(OSError):
                os.unlink(aside)
        raise OutputError(path, error.strerror or str(error)) from None
