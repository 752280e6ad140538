"""The strategy matrix of a matrix mechanism, read as the exact numbers of a file or an array."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import zipfile
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import inf, lcm
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from dpaudit import machine
from dpaudit.data.archives import read_entries, read_header
from dpaudit.data.files import open_regular
from dpaudit.errors import DataError, DomainError, ParameterError, UsageError, counted
from dpaudit.numbers.real import parse_fraction

if TYPE_CHECKING:
    from io import BufferedReader

    from numpy.typing import NDArray

__all__ = ["MOST_STEPS", "Strategy", "read_strategy"]

MOST_STEPS = 4096
"""Matrices of more steps are refused: their products with themselves take gigabytes."""

_MOST_STEPS_CSV = 1000
_MOST_BYTES = 192 << 20
_AT_MOST = f"a strategy matrix has at most {MOST_STEPS} steps"
_COPIES = 4  # of a file, while it is read
_EXACT = 1 << 53
_LONGEST = 60
_LEAST = 1e-70  # products of smaller entries would leave the range of floats


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy (encoder) matrix C, T × T: the training releases C·x plus normal noise."""

    floats: NDArray[np.float64]
    """The entries, each the float nearest to it."""
    rationals: tuple[tuple[Fraction, ...], ...] | None = None
    """The entries by rows, where floats are not the entries themselves."""
    sha256: str = ""
    """SHA-256 of the file; empty for an array."""
    columns: dict[int, dict[int, int]] = field(default_factory=dict, repr=False)

    @property
    def steps(self) -> int:
        """T, the number of steps of training."""
        return len(self.floats)

    @property
    def triangular(self) -> bool:
        """True if C is lower triangular, so that gradients may depend on earlier outputs."""
        return not np.triu(self.floats, 1).any()

    @property
    def decreasing(self) -> bool:
        """True if C is lower triangular and Toeplitz, and its first column falls and is ≥ 0."""
        if not self.triangular or (self.floats < 0).any():
            return False
        if not (self.floats[1:, 1:] == self.floats[:-1, :-1]).all():
            return False
        if self.rationals is None:
            return bool((np.diff(self.floats[:, 0]) <= 0).all())
        rows = self.rationals
        toeplitz = all(a[1:] == b[:-1] for b, a in pairwise(rows))
        return toeplitz and all(b[0] >= a[0] for b, a in pairwise(rows))

    @property
    def unit(self) -> Fraction:
        """A number of which every entry is a whole multiple."""
        return _unit(self)

    def column(self, step: int) -> dict[int, int]:
        """Return the entries of a column that are not 0, by rows, as multiples of ``unit``."""
        if step not in self.columns:
            rows = np.flatnonzero(self.floats[:, step]).tolist()
            parts = self.unit.denominator
            if self.rationals is None:
                shift = parts.bit_length() - 1
                values = [_multiple(x, shift) for x in self.floats[rows, step].tolist()]
            else:
                cells = [self.rationals[row][step] for row in rows]
                values = [x.numerator * (parts // x.denominator) for x in cells]
            self.columns[step] = dict(zip(rows, values, strict=True))
        return self.columns[step]


def _multiple(x: float, shift: int) -> int:
    """Return x·2^shift, which is a whole number."""
    numerator, denominator = x.as_integer_ratio()
    return numerator << (shift - denominator.bit_length() + 1)


@lru_cache(maxsize=8)
def _unit(strategy: Strategy) -> Fraction:
    if strategy.rationals is not None:
        return Fraction(1, lcm(*(x.denominator for row in strategy.rationals for x in row)))
    mantissas, exponents = np.frexp(strategy.floats[strategy.floats != 0])
    if not len(exponents):
        return Fraction(1)
    whole = (mantissas * float(_EXACT)).astype(np.int64)
    zeros = np.log2((whole & -whole).astype(np.float64)).astype(np.int64)
    return Fraction(1, 1 << max(0, int((53 - zeros - exponents).max())))


def read_strategy(strategy: object) -> Strategy:
    """Return a strategy matrix.

    Args:
        strategy: the path of a ``.npy`` file, of a ``.npz`` file with one array, or of a ``.csv``
            file, whose numbers count as the decimals that are written; or an array.

    Raises:
        TooLargeError: if the memory does not suffice.
        DataError: for a file that cannot be read, or holds no such matrix.
        UsageError: if an array is not a square matrix of finite numbers.

    >>> read_strategy([[1, 0], [1, 1]]).steps
    2
    """
    if not isinstance(strategy, (str, os.PathLike)):
        return _of_array(_as_array(strategy))
    path = Path(strategy)
    try:
        with open_regular(path) as file:
            return _of_file(path, file)
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        raise DataError(path, getattr(error, "strerror", None) or str(error)) from None
    except DataError:
        raise
    except UsageError as error:
        raise DataError(path, str(error)) from None


def _of_file(path: Path, file: BufferedReader) -> Strategy:
    size = os.fstat(file.fileno()).st_size
    if size > _MOST_BYTES:
        raise DataError(path, f"it has more than {_MOST_BYTES >> 20} MiB; {_AT_MOST}")
    machine.require(machine.INTERPRETER + _COPIES * size, str(path))
    sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    if path.suffix == ".csv":
        rows = _rows(file.read(_MOST_BYTES))
        floats = np.array([[_float(x) for x in row] for row in rows])
        return Strategy(_refuse_unfit(floats), rows, sha256)
    return Strategy(_of_array(_loaded(path, file)).floats, None, sha256)


def _as_array(given: object) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except (ValueError, TypeError, OverflowError):
        raise ParameterError("strategy", "the strategy is not an array of numbers") from None


def _loaded(path: Path, file: BufferedReader) -> NDArray[Any]:
    """Return the array of a file of NumPy, whose header is read, and may be refused, first."""
    if path.suffix not in (".npy", ".npz"):
        raise DataError(path, "a strategy matrix is a .npy, .npz or .csv file")
    if not zipfile.is_zipfile(file):
        file.seek(0)
        return _entries(path, path.name, file)
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if len(names) != 1:
                raise DataError(path, f"it has {counted(len(names), 'array')}; it needs one")
            with archive.open(names[0]) as member:
                return _entries(path, names[0], member)
    except DataError:
        raise
    except Exception as error:  # of the archive, and of any kind
        raise DataError(path, f"it is a damaged archive ({type(error).__name__})") from None


def _entries(path: Path, name: str, file: IO[bytes]) -> NDArray[Any]:
    """Return the entries of one array; objects, which would be pickles, are never loaded."""
    header = read_header(path, name, file)
    if header.kind.hasobject:
        raise DataError(
            path, "it holds Python objects, which dpaudit never loads; save an array of floats"
        )
    if header.size > _MOST_BYTES or max(header.shape, default=0) > MOST_STEPS:
        shape = " × ".join(map(str, header.shape))
        raise DataError(path, f"its shape is {shape}, of {header.size >> 20} MiB; {_AT_MOST}")
    machine.require(machine.INTERPRETER + _COPIES * header.size, str(path))
    return read_entries(path, name, file, header)


def _rows(data: bytes) -> tuple[tuple[Fraction, ...], ...]:
    """Return the rows of a CSV file; ``ParameterError`` for what is no square of numbers."""
    try:
        text = data.decode("utf-8-sig")
        lines = [row for row in csv.reader(io.StringIO(text)) if row]
    except (UnicodeDecodeError, csv.Error):
        raise ParameterError("strategy", "it is not CSV in UTF-8") from None
    if len(lines) > _MOST_STEPS_CSV:
        raise ParameterError(
            "strategy",
            f"a .csv file has at most {_MOST_STEPS_CSV} rows; save a larger matrix as .npy",
        )
    found = []
    for number, line in enumerate(lines, start=1):
        if len(line) != len(lines):
            raise ParameterError(
                "strategy",
                f"row {number} has {len(line)} of the {len(lines)} numbers of a square matrix; the "
                f"file has {counted(len(lines), 'row')}",
            )
        found.append(tuple(_cell(cell.strip(), number) for cell in line))
    return tuple(found)


def _cell(text: str, row: int) -> Fraction:
    if len(text) > _LONGEST:
        raise ParameterError("strategy", f"row {row}: a number has more than {_LONGEST} characters")
    try:
        return parse_fraction(text)
    except UsageError:
        raise ParameterError("strategy", f"row {row}: {text!r} is not a number") from None


def _float(x: Fraction) -> float:
    """Return the nearest float, and never 0 for another number."""
    try:
        return float(x) or (1e-300 if x else 0.0)
    except OverflowError:
        return inf


def _of_array(array: NDArray[Any]) -> Strategy:
    """Return an array of whole numbers or floats as it is."""
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        kind = "Python objects" if array.dtype.hasobject else str(array.dtype)
        raise ParameterError(
            "strategy", f"its entries are of type {kind}; must be float64, smaller, or integers"
        )
    if array.dtype.kind != "f" and array.size:
        largest = max(abs(int(array.max())), abs(int(array.min())))
        if largest > _EXACT:
            raise DomainError("strategy", largest, "a whole number in it must be at most 2^53")
    return Strategy(_refuse_unfit(array.astype(np.float64, copy=False)))


def _refuse_unfit(floats: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a matrix; ``ParameterError`` for one that is no strategy."""
    shape = " × ".join(map(str, floats.shape)) or "a single number"
    if floats.ndim != 2 or floats.shape[0] != floats.shape[1] or not floats.size:
        raise ParameterError("strategy", f"its shape is {shape}; must be T × T, for T steps")
    if len(floats) > MOST_STEPS:
        raise ParameterError("strategy", f"its shape is {shape}; at most {MOST_STEPS} steps")
    bad = np.argwhere(~np.isfinite(floats))
    if len(bad):
        row, column = bad[0]
        raise ParameterError(
            "strategy",
            f"entry ({row}, {column}) is {floats[row, column]}; entries must be finite",
        )
    size = np.abs(floats[floats != 0])
    if len(size) and not _LEAST <= size.min() <= size.max() <= 1 / _LEAST:
        raise ParameterError(
            "strategy", f"an entry other than 0 must have a size from {_LEAST} to {1 / _LEAST}"
        )
    empty = np.flatnonzero(~floats.any(axis=0))
    if len(empty):
        raise ParameterError(
            "strategy",
            f"column {empty[0]} is 0, so the gradient of that step is never released; leave the "
            "step out",
        )
    return np.ascontiguousarray(floats)
