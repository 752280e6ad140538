"""Opening the files that a user names: regular files only, and never a wait for one."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path

__all__ = ["open_regular"]


def open_regular(path: str | Path) -> BufferedReader:
    """Open a regular file for reading bytes.

    A named pipe without a writer, or a terminal, would be waited for without an end.

    Raises:
        OSError: for what cannot be opened, and for what is no regular file.
        ValueError: for a path with a null character.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, "it is not a regular file; write its content to a file first")
