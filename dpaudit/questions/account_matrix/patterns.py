"""The largest sum of |G_ij| over the steps of one user, from above and at a pattern.

The user takes part in at most k steps, any two at least b apart.  G is a symmetric array of whole
numbers of at least 0.

* *Orthogonal*: where G_ij = 0 for |i − j| ≥ b, only the diagonal is summed, and a dynamic programme
  over steps is exact (Choquette-Choo et al. 2023, arXiv 2306.08153, Algorithm 3).
* *Neighbours*: where G_ij = 0 for |i − j| ≥ 2b, a step meets only the one before it and the one
  after it; a dynamic programme over pairs of steps is exact.
* *Rows*: otherwise the sum is at most the largest sum, over patterns, of bounds of rows. Row i, as
  the a-th of k steps, sums at most what a steps before it and k − 1 − a steps after it can. (The
  bound of arXiv 2306.08153 for any matrix does not count before and after.)
* *Search*: branch and bound over patterns closes the gap where few patterns are left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

__all__ = [
    "Largest",
    "largest_sum",
    "largest_weights",
    "most_steps",
    "sums_of_fixed",
]

_FRONTIER = 1_000_000
"""Entries of the largest array that the search makes."""
_ROUNDS = 30


class Largest(NamedTuple):
    """The largest sum over patterns, between the sum at one of them and a bound."""

    upper: int
    """No pattern has a larger sum."""
    pattern: tuple[int, ...]
    """A pattern with a large sum."""
    method: str
    """``neighbours``, ``search`` or ``rows``: the bound that was used."""


def most_steps(steps: int, most: int, separation: int) -> int:
    """Return in how many of ``steps`` steps a user can take part at most.

    >>> most_steps(10, 5, 3)
    4
    """
    return min(most, -(-steps // separation))


def largest_weights(weights: list[int], most: int, separation: int) -> tuple[int, tuple[int, ...]]:
    """Return the largest sum of weights over a pattern, and the pattern, exactly.

    >>> largest_weights([3, 5, 4, 1], 2, 2)
    (7, (0, 2))
    """
    # In place i: the most that at most so many weights from i on sum to, and the first step of it.
    best: list[tuple[int, tuple[int, ...]]] = [(0, ())] * (len(weights) + separation)
    for _ in range(most_steps(len(weights), most, separation)):
        grown = list(best)
        for place in range(len(weights) - 1, -1, -1):
            later, pattern = best[place + separation]
            grown[place] = max(
                grown[place + 1], (weights[place] + later, (place, *pattern)), key=lambda x: x[0]
            )
        best = grown
    return best[0]


def sums_of_fixed(gram: Whole, most: int, separation: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return the sum over each pattern of steps exactly ``separation`` apart, the largest first.

    A pattern that ends with the training is shorter than ``most``.
    """
    steps = len(gram)
    starts = min(steps, max(separation, steps - (most - 1) * separation))
    found = []
    for start in range(starts):
        pattern = tuple(range(start, steps, separation)[:most])
        found.append((int(gram[np.ix_(pattern, pattern)].sum()), pattern))
    return sorted(found, reverse=True)


def largest_sum(gram: Whole, band: int, most: int, separation: int) -> Largest:
    """Return a bound on the sums over patterns of at most ``most`` steps, ``separation`` apart.

    Args:
        gram: the sizes of the products of columns.
        band: products of columns that are ``band`` or more steps apart are 0.
        most: k.
        separation: b.

    >>> gram = np.array([[2, 0, 1], [0, 1, 0], [1, 0, 2]])
    >>> largest_sum(gram, 3, 2, 1)
    Largest(upper=6, pattern=(0, 2), method='search')
    """
    count = most_steps(len(gram), most, separation)
    if band <= 2 * separation:
        return _neighbours(gram, band, count, separation)
    rows = _Rows(gram, count, separation)
    upper, pattern = rows.bound()
    value, pattern = rows.improved(pattern)
    if value < upper:
        found = rows.search(value, pattern)
        if found is not None:
            return Largest(*found, "search")
    return Largest(upper, pattern, "rows" if value < upper else "search")


def _neighbours(gram: Whole, band: int, count: int, separation: int) -> Largest:
    """Return the largest sum where a step meets only the one before it and the one after it."""
    steps = len(gram)
    diagonal = np.diagonal(gram)
    ends, origins = diagonal.copy(), []  # the largest sum of a pattern with its last step here
    best, length = ends, 1
    layers = [ends]
    for _ in range(count - 1):
        far = np.maximum.accumulate(ends)
        value = np.full(steps, -1, dtype=np.int64)
        origin = np.full(steps, -1)
        if band < steps:
            value[band:] = far[:-band]
            origin[band:] = -2  # the best of all that are far enough
        for gap in range(separation, min(band, steps)):
            joined = ends[:-gap] + 2 * np.diagonal(gram, gap)
            better = joined > value[gap:]
            value[gap:][better] = joined[better]
            origin[gap:][better] = np.flatnonzero(better)
        ends = np.where(value < 0, -1, value + diagonal)
        ends[value < 0] = np.iinfo(np.int64).min // 4
        layers.append(ends)
        origins.append(origin)
        if ends.max() > best.max():
            best, length = ends, len(layers)
    place = int(best.argmax())
    pattern = [place]
    for layer in range(length - 2, -1, -1):
        before = int(origins[layer][place])
        place = int(layers[layer][: place - band + 1].argmax()) if before == -2 else before
        pattern.insert(0, place)
    return Largest(int(best.max()), tuple(pattern), "neighbours")


