"""Arrays in files of NumPy, ``.npy`` and ``.npz``, as columns of text; nothing in them is run."""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from dpaudit.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

__all__ = ["archive_cells", "archive_titles"]

_SUFFIX = ".npy"
_KINDS = "biufU"
"""Kinds of entries that are read: booleans, whole numbers, floats and text."""
_LONGEST = 32
"""Most characters of a text in an array: NumPy gives the text of any of its numbers so many."""
_BROKEN = (
    EOFError,
    KeyError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""Exceptions of reading a file that is no archive, or a damaged one."""


def archive_titles(path: Path) -> list[str]:
    """Return the names of the arrays in an ``.npz`` file; the one of an ``.npy`` file has none.

    Raises:
        DataError: for what is no such file.
    """
    if path.suffix.lower() == _SUFFIX:
        return []
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except _BROKEN as error:
        raise DataError(path, f"it is not an .npz file: {_one_line(error)}") from None
    return [name.removesuffix(_SUFFIX) for name in names]


def archive_cells(
    path: Path, names: Sequence[str], most: int, find: Callable[[str, Sequence[str]], int]
) -> list[list[str]]:
    """Return arrays of one axis as text.

    Args:
        path: the file.  An ``.npy`` file holds one array, which has any name.
        names: the names of the arrays.
        most: the most entries that are read.
        find: gives the place of a name among all, or raises ``DataError``.

    Raises:
        DataError: for what is no such file, has no such array, or arrays of other shapes or kinds.
    """
    if path.suffix.lower() == _SUFFIX:
        if len(names) > 1:
            raise DataError(
                path,
                f"an .npy file holds one array, and {names[1]!r} is needed as well; write both "
                "with numpy.savez",
            )
        with path.open("rb") as file:
            return [_read(path, names[0], file, most)]
    titles = archive_titles(path)
    columns = []
    for name in names:
        find(name, titles)
        try:
            with zipfile.ZipFile(path) as archive, archive.open(name + _SUFFIX) as file:
                columns.append(_read(path, name, file, most))
        except _BROKEN as error:
            raise DataError(path, f"array {name!r} cannot be read: {_one_line(error)}") from None
    counts = {len(column) for column in columns}
    if len(counts) > 1:
        raise DataError(path, f"its arrays {', '.join(names)} have different lengths")
    return columns


def _read(path: Path, name: str, file: IO[bytes], most: int) -> list[str]:
    """Return the entries of an array; its shape is looked at before memory is taken."""
    try:
        version = np.lib.format.read_magic(file)
        header: Any = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, _, kind = header(file)
    except _BROKEN as error:
        raise DataError(path, f"array {name!r} is not one of NumPy: {_one_line(error)}") from None
    if len(shape) != 1 or kind.kind not in _KINDS:
        raise DataError(
            path,
            f"array {name!r} has shape {shape} and type {kind}; needed are numbers or text along "
            "one axis",
        )
    if kind.kind == "U" and kind.itemsize > 4 * _LONGEST:
        raise DataError(
            path,
            f"array {name!r} has type {kind}, texts of up to {kind.itemsize // 4} characters; at "
            f"most {_LONGEST} are read: write it as array.astype('U{_LONGEST}')",
        )
    if shape[0] > most:
        raise DataError(path, f"it has more than {most} rows, the most that are read")
    size = shape[0] * kind.itemsize
    try:
        # One byte more than the header says shows a file that is longer.
        data = file.read(size + 1)
    except _BROKEN as error:
        raise DataError(path, f"array {name!r} cannot be read: {_one_line(error)}") from None
    if len(data) != size:
        raise DataError(path, f"array {name!r} is shorter than its header says")
    return [str(entry) for entry in np.frombuffer(data, kind).tolist()] if size else []


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:160]
