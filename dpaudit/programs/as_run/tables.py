"""Tables of cumulative weights: in which cell of one an unknown float falls.

``numpy.random.choice`` and ``random.choices`` count how many cumulative weights are at most a
uniform, or a multiple of it.  That is one draw: the weights cut the whole numbers k of the uniform
into cells, and where each begins is found with the very comparison that runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from dpaudit.programs.as_run.curves import UNIT, WORDS, Curve, Span

__all__ = ["Table", "chosen_from", "cumulative", "table_of"]

Cells = tuple[tuple[int, Span], ...]
"""Index and span of each cell that is not empty, in the order of k."""

_NEAR = 4
"""A first guess of where a cell begins is hardly ever farther off."""
_MOST_KEPT = 64


class Table:
    """Numbers in increasing order, among which floats are looked up; equal keys mean the same."""

    __slots__ = ("_cells", "_hash", "ends", "key", "kind", "weights")

    def __init__(
        self, ends: Sequence[float], key: Hashable, kind: str = "", weights: Any = None
    ) -> None:
        """Take the numbers, of which none is nan, and what tells them from others.

        Of a choice of NumPy's also the class of its generator, and its weights.
        """
        self.ends, self.key, self.kind, self.weights = ends, key, kind, weights
        self._hash = hash(key)
        self._cells: dict[tuple[Curve, Span, bool], Cells] = {}

    def __hash__(self) -> int:
        """Return the hash of the key, which was taken once."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Tell whether it has the same numbers."""
        return self is other or (isinstance(other, Table) and self.key == other.key)

    def cells(self, curve: Curve, span: Span, *, rises: bool) -> Cells:
        """Return where on a monotone curve which number of the ends is at most its value."""
        known = self._cells.get((curve, span, rises))
        if known is None:
            known = self._cells[curve, span, rises] = self._cut(curve, span, rises=rises)
        return known

    def _cut(self, curve: Curve, span: Span, *, rises: bool) -> Cells:
        low, high = span
        if curve is UNIT:  # k·2⁻⁵³ ≥ end just where k ≥ end·2⁵³, which is exact
            inside = [min(max(end, 0.0), 1.0) for end in self.ends]
            turns = [min(max(math.ceil(end * WORDS), low), high + 1) for end in inside]
        else:
            turns = [_turn(curve, end, span, rises=rises) for end in self.ends]
        count = len(turns)
        indices = range(count + 1) if rises else range(count, -1, -1)
        first, found = low, []
        after = [*(turns if rises else turns[::-1]), high + 1]
        for index, turn in zip(indices, after, strict=True):
            if turn > first:
                found.append((index, (first, turn - 1)))
                first = turn
        return tuple(found)


def _turn(curve: Curve, end: float, span: Span, *, rises: bool) -> int:
    """Return the first k from which on ``value < end`` is what it is at the end of the span."""
    at = curve.at
    low, high = span
    for k in _guesses(curve, end, span):
        if (at(k) < end) == rises:
            low = max(low, k + 1)
        else:
            high = min(high, k - 1)
    while low <= high:
        middle = (low + high) // 2
        if (at(middle) < end) == rises:
            low = middle + 1
        else:
            high = middle - 1
    return low


def _guesses(curve: Curve, end: float, span: Span) -> tuple[int, ...]:
    """Return places before and after the one where a straight line would meet a number."""
    low, high = span
    first, last = curve.ends(span)
    share = (end - first) / (last - first) if last != first else math.nan
    if not 0 < share < 1:
        return low, high
    about = low + int(share * (high - low))
    return max(low, about - _NEAR), min(high, about + _NEAR)


_TABLES: dict[Hashable, Table] = {}


def _kept(key: Hashable, make: Callable[[], Table]) -> Table:
    found = _TABLES.get(key)
    if found is None:
        if len(_TABLES) >= _MOST_KEPT:
            _TABLES.clear()
        found = _TABLES[key] = make()
    return found


def cumulative(weights: Any) -> Any:
    """Return the cumulative sums of an array of weights, the last of them 1, as NumPy does it."""
    ends = weights.cumsum()
    ends /= ends[-1]
    return ends


def chosen_from(kind: str, weights: Any) -> Table:
    """Return the table of ``choice`` with these weights, of a generator of this class."""
    key = kind, weights.tobytes()
    return _kept(key, lambda: Table(cumulative(weights).tolist(), key, kind, weights.copy()))


def table_of(ends: Sequence[Any]) -> Table:
    """Return the table of these numbers, as the tuple that tells it from others."""
    key = tuple(ends)
    return _kept(key, lambda: Table(key, key))