@dataclass(frozen=True, eq=False)
class _Rows:
    """Bounds and search for a matrix of any band."""

    gram: Whole
    count: int
    separation: int

    def before(self, gram: Whole) -> list[Whole]:
        """Return for a = 0 … k − 1 the largest sum of a row over a steps before the row's own."""
        steps, b = len(gram), self.separation
        none = np.zeros(steps, dtype=np.int64)
        found, best = [none], np.zeros_like(gram)
        for _ in range(self.count - 1):
            joined = gram.copy()
            joined[:, b:] += best[:, :-b]
            best = np.maximum.accumulate(joined, axis=1)
            sums = none.copy()
            sums[b:] = np.diagonal(best, -b)
            found.append(sums)
        return found

    def bound(self) -> tuple[int, tuple[int, ...]]:
        """Return a bound on every pattern's sum, and the pattern that the bound is largest at."""
        k, b, steps = self.count, self.separation, len(self.gram)
        left = self.before(self.gram)
        right = [sums[::-1] for sums in self.before(self.gram[::-1, ::-1])]
        diagonal = np.diagonal(self.gram)
        ends = diagonal + left[0] + right[k - 1]
        layers = [ends]
        for a in range(1, k):
            so_far = np.full(steps, np.iinfo(np.int64).min // 4)
            so_far[b:] = np.maximum.accumulate(ends)[:-b]
            ends = so_far + diagonal + left[a] + right[k - 1 - a]
            layers.append(ends)
        length = int(np.argmax([layer.max() for layer in layers])) + 1
        upper = int(layers[length - 1].max())
        place, pattern = steps - 1 + b, list[int]()
        for layer in reversed(layers[:length]):
            place = int(layer[: place - b + 1].argmax())
            pattern.insert(0, place)
        return upper, tuple(pattern)

    def value(self, pattern: tuple[int, ...]) -> int:
        """Return the sum over a pattern."""
        return int(self.gram[np.ix_(pattern, pattern)].sum())

    def improved(self, pattern: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """Return the best pattern that moves of single steps reach from some patterns."""
        grids = [pattern for _, pattern in sums_of_fixed(self.gram, self.count, self.separation)]
        found = list[tuple[int, tuple[int, ...]]]()
        for start in (pattern, *grids[:3]):
            best = self.value(start), start
            for _ in range(_ROUNDS):
                moved = self.moved(best[1])
                if self.value(moved) <= best[0]:
                    break
                best = self.value(moved), moved
            found.append(best)
        return max(found)

    def moved(self, pattern: tuple[int, ...]) -> tuple[int, ...]:
        """Return a pattern each of whose steps was moved in turn to its best place."""
        b, places = self.separation, list(pattern)
        for index in range(len(places)):
            others = places[:index] + places[index + 1 :]
            low = places[index - 1] + b if index else 0
            high = places[index + 1] - b if index + 1 < len(places) else len(self.gram) - 1
            gain = 2 * self.gram[others, low : high + 1].sum(axis=0)
            gain += np.diagonal(self.gram)[low : high + 1]
            best = int(gain.argmax()) + low
            if gain[best - low] > gain[places[index] - low]:
                places[index] = best
        return tuple(places)

    def rest(self) -> list[Whole]:
        """Return by a the most that the a-th step, at each place, and all later ones add.

        A step adds its own product, and twice those with steps before it.
        """
        b, steps = self.separation, len(self.gram)
        after = np.zeros(steps + b, dtype=np.int64)
        found: list[Whole] = []
        for sums in reversed(self.before(self.gram)):
            own = np.diagonal(self.gram) + 2 * sums + after[b : b + steps]
            found.insert(0, own)
            after = np.zeros(steps + b, dtype=np.int64)
            after[:steps] = np.maximum.accumulate(own[::-1])[::-1]
        return found

    def search(self, value: int, pattern: tuple[int, ...]) -> tuple[int, tuple[int, ...]] | None:
        """Return the largest sum and its pattern, or None where there are too many patterns.

        Patterns grow step by step; one whose sum, with the most that later steps can add, is not
        above the best sum so far is left.
        """
        steps, b = len(self.gram), self.separation
        diagonal, rest = np.diagonal(self.gram), self.rest()
        patterns = np.zeros((1, 0), dtype=np.int64)
        sums, gains = np.zeros(1, dtype=np.int64), np.zeros((1, steps), dtype=np.int64)
        for a in range(self.count):
            reach = sums[:, None] + 2 * gains
            allowed = np.arange(steps) >= (patterns[:, -1:] + b if a else 0)
            # What the a-th step adds with the pattern is known; only later steps are bounded.
            later = rest[a + 1] if a + 1 < self.count else np.zeros(steps, dtype=np.int64)
            tail = np.zeros(steps + b, dtype=np.int64)
            tail[:steps] = np.maximum.accumulate(later[::-1])[::-1]
            new = reach + diagonal
            promising = allowed & (new + tail[b : b + steps] > value)
            rows, places = np.nonzero(promising)
            if not len(rows):
                break
            if len(rows) * steps > _FRONTIER:
                return None
            patterns = np.column_stack([patterns[rows], places])
            sums = new[rows, places]
            gains = gains[rows] + self.gram[places]
            if sums.max() > value:
                value = int(sums.max())
                pattern = tuple(patterns[int(sums.argmax())].tolist())
        return value, pattern
