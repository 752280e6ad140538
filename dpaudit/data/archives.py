"""Arrays in files of NumPy, ``.npy`` and ``.npz``, as columns of text; nothing in them is run."""

from __future__ import annotations

import lzma
import struct
import warnings
import zipfile
import zlib
from math import prod
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dpaudit.data.files import open_regular
from dpaudit.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["ArrayHeader", "archive_cells", "archive_titles", "read_entries", "read_header"]

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
        with open_regular(path) as whole, zipfile.ZipFile(whole) as archive:
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
        with open_regular(path) as file:
            return [_read(path, names[0], file, most)]
    titles = archive_titles(path)
    columns = []
    for name in names:
        find(name, titles)
        try:
            with (
                open_regular(path) as whole,
                zipfile.ZipFile(whole) as archive,
                archive.open(name + _SUFFIX) as file,
            ):
                columns.append(_read(path, name, file, most))
        except _BROKEN as error:
            raise DataError(path, f"array {name!r} cannot be read: {_one_line(error)}") from None
    counts = {len(column) for column in columns}
    if len(counts) > 1:
        raise DataError(path, f"its arrays {', '.join(names)} have different lengths")
    return columns


class ArrayHeader(NamedTuple):
    """Header of an array: it is read, and may be refused, before memory is taken."""

    shape: tuple[int, ...]
    by_columns: bool
    """True if the entries are in Fortran's order."""
    kind: np.dtype[Any]

    @property
    def size(self) -> int:
        """Number of bytes of the entries."""
        return prod(self.shape) * self.kind.itemsize


def read_header(path: Path, name: str, file: IO[bytes]) -> ArrayHeader:
    """Return the header of an array; ``DataError`` for what has none of NumPy's."""
    try:
        version = np.lib.format.read_magic(file)
        header: Any = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of NumPy about headers of Python 2
            return ArrayHeader(*header(file))
    except (*_BROKEN, Warning) as error:
        raise DataError(path, f"array {name!r} is not one of NumPy: {_one_line(error)}") from None


def read_entries(path: Path, name: str, file: IO[bytes], header: ArrayHeader) -> NDArray[Any]:
    """Return the entries of an array after its ``header``; ``DataError`` if they are not so many.

    Objects, which NumPy would unpickle, are for the caller to refuse before.
    """
    try:
        # One byte more than the header says shows a file that is longer.
        data = file.read(header.size + 1)
    except _BROKEN as error:
        raise DataError(path, f"array {name!r} cannot be read: {_one_line(error)}") from None
    if len(data) != header.size:
        side = "shorter" if len(data) < header.size else "longer"
        raise DataError(path, f"array {name!r} is {side} than its header says")
    order: Any = "F" if header.by_columns else "C"
    if not data:
        return np.empty(header.shape, header.kind)
    return np.frombuffer(data, header.kind).reshape(header.shape, order=order)


def _read(path: Path, name: str, file: IO[bytes], most: int) -> list[str]:
    """Return the entries of an array; its shape is looked at before memory is taken."""
    header = read_header(path, name, file)
    shape, kind = header.shape, header.kind
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
    return [str(entry) for entry in read_entries(path, name, file, header).tolist()]


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:160]
