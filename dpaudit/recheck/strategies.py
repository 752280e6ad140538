"""Strategy matrices a second time: read from the file, and their largest sums over patterns."""

from __future__ import annotations

import ast
import csv
import hashlib
import io
import sys
import zipfile
from array import array
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpaudit.recheck.findings import NotAReportError, UnknownDefinitionError
from dpaudit.recheck.numbers import rational

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dpaudit.results import MatrixRelease

__all__ = ["ELSEWHERE", "OF_AN_ARRAY", "TOO_MANY_PATTERNS", "Matrix", "strategy_of"]

OF_AN_ARRAY = "the sensitivity of an array is not computed again: the report has no copy of it"
ELSEWHERE = "the sensitivity: there is no strategy "
TOO_MANY_PATTERNS = (
    "the upper end of the sensitivity is computed a second time only for falling Toeplitz "
    "strategies, for few steps, or where columns of a pattern have no row in common"
)
_MOST_BYTES = 192 << 20
_LONGEST_HEADER = 10_000
_FEW_STEPS = 60
_FEW_PATTERNS = 20_000
_TYPES = {"f8": "d", "f4": "f", "i8": "q", "i4": "i", "i2": "h", "i1": "b"}
_TYPES |= {"u8": "Q", "u4": "I", "u2": "H", "u1": "B"}


class Matrix:
    """A strategy by its rows, in exact numbers."""

    def __init__(self, rows: list[list[Any]]) -> None:
        """Keep the rows; ``NotAReportError`` where they are no square."""
        if any(len(row) != len(rows) for row in rows):
            raise NotAReportError("the strategy is not square")
        self.rows = rows

    @property
    def triangular(self) -> bool:
        """True if no entry above the diagonal differs from 0."""
        return all(not any(row[number + 1 :]) for number, row in enumerate(self.rows))

    def column(self, step: int) -> dict[int, Fraction]:
        """Return the entries of a column that are not 0."""
        return {
            number: Fraction(row[step]) for number, row in enumerate(self.rows) if row[step] != 0
        }

    @cached_property
    def products(self) -> list[list[Fraction]]:
        """The sizes of the products of all columns."""
        columns = [self.column(step) for step in range(len(self.rows))]
        return [
            [abs(sum((x * b[i] for i, x in a.items() if i in b), Fraction(0))) for b in columns]
            for a in columns
        ]

    def decreasing(self) -> bool:
        """Tell whether it is lower triangular, Toeplitz, at least 0, and falls down its columns.

        The products of two columns then fall in the later one and in their distance, so that the
        worst steps are the first ones (Kalinin and Lampert 2024, arXiv 2405.13763, Theorem 2).
        """
        first = [row[0] for row in self.rows]
        falling = all(a >= b for a, b in pairwise(first)) and first[-1] >= 0
        return falling and all(
            row[: number + 1] == first[number::-1] and not any(row[number + 1 :])
            for number, row in enumerate(self.rows)
        )

    def reached(self, pattern: tuple[int, ...], signs: tuple[int, ...]) -> Fraction:
        """Return the square of what contributions in a pattern reach."""
        total: dict[int, Fraction] = {}
        for step, sign in zip(pattern, signs, strict=True):
            for number, x in self.column(step).items():
                total[number] = total.get(number, Fraction(0)) + sign * x
        return sum((x * x for x in total.values()), Fraction(0))

    @cached_property
    def band(self) -> int:
        """Columns that are so many or more steps apart have no row in common."""
        places = [[i for i, x in enumerate(row) if x != 0] for row in self.rows]
        return max((row[-1] - row[0] + 1 for row in places if row), default=1)

    def bound(self, release: MatrixRelease) -> str:
        """Return the method that suffices for the upper end; ``rows`` stands for a search too."""
        b = release.min_sep
        if self.decreasing():
            return "toeplitz"
        if release.participation == "fixed-epoch":
            return "patterns"
        if self.band <= b or _most_steps(release) == 1:
            return "orthogonal"
        return "neighbours" if self.band <= 2 * b else "rows"

    def largest(self, release: MatrixRelease) -> Fraction:
        """Return the largest sum of products over a pattern; ``UnknownDefinitionError`` if long."""
        steps, bound = len(self.rows), self.bound(release)
        if bound == "orthogonal":
            return self._without_products(release)
        if bound == "toeplitz":
            first = tuple(range(0, steps, release.min_sep)[: release.max_participations])
            return self.reached(first, (1,) * len(first))
        if steps > _FEW_STEPS or _pattern_count(release) > _FEW_PATTERNS:
            raise UnknownDefinitionError(TOO_MANY_PATTERNS)
        return max(
            sum((self.products[i][j] for i in pattern for j in pattern), Fraction(0))
            for pattern in _patterns(release)
        )

    def _without_products(self, release: MatrixRelease) -> Fraction:
        """Return the largest sum of squares over a pattern: only the diagonal counts."""
        steps, b = len(self.rows), release.min_sep
        squares = [sum(x * x for x in self.column(step).values()) for step in range(steps)]
        # In place i: the largest sum over at most so many of the first i steps.
        best = [Fraction(0)] * (steps + 1)
        for _ in range(_most_steps(release)):
            with_last = [
                square + best[max(0, place - b + 1)] for place, square in enumerate(squares)
            ]
            best = [Fraction(0), *accumulate(with_last, max)]
        return best[-1]


