"""Outputs, one a line: their numbers, what is hashable of them, and their digests."""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.sampling.outputs import Word, key, leaves, nearest, pattern, plain, text, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["ATOMS", "MOST_NUMBERS", "Batch", "batch_of", "joined"]

_HEADS = (128, 1024)
"""Numbers of first draws of a chunk whose digests are compared with those of other chunks."""
_SIZED = 256
"""Number of outputs whose sizes estimate the size of all."""
_POINTER = 8
_MIXED = np.uint64(0x9E3779B97F4A7C15)
_FLOATS: frozenset[type] = frozenset({float, np.float64})
"""Types of outputs that are all there is in an array of floats."""
ATOMS: frozenset[type] = frozenset({bool, int, float, str, type(None)})
"""Types of outputs that have no parts, and are plain as they are."""
MOST_NUMBERS = 2048
"""Largest number of entries of one output that are read, if outputs are no NumPy matrix."""


@dataclass(frozen=True)
class Batch:
    """Outputs, one a line."""

    numbers: NDArray[np.float64]
    """Their numbers, shaped (draws, numbers); nan for what is no number, or is not there."""
    values: tuple[Any, ...] | None
    """The outputs themselves; None where they are all there is in ``numbers``."""
    scalar: bool
    """True if an output is one number, not a vector of one."""
    cut: bool = False
    """True if an output has more entries than are read."""

    def __len__(self) -> int:
        """Return how many outputs there are."""
        return len(self.numbers)

    def part(self, start: int, end: int | None) -> Batch:
        """Return some of the outputs."""
        values = None if self.values is None else self.values[start:end]
        return Batch(self.numbers[start:end], values, self.scalar)

    @property
    def bytes(self) -> int:
        """Memory of the batch in bytes, estimated from the first outputs."""
        if self.values is None:
            return self.numbers.nbytes
        first = self.values[:_SIZED]
        each = sum(map(_bytes_of, first)) / max(len(first), 1) + _POINTER
        return self.numbers.nbytes + int(each * len(self.values))

    @cached_property
    def keys(self) -> list[Any]:
        """Something hashable for each output, equal where outputs are; nan is a word."""
        if self.values is not None:
            if (ATOMS - _FLOATS).issuperset(map(type, self.values)):
                return list(self.values)
            return list(map(key, self.values))
        lines, missing = self.numbers, np.isnan(self.numbers)
        if missing.any():
            lines = lines.astype(object)
            lines[missing] = Word("nan")
        rows = lines.tolist()
        return [line[0] for line in rows] if self.scalar else list(map(tuple, rows))

    @cached_property
    def distinct(self) -> tuple[Batch, NDArray[np.intp]]:
        """Return its outputs, each once, where they are numbers, and which of them each line is."""
        lines = self.numbers
        marks = _marks_of(lines)
        _, first, places = np.unique(marks, return_index=True, return_inverse=True)
        if not np.array_equal(lines[first][places], lines, equal_nan=True):  # two with one mark
            first, places = np.arange(len(lines)), np.arange(len(lines))
        return Batch(lines[first], None, self.scalar), places

    @cached_property
    def patterns(self) -> list[Any]:
        """Each output with its numbers left out."""
        if self.values is not None:
            return list(map(pattern, self.values))
        lines = self.numbers.tolist()  # not the keys: nan is a number here, and a word there
        return [pattern(line[0] if self.scalar else tuple(line)) for line in lines]

    @cached_property
    def texts(self) -> list[str]:
        """The text of each output."""
        return list(map(words_of, self.keys if self.values is None else self.values))

    def digests(self) -> list[tuple[str, float]]:
        """Return digests of the first outputs and of all, in order, with how surprising they are.

        That is minus the log of the probability of these outputs, were they drawn once more.
        """
        lengths = sorted({len(self), *(head for head in _HEADS if head < len(self))})
        return [self._digest(length) for length in lengths]

    def _digest(self, length: int) -> tuple[str, float]:
        if self.values is None:
            numbers = self.numbers[:length]
            data = np.ascontiguousarray(numbers).tobytes()
            _, counts = np.unique(_marks_of(numbers), return_counts=True)
        else:
            data = text(self.values[:length]).encode(errors="backslashreplace")
            counts = np.array(list(Counter(self.keys[:length]).values()))
        sizes, times = np.unique(counts, return_counts=True)
        surprise = float((times * sizes * np.log(length / sizes)).sum())
        return hashlib.sha256(data).hexdigest(), surprise


