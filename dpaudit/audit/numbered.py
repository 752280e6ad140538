"""The pairs of a relation by number, and their datasets by column, for screens of many at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpaudit.laws.float_tables import PairChunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from dpaudit.audit.plan import Pairs

__all__ = ["NumberedPairs"]


class NumberedPairs:
    """All pairs of one size, in the order of the relation; where all are neighbours none is held.

    Pair number p of m datasets is then (i, j) with s(i) + j − i − 1 = p, s(i) = i(2m − i − 1)/2.
    """

    def __init__(self, pairs: Pairs) -> None:
        """Take the ``pairs``, all of them."""
        self.datasets: list[Any]
        self._starts: NDArray[np.int64] | None = None
        if pairs.relation.is_complete(pairs.n):
            self.datasets = list(pairs.relation.datasets(pairs.n))
            rows = np.arange(len(self.datasets), dtype=np.int64)
            self._starts = rows * (2 * len(rows) - rows - 1) // 2
            self.count = pairs.expected
            return
        columns: dict[Any, int] = {}
        ends = np.fromiter(
            (columns.setdefault(dataset, len(columns)) for pair in pairs for dataset in pair),
            dtype=np.intp,
        )
        self._left, self._right = ends[::2].copy(), ends[1::2].copy()
        self.datasets = list(columns)
        self.count = len(self._left)

    def _part(self, first: int, last: int) -> PairChunk:
        if self._starts is None:
            return PairChunk(first, self._left[first:last], self._right[first:last])
        numbers = np.arange(first, last)
        left = np.searchsorted(self._starts, numbers, side="right") - 1
        # the last two rows start at the same number: the very last has no pairs
        left = np.minimum(left, len(self.datasets) - 2)
        return PairChunk(first, left, numbers - self._starts[left] + left + 1)

    def chunks(self, size: int) -> Iterator[PairChunk]:
        """Iterate over all pairs, ``size`` at a time."""
        for first in range(0, self.count, size):
            yield self._part(first, min(first + size, self.count))

    def __getitem__(self, number: int) -> tuple[Any, Any]:
        """Return the two datasets of the pair of that ``number``."""
        _, left, right = self._part(number, number + 1)
        return self.datasets[int(left[0])], self.datasets[int(right[0])]