def _most_steps(release: MatrixRelease) -> int:
    """Return the largest number of steps that a pattern can have."""
    return min(release.max_participations, -(-release.steps // release.min_sep))


def _pattern_count(release: MatrixRelease) -> int:
    if release.participation == "fixed-epoch":
        return release.steps * release.max_participations
    return sum(
        comb(max(0, release.steps - (size - 1) * (release.min_sep - 1)), size)
        for size in range(1, release.max_participations + 1)
    )


def _patterns(release: MatrixRelease, before: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Iterate over the patterns that continue ``before``."""
    first = before[-1] + release.min_sep if before else 0
    last = first + 1 if before and release.participation == "fixed-epoch" else release.steps
    if len(before) < release.max_participations:
        for step in range(first, min(last, release.steps)):
            yield (*before, step)
            yield from _patterns(release, (*before, step))


def strategy_of(release: MatrixRelease, folder: Path) -> list[list[Any]]:
    """Return the rows of the file of a strategy, where that is the one of the report.

    Its path is relative to ``folder``.
    """
    if not release.sha256:
        raise UnknownDefinitionError(OF_AN_ARRAY)
    path = folder / release.path
    try:
        if not path.is_file() or path.stat().st_size > _MOST_BYTES:
            raise UnknownDefinitionError(f"{ELSEWHERE}{path} here")
        data = path.read_bytes()
    except (OSError, ValueError):
        raise UnknownDefinitionError(f"the sensitivity: {path} cannot be read") from None
    if hashlib.sha256(data).hexdigest() != release.sha256:
        raise UnknownDefinitionError(f"the sensitivity: {path} is another file than the report's")
    try:
        if path.suffix == ".csv":
            text = data.decode("utf-8-sig")
            lines = [line for line in csv.reader(io.StringIO(text)) if line]
            return [[rational(cell.strip()) for cell in line] for line in lines]
        if path.suffix == ".npz":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                (member,) = archive.infolist()
                if member.file_size > _MOST_BYTES:
                    raise ValueError("too large")
                data = archive.read(member)
        return _numbers(data)
    except (ValueError, KeyError, SyntaxError, csv.Error, zipfile.BadZipFile, NotImplementedError):
        raise UnknownDefinitionError(f"the sensitivity: {path} is not read a second time") from None


def _numbers(data: bytes) -> list[list[Any]]:
    """Return the rows of a .npy file; ``ValueError`` for what is none (NumPy's format 1 to 3)."""
    if data[:6] != b"\x93NUMPY":
        raise ValueError("not a .npy file")
    wide = 2 if data[6] == 1 else 4
    length = int.from_bytes(data[8 : 8 + wide], "little")
    if length > _LONGEST_HEADER:
        raise ValueError("its header is too long")
    start = 8 + wide + length
    header = ast.literal_eval(data[8 + wide : start].decode("latin1").strip())
    steps, other = header["shape"]
    numbers = array(_TYPES[header["descr"][1:]])
    numbers.frombytes(data[start:])
    if (header["descr"][0] == ">") is (sys.byteorder == "little") and numbers.itemsize > 1:
        numbers.byteswap()
    if len(numbers) != steps * other:
        raise ValueError("its numbers are not those of its shape")
    if header["fortran_order"]:
        return [numbers[row::steps].tolist() for row in range(steps)]
    return [numbers[row * other : (row + 1) * other].tolist() for row in range(steps)]