def _marks_of(numbers: NDArray[np.float64]) -> NDArray[Any]:
    """Return one number for each line, the same for lines that are.

    Lines of several numbers are hashed: two that are not the same and get one mark would make
    draws look less surprising than they are, never more.
    """
    lines = np.where(np.isnan(numbers), -np.finfo(float).max, numbers) + 0.0  # of −0.0 it is 0.0
    if lines.shape[1] == 1:
        return lines[:, 0]
    marks = np.zeros(len(lines), dtype=np.uint64)
    for column in np.ascontiguousarray(lines).view(np.uint64).T:
        marks = (marks ^ column ^ (column >> np.uint64(32))) * _MIXED
        marks ^= marks >> np.uint64(29)
    return marks


def _bytes_of(value: Any) -> int:
    parts = sum(map(_bytes_of, value)) if isinstance(value, tuple) else 0
    return sys.getsizeof(value) + parts


def batch_of(drawn: Any) -> Batch:
    """Return what a sampler returned as a batch."""
    if isinstance(drawn, np.ma.MaskedArray):
        drawn = drawn.tolist()
    if (
        isinstance(drawn, np.ndarray)
        and drawn.dtype.kind in "biuf"
        and (drawn.ndim == 1 or (drawn.ndim == 2 and drawn.shape[1]))
    ):
        numbers = drawn.astype(np.float64)
        if drawn.dtype.kind in "bf" or not drawn.size or np.abs(numbers).max() < 1 << 53:
            return Batch(numbers.reshape(len(drawn), -1), None, drawn.ndim == 1)
    if type(drawn) is list and drawn and _FLOATS.issuperset(map(type, drawn)):
        return Batch(np.array(drawn, np.float64).reshape(-1, 1), None, scalar=True)
    if type(drawn) is list and drawn and ATOMS.issuperset(map(type, drawn)):
        one_each = np.fromiter(map(nearest, drawn), np.float64, len(drawn))
        return Batch(one_each.reshape(-1, 1), tuple(drawn), scalar=True)
    values = tuple(map(plain, drawn))
    lines = list(map(leaves, values))
    width = max(map(len, lines), default=1)
    numbers = np.full((len(lines), max(min(width, MOST_NUMBERS), 1)), np.nan)
    for row, line in enumerate(lines):
        numbers[row, : len(line)] = list(map(nearest, line[:MOST_NUMBERS]))
    scalar = not any(isinstance(value, tuple) for value in values)
    return Batch(numbers, values, scalar, width > MOST_NUMBERS)


def joined(parts: Iterator[Batch]) -> Batch:
    """Return the outputs of some batches, one after the other."""
    batches = list(parts)
    width = max(batch.numbers.shape[1] for batch in batches)
    numbers = np.full((sum(map(len, batches)), width), np.nan)
    row = 0
    for batch in batches:
        numbers[row : row + len(batch), : batch.numbers.shape[1]] = batch.numbers
        row += len(batch)
    if all(batch.values is None for batch in batches):
        return Batch(numbers, None, batches[0].scalar)
    values = [value for batch in batches for value in (batch.values or batch.keys)]
    scalar, cut = (all(batch.scalar for batch in batches), any(batch.cut for batch in batches))
    return Batch(numbers, tuple(values), scalar, cut)
